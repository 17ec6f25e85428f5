"""Makes what the fuzzers begin with: small good files of every kind, and some whose headers lie.

make_seeds.py FOLDER ASSETS
"""

import io
import json
import math
import pathlib
import struct
import sys
import zipfile
import zlib

import numpy

TABLE = numpy.arange(12, dtype=numpy.float32).reshape(4, 3) / 8
ATTENTION = numpy.full((2, 1, 3, 4, 4), 0.25, numpy.float32)  # layers, batch, heads, queries, keys


def npy(array):
    out = io.BytesIO()
    numpy.save(out, array)
    return out.getvalue()


def npy_files():
    for kind in "<f2 >f2 <f4 >f4 <f8 >f8 |i1 <i2 >i4 <i8 |u1 <u4 >u8 |b1".split():
        yield npy(TABLE.astype(kind))
    yield npy(numpy.asfortranarray(TABLE))
    yield npy(TABLE[None])
    for axes in range(4):
        yield npy(ATTENTION[(0,) * axes])
    yield npy(numpy.asfortranarray(ATTENTION[0].astype(">f8")))
    yield npy(numpy.float32(1))
    yield npy(numpy.zeros((0, 3)))
    yield npy(numpy.array([(1, 2.0)], "i4,f4"))
    yield npy(numpy.array([["text"]]))
    for version in ((2, 0), (3, 0)):
        out = io.BytesIO()
        numpy.lib.format.write_array(out, TABLE, version)
        yield out.getvalue()
    good = npy(TABLE)
    yield good.replace(b"(4, 3)", b"(9, 9)")
    yield good.replace(b"(4, 3), }    ", b"(-4, -3), }  ")
    yield good.replace(b"(4, 3), }" + b" " * 38, b"(4611686018427387904, 4611686018427387904), }  ")
    yield good[:8] + b"\xff\xff" + good[10:]


def npz_files():
    for save in (numpy.savez, numpy.savez_compressed):
        out = io.BytesIO()
        save(out, table=TABLE, mask=TABLE > 1, half=TABLE.astype("<f2"))
        yield out.getvalue()
        out = io.BytesIO()
        save(out, **{name: value.numpy_array for name, value in weights().items()})
        yield out.getvalue()
        out = io.BytesIO()
        save(out, attn_1=ATTENTION[0], attn_10=ATTENTION[0], attn_9=ATTENTION[1], scores=ATTENTION[0] - 1)
        yield out.getvalue()
    zeros = npy(numpy.zeros((64, 64), numpy.float32))
    for names in (["../../up.npy"], ["/root.npy", "notes.txt"], ["a.npy", "A.npy"], ["empty.txt"]):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                archive.writestr(name, zeros)
        yield out.getvalue()
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", method) as archive:
            archive.writestr("a.npy", zeros)
        yield out.getvalue()


class Entry:
    def __init__(self, array, kind="F32"):
        self.numpy_array, self.kind = array, kind


def weights(prefix="", heads=None, bias=True):
    tensors = {}
    for head in range(heads or 1):
        for name in ("W_query", "W_key", "W_value"):
            layer = f"{prefix}heads.{head}.{name}" if heads else prefix + name
            tensors[layer + ".weight"] = Entry(numpy.ones((2, 3), numpy.float32))
            if bias:
                tensors[layer + ".bias"] = Entry(numpy.ones(2, numpy.float32))
    if not heads:
        tensors[prefix + "out_proj.weight"] = Entry(numpy.ones((2, 2), numpy.float32))
        tensors[prefix + "out_proj.bias"] = Entry(numpy.ones(2, numpy.float32))
    return tensors


