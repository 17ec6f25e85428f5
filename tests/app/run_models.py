"""Writes trained models of random weights, and compares what attnscope computes of them with PyTorch in float64.

run_models.py PROGRAM FAMILY

A family (a key of FAMILIES, or of more_models.py) comes with every turn that its configuration can take; in each, every
stage of the whole model and the attention of one layer, also after an edit of a lower layer, and what PyTorch code of
layers prints. Ends with status 77, which skips the test, where PyTorch is missing.
"""

import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    sys.exit(77)

from run_code import on_the_screen, output_of, printed_stages

BOUND = 1e-5  # of a stage's largest magnitude
CODE_BOUND = 1e-4  # likewise, where PyTorch computes in float32
TYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}


def save(path, tensors, kind):
    """A .safetensors, written byte by byte: the package for it need not be there."""
    header, blobs, at = {}, [], 0
    for name, tensor in tensors.items():
        stored = tensor.to(TYPES[kind]).contiguous()
        blob = stored.view(torch.int16).numpy().tobytes() if kind != "F32" else stored.numpy().tobytes()
        header[name] = {"dtype": kind, "shape": list(tensor.shape), "data_offsets": [at, at + len(blob)]}
        blobs.append(blob)
        at += len(blob)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def rounded(tensors, kind):
    return {name: tensor.to(TYPES[kind]).double() for name, tensor in tensors.items()}


def frequencies(base, dims):
    """The angle of each pair from one token to the next."""
    return base ** (-torch.arange(0, dims, 2).double() / dims)


