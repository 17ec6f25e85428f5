"""Lays out documents of every kind in windows of every size, and checks the places that `drive` reads from the window.

Usage: read_grid.py ATTNSCOPE PART/PARTS [EVERY]: takes one of EVERY documents of the grid (1: all, which takes hours),
and of these every PARTS-th.
"""

import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = [(1024, 700), (1280, 720), (1366, 768), (1440, 900), (1600, 1000), (1920, 1080), (2560, 1440), (1080, 1920)]
SCALED = [((1280, 720), 0.75), ((1920, 1080), 1.5), ((1920, 1080), 2)]
OPERAND = 4  # the rank of matrices above a stage, whose rows are their own
TOUCH = 1.5  # that two boxes may share
LEAST_TEXT = 11
ROUNDING = 1  # places are whole pixels
HERO_RATIO = 1.07  # of cells of the weights against those of other stages with a column for each key
SQUARES = ("scores", "masked_scores", "scaled_scores", "capped_scores", "biased_scores", "masked_weights",
           "renormalized_weights", "dropped_weights")
WITHOUT_DROPOUT = ("simple_self_attention", "self_attention_v1", "self_attention_v2")
MECHANISMS = (*WITHOUT_DROPOUT, "causal_attention", "multi_head_attention_wrapper", "multi_head_attention",
              "scaled_dot_product_attention")
SENTENCE = "Your journey starts with one step over the lazy dog while a small cat in sunshine".split()


