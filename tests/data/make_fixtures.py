#!/usr/bin/env python3
"""Writes torch_fixtures.json: what PyTorch itself computes for a few hundred seeds and documents.

Needs PyTorch (made with 1.13 on x86-64, a build without MKL, so that its own dropout is the "default" kernel) and
NumPy. The tests read only the file, so this runs when the fixtures are to change:

    python3 tests/data/make_fixtures.py
"""

import json
import math
import pathlib
import random

import numpy
import torch
from torch import nn

from torch_dropout import dropout_of

RATES = [0.0, 0.1, 0.5, 0.9, 1.0]
MASKS = ["none", "causal", "causal_after_softmax", "causal_renormalized"]
MECHANISMS = [
    "simple_self_attention",
    "self_attention_v1",
    "self_attention_v2",
    "causal_attention",
    "multi_head_attention_wrapper",
    "multi_head_attention",
]


class Layers(nn.Module):
    """W_query, W_key and W_value, declared in the document's order."""

    def __init__(self, document, d_in):
        super().__init__()
        for name in document["weight_order"]:
            if document["mechanism"] == "self_attention_v1":
                self.register_parameter("W_" + name, nn.Parameter(torch.rand(d_in, document["d_out"])))
            else:
                layer = nn.Linear(d_in, document["d_out"], bias=document["qkv_bias"])
                self.add_module("W_" + name, layer)
        if document["mechanism"] == "multi_head_attention":
            self.out_proj = nn.Linear(document["d_out"], document["d_out"])

    def project(self, name, x):
        weight = getattr(self, "W_" + name)
        return x @ weight if isinstance(weight, nn.Parameter) else weight(x)


def weigh(document, stages, scores, head_dim):
    """Scores to normalized weights, every stage noted."""
    mask = torch.triu(torch.ones(scores.shape[-1], scores.shape[-1]), diagonal=1)
    route = document["mask"]
    if route != "none":
        stages["mask"] = mask
    if route == "causal":
        scores = stages["masked_scores"] = scores.masked_fill(mask.bool(), -torch.inf)
    if document["scale"]:
        scores = scores / head_dim**0.5
    if document["scale"] or document["mechanism"] != "simple_self_attention":
        stages["scaled_scores"] = scores
    if document["mechanism"] == "simple_self_attention" and document["normalization"] == "sum":
        weights = scores / scores.sum(dim=-1, keepdim=True)
    else:
        weights = torch.softmax(scores, dim=-1)
    stages["weights"] = weights
    if route in ("causal_after_softmax", "causal_renormalized"):
        weights = stages["masked_weights"] = weights * (1 - mask)
    if route == "causal_renormalized":
        weights = stages["renormalized_weights"] = weights / weights.sum(dim=-1, keepdim=True)
    return weights


def drop(document, stages, weights):
    dropout = dropout_of(document)
    state = torch.get_rng_state()
    stages["dropout_factors"] = dropout(torch.ones_like(weights))
    torch.set_rng_state(state)
    stages["dropped_weights"] = dropout(weights)
    return stages["dropped_weights"]


def attend(document, module, x):
    """One module's heads: every stage of shape (B, H, ...)."""
    stages = {}
    B, T, _ = x.shape
    if document["mechanism"] == "simple_self_attention":
        queries = keys = values = x.unsqueeze(1)
    else:
        H = document["num_heads"] if document["mechanism"] == "multi_head_attention" else 1
        for plural, name in [("queries", "query"), ("keys", "key"), ("values", "value")]:
            stages[plural] = module.project(name, x).view(B, T, H, -1).transpose(1, 2).contiguous()
        queries, keys, values = stages["queries"], stages["keys"], stages["values"]
    stages["scores"] = queries @ keys.transpose(2, 3)
    weights = weigh(document, stages, stages["scores"], keys.shape[-1])
    if document["mechanism"] in MECHANISMS[3:]:
        weights = drop(document, stages, weights)
    stages["head_context"] = weights @ values
    return stages


