"""NumPy and PyTorch as the judges of arrays and weights in and out.

arrays_numpy.py PROGRAM FOLDER_OF_DOCUMENTS embeddings|weights|torch: one part of it.
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

from safetensors_format import SAFETENSORS_TYPES, read_safetensors, write_safetensors

try:
    import torch
except ImportError:
    torch = None

TYPES = list(SAFETENSORS_TYPES)


class Checks:
    def __init__(self, program, documents, folder):
        self.program, self.documents, self.folder = program, documents, folder
        self.failures = []

    def check(self, fine, what):
        if not fine:
            self.failures.append(what)

    def run(self, *arguments):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True)

    def document_of(self, path, *options):
        run = self.run("import", path, *options)
        self.check(run.returncode == 0, f"{path.name} {options}: {run.stderr}")
        return json.loads(run.stdout) if run.returncode == 0 else None

    def check_inputs(self, path, expected, what, *options):
        document = self.document_of(path, *options)
        if document:
            found = numpy.array(document["inputs"], numpy.float32)
            expected = expected.astype(numpy.float32)
            same = found.shape == expected.shape and numpy.array_equal(found.view(numpy.uint32), expected.view(numpy.uint32))
            self.check(same, f"{what}: other numbers")
        return document

    def same(self, name, array, expected, what):
        self.check(array.dtype == expected.dtype and array.shape == expected.shape, f"{what} {name}: {array.dtype} {array.shape}")
        self.check(array.tobytes() == expected.tobytes(), f"{what} {name}: other numbers")


def sample(kind):
    """A table with the ends of the type's range in it, but nothing beyond float32."""
    random = numpy.random.default_rng(7)
    if kind == "bool":
        return random.integers(0, 2, (5, 4)).astype(bool)
    if kind.startswith("float"):
        table = random.standard_normal((5, 4)).astype(kind)
        limits = numpy.finfo(kind if kind != "float64" else "float32")
        table[0, :3] = limits.max, limits.min, limits.tiny
        table[1, :3] = -0.0, limits.tiny / 4, 1 / 3
        return table
    limits = numpy.iinfo(kind)
    table = random.integers(limits.min, limits.max, (5, 4), dtype=kind)
    table[0, :2] = limits.min, limits.max
    return table


def embeddings(checks):
    folder = checks.folder
    for kind in TYPES:
        table = sample(kind)
        for order in "<>":
            for fortran in (False, True):
                array = numpy.array(table, table.dtype.newbyteorder(order), order="F" if fortran else "C")
                what = f"{kind} {order} fortran={fortran}"
                numpy.save(folder / "a.npy", array)
                checks.check_inputs(folder / "a.npy", table, "npy " + what)
                checks.check_inputs(folder / "a.npy", table[1:4], "npy rows " + what, "--rows", "2..4")
                for save in (numpy.savez, numpy.savez_compressed):
                    save(folder / "a.npz", other=numpy.zeros(3), table=array)
                    checks.check_inputs(folder / "a.npz", table, f"{save.__name__} {what}", "--tensor", "table")
                    rows = ("--tensor", "table", "--rows", "2..4")
                    checks.check_inputs(folder / "a.npz", table[1:4], f"{save.__name__} rows {what}", *rows)
        write_safetensors(folder / "a.safetensors", {"t": (SAFETENSORS_TYPES[kind], table.shape, table.tobytes())})
        checks.check_inputs(folder / "a.safetensors", table, "safetensors " + kind)


def every_half(checks):
    """All 65,536 patterns of two-byte floats that are finite."""
    patterns = numpy.arange(65536, dtype=numpy.uint16)
    halves = patterns.view(numpy.float16)
    halves = halves[numpy.isfinite(halves)].reshape(-1, 64)
    numpy.save(checks.folder / "h.npy", halves)
    checks.check_inputs(checks.folder / "h.npy", halves, "every float16")
    brains = (patterns.astype(numpy.uint32) << 16).view(numpy.float32)
    fine = numpy.isfinite(brains)
    content = patterns[fine].tobytes()
    expected = brains[fine].reshape(-1, 64)
    write_safetensors(checks.folder / "b.safetensors", {"t": ("BF16", expected.shape, content)})
    checks.check_inputs(checks.folder / "b.safetensors", expected, "every bfloat16")


