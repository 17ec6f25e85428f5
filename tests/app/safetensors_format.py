"""The format of safetensors, written plainly: the library is in no package of Debian."""

import json
import struct

import numpy

SAFETENSORS_TYPES = {
    "float16": "F16", "float32": "F32", "float64": "F64", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64",
    "uint8": "U8", "uint16": "U16", "uint32": "U32", "uint64": "U64", "bool": "BOOL",
}


def write_safetensors(path, tensors):
    """{name: (type, shape, bytes)}, each type in the format's words."""
    header, data = {}, b""
    for name, (kind, shape, content) in tensors.items():
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read_safetensors(path):
    """{name: array} and the metadata of a file of float32."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        assert entry["dtype"] == "F32"
        data = content[8 + length + first : 8 + length + last]
        tensors[name] = numpy.frombuffer(data, "<f4").reshape(entry["shape"])
    return tensors, metadata