def evaluate(document):
    torch.manual_seed(document["seed"])
    torch.rand(document["skip_draws"])
    inputs = document["inputs"]
    x = torch.randn(*inputs["randn"]) if isinstance(inputs, dict) else torch.tensor(inputs)
    x = torch.stack([x] * document["batch_size"])
    is_wrapper = document["mechanism"] == "multi_head_attention_wrapper"
    if document["mechanism"] == "simple_self_attention":
        modules = [None]
    else:
        count = document["num_heads"] if is_wrapper else 1
        modules = nn.ModuleList([Layers(document, x.shape[-1]) for _ in range(count)])
    parameters = {}
    for head, module in enumerate(modules):
        prefix = f"heads.{head}." if is_wrapper else ""
        if module is not None:
            # state_dict lists a module's own parameters before its layers'; only names matter here
            parameters.update({prefix + name: tensor for name, tensor in module.state_dict().items()})
    if document["dropout_seed"] is not None:
        torch.manual_seed(document["dropout_seed"])
    heads = [attend(document, module, x) for module in modules]
    stages = {"inputs": x}
    for name in heads[0]:
        stages[name] = heads[0][name] if name == "mask" else torch.cat([head[name] for head in heads], dim=1)
    B, T = x.shape[:2]
    stages["context"] = stages["head_context"].transpose(1, 2).reshape(B, T, -1)
    if document["mechanism"] == "multi_head_attention":
        stages["output"] = modules[0].out_proj(stages["context"])
    return stages, parameters


def number(value):
    if not math.isfinite(value):
        return str(value)
    text = str(numpy.float32(value))
    assert numpy.float32(float(text)) == numpy.float32(value)
    return float(text)


def flat(tensor):
    return [number(value) for value in tensor.detach().numpy().astype(numpy.float32).ravel()]


def array(tensor):
    return {"shape": list(tensor.shape), "values": flat(tensor)}


def typed_inputs(chooser, T, d_in, positive):
    low = 0.05 if positive else -1.0
    return [[round(chooser.uniform(low, 1.0), 2) for _ in range(d_in)] for _ in range(T)]


def random_document(chooser, index):
    mechanism = MECHANISMS[index % len(MECHANISMS)]
    T, d_in = chooser.choice([1, 2, 3, 5, 6]), chooser.choice([1, 2, 3, 5])
    heads = chooser.choice([1, 2, 3])
    d_out = heads * chooser.choice([1, 2, 3]) if mechanism == "multi_head_attention" else chooser.choice([1, 2, 3, 5])
    mask = chooser.choice(MASKS)
    normalization = chooser.choice(["softmax", "sum"]) if mechanism == "simple_self_attention" else "softmax"
    if normalization == "sum" and mask == "causal":
        mask = "causal_renormalized"
    drawn = normalization == "softmax" and chooser.random() < 0.3
    return {
        "inputs": {"randn": [T, d_in]} if drawn else typed_inputs(chooser, T, d_in, normalization == "sum"),
        "batch_size": chooser.choice([1, 1, 2]),
        "mechanism": mechanism,
        "d_out": d_out,
        "num_heads": heads,
        "qkv_bias": chooser.random() < 0.5,
        "normalization": normalization,
        "mask": mask,
        "scale": chooser.random() < 0.7,
        "dropout": chooser.choice(RATES),
        "training": chooser.random() < 0.85,
        "seed": chooser.choice([0, 123, 789, 2**32 + 5, 2**64 - 1, chooser.randrange(2**40)]),
        "skip_draws": chooser.choice([0, 0, 1, 18, 700]),
        "dropout_seed": chooser.choice([None, None, 123, 2**33 + 1]),
        "dropout_kernel": chooser.choice(["mkl", "default"]),
        "weight_order": chooser.sample(["query", "key", "value"], 3),
    }


