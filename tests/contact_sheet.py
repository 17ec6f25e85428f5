#!/usr/bin/env python3
"""The diagram of documents of every kind in windows of many sizes: checked as the program draws it, and to be looked at.

usage: tests/contact_sheet.py PROGRAM [--one-window] [--all] [--pictures FOLDER]

Checks by what `attnscope drive` reads that everything is on the canvas, that no text is on another or across the edge of
a matrix or below 11 units, that no arrow passes a matrix or words, that the weights are the largest matrix with the
widest cells, and that rows of a line are aligned. tests/app/diagram_layout_test.cpp checks the same rules, and more, over
the places that the program computes; this test checks that they are what is seen. It takes a sample of the documents;
--all takes every one. With --pictures it leaves a sheet of pictures for each window in FOLDER.
"""

import argparse
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

MECHANISMS = ["simple_self_attention", "self_attention_v1", "self_attention_v2", "causal_attention",
              "multi_head_attention_wrapper", "multi_head_attention", "scaled_dot_product_attention"]
MASKS = ["none", "causal", "causal_after_softmax", "causal_renormalized"]
WORDS = "Your journey starts with one step over the lazy dog while a small cat sleeps soundly".split()
SIZES = [(1024, 700), (1280, 720), (1366, 768), (1440, 900), (1600, 1000), (1920, 1080), (2240, 1260), (2560, 1440),
         (1080, 1920)]
WINDOWS = [(size, 1) for size in SIZES] + [((1280, 720), 0.75), ((1920, 1080), 1.5), ((2560, 1440), 2)]
SAMPLED = 101  # every so many documents; a prime, so that each option has its turn
SMALLEST_TEXT = 11
TOUCH = 1.5  # units that letters' boxes may share: they are a little larger than the letters
RATIO = 1.25
SQUARES = {"scores", "masked_scores", "scaled_scores", "capped_scores", "biased_scores", "masked_weights",
           "renormalized_weights", "dropped_weights"}
PILLS = {"softmax along each row", "each row ÷ its sum"}  # that stand on the arrow into the weights


def heads_of(tokens, width):
    row = lambda i: [round(0.37 * ((i + k) % 5) - 0.6, 2) for k in range(width)]
    return [[row(i + head) for i in range(tokens)] for head in range(2)]


