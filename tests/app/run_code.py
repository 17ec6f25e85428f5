"""Runs the code that attnscope writes under real PyTorch or NumPy, and compares what it prints with the engine.

run_code.py PROGRAM FOLDER_OF_DOCUMENTS pytorch|numpy PART/PARTS|--large

Every example, and documents that take every turn the code can take, of which a part takes every PARTS-th; with --large
the example of GPT-2's size, whose code prints the corners of its large stages. Ends with status 77, which skips the
test, where the library is missing.
"""

import contextlib
import importlib.util
import io
import itertools
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy

MECHANISMS = [
    "simple_self_attention",
    "self_attention_v1",
    "self_attention_v2",
    "causal_attention",
    "multi_head_attention_wrapper",
    "multi_head_attention",
]
MASKS = ["none", "causal", "causal_after_softmax", "causal_renormalized"]
SKIPPED = 77
EDGE = 3  # numbers that a print leaves at either end of an axis when it elides
HEADING = re.compile(r"^([a-z_]+) \(([0-9, ]+)\)$", re.MULTILINE)
NUMBER = re.compile(r"-?inf|nan|True|False|-?[0-9]+\.?[0-9]*(?:e[+-]?[0-9]+)?")
WORDS = {"True": 1.0, "False": 0.0}


def rounding(word):
    """Half of the last digit of a number with an exponent; NumPy 2.4 prints large ones so, with four decimals."""
    digits, _, exponent = word.partition("e")
    return 0.5 * 10.0 ** (int(exponent) - len(digits.partition(".")[2])) if exponent else 0.0