def document_fixtures(count):
    chooser = random.Random(20)
    fixtures = []
    for index in range(count):
        document = random_document(chooser, index)
        stages, parameters = evaluate(document)
        fixtures.append(
            {
                "document": document,
                "stages": {name: array(tensor) for name, tensor in stages.items()},
                "parameters": {name: array(tensor) for name, tensor in parameters.items()},
            }
        )
    return fixtures


def sequence(seed, calls):
    """Several draws in a row from one generator."""
    torch.manual_seed(seed)
    draws = []
    for kind, size, *bounds in calls:
        if kind == "uniform":
            tensor = torch.empty(size).uniform_(*bounds)
        else:
            tensor = torch.rand(size) if kind == "rand" else torch.randn(size)
        draws.append({"kind": kind, "size": size, "bounds": bounds, "values": flat(tensor)})
    return {"seed": seed, "draws": draws}


def draw_fixtures():
    sizes = [*range(1, 21), 31, 32, 33, 47, 100]
    fixtures = [sequence(size, [(kind, size)]) for kind in ["rand", "randn"] for size in sizes]
    for seed in [0, 1, 2**31, 2**32 - 1, 2**32, 2**32 + 5, 2**64 - 1]:
        fixtures.append(sequence(seed, [("rand", 5), ("randn", 4), ("randn", 17)]))
    fixtures.append(sequence(123, [("randn", 3), ("randn", 3), ("randn", 16)]))
    fixtures.append(sequence(123, [("randn", 3), ("rand", 2), ("randn", 2), ("randn", 17), ("randn", 1)]))
    fixtures.append(sequence(7, [("randn", 15), ("randn", 16), ("randn", 15)]))
    fixtures.append(sequence(5, [("rand", 700), ("rand", 3)]))
    fixtures.append(sequence(11, [("randn", 3005)]))
    for bound in [1.0, 1 / math.sqrt(3), 1 / math.sqrt(7), 1 / math.sqrt(768), 12.5]:
        fixtures.append(sequence(99, [("uniform", 40, -bound, bound)]))
    fixtures.append(sequence(98, [("uniform", 40, 2.0, 5.0)]))
    return fixtures


def linear_fixtures():
    fixtures = []
    for d_in in [*range(1, 21), 31, 32, 33, 64, 768]:
        torch.manual_seed(d_in)
        layer = nn.Linear(d_in, 2 if d_in < 100 else 1)
        fixtures.append({"d_in": d_in, "weight": array(layer.weight), "bias": array(layer.bias)})
    return fixtures


def dropout_fixtures():
    fixtures = []
    for kernel in ["default", "mkl"]:
        for rate in [0.0, 0.1, 0.25, 0.5, 0.9, 0.99, 1.0]:
            for size in [1, 15, 16, 17, 36, 200]:
                torch.manual_seed(size)
                document = {"dropout": rate, "training": True, "dropout_kernel": kernel}
                factors = dropout_of(document)(torch.ones(size))
                kept = "".join("1" if value else "0" for value in factors.tolist())
                after = number(float(torch.rand(1)))
                fixtures.append(
                    {
                        "seed": size,
                        "rate": rate,
                        "kernel": kernel,
                        "kept": kept,
                        "factor": number(float(factors.max())),
                        "next_rand": after,
                    }
                )
    return fixtures


def main():
    torch.set_num_threads(1)
    fixtures = {
        "draws": draw_fixtures(),
        "linear": linear_fixtures(),
        "dropout": dropout_fixtures(),
        "documents": document_fixtures(240),
    }
    path = pathlib.Path(__file__).with_name("torch_fixtures.json")
    with open(path, "w", encoding="utf-8") as file:
        for opening, (name, rows) in zip("{,,,", fixtures.items()):
            lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
            file.write(f'{opening}"{name}":[\n{lines}\n]\n')
        file.write("}\n")
    print(f"{path}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
