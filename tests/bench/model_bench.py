"""Times a model of GPT-2's size through all layers, in turns with PyTorch.

model_bench.py PROGRAM [TURNS]

Weights are random; both compute the logits of every token. Prints the medians and their ratio, ours to PyTorch's, of
the fastest way to use so many threads.
"""

import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "app"))
from peers import NO_OPENBLAS, has_openblas, use_threads, ways_to_use  # noqa: E402
from run_models import Gpt2  # noqa: E402


RUNS = 7  # in a turn: the first ones of two threads are slow, until the system gives each a core of its own


class Gpt2Small(Gpt2):
    features, layers, heads, hidden, words, positions = 768, 12, 12, 3072, 50257, 1024
    kind = "F32"


def linear(x, weight, bias):
    return torch.addmm(bias, x, weight)


def forward(model, tokens):
    """GPT-2 in float32, as PyTorch users write it."""
    at = lambda name: model.tensors[model.prefix + name]
    norm = lambda x, name: F.layer_norm(x, x.shape[-1:], at(name + ".weight"), at(name + ".bias"))
    length, width = len(tokens), model.features // model.heads
    hidden = torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)
    x = at("wte.weight")[tokens] + at("wpe.weight")[:length]
    for n in range(model.layers):
        part = f"h.{n}."
        qkv = linear(norm(x, part + "ln_1"), at(part + "attn.c_attn.weight"), at(part + "attn.c_attn.bias"))
        q, k, v = (y.view(length, model.heads, width).transpose(0, 1) for y in qkv.chunk(3, dim=1))
        scores = (q @ k.transpose(1, 2) / math.sqrt(width)).masked_fill(hidden, -torch.inf)
        context = (torch.softmax(scores, dim=-1) @ v).transpose(0, 1).reshape(length, -1)
        x = x + linear(context, at(part + "attn.c_proj.weight"), at(part + "attn.c_proj.bias"))
        y = linear(norm(x, part + "ln_2"), at(part + "mlp.c_fc.weight"), at(part + "mlp.c_fc.bias"))
        x = x + linear(F.gelu(y, approximate="tanh"), at(part + "mlp.c_proj.weight"), at(part + "mlp.c_proj.bias"))
    return norm(x, "ln_f") @ at("wte.weight").T


def of_pytorch(model, tokens, way, runs):
    use_threads(*way)
    times = []
    with torch.no_grad():
        forward(model, tokens)
        for _ in range(runs):
            start = time.perf_counter()
            forward(model, tokens)
            times.append(time.perf_counter() - start)
    return times


def of_program(program, document, threads, runs):
    command = [program, "bench", document, "--threads", str(threads), "--repeat", str(runs), "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["times_s"]


def main():
    if not has_openblas():
        return print(NO_OPENBLAS)
    program, turns = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3
    model = Gpt2Small(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        model.write(folder)
        for length in (64, 512):
            tokens = torch.randint(model.words, (length,))
            document = folder / f"{length}.json"
            document.write_text(json.dumps({"model": ".", "token_ids": tokens.tolist()}))
            for threads in (1, 2):
                ours, theirs = [], {way: [] for way in ways_to_use(threads)}
                for _ in range(turns):
                    ours += of_program(program, document, threads, RUNS)
                    for way, times in theirs.items():
                        times += of_pytorch(model, tokens, way, RUNS)
                a, b = statistics.median(ours), min(map(statistics.median, theirs.values()))
                print(f"{length} tokens, {threads} threads: {1e3 * a:.0f} ms, PyTorch {1e3 * b:.0f} ms: {a / b:.2f}", flush=True)


if __name__ == "__main__":
    main()