def odd_shapes(checks):
    folder = checks.folder
    for array in (numpy.float32(3), numpy.zeros(4), numpy.zeros((0, 3)), numpy.zeros((3, 0)), numpy.zeros((2, 3, 4))):
        numpy.save(folder / "odd.npy", array)
        run = checks.run("import", folder / "odd.npy")
        checks.check(run.returncode == 2 and run.stderr.count("\n") == 1, f"{array.shape}: {run.stderr}")
    table = sample("float32")
    numpy.save(folder / "ones.npy", table[None, None])
    checks.check_inputs(folder / "ones.npy", table, "axes of one")
    for version in ((1, 0), (2, 0), (3, 0)):
        with open(folder / "v.npy", "wb") as file:
            numpy.lib.format.write_array(file, table, version)
        checks.check_inputs(folder / "v.npy", table, f"version {version}")
    for bad in (numpy.array([["a", "b"]]), numpy.array([[1 + 2j]]), numpy.array([(1, 2.0)], "i4,f4"),
                numpy.array([[None]], object), numpy.array([[numpy.inf]]), numpy.array([[1e300]])):
        numpy.save(folder / "bad.npy", bad, allow_pickle=True)
        run = checks.run("import", folder / "bad.npy")
        checks.check(run.returncode == 2 and run.stderr.count("\n") == 1, f"{bad.dtype}: {run.stderr}")


def text(checks):
    folder = checks.folder
    table = sample("float32")
    for separator in ",;\t":
        numpy.savetxt(folder / "t.csv", table, delimiter=separator, fmt="%.9g")
        checks.check_inputs(folder / "t.csv", table, f"csv {separator!r}")
        numpy.savetxt(folder / "t.csv", table, delimiter=separator, fmt="%.9g", header=separator.join("abcd"))
        checks.check_inputs(folder / "t.csv", table, f"csv with header {separator!r}")
    names = ["Your", "a,b", 'say "hi"', "3", "日本"]
    lines = ["token,x1,x2,x3,x4"]
    for name, row in zip(names, table):
        quoted = '"' + name.replace('"', '""') + '"'
        lines.append(quoted + "," + ",".join(f"{value:.9g}" for value in row))
    (folder / "n.csv").write_text("\ufeff" + "\r\n".join(lines) + "\r\n", encoding="utf-8")
    document = checks.check_inputs(folder / "n.csv", table, "csv with names")
    checks.check(document and document["tokens"] == names, f"names {document and document['tokens']}")


def weights_round_trip(checks, path):
    """weights -> safetensors -> document -> safetensors: the same bits, and the engine's numbers from either."""
    folder = checks.folder
    config = json.loads(path.read_text())
    first, second, again = folder / "1.safetensors", folder / "2.safetensors", folder / "again.json"
    run = checks.run("weights", path, "-o", first)
    if config.get("mechanism", "multi_head_attention") == "simple_self_attention":
        checks.check(run.returncode == 2 and "no weights" in run.stderr, f"{path.name}: {run.stderr}")
        return
    checks.check(run.returncode == 0, f"{path.name}: {run.stderr}")
    run = checks.run("import", first, "--document", path, "-o", again)
    checks.check(run.returncode == 0, f"{path.name}: {run.stderr}")
    run = checks.run("weights", again, "-o", second)
    checks.check(run.returncode == 0 and first.read_bytes() == second.read_bytes(), f"{path.name}: other weights")
    before, after = checks.run("eval", path), checks.run("eval", again)
    checks.check(before.stdout == after.stdout and before.stdout, f"{path.name}: other results")


def notebook_attention():
    """The notebook's multi-head attention, without dropout."""

    class MultiHeadAttention(torch.nn.Module):
        def __init__(self, d_in, d_out, context_length, num_heads, qkv_bias=False):
            super().__init__()
            self.num_heads, self.head_dim = num_heads, d_out // num_heads
            self.W_query = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_key = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
            self.W_value = torch.nn.Linear(d_in, d_out, bias=qkv_bias)
            self.out_proj = torch.nn.Linear(d_out, d_out)
            self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

        def forward(self, x):
            b, tokens, _ = x.shape
            split = lambda t: t.view(b, tokens, self.num_heads, self.head_dim).transpose(1, 2)
            queries, keys, values = split(self.W_query(x)), split(self.W_key(x)), split(self.W_value(x))
            scores = queries @ keys.transpose(2, 3)
            scores.masked_fill_(self.mask.bool()[:tokens, :tokens], -torch.inf)
            weights = torch.softmax(scores / self.head_dim**0.5, dim=-1)
            return self.out_proj((weights @ values).transpose(1, 2).reshape(b, tokens, -1))

    return MultiHeadAttention