def safetensors(tensors, metadata=None):
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, entry in tensors.items():
        content = entry.numpy_array.tobytes()
        header[name] = {"dtype": entry.kind, "shape": list(entry.numpy_array.shape),
                        "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def safetensors_files():
    yield safetensors(weights())
    yield safetensors(weights(heads=2, bias=False))
    yield safetensors({f"layers.{i}.attn": Entry(layer[0]) for i, layer in enumerate(ATTENTION)})
    yield safetensors(weights("layer.0.att.") | weights("layer.1.att."), {"attnscope.num_heads": "2"})
    yield safetensors({"W_query": Entry(TABLE), "W_key": Entry(TABLE), "W_value": Entry(TABLE)})
    kinds = {"F16": "<f2", "F64": "<f8", "I8": "i1", "U64": "<u8", "BOOL": "b1", "I32": "<i4"}
    yield safetensors({kind: Entry(TABLE.astype(code), kind) for kind, code in kinds.items()})
    yield safetensors({"brain": Entry(TABLE.astype("<f2"), "BF16"), "eight": Entry(TABLE.astype("i1"), "F8_E4M3")})
    good = safetensors({"a": Entry(TABLE), "b": Entry(TABLE)})
    yield good.replace(b"[48, 96]", b"[40, 88]")
    yield good.replace(b"[48, 96]", b"[96, 48]")
    yield good.replace(b'"shape": [4, 3]', b'"shape": [4, 4]', 1)
    yield struct.pack("<Q", 2**63) + good[8:]
    for text in (b'{"a":' * 1000, b"{" + b"[" * 5000, b'{"a":{"dtype":null}}', b'{"a":1}', b"{}"):
        yield struct.pack("<Q", len(text)) + text


def pth_files():
    checkpoint = (pathlib.Path(__file__).parent.parent / "data" / "state_dict.pth").read_bytes()
    yield checkpoint
    yield checkpoint[:-200]

    def text(word):
        return b"\x8c" + bytes([len(word)]) + word

    def tensor(numbers=b"K\x0c", offset=b"K\0", sizes=b"K\4K\3\x86", strides=b"K\3K\1\x86", kind=b"Float", key=b"0"):
        return (b"ctorch._utils\n_rebuild_tensor_v2\n((" + text(b"storage") + b"ctorch\n" + kind + b"Storage\n" + text(key)
                + text(b"cpu") + numbers + b"tQ" + offset + sizes + strides + b"\x89}tR")

    def pickle(*values):
        return b"\x80\2ccollections\nOrderedDict\n)R(" + b"".join(text(bytes([97 + i])) + value for i, value in enumerate(values)) + b"u}" + text(b"_metadata") + b"}sb."

    yield zipfile.ZipFile(io.BytesIO(checkpoint)).read("state_dict/data.pkl").replace(b"X\1\0\0\0" + b"2", b"X\1\0\0\0" + b"0")
    yield pickle(tensor(), tensor(strides=b"K\1K\4\x86"), tensor(b"K\6", sizes=b"K\6\x85", strides=b"K\1\x85", kind=b"Long"))
    yield pickle(tensor(b"K\x18", kind=b"Half", offset=b"K\x0c"), tensor(b"K\x30", kind=b"Bool"), tensor(sizes=b")", strides=b")"))
    yield pickle(tensor(kind=b"ComplexFloat"), b"}(K\1" + tensor() + text(b"b") + b"]K\2ae" + b"u", b"NG" + bytes(8) + b"\x86")
    yield pickle(b"ctorch._utils\n_rebuild_parameter\n(" + tensor() + b"\x88}tR")
    yield pickle(tensor(offset=b"J\xff\xff\xff\xff"))
    yield pickle(tensor(sizes=b"\x8a\x08" + bytes(7) + b"\x40K\3\x86"))
    yield b"\x80\4\x95" + bytes(8) + text(b"posix") + text(b"system") + b"\x93" + text(b"true") + b"\x85R."
    yield b"}q\0" + text(b"a") + b"h\0s."
    yield b"\x80\2(((]\x94(K\1M\2\3J\1\0\0\0\x8a\1\xffNe0."


def tokenizer_files():
    folder = pathlib.Path(__file__).parent.parent / "data" / "tokenizers"
    for name in ("split_Contiguous", "NFKC", "words", "words_split", "gpt2_prefix"):
        tokenizer = json.loads((folder / f"{name}.json").read_text())
        tokenizer["model"]["vocab"] = dict(list(tokenizer["model"]["vocab"].items())[:400])
        yield json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")).encode()
    space, words = "\u2581", ["<unk>", "<s>", "<0x41>", "\u2581", "t", "h", "e", "th", "\u2581the", "\u2581t", "a", "aa", "<0xE2>", "the"]
    model = {"type": "BPE", "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True, "ignore_merges": False, "dropout": None,
             "vocab": {word: i for i, word in enumerate(words)}, "merges": [["t", "h"], ["th", "e"], ["a", "a"], [space, "the"], [space, "t"]]}
    added = [{"id": 1, "content": "<s>", "special": True}, {"id": 14, "content": "<|a|>", "lstrip": True, "rstrip": True, "single_word": True},
             {"id": 15, "content": "THE", "normalized": True}]
    template = {"type": "TemplateProcessing", "special_tokens": {"<s>": {"ids": [1]}}, "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}]}
    decoder = {"type": "Sequence", "decoders": [{"type": "Replace", "pattern": {"String": space}, "content": " "}, {"type": "ByteFallback"},
                                                {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}
    pattern = "(?i:'s|'t)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|\\s+(?!\\S)|\\s+"

    def tokenizer(**parts):
        return json.dumps({"model": model, "added_tokens": added, "decoder": decoder, "post_processor": template} | parts).encode()

    yield tokenizer(normalizer={"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": space}, {"type": "Replace", "pattern": {"String": " "}, "content": space}]})
    yield tokenizer(pre_tokenizer={"type": "Metaspace", "replacement": space, "prepend_scheme": "first", "split": False}, decoder={"type": "Metaspace", "replacement": space})
    yield tokenizer(pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "Split", "pattern": {"Regex": pattern}, "behavior": "MergedWithPrevious", "invert": True},
                                                                         {"type": "ByteLevel", "add_prefix_space": True}, {"type": "Digits"}, {"type": "Punctuation"}]})
    yield tokenizer(normalizer={"type": "Replace", "pattern": {"Regex": "(a|aa)+$|(?<=x)(?R)?"}, "content": "aaaa"}, post_processor=None)
    yield tokenizer(added_tokens=added[:1], model=model | {"vocab": {"a": 0, "aa": 5}})
    yield json.dumps(model["vocab"], ensure_ascii=False).encode() + b"\n#version: 0.2\nt h\nth e\na a\n"
    yield b'{"do_lower_case": false, "mask_token": "[MASK]"}\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##a\nthe\n'
    pieces = {"type": "WordPiece", "unk_token": "<unk>", "continuing_subword_prefix": "a", "vocab": model["vocab"]}
    yield tokenizer(model=pieces, normalizer={"type": "BertNormalizer", "lowercase": True}, pre_tokenizer={"type": "BertPreTokenizer"},
                    decoder={"type": "WordPiece", "prefix": "a"}, post_processor={"type": "BertProcessing", "cls": ["t", 4], "sep": ["h", 5]})


