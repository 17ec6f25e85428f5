"""Compiles the LaTeX that attnscope writes by pdflatex, and compares its matrices with the engine.

compile_latex.py PROGRAM FOLDER_OF_DOCUMENTS PART/PARTS

A part takes every PARTS-th document. Ends with status 77, which counts as skipped, where pdflatex is missing and the
numbers agree.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy

SKIPPED = 77
STAGE = re.compile(r"\\paragraph\{([a-z ]+)\}")
MATRIX = re.compile(r"\\begin\{bmatrix\}(.*?)\\end\{bmatrix\}", re.DOTALL)
IDS = {"attention weights": "weights"}


def number(cell):
    cell = cell.replace(r"\phantom{-}", "").replace(r"\infty", "inf").replace(r"\text{NaN}", "nan")
    power = re.fullmatch(r"\s*(\S+) \\cdot 10\^\{(-?[0-9]+)\}\s*", cell)
    return float(power[1]) * 10.0 ** int(power[2]) if power else float(cell)


def printed_matrices(text):
    """{id: its matrices one below the other, None where it is too large}"""
    pieces = STAGE.split(text)[1:]
    stages = {}
    for title, piece in zip(pieces[::2], pieces[1::2]):
        name = IDS.get(title, title.replace(" ", "_"))
        rows = [row for matrix in MATRIX.findall(piece) for row in matrix.split(r"\\")]
        stages[name] = numpy.array([[number(cell) for cell in row.split("&")] for row in rows]) if rows else None
        if not rows and "too large" not in piece:
            stages[name] = numpy.empty(0)
    return stages


def differences(text, engine):
    """What the LaTeX shows otherwise than the engine has it; batch entries that are equal may be shown once."""
    stages = printed_matrices(text)
    if list(stages) != list(engine):
        return [f"has {list(stages)} instead of {list(engine)}"]
    found = []
    for name, shown in stages.items():
        expected = engine[name].astype(numpy.float64)
        if shown is None and (expected.shape[-1] > 16 or expected.shape[-2] > 24 or expected.size > 1000):
            continue
        rows = expected.reshape(-1, expected.shape[-1])
        if shown is not None and len(shown) < len(rows):
            entries = expected if expected.ndim > 2 else expected[None]
            if (entries == entries[:1]).all():
                rows = entries[0].reshape(-1, expected.shape[-1])
        if shown is None or shown.shape != rows.shape or not numpy.allclose(shown, rows, rtol=1e-4, atol=6e-5, equal_nan=True):
            found.append(f"{name} is {shown} instead of {rows}")
    return found


def notices_differences():
    good = "\\paragraph{attention weights}\n\\begin{bmatrix}\n 1.0000 & \\phantom{-}0.5000 \\\\\n 2 & -\\infty\n\\end{bmatrix}"
    engine = {"weights": numpy.array([[[1, 0.5], [2, -numpy.inf]]])}
    bad = [good.replace("0.5", "0.6"), good.replace("-\\infty", "0"), good.replace("attention", "masked"), good[:30]]
    return not differences(good, engine) and all(differences(text, engine) for text in bad)


def made_documents():
    inputs = [[0.5, -1], [3e-5, 12345678], [1e-30, -0.25]]
    for mechanism in ["simple_self_attention", "self_attention_v1", "self_attention_v2", "causal_attention"]:
        for mask in ["none", "causal", "causal_after_softmax", "causal_renormalized"]:
            yield {"inputs": inputs, "mechanism": mechanism, "mask": mask, "qkv_bias": True}
    yield {"mechanism": "simple_self_attention", "normalization": "sum", "scale": True}
    for mechanism in ["causal_attention", "multi_head_attention_wrapper", "multi_head_attention"]:
        for rate in [0.25, 1]:
            yield {
                "inputs": {"randn": [4, 3]},
                "mechanism": mechanism,
                "batch_size": 2,
                "dropout": rate,
                "d_out": 6,
                "num_heads": 6,
                "mask": "causal_renormalized",
            }
    names = ["\\x{}$&#_%~^", "<>|\"'`--!?,,", "caf\u00e9 \u00df \u00c5 \u00ff", "\u00de\u00f0\u00d7", "\u6ce8\u610f", "\u0645\u0631\u062d"]
    names += ["\U0001f600", "e\u0301", "\n\t\r\x00", "", "the", "the", "long " * 30, "\u201cquoted\u201d \u2014", "[1]", "*", "%"]
    yield {"tokens": names, "inputs": [[i / 8] for i in range(len(names))], "d_out": 1, "num_heads": 1}
    yield {"inputs": {"randn": [24, 16]}, "d_out": 12, "num_heads": 1}


def compiles(pdflatex, code, folder):
    (folder / "code.tex").write_text(code, encoding="utf-8")
    run = subprocess.run(
        [pdflatex, "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape", "code.tex"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )
    if run.returncode != 0:
        print(run.stdout.decode(errors="replace")[-1500:])
    return run.returncode == 0


def main():
    part, parts = (int(number) for number in sys.argv[3].split("/"))
    program, examples = sys.argv[1], sorted(pathlib.Path(sys.argv[2]).glob("*.json"))
    pdflatex = shutil.which("pdflatex")
    if not notices_differences() or not examples:
        sys.exit("the comparison does not notice differences, or there are no documents")
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        paths = list(examples)
        for index, document in enumerate(made_documents()):
            paths.append(folder / f"made{index}.json")
            paths[-1].write_text(json.dumps(document))
        paths = paths[part - 1 :: parts]
        for path in paths:
            run = subprocess.run([program, "code", path, "--language", "latex"], check=True, capture_output=True)
            code = run.stdout.decode()
            found = []
            if path.stem != "gpt2_sized":  # nothing of it is printed
                subprocess.run([program, "eval", path, "-o", folder / "stages.npz"], check=True)
                with numpy.load(folder / "stages.npz") as npz:
                    found = differences(code, dict(npz))
            for difference in found:
                print(f"{path.name}: {difference}")
            if pdflatex and not compiles(pdflatex, code, folder):
                found.append("does not compile")
                print(f"{path.name}: does not compile")
            failed += bool(found)
    if failed:
        sys.exit(1)
    print(f"The LaTeX of {len(paths)} documents shows the engine's numbers" + (" and compiles." if pdflatex else "."))
    if not pdflatex:
        print("pdflatex is not installed (texlive-latex-base), so it is not compiled.")
        sys.exit(SKIPPED)


if __name__ == "__main__":
    main()