def weights_with_torch(checks):
    folder = checks.folder
    inputs = numpy.random.default_rng(3).standard_normal((5, 8)).astype(numpy.float32)
    document = {"inputs": inputs.tolist(), "d_out": 12, "num_heads": 3, "qkv_bias": True, "seed": 9}
    (folder / "mha.json").write_text(json.dumps(document))
    checks.check(checks.run("weights", folder / "mha.json", "-o", folder / "mha.safetensors").returncode == 0, "weights")
    tensors, metadata = read_safetensors(folder / "mha.safetensors")
    checks.check(metadata.get("format") == "pt", "metadata")

    # There: the module takes the dict as it is, and gives the engine's output.
    attention = notebook_attention()(8, 12, 6, 3, qkv_bias=True)
    state = {name: torch.tensor(tensor) for name, tensor in tensors.items()}
    missing = attention.load_state_dict(state, strict=False)
    checks.check(missing.missing_keys == ["mask"] and not missing.unexpected_keys, f"keys {missing}")
    checks.run("eval", folder / "mha.json", "-o", folder / "mha.npz")
    engine = numpy.load(folder / "mha.npz")["output"]
    with torch.no_grad():
        output = attention(torch.tensor(inputs)[None]).numpy()
    checks.check(numpy.abs(engine - output).max() < 1e-6, "PyTorch's output")

    # Back: a module that the engine has never seen, its mask among the tensors.
    torch.manual_seed(4)
    attention = notebook_attention()(8, 12, 6, 3, qkv_bias=False)
    state = {name: tensor.numpy() for name, tensor in attention.state_dict().items()}
    write_safetensors(folder / "torch.safetensors",
                      {"layer.0.att." + name: ("F32", tensor.shape, tensor.tobytes()) for name, tensor in state.items()})
    run = checks.run("import", folder / "torch.safetensors")
    checks.check(run.returncode == 2 and "--num-heads" in run.stderr, f"no heads: {run.stderr}")
    run = checks.run("import", folder / "torch.safetensors", "--num-heads", "3", "-o", folder / "t.json")
    checks.check(run.returncode == 0, f"torch's weights: {run.stderr}")
    imported = json.loads((folder / "t.json").read_text())
    checks.check((imported["mechanism"], imported["d_out"], imported["num_heads"], imported["qkv_bias"])
                 == ("multi_head_attention", 12, 3, False), "sizes")
    numpy.save(folder / "inputs.npy", inputs)
    run = checks.run("import", folder / "inputs.npy", "--document", folder / "t.json", "-o", folder / "t2.json")
    checks.check(run.returncode == 0, f"embeddings for them: {run.stderr}")
    checks.run("eval", folder / "t2.json", "-o", folder / "t.npz")
    with torch.no_grad():
        output = attention(torch.tensor(inputs)[None]).numpy()
    checks.check(numpy.abs(numpy.load(folder / "t.npz")["output"] - output).max() < 1e-6, "the engine's output")
    checks.run("weights", folder / "t2.json", "-o", folder / "back.safetensors")
    back, _ = read_safetensors(folder / "back.safetensors")
    for name, tensor in back.items():
        checks.same(name, tensor, state[name], "there and back")