def csv_files():
    yield b"0.43,0.15,0.89\n0.55,0.87,0.66\n"
    yield b"token,x1,x2\r\nYour,0.1,-2e-3\r\n\"jour,ney\",inf,nan\r\n"
    yield b"\xef\xbb\xbf;a;b\n1;2;3\n\n 4;5;6;\n"
    yield b"# a b\nx\ty\n1\t2\n"
    yield b'"a ""quoted""\nname",1\n'
    yield b"a;b\n0,5;1\n"
    yield b'a,"open\n1,2'
    yield b"1\n2\n3"
    yield b"1e999,-1e999,1e-999\n"


def png(*texts):
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 6, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(2 * (b"\0" + bytes(8))))
    return b"\x89PNG\r\n\x1a\n" + header + b"".join(chunk(*text) for text in texts) + pixels + chunk(b"IEND", b"")


DOCUMENT = b'{"seed": 7, "tokens": ["a", "<b>"]}'


def png_files():
    packed = (b"iTXt", b"attnscope\0\1\0\0\0" + zlib.compress(DOCUMENT))
    yield png(packed)
    yield png((b"iTXt", b"attnscope\0\0\0en\0figure\0" + DOCUMENT))
    yield png((b"zTXt", b"attnscope\0\0" + zlib.compress(DOCUMENT)))
    yield png((b"tEXt", b"attnscope\0" + DOCUMENT), (b"tEXt", b"Title\0other"))
    yield png(packed, packed)
    yield png((b"iTXt", b"attnscope\0\1\7\0\0" + zlib.compress(DOCUMENT)))
    yield png((b"iTXt", b"attnscope\0\1\0\0\0" + zlib.compress(bytes(1 << 20))))
    yield png()
    yield png(packed)[:60]


def svg_files():
    def svg(inside, before=b""):
        return before + b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">' + inside + b"</svg>"

    def metadata(text):
        return (b'<metadata id="attnscope"><attnscope:document xmlns:attnscope="urn:attnscope" xml:space="preserve">'
                + text + b"</attnscope:document></metadata>")

    good = metadata(DOCUMENT.replace(b"<", b"&lt;").replace(b">", b"&gt;"))
    yield svg(good)
    yield svg(good + good)
    yield svg(metadata(b"<![CDATA[" + DOCUMENT + b"]]>"))
    yield svg(metadata(b"{}<g/>"))
    yield svg(b"<g/>")
    laughs = b'<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;&b;&b;">]>'
    yield svg(metadata(b"&c;"), laughs)
    yield b'<?xml version="1.0" encoding="UTF-16"?>' + svg(good)
    yield b"<html/>"


