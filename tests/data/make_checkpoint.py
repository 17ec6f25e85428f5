#!/usr/bin/env python3
"""Writes state_dict.pth: tensors of every type that attnscope reads from a checkpoint, saved by PyTorch itself.

Needs PyTorch (made with 1.13). The tests read only the file, so this runs when it is to change:

    python3 tests/data/make_checkpoint.py
"""

import collections
import pathlib

import torch

TYPES = ["float32", "float16", "bfloat16", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"]


def main():
    table = torch.arange(12).reshape(4, 3)
    state = collections.OrderedDict()
    for name in TYPES:
        state[name] = table.to(getattr(torch, name))
    state["tied"] = state["float32"]
    state["transposed"] = state["float32"].t()
    state["rows"] = state["float32"][1:3]
    state["columns"] = state["float32"][:, 1:]
    state["complex"] = table.to(torch.complex64)
    state["parameter"] = torch.nn.Parameter(table.float())
    state["number"] = torch.tensor(7.5)
    state["none"] = torch.zeros(0, 3)
    state["inner"] = {"weight": table.float() + 1, 2: table.float() + 2, "epoch": 3, "rate": 0.1, "list": [1, "a", None]}
    torch.save(state, pathlib.Path(__file__).with_name("state_dict.pth"))


if __name__ == "__main__":
    main()
