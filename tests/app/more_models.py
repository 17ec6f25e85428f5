"""Families of models for run_models.py: each as its paper and the configuration of its checkpoints define it."""

import math

import torch
import torch.nn.functional as F

from run_models import Llama, Mistral, Model, attention, frequencies


def layer_norm(x, model, module, epsilon):
    return F.layer_norm(x, x.shape[-1:], model[module + ".weight"], model[module + ".bias"], epsilon)


def affine(x, model, module):
    return F.linear(x, model[module + ".weight"], model.exact.get(module + ".bias"))


def pair(model, module):
    return model[module + ".weight"], model.exact.get(module + ".bias")


def with_biases(shapes):
    """The tensors of linear layers and norms, from the sizes of their weights."""
    tensors = {}
    for module, shape in shapes.items():
        tensors[module + ".weight"] = shape
        tensors[module + ".bias"] = shape[:1]
    return tensors


class LlamaLinear(Llama):
    def config(self):
        return super().config() | {"rope_scaling": {"type": "linear", "factor": 4.0}}

    def frequencies(self):
        return super().frequencies() / 4


class Llama3(Llama):
    """Pairs whose wavelength fits often into the first training's texts keep their frequency, rare ones are slowed."""

    factor, low, high, original = 8.0, 0.2, 2.0, 32
    scaling = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 0.2, "high_freq_factor": 2.0,
               "original_max_position_embeddings": 32}  # fmt: skip

    def config(self):
        return super().config() | {"rope_scaling": self.scaling}

    def frequencies(self):
        result = []
        for frequency in super().frequencies().tolist():
            wavelength = 2 * math.pi / frequency
            if wavelength > self.original / self.low:
                frequency /= self.factor
            elif wavelength > self.original / self.high:
                smooth = (self.original / wavelength - self.low) / (self.high - self.low)
                frequency = (1 - smooth) * frequency / self.factor + smooth * frequency
            result.append(frequency)
        return torch.tensor(result, dtype=torch.float64)


class Llama3NewKeys(Llama3):
    def config(self):
        config = super().config()
        del config["rope_scaling"], config["rope_theta"]
        return config | {"rope_parameters": self.scaling | {"rope_theta": self.base}}


class GptNeoX(Model):
    """Query, key and value of a head lie together; a part of a head turns; both parts of a layer read the same x."""

    features, heads = 32, 4  # 8 dimensions a head
    kind = "F16"
    share = 0.25
    is_parallel = True
    is_new = False

    def shapes(self):
        d, h = self.features, self.hidden
        shapes = {"gpt_neox.embed_in.weight": (self.words, d), "embed_out.weight": (self.words, d)}
        shapes |= with_biases({"gpt_neox.final_layer_norm": (d,)})
        for n in range(self.layers):
            own = {
                "input_layernorm": (d,), "post_attention_layernorm": (d,), "attention.query_key_value": (3 * d, d),
                "attention.dense": (d, d), "mlp.dense_h_to_4h": (h, d), "mlp.dense_4h_to_h": (d, h),
            }  # fmt: skip
            shapes |= with_biases({f"gpt_neox.layers.{n}.{module}": shape for module, shape in own.items()})
        return shapes

    def config(self):
        rope = {"rotary_pct": self.share, "rotary_emb_base": 500}
        if self.is_new:
            rope = {"rope_parameters": {"rope_type": "default", "rope_theta": 500, "partial_rotary_factor": self.share}}
        return {
            "model_type": "gpt_neox", "vocab_size": self.words, "max_position_embeddings": self.positions,
            "hidden_size": self.features, "num_hidden_layers": self.layers, "num_attention_heads": self.heads,
            "intermediate_size": self.hidden, "hidden_act": "gelu", "layer_norm_eps": 1e-5,
            "use_parallel_residual": self.is_parallel, "tie_word_embeddings": False,
        } | rope  # fmt: skip

    def embed(self, tokens):
        return self["gpt_neox.embed_in.weight"][tokens]

    def step(self, layer, x, off):
        name = f"gpt_neox.layers.{layer}."
        size = self.features // self.heads
        weight = self[name + "attention.query_key_value.weight"].view(self.heads, 3, size, self.features)
        bias = self[name + "attention.query_key_value.bias"].view(self.heads, 3, size)
        parts = [(weight[:, i].reshape(-1, self.features), bias[:, i].reshape(-1)) for i in range(3)]
        weights, out = attention(
            layer_norm(x, self, name + "input_layernorm", 1e-5), *parts, pair(self, name + "attention.dense"), self.heads,
            self.heads, frequencies(500.0, int(size * self.share)), off=off,
        )  # fmt: skip
        read = x if self.is_parallel else x + out
        hidden = affine(layer_norm(read, self, name + "post_attention_layernorm", 1e-5), self, name + "mlp.dense_h_to_4h")
        return weights, x + out + affine(F.gelu(hidden), self, name + "mlp.dense_4h_to_h")

    def logits(self, x):
        return layer_norm(x, self, "gpt_neox.final_layer_norm", 1e-5) @ self["embed_out.weight"].T


