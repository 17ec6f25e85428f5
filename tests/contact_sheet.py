#!/usr/bin/env python3
"""The diagram of every mechanism with every option, at several sizes: checked, and to be looked at.

usage: tests/contact_sheet.py PROGRAM [FOLDER | --one-window]

Checks by what `attnscope drive` reads that no text is on another or across the edge of a matrix, that none is
smaller than 11 units, and that no matrix moves when an option changes. With a FOLDER it leaves a sheet of pictures there
for each size, scale and theme.
"""

import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

MECHANISMS = ["simple_self_attention", "self_attention_v1", "self_attention_v2", "causal_attention",
              "multi_head_attention_wrapper", "multi_head_attention"]
MASKS = ["none", "causal", "causal_after_softmax", "causal_renormalized"]
SIZES = [(1280, 720), (1920, 1080), (2560, 1440)]
SCALES = [0.75, 1, 1.5, 2]
SMALLEST_TEXT = 11
TOUCH = 1.5  # units that letters' boxes may share: they are a little larger than the letters


def documents():
    every = list(itertools.product(MECHANISMS, MASKS, [True, False], [0, 0.5], [None]))
    every += itertools.product(MECHANISMS[-1:], MASKS, [True], [0.5], [2])
    for mechanism, mask, scale, dropout, softcap in every:
        heads = 2 if mechanism.startswith("multi_head") else 1
        d_out = 2 if mechanism == "multi_head_attention_wrapper" else 4
        yield (f"{mechanism} {mask} {'scaled' if scale else 'unscaled'} {dropout} {softcap}",
               {"mechanism": mechanism, "mask": mask, "scale": scale, "dropout": dropout, "num_heads": heads,
                "d_out": d_out, **({"softcap": softcap} if softcap else {})})


def overlap(a, b, slack):
    return (min(a[2], b[2]) - max(a[0], b[0]) > slack and min(a[3], b[3]) - max(a[1], b[1]) > slack)


def is_inside(inner, outer):
    return (inner[0] >= outer[0] - 1 and inner[1] >= outer[1] - 1 and inner[2] <= outer[2] + 1 and
            inner[3] <= outer[3] + 1)


def faults_of_text(read, scale):
    texts = read["texts"]
    for text in texts:
        if text["size"] < SMALLEST_TEXT * scale * 0.985:  # sizes are whole pixels
            yield f"{text['text']!r} has {text['size']} units"
    canvas = next(widget["rect"] for widget in read["widgets"] if widget["name"] == "workspace")
    shown = [text for text in texts if is_inside(text["rect"], canvas)]
    matrices = [matrix["rect"] for matrix in read["matrices"]]
    shown.sort(key=lambda text: text["rect"][1])
    for number, text in enumerate(shown):
        for other in shown[number + 1:]:
            if other["rect"][1] > text["rect"][3]:
                break
            if overlap(text["rect"], other["rect"], TOUCH):
                yield f"{text['text']!r} {text['rect']} and {other['text']!r} {other['rect']} are on each other"
        for rect in matrices:
            if overlap(text["rect"], rect, TOUCH) and not is_inside(text["rect"], rect):
                yield f"{text['text']!r} {text['rect']} is on the edge of a matrix at {rect}"


def places(read, document):
    """Where each matrix begins on the left and ends below: operands above are as tall as their documents need. The mask
    hangs above what it masks."""
    found = {widget["name"]: (widget["rect"][0], widget["rect"][3]) for widget in read["widgets"]
             if widget["name"].startswith("stages/")}
    if document["mask"] not in ("none", "causal") and "stages/mask" in found:
        found["stages/mask of weights"] = found.pop("stages/mask")
    return found


def faults_of_places(read, document, known):
    for name, place in places(read, document).items():
        before = known.setdefault(name, place)
        if any(abs(a - b) > 1 for a, b in zip(place, before)):
            yield f"{name} moved from {before} to {place}"


def drive(program, folder, setting, named, with_pictures):
    size, scale, theme = setting
    steps = []
    for number, (_, document) in enumerate(named):
        (folder / f"{number}.json").write_text(json.dumps(document))
        steps += [{"open": str(folder / f"{number}.json")}, {"hover": "nothing"}, {"read": f"{number}-read.json"}]
        if with_pictures:
            steps.append({"screenshot": f"{number:03}.png"})
    script = folder / "script.json"
    script.write_text(json.dumps({"size": size, "interface_scale": scale, "theme": theme, "steps": steps}))
    subprocess.run([program, "drive", script, "-o", folder], check=True)
    return [json.loads((folder / f"{number}-read.json").read_text()) for number in range(len(named))]


def check(program, setting, named, pictures):
    faults = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        known = {}
        for (title, document), read in zip(named, drive(program, folder, setting, named, pictures is not None)):
            for fault in [*faults_of_text(read, setting[1]), *faults_of_places(read, document, known)]:
                print(f"{setting}: {title}: {fault}")
                faults += 1
        if pictures is not None:
            size, scale, theme = setting
            sheet = pictures / f"{size[0]}x{size[1]}-{round(100 * scale)}-{theme}.png"
            subprocess.run(["montage", *sorted(folder.glob("*.png")), "-geometry", "640x360+4+4", "-tile", "8x", sheet],
                           check=True)
    return faults


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    one_window = "--one-window" in sys.argv
    pictures = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 and not one_window else None
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
    themes = ["light", "dark"] if pictures is not None else ["light"]
    named = list(documents())
    windows = list(itertools.product(SIZES, SCALES, themes))
    if one_window:
        windows = [(SIZES[0], 1, "light")]
    faults = sum(check(program, setting, named, pictures) for setting in windows)
    print(f"{len(named)} documents in {len(windows)} windows, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