def printed_stages(text):
    """[(id, shape, numbers, how far each may be rounded)] as they stand on the screen."""
    headings = list(HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    stages = []
    for heading, end in zip(headings, ends):
        shape = tuple(int(size) for size in heading[2].replace(" ", "").strip(",").split(","))
        words = NUMBER.findall(text[heading.end() : end])
        numbers = numpy.array([WORDS[word] if word in WORDS else float(word) for word in words])
        stages.append((heading[1], shape, numbers, numpy.array([rounding(word) for word in words])))
    return stages


def on_the_screen(array):
    """What a print of an array shows: all of it up to 1000 numbers, else its corners."""
    if array.size <= 1000:
        return array.ravel()
    for axis, size in enumerate(array.shape):
        if size > 2 * EDGE:
            array = numpy.take(array, [*range(EDGE), *range(size - EDGE, size)], axis)
    return array.ravel()


def differences(text, engine):
    """What is printed otherwise than the engine has it, in words. Four decimals are printed."""
    stages = printed_stages(text)
    names = [name for name, *_ in stages]
    if sorted(names) != sorted(engine):  # a cap or a bias stands before the mask where there is one
        return [f"prints {names} instead of {list(engine)}"]
    found = []
    for name, shape, numbers, rounded in stages:
        expected = engine[name].astype(numpy.float64)
        if numpy.prod(shape) != expected.size:
            found.append(f"{name} has shape {shape} against {expected.shape}")
            continue
        expected = on_the_screen(expected.reshape(shape))
        if numbers.size != expected.size:
            found.append(f"{name} shows {numbers.size} numbers, not {expected.size}")
            continue
        is_close = numpy.isclose(numbers, expected, rtol=1e-5, atol=6e-5, equal_nan=True)
        with numpy.errstate(invalid="ignore"):  # infinite ones are close already, or wrong
            is_close |= numpy.abs(numbers - expected) <= rounded
        if not is_close.all():
            place = int(numpy.argmin(is_close))
            found.append(f"{name} shows {numbers[place]} where {expected[place]} belongs, at number {place}")
    return found


def notices_differences():
    """The comparison can fail: on a number, a sign, an infinity, a shape, an order, and elision."""
    engine = {"scores": numpy.array([[[1, -numpy.inf], [0.25, 2]]]), "mask": numpy.array([[False, True]])}
    good = "scores (1, 2, 2)\ntensor([[[1.0000, -inf], [0.2500, 2.0000]]])\n\nmask (1, 2)\n[[False  True]]\n"
    bad = [
        good.replace("0.2500", "0.2502"),
        good.replace("-inf", "inf"),
        good.replace("True", "False"),
        good.replace("(1, 2, 2)", "(1, 2, 3)"),
        good.replace("0.2500,", "..."),
        good.replace("scores", "weights"),
        good[good.index("mask") :],
    ]
    return not differences(good, engine) and all(differences(text, engine) for text in bad)


def made_documents():
    """Documents by name: each mechanism with each mask, and what else changes the code."""
    draw = random.Random(4)
    for mechanism, mask in itertools.product(MECHANISMS, MASKS):
        document = {
            "inputs": [[round(draw.uniform(-1, 1), 3) for _ in range(3)] for _ in range(5)],
            "mechanism": mechanism,
            "mask": mask,
            "d_out": 4,
            "num_heads": draw.choice([1, 2, 4]),
            "batch_size": draw.choice([1, 3]),
            "qkv_bias": draw.random() < 0.5,
            "scale": draw.random() < 0.7,
            "dropout": draw.choice([0, 0.1, 0.5, 0.9, 1]),
            "training": draw.random() < 0.8,
            "seed": draw.choice([0, 123, 2**64 - 1]),
            "skip_draws": draw.choice([0, 7, 1000]),
            "dropout_kernel": draw.choice(["mkl", "default"]),
            "weight_order": draw.sample(["query", "key", "value"], 3),
        }
        if draw.random() < 0.3:
            document["dropout_seed"] = draw.randrange(1000)
        if draw.random() < 0.4:
            document["inputs"] = {"randn": [draw.choice([1, 2, 5, 7]), 3]}
        yield f"{mechanism} with mask {mask}", document
    for mechanism in MECHANISMS:
        numbers = [[round(draw.uniform(-1, 1), 3) for _ in range(3)] for _ in range(5)]
        document = {"inputs": numbers, "mechanism": mechanism, "num_heads": 2, "batch_size": 2, "mask": "causal_renormalized"}
        bias = [round(draw.uniform(-1, 1), 3) for _ in range(4)] + ["-inf"]
        yield f"{mechanism} with a bias and a scale", {**document, "bias": bias, "scale": 0.3}
        rows = [bias, ["-inf"] * 5, *[[number] * 5 for number in (1, 2, 3)]]
        yield f"{mechanism} with a bias of two axes", {**document, "bias": rows, "mask": "none", "batch_size": 1}
        if mechanism.startswith("multi"):
            yield f"{mechanism} with a bias of its heads", {**document, "bias": [[[1] * 5], [bias]], "mask": "none"}
    def heads(*shape):
        return [heads(*shape[1:]) for _ in range(shape[0])] if shape else round(draw.uniform(-1, 1), 3)

    for mask, alignment in itertools.product(MASKS, ["lower_right", "upper_left"]):
        yield f"given heads with mask {mask}, {alignment}", {
            "mechanism": "scaled_dot_product_attention",
            "given": {"queries": heads(2, 4, 3, 5), "keys": heads(2, 2, 6, 5), "values": heads(2, 2, 6, 3)},
            "mask": mask,
            "mask_alignment": alignment,
            "dropout": draw.choice([0, 0.5, 1]),
            "bias": heads(3, 6) if mask == "causal" else heads(4, 1, 1),
        }
    yield "given rows", {
        "mechanism": "scaled_dot_product_attention",
        "given": {"queries": heads(4, 2), "keys": heads(2, 2), "values": heads(2, 1)},
        "mask": "causal",  # the first two queries see nothing
        "scale": 2,
    }
    for mechanism in MECHANISMS:
        hidden = [[[1, 3], [4, 5]], [[0, 5]], [], [[0, 1]], [[2, 5]]]  # the second query sees nothing
        numbers = [[round(draw.uniform(-1, 1), 3) for _ in range(3)] for _ in range(5)]
        document = {"inputs": numbers, "mechanism": mechanism, "mask": "custom", "hidden": hidden, "dropout": 0.3}
        yield f"{mechanism} with an edited mask", document
        yield f"{mechanism} with an edited mask that leaves every query a key", {**document, "hidden": [[], *hidden[2:], []]}
    numbers = [[1, -2, 0], [0.1, 1e-7, -0.0]]
    yield "sums", {"inputs": numbers, "mechanism": "simple_self_attention", "normalization": "sum", "scale": True}
    yield "masked sums", {
        "mechanism": "simple_self_attention",
        "normalization": "sum",
        "mask": "causal_renormalized",
        "batch_size": 2,
    }
    yield "edited v1", {"inputs": numbers, "mechanism": "self_attention_v1", "weights": {"W_key": [[1, 2]] * 3}}
    yield "edited wrapper", {
        "inputs": numbers,
        "mechanism": "multi_head_attention_wrapper",
        "qkv_bias": True,
        "weights": {"heads.1.W_value.weight": numbers, "heads.0.W_query.bias": [3, 1e-20]},
    }
    yield "edited output", {
        "inputs": numbers,
        "dropout": 0.3,
        "weights": {"out_proj.weight": [[1, 2], [3, 4]], "out_proj.bias": [0.25, 16777217], "W_key.weight": numbers},
    }
    for mechanism in MECHANISMS[3:]:
        edits = {"drop": [[0, 0, 4, 1], [1, 0, 2, 0]], "keep": [[0, 0, 4, 2], [0, 1, 3, 3], [1, 1, 5, 0]]}
        chosen = {"mechanism": mechanism, "d_out": 4, "batch_size": 2, "dropout_edits": edits, "heads_off": [0]}
        yield f"{mechanism} with weights kept and dropped", {**chosen, "dropout": 0.5}
        yield f"{mechanism} with weights dropped at a rate of 0", chosen
        yield f"{mechanism} with a large mask", {**chosen, "inputs": {"randn": [73, 3]}, "dropout": 0.5}
    for layout, dims in itertools.product(["half", "interleaved"], [None, 4]):
        rope = {"layout": layout, "base": 100, "offset": 2, **({"dims": dims} if dims else {})}
        yield f"rotary positions, {layout}, {dims} of them", {"d_out": 16, "num_heads": 2, "batch_size": 2, "rope": rope}
    llama3 = {"factor": 8, "low_freq_factor": 0.2, "high_freq_factor": 2, "original_max_position_embeddings": 20}
    for scaling in ({"type": "linear", "factor": 4}, {"type": "llama3", **llama3}):
        rope = {"base": 100, "scaling": scaling}
        yield f"rotary positions, scaled: {scaling['type']}", {"d_out": 16, "num_heads": 2, "rope": rope}
    gains = {"k_norm.weight": [1.5, -0.5, 2, 0.25]}
    for rope, weights in [(None, {}), ({"dims": 2}, gains)]:
        norm = {"qk_norm": "rms", "d_out": 8, "num_heads": 2, "num_kv_heads": 1, "batch_size": 2, "dropout": 0.3}
        yield f"normalized queries and keys, rope {rope}", {**norm, "rope": rope, "weights": weights}
    for mask, count in itertools.product(["causal", "causal_renormalized"], [1, 2]):
        shared = {"d_out": 8, "num_heads": 4, "num_kv_heads": count, "qkv_bias": True, "mask": mask, "dropout": 0.5}
        yield f"{count} heads of keys, mask {mask}", {**shared, "rope": {}, "batch_size": 2, "heads_off": [2]}
    yield "strange names", {"tokens": ["a\nb # \\", "\u202e\u2028\u0085'\"\"\"", "\x00\r\t\U0001f600"], "inputs": [[1], [2], [3]]}
    yield "thousands skipped", {"skip_draws": 2_000_003}
    yield "a thousand numbers a stage", {"inputs": {"randn": [10, 4]}, "d_out": 10, "num_heads": 10}
    yield "elided stages", {"inputs": {"randn": [40, 20]}, "d_out": 12, "num_heads": 3, "batch_size": 2}


def masked_documents():
    """Dropout of each mechanism by each kernel: masks as data, and masks too large for that."""
    mechanisms, kernels, tokens = MECHANISMS[3:], ["mkl", "default"], [7, 73]
    for mechanism, kernel, count, seed in itertools.product(mechanisms, kernels, tokens, [None, 5]):
        document = {
            "inputs": {"randn": [count, 3]},
            "mechanism": mechanism,
            "d_out": 2,
            "batch_size": 2,
            "dropout": 0.4,
            "dropout_kernel": kernel,
            "dropout_seed": seed,
            "qkv_bias": True,
        }
        yield f"{mechanism} dropping {count} tokens by {kernel}, reseeded by {seed}", document


def engine_stages(program, document, folder):
    """Every stage by id, in the order of the table."""
    target = pathlib.Path(folder) / "stages.npz"
    subprocess.run([program, "eval", document, "-o", target], check=True)
    with numpy.load(target) as npz:
        return {name: npz[name] for name in npz.files}


def output_of(code):
    """What a script prints, run by itself."""
    screen = io.StringIO()
    with contextlib.redirect_stdout(screen):
        exec(compile(code, "<code>", "exec"), {"__name__": "__main__"})
    return screen.getvalue()


def check(program, language, name, document, folder):
    code = subprocess.run([program, "code", document, "--language", language], check=True, capture_output=True).stdout
    found = differences(output_of(code), engine_stages(program, document, folder))
    for difference in found:
        print(f"{name}: {difference}")
    return not found


def main():
    program, folder, language = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    library = {"pytorch": "torch", "numpy": "numpy"}[language]
    if importlib.util.find_spec(library) is None:
        print(f"{library} is not installed (python3-{library}), so the code is not run.")
        sys.exit(SKIPPED)
    if not notices_differences():
        sys.exit("the comparison does not notice differences")
    is_large = sys.argv[4] == "--large"
    part, parts = (1, 1) if is_large else (int(number) for number in sys.argv[4].split("/"))
    examples = [path for path in sorted(folder.glob("*.json")) if (path.stem == "gpt2_sized") == is_large]
    if not examples:
        sys.exit(f"there are no documents in {folder}")
    with tempfile.TemporaryDirectory() as temporary:
        documents = [(path.name, json.loads(path.read_text())) for path in examples]
        if is_large:  # one entry of its batch, since the other has the same numbers; small documents have several
            documents = [(name, {**document, "batch_size": 1}) for name, document in documents]
        else:
            documents += [*made_documents(), *masked_documents()]
        results = []
        for name, document in documents[part - 1 :: parts]:
            path = pathlib.Path(temporary) / "document.json"
            path.write_text(json.dumps(document))
            results.append(check(program, language, name, path, temporary))
    print(f"{sum(results)} of {len(results)} documents print the engine's numbers.")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