def documents():
    for mechanism, mask, dropout, softcap, bias, d_out, tokens in itertools.product(
            MECHANISMS, MASKS, [0, 0.5], [None, 2], [False, True], [2, 4, 8, 64], [2, 6, 12, 16, 64]):
        if dropout and mechanism in MECHANISMS[:3] or d_out != 2 and mechanism == MECHANISMS[0]:
            continue
        document = {"mechanism": mechanism, "mask": mask, "dropout": dropout, "num_heads": 2, "d_out": d_out,
                    "tokens": WORDS[:tokens] if tokens <= 16 else [f"t{i}" for i in range(tokens)]}
        if mechanism == MECHANISMS[-1]:
            del document["d_out"]
            numbers = heads_of(tokens, max(1, d_out // 2))
            document["given"] = {"queries": numbers, "keys": numbers, "values": numbers}
        else:
            document["inputs"] = {"randn": [tokens, 3]}
        if softcap:
            document["softcap"] = softcap
        if bias:
            document["bias"] = [[0.5 * ((i + k) % 3) for k in range(tokens)] for i in range(tokens)]
        yield (f"{mechanism} {mask} dropout {dropout} cap {softcap} {'bias ' if bias else ''}d_out {d_out} "
               f"tokens {tokens}", document)


def overlap(a, b, slack):
    return (min(a[2], b[2]) - max(a[0], b[0]) > slack and min(a[3], b[3]) - max(a[1], b[1]) > slack)


def is_inside(inner, outer, slack=1):
    return (inner[0] >= outer[0] - slack and inner[1] >= outer[1] - slack and inner[2] <= outer[2] + slack and
            inner[3] <= outer[3] + slack)


def texts_on_canvas(read):
    return [text for text in read["texts"] if is_inside(text["rect"], workspace(read))]


def workspace(read):
    return next(widget["rect"] for widget in read["widgets"] if widget["name"] == "workspace")


def area(rect):
    return (rect[2] - rect[0]) * (rect[3] - rect[1])


def faults_of_text(read, scale):
    texts = sorted(texts_on_canvas(read), key=lambda text: text["rect"][1])
    for text in read["texts"]:
        if text["size"] < SMALLEST_TEXT * scale * 0.985:  # sizes are whole pixels
            yield "least text", f"{text['text']!r} has {text['size']} units"
    for number, text in enumerate(texts):
        for other in texts[number + 1:]:
            if other["rect"][1] > text["rect"][3]:
                break
            if overlap(text["rect"], other["rect"], TOUCH):
                yield "nothing overlaps", f"{text['text']!r} {text['rect']} and {other['text']!r} {other['rect']}"
        for matrix in read["matrices"]:
            if overlap(text["rect"], matrix["rect"], TOUCH) and not is_inside(text["rect"], matrix["rect"]):
                yield "nothing overlaps", f"{text['text']!r} {text['rect']} and the edge of {matrix['name']} {matrix['rect']}"


def faults_of_places(read):
    canvas = read["canvas"]
    matrices = read["matrices"]
    for number, matrix in enumerate(matrices):
        if not is_inside(matrix["rect"], canvas):
            yield "inside the canvas", f"{matrix['name']} {matrix['rect']}"
        for other in matrices[number + 1:]:
            if overlap(matrix["rect"], other["rect"], 1):
                yield "nothing overlaps", f"{matrix['name']} and {other['name']}"
    results = [matrix for matrix in matrices if matrix["rank"] != 4]
    for matrix, other in itertools.combinations(results, 2):
        is_beside = min(matrix["rect"][3], other["rect"][3]) - max(matrix["rect"][1], other["rect"][1]) > 1
        if is_beside and matrix["rows"] == other["rows"] and any(
                abs(matrix["rect"][at] - other["rect"][at]) > 1 for at in (1, 3)):
            yield "rows are aligned", f"{matrix['name']} {matrix['rect']} and {other['name']} {other['rect']}"


def faults_of_arrows(read):
    for arrow in read["arrows"]:
        name = f"arrow {arrow['from']} → {arrow['to']}"
        for (x0, y0), (x1, y1) in zip(arrow["points"], arrow["points"][1:]):
            way = [min(x0, x1) - 0.5, min(y0, y1) - 0.5, max(x0, x1) + 0.5, max(y0, y1) + 0.5]
            if not is_inside(way, read["canvas"]):
                yield "inside the canvas", f"{name} {way}"
            for matrix in read["matrices"]:
                if overlap(way, matrix["rect"], 0.5):
                    yield "arrows pass no matrix", f"{name} {way} and {matrix['name']} {matrix['rect']}"
            for text in texts_on_canvas(read):
                if overlap(way, text["rect"], 0.5) and not (arrow["to"] == "weights" and text["text"] in PILLS):
                    yield "arrows pass no words", f"{name} {way} and {text['text']!r} {text['rect']}"


def faults_of_weights(read):
    weights = [matrix for matrix in read["matrices"] if matrix["name"] == "stages/weights"]
    if len(weights) != 1:
        yield "the weights are there", f"{len(weights)} times"
        return
    wholes = {}  # heads that lie side by side are one matrix
    for matrix in read["matrices"]:
        name = re.sub(r"/\d+$", "", matrix["name"]) + (" turned" if matrix["transposed"] else "")
        wholes[name] = wholes.get(name, 0) + area(matrix["rect"])
        if matrix["stage"] in SQUARES and matrix["cell"][0] * RATIO > weights[0]["cell"][0] * 1.001 + 1.5:  # whole pixels
            yield "weights 1.25 times as wide", f"{name} {matrix['cell']} of {weights[0]['cell']}"
    for name, size in wholes.items():
        if size > wholes["stages/weights"] * 1.05:
            yield "weights are the largest", f"{name}: {size} of {wholes['stages/weights']}"


def faults(read, scale):
    if not read["matrices"]:
        yield "a layout exists", "there is none"
        return
    yield from faults_of_text(read, scale)
    yield from faults_of_places(read)
    yield from faults_of_arrows(read)
    yield from faults_of_weights(read)


def drive(program, folder, window, named, with_pictures):
    size, scale = window
    steps = []
    for number, (_, document) in enumerate(named):
        (folder / f"{number}.json").write_text(json.dumps(document))
        steps += [{"open": str(folder / f"{number}.json")}, {"hover": "nothing"}, {"read": f"{number}-read.json"}]
        if with_pictures:
            steps.append({"screenshot": f"{number:04}.png"})
    script = folder / "script.json"
    script.write_text(json.dumps({"size": size, "interface_scale": scale, "steps": steps}))
    subprocess.run([program, "drive", script, "-o", folder], check=True)
    return [json.loads((folder / f"{number}-read.json").read_text()) for number in range(len(named))]


def check(program, window, named, pictures):
    count = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for (title, _), read in zip(named, drive(program, folder, window, named, pictures is not None)):
            for rule, detail in faults(read, window[1]):
                print(f"{window[0][0]}x{window[0][1]} at {window[1]}: {title}: {rule}: {detail}")
                count += 1
        if pictures is not None:
            size, scale = window
            sheet = pictures / f"{size[0]}x{size[1]}-{round(100 * scale)}.png"
            subprocess.run(["montage", *sorted(folder.glob("*.png")), "-geometry", "640x360+4+4", "-tile", "8x", sheet],
                           check=True)
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--one-window", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--pictures", type=pathlib.Path)
    options = parser.parse_args()
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    every = list(documents())
    count = 0
    layouts = 0
    windows = WINDOWS[3:4] if options.one_window else WINDOWS
    for number, window in enumerate(windows):
        # Each window has another sample, so that a run of all windows meets many documents.
        named = every if options.all else every[number * 8 % SAMPLED::SAMPLED]
        layouts += len(named)
        count += check(str(options.program.resolve()), window, named, options.pictures)
    print(f"{layouts} diagrams in {len(windows)} windows, {count} faults")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