def attention(x, queries, keys, values, out, heads, key_heads, rope=None, window=None, off=(), norms=None, scale=None,
              cap=None, is_causal=True):  # fmt: skip
    """One layer's weights and output; each projection is a pair (weight (out, in), bias or None), each norm a function,
    and `rope` the frequencies of the pairs that turn."""
    length = x.shape[0]
    linear = lambda pair: F.linear(x, pair[0], pair[1])
    split = lambda y, count: y.view(length, count, -1).transpose(0, 1)
    q, k, v = split(linear(queries), heads), split(linear(keys), key_heads), split(linear(values), key_heads)
    if norms:
        q, k = norms[0](q), norms[1](k)
    if rope is not None:
        half = len(rope)
        angles = torch.arange(length)[:, None] * rope[None, :]
        cos, sin = torch.cos(angles).repeat(1, 2), torch.sin(angles).repeat(1, 2)
        turn = lambda y: y * cos + torch.cat((-y[..., half:], y[..., :half]), dim=-1) * sin
        turn_first = lambda y: torch.cat((turn(y[..., : 2 * half]), y[..., 2 * half :]), dim=-1)
        q, k = turn_first(q), turn_first(k)
    k, v = (y.repeat_interleave(heads // key_heads, dim=0) for y in (k, v))
    hidden = torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1) if is_causal else torch.zeros(1, dtype=torch.bool)
    if window:
        hidden |= torch.tril(torch.ones(length, length, dtype=torch.bool), diagonal=-window)
    scores = q @ k.transpose(1, 2) * (1 / math.sqrt(q.shape[-1]) if scale is None else scale)
    if cap:
        scores = cap * torch.tanh(scores / cap)
    scores = scores.masked_fill(hidden, -torch.inf)
    weights = torch.softmax(scores, dim=-1)
    context = weights @ v
    for head in off:
        context[head] = 0
    return weights, F.linear(context.transpose(0, 1).reshape(length, -1), out[0], out[1])


class Model:
    """A model of random weights; subclasses say how a family names and uses them."""

    windowed = ()  # layers that see only a window, if others see all

    features, layers, heads, key_heads, hidden, words, positions = 24, 3, 4, 4, 40, 50, 16
    kind = "F32"
    file = "model.safetensors"

    def __init__(self, seed):
        torch.manual_seed(seed)
        self.tensors = {name: 0.4 * torch.randn(shape) for name, shape in self.shapes().items()}
        self.exact = rounded(self.tensors, self.kind)

    def __getitem__(self, name):
        return self.exact[name]

    def write(self, folder):
        (folder / "config.json").write_text(json.dumps(self.config()))
        save(folder / self.file, self.tensors, self.kind)

    def run(self, tokens, off):
        """All stages; `off` are the heads that are off in the first layer."""
        x = self.embed(tokens)
        residual, weights = [x], []
        for layer in range(self.layers):
            of_layer, x = self.step(layer, x, off if layer == 0 else ())
            weights.append(of_layer)
            residual.append(x)
        return {
            "token_ids": tokens.double(),
            "embeddings": residual[0],
            "residual": torch.stack(residual),
            "weights": torch.stack(weights),
            "logits": self.logits(x),
        }

    def step(self, layer, x, off):
        """The weights of a layer, and what it makes of x."""
        weights, out = self.attend(layer, self.norm(layer, "attention", x), off)
        x = x + out
        return weights, x + self.feed_forward(layer, self.norm(layer, "feed_forward", x))


class Gpt2(Model):
    prefix = "transformer."
    activation = "gelu_new"
    kind = "F16"
    is_tied = True

    def shapes(self):
        d, h = self.features, self.hidden
        shapes = {self.prefix + "wte.weight": (self.words, d), self.prefix + "wpe.weight": (self.positions, d)}
        for n in range(self.layers):
            for name, shape in {
                "ln_1.weight": (d,), "ln_1.bias": (d,), "ln_2.weight": (d,), "ln_2.bias": (d,),
                "attn.c_attn.weight": (d, 3 * d), "attn.c_attn.bias": (3 * d,),
                "attn.c_proj.weight": (d, d), "attn.c_proj.bias": (d,),
                "mlp.c_fc.weight": (d, h), "mlp.c_fc.bias": (h,), "mlp.c_proj.weight": (h, d), "mlp.c_proj.bias": (d,),
            }.items():  # fmt: skip
                shapes[f"{self.prefix}h.{n}.{name}"] = shape
        shapes |= {self.prefix + "ln_f.weight": (d,), self.prefix + "ln_f.bias": (d,)}
        return shapes if self.is_tied else shapes | {"lm_head.weight": (self.words, d)}

    def config(self):
        return {
            "model_type": "gpt2", "vocab_size": self.words, "n_positions": self.positions, "n_embd": self.features,
            "n_layer": self.layers, "n_head": self.heads, "n_inner": self.hidden,
            "activation_function": self.activation, "tie_word_embeddings": self.is_tied,
        }  # fmt: skip

    def of_layer(self, layer, name):
        return self[f"{self.prefix}h.{layer}.{name}"]

    def embed(self, tokens):
        return self[self.prefix + "wte.weight"][tokens] + self[self.prefix + "wpe.weight"][: len(tokens)]

    def norm(self, layer, which, x):
        name = "ln_1" if which == "attention" else "ln_2"
        return F.layer_norm(x, x.shape[-1:], self.of_layer(layer, name + ".weight"), self.of_layer(layer, name + ".bias"))

    def attend(self, layer, x, off):
        weight, bias = self.of_layer(layer, "attn.c_attn.weight"), self.of_layer(layer, "attn.c_attn.bias")
        parts = [(w.T, b) for w, b in zip(weight.chunk(3, dim=1), bias.chunk(3))]
        out = self.of_layer(layer, "attn.c_proj.weight").T, self.of_layer(layer, "attn.c_proj.bias")
        return attention(x, *parts, out, self.heads, self.heads, off=off)

    def feed_forward(self, layer, x):
        hidden = x @ self.of_layer(layer, "mlp.c_fc.weight") + self.of_layer(layer, "mlp.c_fc.bias")
        hidden = F.gelu(hidden, approximate="tanh" if self.activation == "gelu_new" else "none")
        return hidden @ self.of_layer(layer, "mlp.c_proj.weight") + self.of_layer(layer, "mlp.c_proj.bias")

    def logits(self, x):
        x = F.layer_norm(x, x.shape[-1:], self[self.prefix + "ln_f.weight"], self[self.prefix + "ln_f.bias"])
        return x @ self[self.prefix + "wte.weight" if self.is_tied else "lm_head.weight"].T


class Gpt2WithoutPrefix(Gpt2):
    prefix = ""
    activation = "gelu"
    kind = "F32"


class Gpt2WithHead(Gpt2):
    is_tied = False


class Llama(Model):
    family = "llama"
    kind = "BF16"
    key_heads = 2
    base = 500.0
    window = None
    head_dim = 6
    has_bias = False
    has_norms = False  # of queries and keys
    epsilon = 1e-5

    def shapes(self):
        d, h = self.features, self.hidden
        queries, keys = self.heads * self.head_dim, self.key_heads * self.head_dim
        shapes = {"model.embed_tokens.weight": (self.words, d), "model.norm.weight": (d,), "lm_head.weight": (self.words, d)}
        for n in range(self.layers):
            own = {
                "input_layernorm.weight": (d,), "post_attention_layernorm.weight": (d,),
                "self_attn.q_proj.weight": (queries, d), "self_attn.k_proj.weight": (keys, d),
                "self_attn.v_proj.weight": (keys, d), "self_attn.o_proj.weight": (d, queries),
                "mlp.gate_proj.weight": (h, d), "mlp.up_proj.weight": (h, d), "mlp.down_proj.weight": (d, h),
            }  # fmt: skip
            if self.has_bias:
                own |= {f"self_attn.{p}_proj.bias": (queries if p == "q" else keys,) for p in "qkv"}
            if self.has_norms:
                own |= {f"self_attn.{p}_norm.weight": (self.head_dim,) for p in "qk"}
            shapes |= {f"model.layers.{n}.{name}": shape for name, shape in own.items()}
        return shapes

    def config(self):
        return {
            "model_type": self.family, "vocab_size": self.words, "max_position_embeddings": self.positions,
            "hidden_size": self.features, "num_hidden_layers": self.layers, "num_attention_heads": self.heads,
            "num_key_value_heads": self.key_heads, "head_dim": self.head_dim, "intermediate_size": self.hidden,
            "rope_theta": self.base, "rms_norm_eps": self.epsilon, "sliding_window": self.window, "hidden_act": "silu",
        }  # fmt: skip

    def rms(self, x, scale):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.epsilon) * scale

    def of_layer(self, layer, name):
        return self[f"model.layers.{layer}.{name}"]

    def embed(self, tokens):
        return self["model.embed_tokens.weight"][tokens]

    def norm(self, layer, which, x):
        name = "input_layernorm" if which == "attention" else "post_attention_layernorm"
        return self.rms(x, self.of_layer(layer, name + ".weight"))

    def attend(self, layer, x, off):
        pair = lambda p: (
            self.of_layer(layer, f"self_attn.{p}_proj.weight"),
            self.of_layer(layer, f"self_attn.{p}_proj.bias") if self.has_bias and p != "o" else None,
        )
        norm = lambda p: lambda y: self.rms(y, self.of_layer(layer, f"self_attn.{p}_norm.weight"))
        norms = (norm("q"), norm("k")) if self.has_norms else None
        return attention(
            x, pair("q"), pair("k"), pair("v"), pair("o"), self.heads, self.key_heads, self.frequencies(), self.window,
            off, norms,
        )  # fmt: skip

    def frequencies(self):
        return frequencies(self.base, self.head_dim)

    def feed_forward(self, layer, x):
        matrix = lambda name: self.of_layer(layer, f"mlp.{name}_proj.weight").T
        return (F.silu(x @ matrix("gate")) * (x @ matrix("up"))) @ matrix("down")

    def logits(self, x):
        return self.rms(x, self["model.norm.weight"]) @ self["lm_head.weight"].T


