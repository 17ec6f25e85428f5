"""Checkpoints as people have them give the numbers of PyTorch: nanoGPT, llama2.c, Meta's, wrapped ones, and nn.MultiheadAttention.

run_checkpoints.py PROGRAM

Ends with status 77, which skips the test, where PyTorch is missing.
"""

import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy

try:
    import torch
    from torch import nn
    from torch.nn import functional
except ImportError:
    sys.exit(77)

TOKENS = [3, 1, 4, 1, 5, 9, 2, 6]
VOCABULARY, CONTEXT, FEATURES, LAYERS, HEADS, KEY_HEADS = 20, 16, 8, 2, 2, 1
WIDTH = FEATURES // HEADS


def attention(queries, keys, values):
    """Causal attention of (T, H, D) with fewer heads of keys, as a row for each token."""
    keys, values = (tensor.repeat_interleave(queries.shape[1] // tensor.shape[1], 1) for tensor in (keys, values))
    queries, keys, values = (tensor.transpose(0, 1) for tensor in (queries, keys, values))
    hidden = torch.triu(torch.ones(queries.shape[1], keys.shape[1]), 1).bool()
    scores = (queries @ keys.transpose(1, 2) / math.sqrt(queries.shape[2])).masked_fill(hidden, -math.inf)
    return (torch.softmax(scores, -1) @ values).transpose(0, 1).flatten(1)


class LayerNorm(nn.Module):
    def __init__(self, bias):
        super().__init__()
        self.weight = nn.Parameter(1 + torch.randn(FEATURES) / 10)
        self.bias = nn.Parameter(torch.randn(FEATURES)) if bias else None

    def forward(self, x):
        return functional.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)


class NanoBlock(nn.Module):
    def __init__(self, bias):
        super().__init__()
        self.ln_1, self.ln_2 = LayerNorm(bias), LayerNorm(bias)
        self.attn, self.mlp = nn.Module(), nn.Module()
        self.attn.c_attn, self.attn.c_proj = nn.Linear(FEATURES, 3 * FEATURES, bias), nn.Linear(FEATURES, FEATURES, bias)
        self.mlp.c_fc, self.mlp.c_proj = nn.Linear(FEATURES, 4 * FEATURES, bias), nn.Linear(4 * FEATURES, FEATURES, bias)

    def forward(self, x):
        parts = (part.unflatten(1, (HEADS, WIDTH)) for part in self.attn.c_attn(self.ln_1(x)).split(FEATURES, 1))
        x = x + self.attn.c_proj(attention(*parts))
        return x + self.mlp.c_proj(functional.gelu(self.mlp.c_fc(self.ln_2(x))))


class NanoGpt(nn.Module):
    def __init__(self, bias):
        super().__init__()
        self.transformer = nn.ModuleDict({"wte": nn.Embedding(VOCABULARY, FEATURES), "wpe": nn.Embedding(CONTEXT, FEATURES),
                                          "h": nn.ModuleList(NanoBlock(bias) for _ in range(LAYERS)), "ln_f": LayerNorm(bias)})
        self.lm_head = nn.Linear(FEATURES, VOCABULARY, False)
        self.transformer["wte"].weight = self.lm_head.weight

    def forward(self, tokens):
        x = self.transformer["wte"](tokens) + self.transformer["wpe"](torch.arange(len(tokens)))
        for block in self.transformer["h"]:
            x = block(x)
        return self.lm_head(self.transformer["ln_f"](x))


class RmsNorm(nn.Module):
    def __init__(self, epsilon):
        super().__init__()
        self.weight, self.epsilon = nn.Parameter(1 + torch.randn(FEATURES) / 10), epsilon

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon) * self.weight


def turned(x, base):
    """Rotary positions of neighbouring dimensions, (T, H, D)."""
    angles = torch.outer(torch.arange(len(x)).float(), base ** (-torch.arange(0, WIDTH, 2) / WIDTH))[:, None]
    even, odd = x[..., ::2], x[..., 1::2]
    return torch.stack((even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos()), -1).flatten(2)


class LlamaBlock(nn.Module):
    def __init__(self, base, epsilon):
        super().__init__()
        self.base = base
        self.attention, self.feed_forward = nn.Module(), nn.Module()
        for name, rows in (("wq", FEATURES), ("wk", KEY_HEADS * WIDTH), ("wv", KEY_HEADS * WIDTH), ("wo", FEATURES)):
            setattr(self.attention, name, nn.Linear(FEATURES, rows, False))
        for name, into, out in (("w1", FEATURES, 12), ("w2", 12, FEATURES), ("w3", FEATURES, 12)):
            setattr(self.feed_forward, name, nn.Linear(into, out, False))
        self.attention_norm, self.ffn_norm = RmsNorm(epsilon), RmsNorm(epsilon)

    def forward(self, x):
        y, own = self.attention_norm(x), self.attention
        queries, keys, values = (layer(y).unflatten(1, (-1, WIDTH)) for layer in (own.wq, own.wk, own.wv))
        x = x + own.wo(attention(turned(queries, self.base), turned(keys, self.base), values))
        y, own = self.ffn_norm(x), self.feed_forward
        return x + own.w2(functional.silu(own.w1(y)) * own.w3(y))