class GptNeoXOneAfterTheOther(GptNeoX):
    is_parallel = False
    is_new = True
    share = 0.5
    kind = "F32"


class GptNeo(Model):
    """GPT-2 with every second layer local, and scores that are not divided."""

    window = 4
    windowed = (1,)
    prefix = "transformer."
    extra = {"attention_types": [[["global", "local"], 1], [["global"], 1]]}

    def shapes(self):
        d, h, p = self.features, self.hidden, self.prefix
        shapes = {p + "wte.weight": (self.words, d), p + "wpe.weight": (self.positions, d)} | with_biases({p + "ln_f": (d,)})
        for n in range(self.layers):
            own = {"ln_1": (d,), "ln_2": (d,), "attn.attention.out_proj": (d, d), "mlp.c_fc": (h, d), "mlp.c_proj": (d, h)}
            shapes |= with_biases({f"{p}h.{n}.{module}": shape for module, shape in own.items()})
            shapes |= {f"{p}h.{n}.attn.attention.{part}_proj.weight": (d, d) for part in "qkv"}
        return shapes

    def config(self):
        return {
            "model_type": "gpt_neo", "vocab_size": self.words, "max_position_embeddings": self.positions,
            "hidden_size": self.features, "num_layers": self.layers, "num_heads": self.heads,
            "intermediate_size": self.hidden, "activation_function": "gelu_new", "window_size": self.window,
        } | self.extra  # fmt: skip

    def embed(self, tokens):
        return self[self.prefix + "wte.weight"][tokens] + self[self.prefix + "wpe.weight"][: len(tokens)]

    def norm(self, layer, which, x):
        return layer_norm(x, self, f"{self.prefix}h.{layer}." + ("ln_1" if which == "attention" else "ln_2"), 1e-5)

    def attend(self, layer, x, off):
        parts = [pair(self, f"{self.prefix}h.{layer}.attn.attention.{part}_proj") for part in ("q", "k", "v", "out")]
        window = self.window if layer in self.windowed else None
        return attention(x, *parts, self.heads, self.heads, window=window, off=off, scale=1)

    def feed_forward(self, layer, x):
        name = f"{self.prefix}h.{layer}.mlp."
        return affine(F.gelu(affine(x, self, name + "c_fc"), approximate="tanh"), self, name + "c_proj")

    def logits(self, x):
        return layer_norm(x, self, self.prefix + "ln_f", 1e-5) @ self[self.prefix + "wte.weight"].T


class GptNeoWithoutPrefix(GptNeo):
    prefix = ""
    extra = {"attention_layers": ["global", "local", "global"]}


class Opt(Model):
    """Positions begin at the third row of their table, and the activation is ReLU."""

    prefix = "model.decoder."

    def shapes(self):
        d, h, p = self.features, self.hidden, self.prefix
        shapes = {p + "embed_tokens.weight": (self.words, d), p + "embed_positions.weight": (self.positions + 2, d)}
        shapes |= with_biases({p + "final_layer_norm": (d,)})
        for n in range(self.layers):
            own = {f"self_attn.{part}_proj": (d, d) for part in ("q", "k", "v", "out")}
            own |= {"self_attn_layer_norm": (d,), "final_layer_norm": (d,), "fc1": (h, d), "fc2": (d, h)}
            shapes |= with_biases({f"{p}layers.{n}.{module}": shape for module, shape in own.items()})
        return shapes

    def config(self):
        return {
            "model_type": "opt", "vocab_size": self.words, "max_position_embeddings": self.positions,
            "hidden_size": self.features, "num_hidden_layers": self.layers, "num_attention_heads": self.heads,
            "ffn_dim": self.hidden, "activation_function": "relu", "do_layer_norm_before": True,
            "word_embed_proj_dim": self.features, "dropout": 0.1, "layerdrop": 0.0, "prefix": "</s>",
        }  # fmt: skip

    def embed(self, tokens):
        return self[self.prefix + "embed_tokens.weight"][tokens] + self[self.prefix + "embed_positions.weight"][2:][: len(tokens)]

    def norm(self, layer, which, x):
        module = "self_attn_layer_norm" if which == "attention" else "final_layer_norm"
        return layer_norm(x, self, f"{self.prefix}layers.{layer}.{module}", 1e-5)

    def attend(self, layer, x, off):
        parts = [pair(self, f"{self.prefix}layers.{layer}.self_attn.{part}_proj") for part in ("q", "k", "v", "out")]
        return attention(x, *parts, self.heads, self.heads, off=off)

    def feed_forward(self, layer, x):
        name = f"{self.prefix}layers.{layer}."
        return affine(F.relu(affine(x, self, name + "fc1")), self, name + "fc2")

    def logits(self, x):
        return layer_norm(x, self, self.prefix + "final_layer_norm", 1e-5) @ self[self.prefix + "embed_tokens.weight"].T


