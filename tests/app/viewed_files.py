"""Files of attention as NumPy writes them, each beside what NumPy makes of it: viewed_files.py FOLDER

NAME.npy, NAME.npz or NAME.safetensors goes with NAME.want.npy: float32 of shape (layers, batch, heads, T, T).
"""

import pathlib
import sys

import numpy
from safetensors_format import SAFETENSORS_TYPES, write_safetensors

folder = pathlib.Path(sys.argv[1])
generator = numpy.random.default_rng(7)


def numbers(*shape):
    return generator.integers(0, 100, shape).astype("float64") / 8


def want(name, array, layers, batch, heads):
    tokens = array.shape[-1]
    array = numpy.ascontiguousarray(array).reshape(layers, batch, heads, tokens, tokens)
    numpy.save(folder / f"{name}.want.npy", array.astype("<f4"))


# Every layout of one array.
for name, shape, split in [
    ("two", (7, 7), (1, 1, 1)),
    ("three", (3, 7, 7), (1, 1, 3)),
    ("four", (4, 3, 7, 7), (4, 1, 3)),
    ("five", (4, 2, 3, 7, 7), (4, 2, 3)),
    ("six", (1, 4, 2, 3, 7, 7), (4, 2, 3)),
    ("single", (2, 2, 1, 1), (2, 1, 2)),
]:
    array = numbers(*shape).astype("float32")
    numpy.save(folder / f"{name}.npy", array)
    want(name, array, *split)

# Every type, in both byte orders and both orders of axes.
for kind in ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"]:
    for order in "<>":
        for layout in "CF":
            name = f"{kind}_{'little' if order == '<' else 'big'}_{layout}"
            array = numpy.array(numbers(2, 3, 5, 5), dtype=kind if kind == "b1" else order + kind, order=layout)
            numpy.save(folder / f"{name}.npy", array)
            want(name, array, 2, 1, 3)

# A tensor a layer, out of order and with numbers of one and two digits; in place, and packed.
layers = {f"attn_{layer}": numbers(1, 2, 6, 6).astype("float32") for layer in [10, 2, 1, 0, 11, 3]}
in_order = [layers[f"attn_{layer}"] for layer in [0, 1, 2, 3, 10, 11]]
numpy.savez(folder / "stored.npz", **layers)
numpy.savez_compressed(folder / "packed.npz", **layers)
for name in ["stored", "packed"]:
    want(name, numpy.stack(in_order), 6, 1, 2)
large = [numbers(2, 400, 400).astype("float32") for _ in range(3)]
numpy.savez(folder / "large.npz", *large)
want("large", numpy.stack(large), 3, 1, 2)

for kind, named in SAFETENSORS_TYPES.items():
    tensors = {f"layers.{i}.attn": numbers(2, 2, 5, 5).astype(kind) for i in range(3)}
    write_safetensors(
        folder / f"tensors_{kind}.safetensors",
        {name: (named, array.shape, array.tobytes()) for name, array in tensors.items()},
    )
    want(f"tensors_{kind}", numpy.stack(list(tensors.values())), 3, 2, 2)

# bfloat16 is the upper half of float32.
array = numbers(2, 3, 5, 5).astype("float32")
write_safetensors(
    folder / "bfloat16.safetensors",
    {"attn": ("BF16", array.shape, (array.view("uint32") >> 16).astype("<u2").tobytes())},
)
want("bfloat16", (array.view("uint32") >> 16 << 16).view("float32"), 2, 1, 3)