def pdf_files():
    def pdf(stream, dictionary=b""):
        return (b"%PDF-1.7\n1 0 obj\n<< /AttnscopeDocument true /Type /EmbeddedFile " + dictionary
                + b"/Length " + str(len(stream)).encode() + b" >>\nstream\n" + stream
                + b"\nendstream\nendobj\ntrailer\n<< /Root 2 0 R >>\n%%EOF\n")

    yield pdf(DOCUMENT)
    yield pdf(zlib.compress(DOCUMENT), b"/Filter /FlateDecode ")
    yield pdf(zlib.compress(bytes(1 << 20)), b"/Filter /FlateDecode ")
    yield pdf(DOCUMENT) + pdf(DOCUMENT)
    yield pdf(DOCUMENT)[:120]
    yield b"%PDF-1.7\n%%EOF\n"


def gif_files():
    def blocks(content):
        parts = [content[i : i + 255] for i in range(0, len(content), 255)]
        return b"".join(bytes([len(part)]) + part for part in parts) + b"\0"

    def application(name, content):
        return b"\x21\xff" + bytes([len(name)]) + name + blocks(content)

    def frame(flags=0, colours=b"", codes=b"\x84\x51"):
        return b"\x2c" + struct.pack("<HHHHB", 0, 0, 2, 2, flags) + colours + b"\x02" + blocks(codes)

    screen = struct.pack("<HHBBB", 2, 2, 0x80, 0, 0) + b"\0\0\0\xff\xff\xff"
    repetition = application(b"NETSCAPE2.0", b"\1\0\0")
    control = b"\x21\xf9\4\1\x0a\0\0\0"
    carried = application(b"ATTNSCOP1.0", DOCUMENT)
    begin = b"GIF89a" + screen
    good = begin + repetition + carried + control + frame() + b";"
    yield good
    yield good + b"more"
    yield begin + carried + carried + frame() + b";"
    yield begin + application(b"ATTNSCOP1.0", DOCUMENT[:-1] + 600 * b" " + b"}") + frame() + b";"
    yield b"GIF87a" + struct.pack("<HHBBB", 2, 2, 0, 0, 0) + frame(0x80, bytes(6)) + carried + b";"
    yield begin + control + frame() + control + frame(0x87, bytes(768), bytes(700)) + b"\x21\xfe" + blocks(b"text") + b";"
    yield begin + application(b"ATTNSCOP1.0", b"") + application(b"ATTNSCOP", DOCUMENT) + b";"
    yield begin + b"\x21\xff\x0bATTNSCOP1.0\xff" + DOCUMENT
    yield begin + b"\x2c" + bytes(9)
    yield b"GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0xF7, 0, 0) + bytes(60)
    yield begin + b"\x3d;"


VIEWING = {"format": "attnscope-viewing", "version": 1, "file": "runs/attention.npy", "tensor": "attn",
           "shape": [2, 3, 2, 2], "number_type": "float16", "axes": "layer, head, query, key", "layers": 2, "layer": 1,
           "tokens": ["Your", "\u65e5\""]}


def viewing_files():
    def changed(**values):
        return json.dumps(VIEWING | values).encode()

    yield json.dumps(VIEWING, indent=2).encode()
    yield json.dumps(dict(reversed(VIEWING.items()))).encode()
    yield changed(file="/a/../b/./attention.npz", shape=[2, 2], axes="query, key", layers=1)
    yield json.dumps({key: VIEWING[key] for key in ("format", "file", "shape", "number_type", "axes")}).encode()
    yield changed(checksum="0123abcd")
    yield changed(checksum="0123ABCD")
    yield changed(shape=[2, 3, 2, 3])
    yield changed(shape=[2, 3, 3, 2], query_tokens=["a", "b", "c"], steps=3, numbers="shares")
    yield changed(query_tokens=["a"], numbers="sums", steps=0)
    yield changed(shape=[1, [2], {}])
    yield changed(layer=3)
    yield changed(layers=2**64, layer=-1)
    yield changed(tokens=["Your"])
    yield changed(file="a\0b", tensor=None)
    yield changed(inputs=[[1]])
    yield changed(format="attnscope")
    yield json.dumps(VIEWING).encode()[:-40]