class OptOld(Opt):
    prefix = "decoder."
    kind = "F16"


class Bert(Model):
    """Every token sees every other; norms stand behind both parts of a layer; a transform says the masked word."""

    family, prefix = "bert", "bert."
    kinds, skipped, epsilon = 2, 0, 1e-12
    scale, shift = ".weight", ".bias"
    transform, transform_norm, bias = "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions.bias"
    layer_name = "encoder.layer."
    names = {
        "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
        "out": "attention.output.dense", "attention_norm": "attention.output.LayerNorm", "up": "intermediate.dense",
        "down": "output.dense", "norm": "output.LayerNorm",
    }  # fmt: skip

    def shapes(self):
        d, h = self.features, self.hidden
        tables = {"word_embeddings": self.words, "position_embeddings": self.positions + self.skipped}
        if self.kinds:
            tables["token_type_embeddings"] = self.kinds
        shapes = {f"{self.prefix}embeddings.{name}.weight": (rows, d) for name, rows in tables.items()}
        norms = [f"{self.prefix}embeddings.LayerNorm", self.transform_norm]
        linears = {self.transform: (d, d)}
        for n in range(self.layers):
            name = f"{self.prefix}{self.layer_name}{n}."
            norms += [name + self.names["attention_norm"], name + self.names["norm"]]
            linears |= {name + self.names[part]: (d, d) for part in ("query", "key", "value", "out")}
            linears |= {name + self.names["up"]: (h, d), name + self.names["down"]: (d, h)}
        shapes |= with_biases(linears) | {self.bias: (self.words,)}
        return shapes | {norm + part: (d,) for norm in norms for part in (self.scale, self.shift)}

    def config(self):
        return {
            "model_type": self.family, "vocab_size": self.words, "max_position_embeddings": self.positions + self.skipped,
            "hidden_size": self.features, "num_hidden_layers": self.layers, "num_attention_heads": self.heads,
            "intermediate_size": self.hidden, "hidden_act": "gelu", "type_vocab_size": self.kinds,
            "layer_norm_eps": self.epsilon, "position_embedding_type": "absolute", "pad_token_id": 1 if self.skipped else 0,
        }  # fmt: skip

    def normalized(self, x, module):
        return F.layer_norm(x, x.shape[-1:], self[module + self.scale], self[module + self.shift], self.epsilon)

    def embed(self, tokens):
        table = lambda name: self[f"{self.prefix}embeddings.{name}.weight"]
        x = table("word_embeddings")[tokens] + table("position_embeddings")[self.skipped :][: len(tokens)]
        if self.kinds:
            x = x + table("token_type_embeddings")[0]
        return self.normalized(x, f"{self.prefix}embeddings.LayerNorm")

    def step(self, layer, x, off):
        name = {part: f"{self.prefix}{self.layer_name}{layer}.{own}" for part, own in self.names.items()}
        parts = [pair(self, name[part]) for part in ("query", "key", "value", "out")]
        weights, out = attention(x, *parts, self.heads, self.heads, off=off, is_causal=False)
        x = self.normalized(x + out, name["attention_norm"])
        hidden = F.gelu(affine(x, self, name["up"]))
        return weights, self.normalized(x + affine(hidden, self, name["down"]), name["norm"])

    def logits(self, x):
        x = self.normalized(F.gelu(affine(x, self, self.transform)), self.transform_norm)
        return x @ self[f"{self.prefix}embeddings.word_embeddings.weight"].T + self[self.bias]


class BertOfOldTools(Bert):
    kind = "F16"
    scale, shift = ".gamma", ".beta"


class Roberta(Bert):
    family, prefix = "roberta", "roberta."
    kinds, skipped, epsilon = 1, 2, 1e-5
    transform, transform_norm, bias = "lm_head.dense", "lm_head.layer_norm", "lm_head.bias"


