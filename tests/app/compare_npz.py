"""Compares what eval writes as .npz, read by numpy, with what it writes as .json: every stage to the last bit.

compare_npz.py PROGRAM FOLDER_OF_DOCUMENTS
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy


def differences(npz, stages):
    """What differs between the arrays of an archive and the lists of a JSON result, in words."""
    found = []
    if set(npz) != set(stages):
        found.append(f"stages {sorted(npz)} against {sorted(stages)}")
    for name in set(npz) & set(stages):
        array = npz[name]
        expected_type = numpy.bool_ if name == "mask" else numpy.float32
        listed = numpy.array(stages[name], dtype=object).astype(expected_type)
        if array.dtype != expected_type:
            found.append(f"{name} is {array.dtype}")
        elif array.shape != listed.shape:
            found.append(f"{name} has shape {array.shape} against {listed.shape}")
        elif array.tobytes() != listed.tobytes():
            found.append(f"{name} has other numbers")
    return found


def notices_differences():
    """The comparison can fail: on a bit, a shape, a type and a missing stage."""
    stages = {"scores": [[1.0, "-inf"]], "mask": [[False, True]]}
    good = {"scores": numpy.array([[1, -numpy.inf]], numpy.float32), "mask": numpy.array([[False, True]])}
    bad = [
        {**good, "scores": numpy.array([[numpy.nextafter(numpy.float32(1), numpy.float32(2)), -numpy.inf]])},
        {**good, "scores": numpy.array([1, -numpy.inf], numpy.float32)},
        {**good, "mask": numpy.array([[0, 1]], numpy.float32)},
        {"scores": good["scores"]},
    ]
    return not differences(good, stages) and all(differences(other, stages) for other in bad)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    if not notices_differences():
        sys.exit("the comparison does not notice differences")
    documents = sorted(path for path in folder.glob("*.json") if path.stem != "gpt2_sized")
    if not documents:
        sys.exit(f"there are no documents in {folder}")
    failed = False
    with tempfile.TemporaryDirectory() as temporary:
        target = pathlib.Path(temporary) / "result.npz"
        for document in documents:
            subprocess.run([program, "eval", document, "-o", target], check=True)
            text = subprocess.run([program, "eval", document], check=True, capture_output=True).stdout
            with numpy.load(target) as npz:
                found = differences(dict(npz), json.loads(text))
            for difference in found:
                print(f"{document.name}: {difference}")
            failed = failed or bool(found)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
