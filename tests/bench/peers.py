#!/usr/bin/env python3
"""attnscope beside real PyTorch, interleaved in one run: how many times faster each evaluation and each dropout mask is.

Usage: peers.py ATTNSCOPE DROPOUT_BENCH [--rounds N]

Every round runs PyTorch as it is, PyTorch with a malloc that keeps its large blocks (GLIBC_TUNABLES), and attnscope, one
after the other; a ratio is the median of the rounds' ratios. Figures of different runs are not to be compared.
"""

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import time

# name, batch, tokens, features, heads, repetitions within a PyTorch process
SIZES = [
    ("B=2, T=1024, C=768, 12 heads", 2, 1024, 768, 12, 7),
    ("T=256, C=256, 8 heads", 1, 256, 256, 8, 50),
    ("T=64, C=64, 4 heads", 1, 64, 64, 4, 300),
    ("T=6, C=4, 2 heads", 1, 6, 4, 2, 500),
]
TUNED = "glibc.malloc.mmap_threshold=4294967296:glibc.malloc.trim_threshold=4294967296:glibc.malloc.top_pad=268435456"
MASK = (2, 12, 1024, 1024)


def torch_module(features, heads, tokens):
    import torch

    class Attention(torch.nn.Module):
        """Causal multi-head attention by the textbook, every T x T matrix in memory."""

        def __init__(self):
            super().__init__()
            self.query = torch.nn.Linear(features, features, bias=False)
            self.key = torch.nn.Linear(features, features, bias=False)
            self.value = torch.nn.Linear(features, features, bias=False)
            self.out = torch.nn.Linear(features, features)
            self.drop = torch.nn.Dropout(0.0)
            self.register_buffer("hidden", torch.ones(tokens, tokens).triu(1).bool())

        def forward(self, x):
            batch, length, _ = x.shape
            split = lambda y: y.view(batch, length, heads, features // heads).transpose(1, 2)
            q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
            scores = (q @ k.transpose(2, 3)).masked_fill(self.hidden[:length, :length], -torch.inf)
            weights = self.drop(torch.softmax(scores / k.shape[-1] ** 0.5, dim=-1))
            return self.out((weights @ v).transpose(1, 2).reshape(batch, length, features))

    return Attention()


def time_of(action, repetitions):
    action()
    times = []
    for _ in range(repetitions):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def use_threads(own, of_blas):
    """Sets PyTorch's own threads, and those of OpenBLAS, which computes its products and does not ask PyTorch."""
    import torch

    torch.set_num_threads(own)
    ctypes.CDLL("libopenblas.so.0").openblas_set_num_threads(of_blas)


def ways_to_use(threads):
    """Arguments of use_threads(): with several threads of both, PyTorch and OpenBLAS can slow each other down."""
    return sorted({(1, threads), (threads, threads)})


def run_child(own, of_blas):
    """What one PyTorch process measures, as JSON on standard output."""
    import torch

    use_threads(own, of_blas)
    times = {}
    with torch.no_grad():
        for name, batch, tokens, features, heads, repetitions in SIZES:
            torch.manual_seed(123)
            module = torch_module(features, heads, tokens)
            x = torch.randn(batch, tokens, features)
            times[name] = time_of(lambda: module(x), repetitions)
        mask = torch.empty(MASK)
        times["mask"] = time_of(lambda: mask.bernoulli_(0.9), 3)
    print(json.dumps(times))


NO_OPENBLAS = "PyTorch runs on the reference BLAS here: install libopenblas0-pthread to compare with it."


def has_openblas():
    """Whether PyTorch's products run in OpenBLAS; the reference BLAS is 50 times slower, and no rival."""
    find = "import torch; torch.ones(64, 64) @ torch.ones(64, 64); print('openblas' in open('/proc/self/maps').read())"
    return subprocess.run([sys.executable, "-c", find], capture_output=True, text=True).stdout.strip() == "True"


def measure_torch(threads, tuned):
    """Seconds by size. Each is the better of ways_to_use(threads)."""
    environment = dict(os.environ)
    if tuned:
        environment["GLIBC_TUNABLES"] = TUNED
    reports = []
    for way in ways_to_use(threads):
        command = [sys.executable, os.path.abspath(__file__), "--child", *map(str, way)]
        reports.append(json.loads(subprocess.run(command, env=environment, check=True, capture_output=True).stdout))
    return {name: min(report[name] for report in reports) for name in reports[0]}


def document(batch, tokens, features, heads):
    return json.dumps({"inputs": {"randn": [tokens, features]}, "batch_size": batch, "d_out": features,
                       "num_heads": heads})


def bench(program, size, threads):
    name, batch, tokens, features, heads, _ = size
    command = [program, "bench", "-", "--json", "--threads", str(threads)]
    output = subprocess.run(command, input=document(batch, tokens, features, heads).encode(), check=True,
                            capture_output=True).stdout
    return json.loads(output)


def measure_masks(dropout_bench):
    """Seconds of a whole mask by kernel, two threads."""
    command = [dropout_bench, "--benchmark_filter=WholeMask", "--benchmark_format=json", "--benchmark_min_time=0.3"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    times = {}
    for entry in report["benchmarks"]:
        if "threads:2" in entry["name"]:
            kernel = "default" if "standard:1" in entry["name"] else "mkl"
            times[kernel] = entry["real_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[entry["time_unit"]]
    return times


def milliseconds(seconds):
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.2f} µs"


def print_table(head, rows):
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


def print_peers(rounds):
    rows = []
    for name, *_ in SIZES:
        ours = [r["ours"][name]["median_s"] for r in rounds]
        row = [name, milliseconds(statistics.median(ours))]
        for peer in ("plain", "tuned"):
            theirs = [r[peer][name] for r in rounds]
            ratio = statistics.median(t / o for t, o in zip(theirs, ours))
            row += [milliseconds(statistics.median(theirs)), f"{ratio:.1f} ×"]
        rows.append(row)
    for kernel in ("mkl", "default"):
        ours = [r["masks"][kernel] for r in rounds]
        theirs = [r["plain"]["mask"] for r in rounds]
        ratio = statistics.median(t / o for t, o in zip(theirs, ours))
        rows.append([f"dropout mask {MASK}, `{kernel}`", milliseconds(statistics.median(ours)),
                     milliseconds(statistics.median(theirs)), f"{ratio:.1f} ×", "", ""])
    print_table(["two threads", "attnscope", "PyTorch", "ratio", "PyTorch, tuned malloc", "ratio"], rows)


def print_peak(program):
    rows = []
    for isa in ("avx512", "avx2", "sse2"):
        for threads in (1, 2):
            os.environ["ATTNSCOPE_ISA"] = isa
            run = subprocess.run([program, "bench", "--json", "--threads", str(threads)], capture_output=True)
            if run.returncode != 0:
                continue  # this processor has no such instructions
            report = json.loads(run.stdout)
            rows.append([isa, str(threads), milliseconds(report["median_s"]), f"{report['gflops']:.0f}",
                         f"{report['peak_gflops']:.0f}", f"{report['fraction_of_peak']:.2f}",
                         f"{report['accepted']} of {report['accepted'] + report['rejected']}"])
    del os.environ["ATTNSCOPE_ISA"]
    print_table(["B=2, T=1024, C=768, 12 heads", "threads", "median", "GFLOP/s", "peak", "fraction", "samples"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("dropout_bench", nargs="?")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--child", nargs=2, type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        return run_child(*arguments.child)
    print_peak(arguments.program)
    try:
        import torch  # noqa: F401
    except ImportError:
        return print("PyTorch is not here: install python3-torch and libopenblas0-pthread to compare with it.")
    if not has_openblas():
        return print(NO_OPENBLAS)
    rounds = []
    for _ in range(arguments.rounds):
        rounds.append({
            "plain": measure_torch(2, tuned=False),
            "ours": {size[0]: bench(arguments.program, size, 2) for size in SIZES},
            "tuned": measure_torch(2, tuned=True),
            "masks": measure_masks(arguments.dropout_bench),
        })
    print_peers(rounds)


if __name__ == "__main__":
    main()