class LlamaInParts(Llama):
    def write(self, folder):
        (folder / "config.json").write_text(json.dumps(self.config()))
        names = list(self.tensors)
        parts = {"model-00001-of-00002.safetensors": names[::2], "model-00002-of-00002.safetensors": names[1::2]}
        for file, own in parts.items():
            save(folder / file, {name: self.tensors[name] for name in own}, self.kind)
        places = {name: file for file, own in parts.items() for name in own}
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))


class Mistral(Llama):
    family = "mistral"
    window = 4
    kind = "F32"
    head_dim = 8  # the heads together are wider than the residual stream


class Qwen2(Llama):
    family = "qwen2"
    has_bias = True
    key_heads = 1


class Qwen3(Llama):
    family = "qwen3"
    has_norms = True
    epsilon = 1e-6


class Book(Model):
    file = "gpt.safetensors"
    hidden = 4 * Model.features
    has_bias = False

    def shapes(self):
        d = self.features
        shapes = {"tok_emb.weight": (self.words, d), "pos_emb.weight": (self.positions, d), "out_head.weight": (self.words, d)}
        shapes |= {"final_norm.scale": (d,), "final_norm.shift": (d,)}
        for n in range(self.layers):
            own = {f"att.W_{p}.weight": (d, d) for p in ("query", "key", "value")}
            if self.has_bias:
                own |= {f"att.W_{p}.bias": (d,) for p in ("query", "key", "value")}
            own |= {"att.out_proj.weight": (d, d), "att.out_proj.bias": (d,), "att.mask": (self.positions, self.positions)}
            own |= {"ff.layers.0.weight": (4 * d, d), "ff.layers.0.bias": (4 * d,)}
            own |= {"ff.layers.2.weight": (d, 4 * d), "ff.layers.2.bias": (d,)}
            own |= {f"{norm}.{part}": (d,) for norm in ("norm1", "norm2") for part in ("scale", "shift")}
            shapes |= {f"trf_blocks.{n}.{name}": shape for name, shape in own.items()}
        return shapes

    def config(self):
        return {
            "vocab_size": self.words, "context_length": self.positions, "emb_dim": self.features,
            "n_heads": self.heads, "n_layers": self.layers, "drop_rate": 0.1, "qkv_bias": self.has_bias,
        }  # fmt: skip

    def of_layer(self, layer, name):
        return self.exact.get(f"trf_blocks.{layer}.{name}")

    def embed(self, tokens):
        return self["tok_emb.weight"][tokens] + self["pos_emb.weight"][: len(tokens)]

    def norm(self, layer, which, x):
        name = "norm1" if which == "attention" else "norm2"
        return F.layer_norm(x, x.shape[-1:], self.of_layer(layer, name + ".scale"), self.of_layer(layer, name + ".shift"))

    def attend(self, layer, x, off):
        pair = lambda p: (self.of_layer(layer, f"att.{p}.weight"), self.of_layer(layer, f"att.{p}.bias"))
        return attention(x, pair("W_query"), pair("W_key"), pair("W_value"), pair("out_proj"), self.heads, self.heads, off=off)

    def feed_forward(self, layer, x):
        part = lambda n: (self.of_layer(layer, f"ff.layers.{n}.weight"), self.of_layer(layer, f"ff.layers.{n}.bias"))
        return F.linear(F.gelu(F.linear(x, *part(0)), approximate="tanh"), *part(2))

    def logits(self, x):
        x = F.layer_norm(x, x.shape[-1:], self["final_norm.scale"], self["final_norm.shift"])
        return x @ self["out_head.weight"].T