def documents():
    for mechanism, mask, dropout, cap, bias, d_out, tokens in itertools.product(
            MECHANISMS, ("none", "causal", "causal_after_softmax", "causal_renormalized"), (0, 0.5), (False, True),
            (False, True), (2, 4, 8, 64), (2, 6, 12, 16, 64, 1024)):
        if dropout and mechanism in WITHOUT_DROPOUT:
            continue
        if mechanism == "simple_self_attention" and d_out != 2:
            continue
        if tokens == 1024 and (d_out != 64 or cap or bias or dropout):
            continue
        document = {"mechanism": mechanism, "mask": mask, "num_heads": 2, "dropout": dropout, "d_out": d_out}
        if tokens <= len(SENTENCE):
            document["tokens"] = SENTENCE[:tokens]
        if mechanism == "scaled_dot_product_attention":
            numbers = [[[0.37 * ((t + i + h) % 5) - 0.6 for i in range(max(1, d_out // 2))] for t in range(tokens)]
                       for h in range(2)]
            document["given"] = {"queries": numbers, "keys": numbers, "values": numbers}
            del document["num_heads"], document["d_out"]
        else:
            document["inputs"] = {"randn": [tokens, 3]}
        if cap:
            document["softcap"] = 2
        if bias:
            document["bias"] = [[0.1 * ((q + k) % 3) for k in range(tokens)] for q in range(tokens)]
        yield document


def overlap(a, b, by=TOUCH):
    return a[0] < b[2] - by and b[0] < a[2] - by and a[1] < b[3] - by and b[1] < a[3] - by


def is_inside(inner, outer, by=TOUCH):
    return (inner[0] >= outer[0] - by and inner[1] >= outer[1] - by and inner[2] <= outer[2] + by
            and inner[3] <= outer[3] + by)


def area(rect):
    return (rect[2] - rect[0]) * (rect[3] - rect[1])


def faults_of(read):
    canvas = read["canvas"]
    matrices = read["matrices"]
    cards = [widget["rect"] for widget in read["widgets"] if widget["name"] == "inspector"]
    words = [text for text in read["texts"] if overlap(text["rect"], canvas, 0)
             and not any(overlap(text["rect"], card, 0) for card in cards)]
    for each in matrices:
        if not is_inside(each["rect"], canvas):
            yield f"{each['name']} leaves the canvas"
    for a, b in itertools.combinations(matrices, 2):
        if overlap(a["rect"], b["rect"]):
            yield f"{a['name']} overlaps {b['name']}"
    yield from faults_of_rows(matrices)
    for word in words:
        if not is_inside(word["rect"], canvas):
            yield f"“{word['text']}” leaves the canvas"
        if word["size"] < LEAST_TEXT - 0.01:
            yield f"“{word['text']}” has letters of {word['size']}"
        for each in matrices:
            if overlap(word["rect"], each["rect"]) and not is_inside(word["rect"], each["rect"], 3):
                yield f"“{word['text']}” crosses the edge of {each['name']}"
    yield from faults_of_words(words)
    yield from faults_of_arrows(read["arrows"], words, matrices, canvas)
    yield from faults_of_weights(matrices)


def faults_of_rows(matrices):
    for a, b in itertools.combinations([each for each in matrices if each["rank"] != OPERAND], 2):
        is_beside = min(a["rect"][3], b["rect"][3]) - max(a["rect"][1], b["rect"][1]) > 1
        is_small = any(each["stage"] in SQUARES and not each["shown"] for each in (a, b))  # a thumbnail
        if is_beside and not is_small and a["rows"] == b["rows"] and any(abs(a["rect"][at] - b["rect"][at]) > 1 for at in (1, 3)):
            yield f"rows of {a['name']} and {b['name']} are not on one line"


def faults_of_words(words):
    for a, b in itertools.combinations(words, 2):
        if overlap(a["rect"], b["rect"], 2):
            yield f"“{a['text']}” overlaps “{b['text']}”"


def faults_of_arrows(arrows, words, matrices, canvas):
    for arrow in arrows:
        name = f"the arrow from {arrow['from']} to {arrow['to']}"
        pieces = [(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1]))
                  for a, b in zip(arrow["points"], arrow["points"][1:])]
        for x, y, right, bottom in pieces:
            box = (x - 0.6, y - 0.6, right + 0.6, bottom + 0.6)
            if not is_inside(box, canvas):
                yield f"{name} leaves the canvas"
            for each in matrices:
                if overlap(box, each["rect"], 0.5):
                    yield f"{name} crosses {each['name']}"
            for word in words:
                if overlap(box, word["rect"], 0.5) and "softmax" not in word["text"]:
                    yield f"{name} crosses “{word['text']}”"


def faults_of_weights(matrices):
    shown = [each for each in matrices if each["name"].startswith("stages/")]
    weights = next((each for each in shown if each["stage"] == "weights"), None)
    if not weights:
        yield "there are no weights"
        return
    for each in shown:
        if each is weights:
            continue
        if area(each["rect"]) > 1.01 * area(weights["rect"]) + 1:
            yield f"{each['name']} is larger than the weights"
        if each["stage"] in SQUARES and weights["cell"][0] < HERO_RATIO * (each["cell"][0] - ROUNDING):
            yield f"cells of the weights are {weights['cell'][0]} wide, of {each['name']} {each['cell'][0]}"


def readings(program, document, folder):
    """What `drive` reads in a window of every size: pairs of a name and the reading."""
    steps = [{"hover": "nothing"}]
    for width, height in SIZES:
        steps += [{"resize": [width, height]}, {"hover": "nothing"}, {"read": f"{width}x{height}.json"}]
    for (width, height), scale in SCALED:
        steps += [{"resize": [width, height]}, {"scale": scale}, {"hover": "nothing"}, {"read": f"scale-{scale}.json"}]
    script = {"document": document, "size": list(SIZES[0]), "steps": steps}
    run = subprocess.run([program, "drive", "-", "-o", folder], input=json.dumps(script), text=True,
                         capture_output=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(run.stderr)
    for name in [f"{width}x{height}" for width, height in SIZES] + [f"scale-{scale}" for _, scale in SCALED]:
        yield name, json.loads((Path(folder) / f"{name}.json").read_text())


def main():
    program = sys.argv[1]
    part, parts = (int(number) for number in sys.argv[2].split("/"))
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 397  # a prime, so that every option has its turn
    failures = 0
    layouts = 0
    for document in itertools.islice(documents(), (part - 1) * every, None, parts * every):
        brief = {key: value for key, value in document.items() if key not in ("tokens", "given", "bias")}
        with tempfile.TemporaryDirectory() as folder:
            for name, read in readings(program, document, folder):
                layouts += 1
                for fault in faults_of(read):
                    failures += 1
                    print(f"{name}: {fault}: {json.dumps(brief)}")
    print(f"{layouts} layouts, {failures} faults")
    return 1 if failures or layouts == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