def document_files(folder):
    for path in sorted(folder.glob("*.json")):
        if path.stat().st_size < 10_000:
            yield path.read_bytes()
    tokens = {"inputs": [[1], [2], [3]], "mechanism": "causal_attention"}
    for keys in (
        {"mask": "custom", "hidden": [[[1, 3]], [[0, 3]], [[2, 3], [0, 1], [1, 1]]]},
        {"mask": "custom", "hidden": [[], [[0, 9]], [[1, 0]]]},
        {"bias": [0.5, "-inf", -1], "scale": 0.25, "softcap": 3, "mask_alignment": "upper_left"},
        {"bias": [[[["-inf"], [1], [2]]]], "scale": 0},
        {"bias": [[1, 2], [3]]},
        {"mechanism": "multi_head_attention", "rope": {"base": 100, "layout": "interleaved", "dims": 2, "offset": 3}},
        {"rope": {"dims": 3, "layout": 1}},
        {"mechanism": "multi_head_attention", "qk_norm": "rms", "weights": {"q_norm.weight": [0.5]}},
        {"mechanism": "multi_head_attention", "d_out": 8, "num_heads": 4, "num_kv_heads": 2},
        {"num_kv_heads": 0},
        {"bias": "bias.npy"},
    ):
        yield json.dumps({**tokens, **keys}).encode()
    for given, keys in (
        ({"origin": "a.npz", "queries": [[1, 2]], "keys": [[1, 2], [3, 4]], "values": [[5], [6]]},
         {"query_tokens": ["q"], "tokens": ["a", "b"], "mask": "causal"}),
        ({"queries": [[[[1]], [[2]]]], "keys": [[[[1]]]], "values": [[[[1, 2]]]]}, {}),
        ({"queries": [1], "keys": [], "values": 3}, {}),
        ("a.npz", {}),
    ):
        yield json.dumps({"mechanism": "scaled_dot_product_attention", "given": given, **keys}).encode()


def lesson_files(folder):
    for path in sorted(folder.glob("*.json")):
        if path.stat().st_size < 20_000:
            yield path.read_bytes()
    small = {"inputs": [[1, 0], [0, 1]], "mechanism": "simple_self_attention"}
    text = "A *row* of **weights** `x` {{weights[0,0,1]:.2f}}, {{sum(weights[0,0]) * 2 - sqrt(4) / 3}}.\n\n* item"
    for question in (
        None,
        {"kind": "cell", "ask": "Which?", "answer": "scores[0,0,1,1]", "because": text},
        {"kind": "number", "ask": "How much?", "answer": "max(scores[0,0,1])", "tolerance": 0.01},
        {"kind": "sketch", "ask": "Draw it.", "answer": "weights[0,0,1]", "tolerance": 0.1},
        {"kind": "choose", "ask": text, "right": 1, "choices": [{"text": "a", "why": "no"}, {"text": "b"}]},
        {"kind": "reach", "ask": "Make it.", "answer": "x", "value": "inputs[0,0]", "to": 2,
         "solution": {"inputs": [[2, 0], [0, 1]]}},
    ):
        step = {"id": "a", "title": "T", "text": [text, "`{{scores}}`"], "document": small,
                "show": {"layout": "focus", "stage": "scores", "pin": "scores[0,0,1,1]"}}
        steps = [step | ({"question": question} if question else {}), {"id": "b", "title": "U", "text": "v", "edit": {"seed": 2}}]
        yield json.dumps({"id": "l", "title": "L", "summary": "S", "steps": steps}).encode()


def typed_files():
    yield from (b"1 2\n3 4", b"[[1, 2], [3.5, -4e-3]]", b"tensor([[0.5],\n        [1.]])", b"np.array([[1, 2]]) # rows", b"1;2\n3;4")
    yield from (b"dropout=0..0.9", b"seed=1..20:3,40", b"embedding[2,1]=-1..1:0.1", b"num_heads=1..4", b"stages", b"tokens=1..6")
    yield from (b"Your journey starts with one step.", "\u65e5\u672c \U0001f642 \u0627\u0644 e\u0301".encode(), b"x\xff\xfe")
    yield from (b"weights[0,0,1,2]", b"row_sums(weights[0,0])", b"shape(context)",
                b"sqrt(document.head_dim) * 2 - 1 / 3", b"exp(-(1 + 2))", b"chance(box)", b"(" * 400)
    yield from (b"a *b* **c** `d` {{weights[0,0,1]:.2f}}\n\n* item\n\n`{{scores}}`", b"{{", b"**{{mean(values)}}", b"{{1/0:.99f}}")