class BookWithBias(Book):
    has_bias = True


class BookPth(Book):
    """What torch.save(model.state_dict()) leaves."""

    file = "gpt.pth"

    def write(self, folder):
        (folder / "config.json").write_text(json.dumps(self.config()))
        torch.save(self.tensors, folder / self.file)


def evaluate(program, folder, document):
    (folder / "document.json").write_text(json.dumps(document))
    subprocess.run([program, "eval", folder / "document.json", "-o", folder / "out.npz"], check=True)
    return numpy.load(folder / "out.npz")


def compare(what, found, expected):
    expected = expected.numpy()
    assert found.shape == expected.shape, f"{what} has the shape {found.shape}, not {expected.shape}"
    error = numpy.abs(found - expected).max() / numpy.abs(expected).max()
    assert error < BOUND, f"{what} differs by {error:.1e} of its largest magnitude"
    return error


SHIM = """
import json, struct, torch
TYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
def load_file(path):
    blob = open(path, "rb").read()
    begin = 8 + struct.unpack("<Q", blob[:8])[0]
    def tensor(entry):
        first, last = entry["data_offsets"]
        numbers = torch.frombuffer(bytearray(blob[begin + first : begin + last]), dtype=TYPES[entry["dtype"]])
        return numbers.reshape(entry["shape"])
    entries = json.loads(blob[8:begin]).items()
    return {name: tensor(entry) for name, entry in entries if name != "__metadata__"}
"""


def stand_in_for_safetensors(folder):
    """Puts a package where Python finds it, because Debian has none."""
    package = folder / "safetensors"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "torch.py").write_text(SHIM)
    sys.path.insert(0, str(folder))