class DistilBert(Bert):
    family, prefix = "distilbert", "distilbert."
    kinds = 0
    transform, transform_norm, bias = "vocab_transform", "vocab_layer_norm", "vocab_projector.bias"
    layer_name = "transformer.layer."
    names = {
        "query": "attention.q_lin", "key": "attention.k_lin", "value": "attention.v_lin", "out": "attention.out_lin",
        "attention_norm": "sa_layer_norm", "up": "ffn.lin1", "down": "ffn.lin2", "norm": "output_layer_norm",
    }  # fmt: skip

    def config(self):
        return {
            "model_type": "distilbert", "vocab_size": self.words, "max_position_embeddings": self.positions,
            "dim": self.features, "n_layers": self.layers, "n_heads": self.heads, "hidden_dim": self.hidden,
            "activation": "gelu", "sinusoidal_pos_embds": False, "dropout": 0.1, "qa_dropout": 0.1,
        }  # fmt: skip


class Gemma(Llama):
    """Norms multiply by 1 + scale, embeddings by the root of their width; GELU opens the gate."""

    family = "gemma"
    head_dim = 8
    extra = {"hidden_act": "gelu", "hidden_activation": None}

    def shapes(self):
        shapes = super().shapes()
        del shapes["lm_head.weight"]
        return shapes

    def config(self):
        config = super().config()
        del config["sliding_window"]
        return config | self.extra

    def rms(self, x, scale):
        return super().rms(x, 1 + scale)

    def embed(self, tokens):
        return super().embed(tokens) * math.sqrt(self.features)

    def feed_forward(self, layer, x):
        matrix = lambda name: self.of_layer(layer, f"mlp.{name}_proj.weight").T
        return (F.gelu(x @ matrix("gate"), approximate="tanh") * (x @ matrix("up"))) @ matrix("down")

    def logits(self, x):
        return self.rms(x, self["model.norm.weight"]) @ self["model.embed_tokens.weight"].T


class Gemma2(Gemma):
    """Norms before and behind both parts, capped scores and logits, every other layer with a window."""

    family = "gemma2"
    windowed = (0, 2)
    window, score_cap, logit_cap, scalar = 4, 2.0, 3.0, 20
    extra = {"sliding_window": 4, "query_pre_attn_scalar": 20, "attn_logit_softcapping": 2.0, "final_logit_softcapping": 3.0}

    def shapes(self):
        shapes = super().shapes()
        for n in range(self.layers):
            shapes |= {f"model.layers.{n}.{which}_feedforward_layernorm.weight": (self.features,) for which in ("pre", "post")}
        return shapes

    def window_of(self, layer):
        return self.window if layer in self.windowed else None

    def frequencies_of(self, layer):
        return frequencies(self.base, self.head_dim)

    def step(self, layer, x, off):
        norm = lambda which, y: self.rms(y, self.of_layer(layer, which + "layernorm.weight"))
        head_norm = lambda part: lambda y: self.rms(y, self.of_layer(layer, f"self_attn.{part}_norm.weight"))
        parts = [(self.of_layer(layer, f"self_attn.{part}_proj.weight"), None) for part in "qkvo"]
        weights, out = attention(
            norm("input_", x), *parts, self.heads, self.key_heads, self.frequencies_of(layer), self.window_of(layer), off,
            (head_norm("q"), head_norm("k")) if self.has_norms else None, self.scalar**-0.5, self.score_cap,
        )  # fmt: skip
        x = x + norm("post_attention_", out)
        return weights, x + norm("post_feedforward_", self.feed_forward(layer, norm("pre_feedforward_", x)))

    def logits(self, x):
        numbers = super().logits(x)
        return self.logit_cap * torch.tanh(numbers / self.logit_cap) if self.logit_cap else numbers


class Gemma3(Gemma2):
    """Norms of queries and keys in place of caps; layers with a window turn with a base of their own."""

    family = "gemma3_text"
    has_norms = True
    epsilon = 1e-6
    score_cap = logit_cap = None
    windowed = (0, 1)
    extra = {
        "sliding_window": 4, "query_pre_attn_scalar": 20, "rope_local_base_freq": 100.0,
        "rope_scaling": {"rope_type": "linear", "factor": 8.0}, "sliding_window_pattern": 3,
    }  # fmt: skip

    def frequencies_of(self, layer):
        return frequencies(100.0, self.head_dim) if layer in self.windowed else frequencies(self.base, self.head_dim) / 8