def model_files():
    """A config.json in one line, and a .safetensors of its tensors: of each kind of family."""
    def checkpoint(config, shapes, kind="F32"):
        header, at = {}, 0
        for name, shape in shapes.items():
            size = (4 if kind == "F32" else 2) * math.prod(shape)
            header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + size]}
            at += size
        text = json.dumps(header).encode()
        return json.dumps(config).encode() + b"\n" + struct.pack("<Q", len(text)) + text + bytes(i % 63 for i in range(at))

    gpt2 = {"model_type": "gpt2", "vocab_size": 5, "n_positions": 4, "n_embd": 4, "n_layer": 1, "n_head": 2, "n_inner": 6}
    norms = {f"{name}.{part}": [4] for name in ("ln_f", "h.0.ln_1", "h.0.ln_2") for part in ("weight", "bias")}
    tensors = {"wte.weight": [5, 4], "wpe.weight": [4, 4]} | norms
    for name, into, out in (("attn.c_attn", 4, 12), ("attn.c_proj", 4, 4), ("mlp.c_fc", 4, 6), ("mlp.c_proj", 6, 4)):
        tensors |= {f"h.0.{name}.weight": [into, out], f"h.0.{name}.bias": [out]}
    yield checkpoint(gpt2, tensors)
    yield checkpoint(gpt2 | {"n_layer": 2}, tensors, "F16")
    llama = {"model_type": "llama", "vocab_size": 5, "max_position_embeddings": 8, "hidden_size": 4, "num_hidden_layers": 1,
             "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4, "intermediate_size": 6}
    tensors = {"model.embed_tokens.weight": [5, 4], "model.norm.weight": [4], "lm_head.weight": [5, 4]}
    layer = {"input_layernorm": [4], "post_attention_layernorm": [4], "self_attn.q_proj": [8, 4], "self_attn.k_proj": [4, 4],
             "self_attn.v_proj": [4, 4], "self_attn.o_proj": [4, 8], "mlp.gate_proj": [6, 4], "mlp.up_proj": [6, 4],
             "mlp.down_proj": [4, 6]}
    tensors |= {f"model.layers.0.{name}.weight": shape for name, shape in layer.items()}
    yield checkpoint(llama, tensors, "BF16")
    yield checkpoint(llama | {"model_type": "mistral", "sliding_window": 2, "rope_theta": 1e6}, tensors)
    norms = {f"model.layers.0.self_attn.{name}_norm.weight": [4] for name in "qk"}
    yield checkpoint(llama | {"model_type": "qwen3", "rms_norm_eps": 1e-6}, tensors | norms)
    around = {f"model.layers.0.{name}_feedforward_layernorm.weight": [4] for name in ("pre", "post")}
    yield checkpoint(llama | {"model_type": "gemma3_text", "sliding_window": 2, "sliding_window_pattern": 2}, tensors | norms | around)
    scaling = {"rope_type": "llama3", "factor": 8, "original_max_position_embeddings": 9}
    yield checkpoint(llama | {"rope_scaling": scaling}, tensors)
    neox = {"model_type": "gpt_neox", "vocab_size": 5, "max_position_embeddings": 8, "hidden_size": 4, "num_hidden_layers": 1,
            "num_attention_heads": 1, "intermediate_size": 6, "rotary_pct": 0.5}
    tensors = {"gpt_neox.embed_in.weight": [5, 4], "embed_out.weight": [5, 4]}
    layer = {"input_layernorm": [4], "post_attention_layernorm": [4], "attention.query_key_value": [12, 4], "attention.dense": [4, 4],
             "mlp.dense_h_to_4h": [6, 4], "mlp.dense_4h_to_h": [4, 6]}
    modules = {"gpt_neox.final_layer_norm": [4]} | {f"gpt_neox.layers.0.{name}": shape for name, shape in layer.items()}
    for name, shape in modules.items():
        tensors |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    yield checkpoint(neox, tensors)
    bert = {"model_type": "bert", "vocab_size": 5, "max_position_embeddings": 4, "hidden_size": 4, "num_hidden_layers": 1,
            "num_attention_heads": 2, "intermediate_size": 6}
    tables = {"word": 5, "position": 4, "token_type": 2}
    tensors = {f"bert.embeddings.{name}_embeddings.weight": [rows, 4] for name, rows in tables.items()} | {"cls.predictions.bias": [5]}
    layer = {"attention.self.query": [4, 4], "attention.self.key": [4, 4], "attention.self.value": [4, 4], "intermediate.dense": [6, 4],
             "attention.output.dense": [4, 4], "attention.output.LayerNorm": [4], "output.dense": [4, 6], "output.LayerNorm": [4]}
    modules = {"bert.embeddings.LayerNorm": [4], "cls.predictions.transform.dense": [4, 4], "cls.predictions.transform.LayerNorm": [4]}
    for name, shape in (modules | {f"bert.encoder.layer.0.{name}": shape for name, shape in layer.items()}).items():
        tensors |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    yield checkpoint(bert, tensors)
    book = {"vocab_size": 5, "context_length": 4, "emb_dim": 4, "n_heads": 2, "n_layers": 1, "qkv_bias": False}
    yield checkpoint(book, {"tok_emb.weight": [5, 4], "pos_emb.weight": [4, 4], "out_head.weight": [5, 4]})


def bare_checkpoint(shapes, beside=None, kind="F32"):
    header, at = {"__metadata__": beside} if beside else {}, 0
    for name, shape in shapes.items():
        size = (4 if kind == "F32" else 2) * math.prod(shape)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + bytes(i % 63 for i in range(at))


def llama_shapes():
    """The tensors of a small Llama, by the names of Meta."""
    llama = {"tok_embeddings.weight": [5, 4], "output.weight": [5, 4], "norm.weight": [4], "freqs_cos": [4, 1]}
    llama |= {f"layers.0.{name}.weight": [4] for name in ("attention_norm", "ffn_norm")}
    llama |= {f"layers.0.attention.{name}.weight": [4, 4] for name in ("wq", "wk", "wv", "wo")}
    llama |= {f"layers.0.feed_forward.{name}.weight": shape for name, shape in (("w1", [6, 4]), ("w2", [4, 6]), ("w3", [6, 4]))}
    return llama


def checkpoint_files():
    """Checkpoints without config.json: of the book, of GPT-2, and what nanoGPT and llama2.c save beside their tensors."""
    def wrapped(before, shapes):
        return {before + name: shape for name, shape in shapes.items()}

    norms = {f"{name}.{part}": [4] for name in ("ln_f", "h.0.ln_1", "h.0.ln_2") for part in ("weight", "bias")}
    gpt2 = {"wte.weight": [5, 4], "wpe.weight": [4, 4]} | norms
    for name, into, out in (("attn.c_attn", 4, 12), ("attn.c_proj", 4, 4), ("mlp.c_fc", 4, 6), ("mlp.c_proj", 6, 4)):
        gpt2 |= {f"h.0.{name}.weight": [into, out], f"h.0.{name}.bias": [out]}
    yield bare_checkpoint(gpt2)
    yield bare_checkpoint(wrapped("transformer.", gpt2) | {"lm_head.weight": [5, 4]}, kind="F16")
    yield bare_checkpoint(wrapped("module._orig_mod.", gpt2) | {"optimizer.state.0.exp_avg": [2, 2]})
    nano = {name: shape[::-1] if "c_" in name else shape for name, shape in gpt2.items() if not ("ln_" in name and "bias" in name)}
    sizes = {"model_args.n_head": "2", "model_args.n_layer": "1"}
    yield bare_checkpoint(wrapped("model.transformer.", nano), sizes)
    yield bare_checkpoint(wrapped("model.transformer.", nano))
    book = {"tok_emb.weight": [5, 4], "pos_emb.weight": [4, 4], "out_head.weight": [5, 4]}
    book |= {f"{name}.{part}": [4] for name in ("final_norm", "trf_blocks.0.norm1", "trf_blocks.0.norm2") for part in ("scale", "shift")}
    layers = {"att.W_query": 4, "att.W_key": 4, "att.W_value": 4, "att.out_proj": 4, "ff.layers.0": 16}
    book |= {f"trf_blocks.0.{name}.weight": [out, 4] for name, out in layers.items()}
    book |= {"trf_blocks.0.att.out_proj.bias": [4], "trf_blocks.0.ff.layers.0.bias": [16], "trf_blocks.0.att.mask": [4, 4],
             "trf_blocks.0.ff.layers.2.weight": [4, 16], "trf_blocks.0.ff.layers.2.bias": [4]}
    yield bare_checkpoint(book)
    yield bare_checkpoint(wrapped("model_state_dict.", book))
    yield bare_checkpoint(book | {"trf_blocks.0.att.W_key.qweight": [1]})
    llama = llama_shapes()
    beside = {"model_args.n_heads": "2", "model_args.n_kv_heads": "2", "model_args.max_seq_len": "8"}
    yield bare_checkpoint(wrapped("model.", llama), beside)
    yield bare_checkpoint(llama, kind="BF16")
    yield b"GGUF\3\0\0\0" + bytes(40)
    yield b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n"


def params_files():
    """A params.json in one line, as Meta and Mistral write it, and the checkpoint that it stands beside."""
    params = {"dim": 4, "n_layers": 1, "n_heads": 2, "vocab_size": -1, "multiple_of": 2, "norm_eps": 1e-5}
    mistral = params | {"head_dim": 2, "hidden_dim": 6, "n_kv_heads": 2, "vocab_size": 5, "max_batch_size": 0}
    wrong = [{"n_heads": 0}, {"n_heads": 3}, {"dim": 8}, {"head_dim": 4}, {"n_kv_heads": 1}, {"use_scaled_rope": True},
             {"norm_eps": "small"}, {"rope_theta": 1e400}, {"max_seq_len": 10**12}, {"moe": {"num_experts": 8}}]
    for sizes in [params, mistral, params | {"rope_theta": 5e5, "max_seq_len": 8, "use_scaled_rope": False}]:
        yield json.dumps(sizes).encode() + b"\n" + bare_checkpoint(llama_shapes(), kind="BF16")
    for change in wrong:
        yield json.dumps(mistral | change).encode() + b"\n" + bare_checkpoint(llama_shapes(), kind="F16")
    yield b"[]\n" + bare_checkpoint(llama_shapes())
    yield b"{\n" + bare_checkpoint(llama_shapes())


def model_document_files():
    stories = {"model": "example:stories", "text": "Mia has a red ball."}
    mask = {"mask": "custom", "hidden": [[[1, 3]], [[0, 2], [2, 4]], [], [[9, 9]]]}
    for keys in (
        {},
        {"layer": 1},
        {"text": ""},
        {"text": "Mia", "layer": 0, "heads_off": [0, 3], "sliding_window": 2},
        {"layer": 1, "batch_size": 2},
        {"layer": 0, "dropout": 0.5, "seed": 3, "dropout_edits": {"drop": [[0, 0, 1, 0]], "keep": [[0, 1, 1, 1]]}},
        {"layer": 0, "changed_layers": {"1": {"heads_off": [1], "softcap": 3, "scale": 0.5}}},
        {"layer": 1, "changed_layers": {"0": mask | {"bias": [0.5, "-inf", 1]}}},
        {"layer": 2, "changed_layers": {"0": {"num_heads": 2}, "1": {"batch_size": 2}}},
        {"layer": 1, "num_heads": 2, "num_kv_heads": 1, "qk_norm": "rms"},
        {"layer": 0, "rope": {"base": 100, "layout": "interleaved", "dims": 2}, "mask": "causal_renormalized"},
        {"layer": 0, "weights": {"W_query.bias": [1, 2]}},
        {"model_sha256": "0" * 64},
        {"inputs": [[1]], "mechanism": "simple_self_attention"},
    ):
        yield json.dumps(stories | keys).encode()
    yield json.dumps({"model": "example:stories", "token_ids": [1, 2, 3], "layer": 1}).encode()
    yield json.dumps({"model": "example:stories", "token_ids": [70000], "layer": 99}).encode()
    yield json.dumps({"model": "gpt2", "text": "a"}).encode()
    yield json.dumps({"text": "a", "compared_with": stories}).encode()


def main():
    folder, assets = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    kinds = {"npy": npy_files(), "npz": npz_files(), "safetensors": safetensors_files(), "pth": pth_files(), "csv": csv_files(),
             "tokenizer": tokenizer_files(), "model": model_files(), "checkpoint": checkpoint_files(), "params": params_files(),
             "png": png_files(), "svg": svg_files(), "pdf": pdf_files(), "gif": gif_files(),
             "model_document": model_document_files(), "viewing": viewing_files(), "document": document_files(assets / "documents"),
             "lesson": lesson_files(assets / "lessons"), "typed": typed_files()}
    for name, files in kinds.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        for number, content in enumerate(files):
            (folder / name / f"seed-{number:02}").write_bytes(content)


if __name__ == "__main__":
    main()