EDITS = [
    {"layer": 0},
    {"layer": 2},
    {"layer": 2, "heads_off": [1], "dropout": 0.5, "softcap": 3},
    {"layer": 1, "dropout": 0.5, "dropout_edits": {"drop": [[0, 1, 6, 2]], "keep": [[0, 0, 5, 5]]}, "skip_draws": 3},
    {"layer": 1, "dropout": 0.5, "dropout_kernel": "default", "skip_draws": 2},
    {"layer": 1, "dropout": 0.5, "seed": 7},
    {"layer": 2, "mask": "custom", "hidden": [[[1, 13]] if n == 4 else [[n + 1, 13]] for n in range(12)] + [[]]},
    {"layer": 2, "changed_layers": {"1": {"heads_off": [0]}}, "dropout": 0.5},
    {"layer": 1, "changed_layers": {"2": {"heads_off": [0]}}},
]


def check_code(program, folder, what, document, windowed=()):
    """What the code prints against `attnscope eval`."""
    expected = evaluate(program, folder, document)
    command = [program, "code", folder / "document.json", "--language", "pytorch"]
    # Layers below are data in the code where they are changed, or have another window.
    own = document["layer"] in windowed
    is_data = "1" in document.get("changed_layers", {}) or any((n in windowed) != own for n in range(document["layer"]))
    written = subprocess.run(command, capture_output=True, text=True)
    if is_data and written.returncode:
        assert "skip_draws" in document and "cannot skip draws" in written.stderr, written.stderr
        return
    assert written.returncode == 0, written.stderr
    code = written.stdout
    assert ("checkpoint = " in code) != is_data, f"{what}: is the checkpoint loaded?"
    stages = printed_stages(output_of(code))
    assert sorted(name for name, *_ in stages) == sorted(expected.files), f"{what} prints other stages"
    for name, shape, numbers, _ in stages:
        wanted = on_the_screen(expected[name].astype(float).reshape(shape))
        assert numbers.shape == wanted.shape, f"{what}: {name} has another shape"
        if numpy.isfinite(wanted).any():
            bound = 6e-5 + CODE_BOUND * numpy.abs(wanted[numpy.isfinite(wanted)]).max()
            assert numpy.allclose(numbers, wanted, rtol=0, atol=bound), f"{what}: {name} differs"


def check(program, folder, model):
    model.write(folder)
    name = model.file if isinstance(model, Book) else "."
    tokens = torch.randint(model.words, (model.positions - 3,))
    worst = {}
    for off in ([], [1, 2]):
        document = {"model": name, "token_ids": tokens.tolist()}
        if off:
            document["changed_layers"] = {"0": {"heads_off": off}}
            document["layer"] = 1
        expected = model.run(tokens, off)
        if not off:
            stages = evaluate(program, folder, document)
            worst = {stage: compare(f"{type(model).__name__}: {stage}", stages[stage], expected[stage]) for stage in expected}
        layer = evaluate(program, folder, document | {"layer": 1})
        compare(f"{type(model).__name__}: layer 1, off {off}", layer["weights"][0], expected["weights"][1])
    override = {"weights": {"out_proj.bias": [0.5] * model.features}, "layer": 1}
    for edit in [*EDITS, override]:
        document = {"model": name, "token_ids": tokens.tolist()} | edit
        check_code(program, folder, f"{type(model).__name__}: code of {edit}", document, model.windowed)
    print(type(model).__name__, {stage: f"{error:.0e}" for stage, error in worst.items()})


FAMILIES = {
    "gpt2": [Gpt2, Gpt2WithoutPrefix, Gpt2WithHead],
    "llama": [Llama, LlamaInParts],
    "mistral": [Mistral],
    "qwen": [Qwen2, Qwen3],
    "book": [Book, BookWithBias, BookPth],
}


def main(families):
    shim = tempfile.TemporaryDirectory()
    stand_in_for_safetensors(pathlib.Path(shim.name))
    for seed, model in enumerate(families[sys.argv[2]]):
        with tempfile.TemporaryDirectory() as folder:
            check(sys.argv[1], pathlib.Path(folder), model(seed))


if __name__ == "__main__":
    from more_models import MORE_FAMILIES

    main(FAMILIES | MORE_FAMILIES)