def checkpoints(checks):
    """What torch.save writes: tables of every type, in either order, and a state dict that gives the same weights."""
    folder = checks.folder
    for kind in [kind for kind in TYPES if hasattr(torch, kind)] + ["bfloat16"]:
        table = torch.tensor(sample("float32" if kind == "bfloat16" else kind)).to(getattr(torch, kind))
        for tensor, what in ((table, "whole"), (table.t(), "transposed"), (table[1:4], "rows"), (table[2:3, 1:], "a row")):
            for protocol in (2, 4):
                torch.save({"other": torch.zeros(3), "t": tensor}, folder / "a.pth", pickle_protocol=protocol)
                expected = tensor.float().numpy()
                if numpy.isfinite(expected).all():
                    checks.check_inputs(folder / "a.pth", expected, f"pth {kind} {what} {protocol}", "--tensor", "t")
    torch.manual_seed(5)
    attention = notebook_attention()(8, 12, 6, 3, qkv_bias=True)
    state = attention.state_dict()
    write_safetensors(folder / "w.safetensors", {name: ("F32", tensor.shape, tensor.numpy().tobytes()) for name, tensor in state.items()})
    expected = checks.run("import", folder / "w.safetensors", "--num-heads", "3").stdout
    parameters = dict(attention.named_parameters()) | {"mask": attention.mask}
    training = {"model": state, "epoch": 3, "optimizer": torch.optim.AdamW(attention.parameters()).state_dict()}
    for name, saved in (("state", state), ("parameters", parameters), ("training", training)):
        torch.save(saved, folder / f"{name}.pt")
        run = checks.run("import", folder / f"{name}.pt", "--num-heads", "3")
        checks.check(run.returncode == 0 and run.stdout == expected, f"{name}: {run.stderr}")
    torch.save(attention.state_dict(), folder / "old.pth", _use_new_zipfile_serialization=False)
    torch.save(attention.W_query, folder / "module.pth")
    for name, sentence in (("old", "before 1.6"), ("module", "torch.nn.modules.linear.Linear")):
        run = checks.run("import", folder / f"{name}.pth")
        checks.check(run.returncode == 2 and sentence in run.stderr and run.stderr.count("\n") == 1, f"{name}: {run.stderr}")


def results(checks):
    """What eval writes as .npy and .csv is what it writes as .npz, head by head."""
    folder = checks.folder
    document = {"tokens": ["the", "a,b", '"q"', "7"], "inputs": {"randn": [4, 5]}, "batch_size": 2, "d_out": 6,
                "num_heads": 3, "dropout": 0.5, "seed": 2}
    (folder / "r.json").write_text(json.dumps(document))
    checks.run("eval", folder / "r.json", "-o", folder / "r.npz")
    for name, expected in numpy.load(folder / "r.npz").items():
        run = checks.run("eval", folder / "r.json", "--stages", name, "-o", folder / "r.npy")
        checks.check(run.returncode == 0, f"{name}: {run.stderr}")
        checks.same(name, numpy.load(folder / "r.npy"), expected, "npy")
        for head, batch in ((0, 0), (2, 1)):
            part = expected
            if part.ndim == 4:
                part = part[:, head]
            if name != "mask":
                part = part[batch]
            choice = ("--stages", name, "--head", str(head + 1), "--batch", str(batch + 1))
            run = checks.run("eval", folder / "r.json", *choice, "-o", folder / "r.npy")
            checks.check(run.returncode == 0, f"{name}: {run.stderr}")
            checks.same(name, numpy.load(folder / "r.npy"), part, f"npy of head {head}")
            run = checks.run("eval", folder / "r.json", *choice, "-o", folder / "r.csv")
            checks.check(run.returncode == 0, f"{name}: {run.stderr}")
            with open(folder / "r.csv", newline="", encoding="utf-8") as file:
                lines = list(csv.reader(file))
            is_square = part.shape == (4, 4) and name not in ("inputs", "context", "output", "queries", "keys", "values", "head_context")
            checks.check([line[0] for line in lines[1:]] == document["tokens"], f"{name}: tokens {lines}")
            checks.check(not is_square or lines[0][1:] == document["tokens"], f"{name}: columns {lines[0]}")
            numbers = numpy.array([line[1:] for line in lines[1:]], numpy.float64).astype(numpy.float32)
            checks.same(name, numbers, part.astype(numpy.float32), f"csv of head {head}")


def main():
    program, documents, part = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    with tempfile.TemporaryDirectory() as temporary:
        checks = Checks(program, documents, pathlib.Path(temporary))
        if part == "embeddings":
            embeddings(checks)
            every_half(checks)
            odd_shapes(checks)
            text(checks)
        elif part == "weights":
            results(checks)
            for path in sorted(documents.glob("*.json")):
                if path.stem != "gpt2_sized":
                    weights_round_trip(checks, path)
        elif torch:
            weights_with_torch(checks)
            checkpoints(checks)
        else:
            print("PyTorch is not installed: what it makes of the weights was not compared.")
    for failure in checks.failures:
        print(failure)
    sys.exit(1 if checks.failures else 0)


if __name__ == "__main__":
    main()
