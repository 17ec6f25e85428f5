#!/usr/bin/env python3
"""Trains the small model whose two layers the lesson on real attention looks at, and writes them as documents.

Two layers of attention and nothing else: no layer norms, no MLPs. What it learns is to go on with a sequence of random
letters that repeats, where the only way to know the next letter is to find the last time that the letter before it
stood there, and to copy what came then. That takes two heads, one after the other: one that looks at the previous token,
and one that looks at the token behind the last occurrence of the current one (an induction head).

    /usr/bin/python3 tools/train_small_model.py assets/documents

Needs python3-torch. Prints how much each head looks at the previous token and at the induction target.
"""

import json
import sys

import torch
from torch import nn

LETTERS = "abcdefghijklmnopqrst"
LENGTH = 24  # tokens of a sequence
WIDTH = 32
HEADS = 2
STEPS = 6000
DECAY = 0.3  # of weights that are of no use: heads share less of the work
SHOWN = "kcamfpdhrjgskcamfpdhrjgs"  # the sequence of the documents: twelve letters, twice


class Attention(nn.Module):
    """The notebook's MultiHeadAttention without dropout."""

    def __init__(self):
        super().__init__()
        self.W_query = nn.Linear(WIDTH, WIDTH, bias=False)
        self.W_key = nn.Linear(WIDTH, WIDTH, bias=False)
        self.W_value = nn.Linear(WIDTH, WIDTH, bias=False)
        self.out_proj = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        split = lambda y: y.view(*y.shape[:-1], HEADS, WIDTH // HEADS).transpose(-3, -2)
        queries, keys, values = split(self.W_query(x)), split(self.W_key(x)), split(self.W_value(x))
        scores = queries @ keys.transpose(-2, -1)
        mask = torch.triu(torch.ones(x.shape[-2], x.shape[-2], dtype=torch.bool), diagonal=1)
        weights = torch.softmax(scores.masked_fill(mask, -torch.inf) / keys.shape[-1] ** 0.5, dim=-1)
        context = (weights @ values).transpose(-3, -2).flatten(-2)
        return self.out_proj(context), weights


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Parameter(0.3 * torch.randn(len(LETTERS), WIDTH))
        self.position = nn.Parameter(0.3 * torch.randn(LENGTH, WIDTH))
        self.layers = nn.ModuleList([Attention(), Attention()])
        self.unembed = nn.Linear(WIDTH, len(LETTERS), bias=False)

    def forward(self, tokens):
        x = self.token[tokens] + self.position[: tokens.shape[-1]]
        inputs, weights = [], []
        for layer in self.layers:
            inputs.append(x)
            out, of_layer = layer(x)
            weights.append(of_layer)
            x = x + out
        return self.unembed(x), inputs, weights


def batch(size):
    """Sequences of 8 to 12 different letters, over and over."""
    rows = torch.zeros(size, LENGTH, dtype=torch.long)
    periods = torch.randint(8, 13, (size,))
    for row, period in zip(rows, periods):
        letters = torch.randperm(len(LETTERS))[:period]
        row.copy_(letters.repeat(LENGTH // int(period) + 1)[:LENGTH])
    return rows, periods


def train(model):
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, STEPS)
    for step in range(STEPS):
        rows, periods = batch(96)
        logits, _, _ = model(rows)
        is_told = torch.arange(1, LENGTH)[None, :] >= periods[:, None]  # the next letter can be known
        losses = nn.functional.cross_entropy(logits[:, :-1].transpose(1, 2), rows[:, 1:], reduction="none")
        loss = losses[is_told].mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 1000 == 0 or step == STEPS - 1:
            right = (logits[:, :-1].argmax(-1) == rows[:, 1:])[is_told].float().mean()
            print(f"step {step}: loss {loss:.4f}, right {right:.3f}", flush=True)


def report(model):
    """Mean attention on the previous token and on the induction target, over sequences that were not trained on."""
    rows, periods = batch(200)
    _, _, weights = model(rows)
    for number, of_layer in enumerate(weights, 1):
        for head in range(HEADS):
            w = of_layer[:, head]
            previous = torch.diagonal(w, -1, 1, 2).mean()
            targets = [w[i, t, t % int(p) + 1 : t : int(p)].sum() for i, p in enumerate(periods) for t in range(int(p), LENGTH)]
            print(f"layer {number}, head {head + 1}: previous token {previous:.3f}, "
                  f"induction target {torch.stack(targets).mean():.3f}")


def rounded(tensor):
    return [[round(float(x), 4) for x in row] for row in tensor]


def write(model, folder):
    tokens = torch.tensor([LETTERS.index(letter) for letter in SHOWN])
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_((parameter * 1e4).round() / 1e4)
        logits, inputs, _ = model(tokens)
    names = [LETTERS[i] for i in logits.argmax(-1)]
    print("says next:", "".join(names), "for", SHOWN)
    for number, (layer, x) in enumerate(zip(model.layers, inputs), 1):
        document = {
            "format": "attnscope",
            "version": 1,
            "tokens": list(SHOWN),
            "inputs": rounded(x),
            "mechanism": "multi_head_attention",
            "d_out": WIDTH,
            "num_heads": HEADS,
            "weights": {
                "W_query.weight": rounded(layer.W_query.weight),
                "W_key.weight": rounded(layer.W_key.weight),
                "W_value.weight": rounded(layer.W_value.weight),
                "out_proj.weight": rounded(layer.out_proj.weight),
                "out_proj.bias": [round(float(x), 4) for x in layer.out_proj.bias],
            },
        }
        text = json.dumps(document, indent=None, separators=(", ", ": ")).replace("], [", "],\n[")
        with open(f"{folder}/trained_layer_{number}.json", "w") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    torch.manual_seed(int(sys.argv[2]) if len(sys.argv) > 2 else 3)
    torch.set_num_threads(1)
    small_model = Model()
    train(small_model)
    report(small_model)
    write(small_model, sys.argv[1])
