#!/usr/bin/env python3
"""Writes what a release writes: documents, pictures that carry them, and the numbers that it computes of each.

    tests/data/make_released.py build/release/attnscope

makes tests/data/released/VERSION/files.zip by that program; released_test.cpp has every later program open it.
"""

import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

FEW = ["a", "b", "c"]
INPUTS = [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64]]
WORDS = ["Your", "journey", "starts", "with", "one", "step"]
SIX = {"tokens": WORDS, "inputs": [*INPUTS, [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]]}

# Each mechanism, and each option at least once. The first of them are in more kinds of pictures.
DOCUMENTS = {
    "multi_head": {**SIX, "mechanism": "multi_head_attention", "d_out": 4, "num_heads": 2, "qkv_bias": True,
                   "dropout": 0.5, "seed": 123},
    "weights": {"tokens": ["Über", "日本", "🙂"], "inputs": INPUTS, "mechanism": "self_attention_v1", "d_out": 2,
                "weights": {"W_query": [[0.1, -0.2], [1e-7, 3.5], [-0.0, 12345.678]]}},
    "simple": {"tokens": FEW, "inputs": INPUTS, "mechanism": "simple_self_attention"},
    "by_sum": {"tokens": FEW, "inputs": INPUTS, "mechanism": "simple_self_attention", "normalization": "sum"},
    "key_first": {**SIX, "mechanism": "self_attention_v1", "d_out": 2, "weight_order": ["key", "query", "value"]},
    "v2": {**SIX, "mechanism": "self_attention_v2", "d_out": 2, "mask": "causal_after_softmax", "seed": 789},
    "causal": {**SIX, "mechanism": "causal_attention", "d_out": 2, "dropout": 0.25, "batch_size": 2,
               "dropout_kernel": "default", "dropout_seed": 7, "skip_draws": 3},
    "renormalized": {**SIX, "mechanism": "causal_attention", "d_out": 2, "mask": "causal_renormalized",
                     "dropout": 0.5, "training": False},
    "wrapper": {**SIX, "mechanism": "multi_head_attention_wrapper", "d_out": 2, "num_heads": 2, "dropout": 0.5},
    "drawn": {"tokens": WORDS, "inputs": {"randn": [6, 3]}, "mechanism": "causal_attention", "d_out": 2, "seed": 4711},
    "unscaled": {**SIX, "mechanism": "multi_head_attention", "d_out": 2, "num_heads": 1, "mask": "none",
                 "scale": False, "seed": 18446744073709551615},
}
SINCE_0_2 = {
    "capped": {**SIX, "mechanism": "multi_head_attention", "d_out": 2, "num_heads": 2, "softcap": 0.5, "scale": 0.25},
    "hidden": {**SIX, "mechanism": "causal_attention", "d_out": 2, "mask": "custom",
               "hidden": [[[1, 6]], [[2, 6]], [], [[0, 1], [4, 6]], [[0, 6]], []]},
    "biased": {"tokens": FEW, "inputs": INPUTS, "mechanism": "self_attention_v2", "d_out": 2,
               "bias": [[0, "-inf", 1], [0.5, 0, -1], [0, 0, 0]]},
    "edited": {**SIX, "mechanism": "multi_head_attention", "d_out": 4, "num_heads": 2, "dropout": 0.5, "heads_off": [1],
               "dropout_edits": {"drop": [[0, 0, 1, 0]], "keep": [[0, 0, 2, 1]]}},
    "given": {"mechanism": "scaled_dot_product_attention", "tokens": FEW, "query_tokens": ["x", "y"], "mask": "causal",
              "mask_alignment": "upper_left",
              "given": {"queries": [[[1, 0.5], [0.25, 2]], [[0, 1], [1, 0]]], "keys": [INPUT[:2] for INPUT in INPUTS],
                        "values": [[1], [2], [3]]}},
    "compared": {**SIX, "mechanism": "multi_head_attention", "d_out": 2, "num_heads": 2, "seed": 1,
                 "compared_with": {**SIX, "mechanism": "multi_head_attention", "d_out": 2, "num_heads": 2, "seed": 2}},
}
IN_EVERY_PICTURE = 2
SMALL = ["--width", "160px", "--scale", "1", "--font-size", "5", "--decimals", "none", "--stage", "weights"]


def carried(png):
    """The document as 0.1.0 wrote it, which pictures carry: the same text that it saved."""
    at = 8
    while at < len(png):
        (size,) = struct.unpack(">I", png[at:at + 4])
        if png[at + 4:at + 8] == b"iTXt" and png[at + 8:].startswith(b"attnscope\0"):
            return zlib.decompress(png[at + 8 + len(b"attnscope\0\1\0\0\0"):at + 8 + size]).decode()
        at += 12 + size
    raise ValueError("The picture carries nothing.")


class Release:
    def __init__(self, program, folder):
        self.program = str(pathlib.Path(program).resolve())
        self.folder = folder
        self.version = self.run("--version").split()[-1]

    def run(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], cwd=self.folder, check=True, capture_output=True)
        return done.stdout.decode()

    def is_since(self, *version):
        return tuple(map(int, self.version.split("."))) >= version

    def save(self, source, name):
        if not self.is_since(0, 2):
            (self.folder / f"{name}.json").write_text(carried((self.folder / f"{name}.png").read_bytes()))
            return
        script = self.folder / "script.json"
        script.write_text(json.dumps({"steps": [{"open": source}, {"document": f"{name}.json"}]}))
        self.run("drive", script.name, "-o", ".")
        script.unlink()

    def make(self, name, document, in_every_picture):
        source = self.folder / "source.json"
        source.write_text(json.dumps(document))
        (self.folder / f"{name}.numbers").write_text(self.run("eval", source))
        self.run("figure", source, "-o", f"{name}.png", *SMALL)
        self.save(source.name, name)
        if in_every_picture:
            self.run("figure", source, "-o", f"{name}.svg", *SMALL)
            self.run("figure", source, "-o", f"{name}.pdf", *SMALL)
            self.run("screenshot", source, "-o", f"{name}-window.png", "--size", "480x320", "--scale", "0.5")
            sweep = ["--sweep", "seed=1..2", *SMALL]
            self.run("figure", source, "-o", f"{name}-swept.png", *sweep)
            if self.is_since(0, 2):
                self.run("figure", source, "-o", f"{name}-swept.gif", *sweep)
        source.unlink()

    def make_viewed(self):
        """Attention of a file that is looked at: what is saved names the file."""
        shape = (2, 2, 3, 3)
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
        rows = [[1, 0, 0], [0.25, 0.75, 0], [0.5, 0.125, 0.375]] * 4
        numbers = b"".join(struct.pack("<3f", *row) for row in rows)
        (self.folder / "viewed.npy").write_bytes(b"\x93NUMPY\1\0\x76\0" + header.encode() + numbers)
        self.run("figure", "viewed.npy", "-o", "viewed.png", *SMALL)
        self.save("viewed.npy", "viewed")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        release = Release(sys.argv[1], folder)
        documents = {**DOCUMENTS, **(SINCE_0_2 if release.is_since(0, 2) else {})}
        for number, (each, document) in enumerate(documents.items()):
            release.make(each, document, number < IN_EVERY_PICTURE)
        release.make_viewed()
        out = pathlib.Path(__file__).parent / "released" / release.version
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        with zipfile.ZipFile(out / "files.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for path in sorted(folder.iterdir()):
                packed.writestr(zipfile.ZipInfo(path.name), path.read_bytes(), zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    main()