class Llama2c(nn.Module):
    def __init__(self, base=10000.0, epsilon=1e-5):
        super().__init__()
        self.tok_embeddings, self.output = nn.Embedding(VOCABULARY, FEATURES), nn.Linear(FEATURES, VOCABULARY, False)
        self.tok_embeddings.weight = self.output.weight
        self.layers, self.norm = nn.ModuleList(LlamaBlock(base, epsilon) for _ in range(LAYERS)), RmsNorm(epsilon)
        self.register_buffer("freqs_cos", torch.zeros(CONTEXT, WIDTH // 2))

    def forward(self, tokens):
        x = self.tok_embeddings(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.output(self.norm(x))


class Checks:
    def __init__(self, program, folder):
        self.program, self.folder, self.failed = program, folder, False

    def run(self, *arguments, text=None):
        return subprocess.run([self.program, *map(str, arguments)], input=text, capture_output=True, text=True, check=False)

    def check(self, name, run, stage, expected):
        if run.returncode != 0:
            print(f"{name}: {run.stderr}")
            self.failed = True
            return
        actual = numpy.load(self.folder / "out.npz")[stage].reshape(expected.shape)
        difference = numpy.abs(actual - expected).max() / numpy.abs(expected).max()
        print(f"{name}: {difference:.1e}")
        self.failed = self.failed or not difference < 1e-5

    def check_model(self, name, saved, model, opened=None):
        torch.save(saved, self.folder / name)
        path = opened or self.folder / name
        document = {"model": str(path), "token_ids": TOKENS}
        run = self.run("eval", "-", "-o", self.folder / "out.npz", "--stages", "logits", text=json.dumps(document))
        self.check(name, run, "logits", model(torch.tensor(TOKENS)).detach().numpy())


def nano_gpt(checks):
    for bias in (True, False):
        model = NanoGpt(bias)
        optimizer = torch.optim.AdamW(model.parameters())
        model(torch.tensor(TOKENS)).sum().backward()
        optimizer.step()
        arguments = {"n_layer": LAYERS, "n_head": HEADS, "n_embd": FEATURES, "block_size": CONTEXT, "bias": bias,
                     "vocab_size": VOCABULARY, "dropout": 0.0}
        for prefix in ("", "_orig_mod.", "module."):
            state = {prefix + name: tensor for name, tensor in model.state_dict().items()}
            saved = {"model": state, "optimizer": optimizer.state_dict(), "model_args": arguments, "iter_num": 3,
                     "best_val_loss": torch.tensor(1.5), "config": {"learning_rate": 6e-4, "compile": True}}
            checks.check_model(f"nano{prefix}{bias}.pt", saved, model)


def llama2c(checks):
    arguments = {"dim": FEATURES, "n_layers": LAYERS, "n_heads": HEADS, "n_kv_heads": KEY_HEADS, "vocab_size": VOCABULARY,
                 "multiple_of": 4, "max_seq_len": CONTEXT, "dropout": 0.0}
    model = Llama2c()
    checks.check_model("stories.pt", {"model": model.state_dict(), "model_args": arguments, "iter_num": 1}, model)


def meta(checks):
    """As Meta and Mistral publish models: consolidated.00.pth beside params.json, opened by their folder."""
    folder = checks.folder / "meta"
    folder.mkdir()
    sizes = {"dim": FEATURES, "n_layers": LAYERS, "n_heads": HEADS, "n_kv_heads": KEY_HEADS, "vocab_size": -1,
             "multiple_of": 4, "norm_eps": 1e-2, "rope_theta": 50.0}
    (folder / "params.json").write_text(json.dumps(sizes))
    model = Llama2c(sizes["rope_theta"], sizes["norm_eps"])
    state = model.state_dict() | {"rope.freqs": torch.zeros(WIDTH // 2)}
    checks.check_model("meta/consolidated.00.pth", state, model, folder)


def multihead_attention(checks):
    module = nn.MultiheadAttention(FEATURES, HEADS, batch_first=True)
    nn.init.normal_(module.in_proj_bias)
    inputs = torch.randn(5, FEATURES)
    torch.save(module.state_dict(), checks.folder / "mha.pth")
    run = checks.run("import", checks.folder / "mha.pth", "--num-heads", HEADS)
    document = json.loads(run.stdout) | {"inputs": inputs.tolist(), "tokens": list("abcde"), "mask": "none"}
    run = checks.run("eval", "-", "-o", checks.folder / "out.npz", "--stages", "output", text=json.dumps(document))
    checks.check("mha.pth", run, "output", module(inputs[None], inputs[None], inputs[None])[0][0].detach().numpy())


def attentions(checks):
    weights = tuple(torch.softmax(torch.randn(1, 2, 5, 5), -1) for _ in range(3))
    torch.save(weights, checks.folder / "attentions.pt")
    run = checks.run("figure", checks.folder / "attentions.pt", "--layer", 3, "-o", checks.folder / "a.svg")
    named = run.returncode == 0 and "Layer 3 of 3" in (checks.folder / "a.svg").read_text()
    print(f"attentions.pt: {'three layers' if named else run.stderr}")
    checks.failed = checks.failed or not named


def main():
    with tempfile.TemporaryDirectory() as temporary:
        checks = Checks(sys.argv[1], pathlib.Path(temporary))
        torch.manual_seed(4)
        nano_gpt(checks)
        llama2c(checks)
        meta(checks)
        multihead_attention(checks)
        attentions(checks)
    sys.exit(checks.failed)


if __name__ == "__main__":
    main()