class Gemma3NewKeys(Gemma3):
    extra = {
        "sliding_window": 4, "query_pre_attn_scalar": 20,
        "layer_types": ["sliding_attention", "sliding_attention", "full_attention"],
        "rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 500.0},
                            "sliding_attention": {"rope_type": "default", "rope_theta": 100.0}},
    }  # fmt: skip


class Phi(Model):
    """One norm for both parts of a layer, which read the same x; half of a head turns; the last layer has a bias."""

    features, heads = 32, 4

    def shapes(self):
        d, h = self.features, self.hidden
        shapes = {"model.embed_tokens.weight": (self.words, d)}
        shapes |= with_biases({"model.final_layernorm": (d,), "lm_head": (self.words, d)})
        for n in range(self.layers):
            own = {f"self_attn.{part}": (d, d) for part in ("q_proj", "k_proj", "v_proj", "dense")}
            own |= {"input_layernorm": (d,), "mlp.fc1": (h, d), "mlp.fc2": (d, h)}
            shapes |= with_biases({f"model.layers.{n}.{module}": shape for module, shape in own.items()})
        return shapes

    def config(self):
        return {
            "model_type": "phi", "vocab_size": self.words, "max_position_embeddings": self.positions,
            "hidden_size": self.features, "num_hidden_layers": self.layers, "num_attention_heads": self.heads,
            "num_key_value_heads": None, "intermediate_size": self.hidden, "hidden_act": "gelu_new",
            "layer_norm_eps": 1e-5, "partial_rotary_factor": 0.5, "rope_theta": 500.0, "qk_layernorm": False,
            "embd_pdrop": 0.0, "rope_scaling": None, "tie_word_embeddings": False,
        }  # fmt: skip

    def embed(self, tokens):
        return self["model.embed_tokens.weight"][tokens]

    def step(self, layer, x, off):
        name = f"model.layers.{layer}."
        read = layer_norm(x, self, name + "input_layernorm", 1e-5)
        parts = [pair(self, f"{name}self_attn.{part}") for part in ("q_proj", "k_proj", "v_proj", "dense")]
        weights, out = attention(read, *parts, self.heads, self.heads, frequencies(500.0, 4), off=off)
        hidden = F.gelu(affine(read, self, name + "mlp.fc1"), approximate="tanh")
        return weights, x + out + affine(hidden, self, name + "mlp.fc2")

    def logits(self, x):
        return affine(layer_norm(x, self, "model.final_layernorm", 1e-5), self, "lm_head")


class Phi3(Mistral):
    """Llama with queries, keys and values in one tensor, and gate and up in another."""

    family = "phi3"
    kind = "BF16"

    def shapes(self):
        d, h, shapes = self.features, self.hidden, {}
        sizes = [count * self.head_dim for count in (self.heads, self.key_heads, self.key_heads)]
        for name, shape in super().shapes().items():
            if ".q_proj." in name:
                shapes[name.replace("q_proj", "qkv_proj")] = (sum(sizes), d)
            elif ".gate_proj." in name:
                shapes[name.replace("gate_proj", "gate_up_proj")] = (2 * h, d)
            elif not any(part in name for part in (".k_proj.", ".v_proj.", ".up_proj.")):
                shapes[name] = shape
        return shapes

    def config(self):
        return super().config() | {"original_max_position_embeddings": 4096, "attention_bias": False}

    def of_layer(self, layer, name):
        sizes = [count * self.head_dim for count in (self.heads, self.key_heads, self.key_heads)]
        for place, part in enumerate("qkv"):
            if name == f"self_attn.{part}_proj.weight":
                return super().of_layer(layer, "self_attn.qkv_proj.weight").split(sizes)[place]
        for place, part in enumerate(("gate", "up")):
            if name == f"mlp.{part}_proj.weight":
                return super().of_layer(layer, "mlp.gate_up_proj.weight").chunk(2)[place]
        return super().of_layer(layer, name)


MORE_FAMILIES = {
    "llama3": [LlamaLinear, Llama3, Llama3NewKeys],
    "gpt_neox": [GptNeoX, GptNeoXOneAfterTheOther],
    "gpt_neo": [GptNeo, GptNeoWithoutPrefix],
    "opt": [Opt, OptOld],
    "bert": [Bert, BertOfOldTools],
    "roberta": [Roberta],
    "distilbert": [DistilBert],
    "gemma": [Gemma],
    "gemma2": [Gemma2],
    "gemma3": [Gemma3, Gemma3NewKeys],
    "phi": [Phi],
    "phi3": [Phi3],
}
