"""Pillow as the judge of animations: each frame is the figure of its document, and what Ctrl+C leaves is whole.

sweep_frames.py PROGRAM; exits with 77 where Pillow is missing.
"""

import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile

try:
    from PIL import Image
except ImportError:
    print("Pillow is not installed: animations were not looked at.")
    sys.exit(77)

BASE = {
    "d_out": 4, "num_heads": 2, "dropout": 0.5, "tokens": ["Your", "journey", "starts", "with"],
    "inputs": [[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33]],
}
failures = []


def check(fine, what):
    if not fine:
        failures.append(what)


def run(*arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    check(done.returncode == 0, f"{arguments}: {done.stderr}")
    return done.stdout


def frames_of(path):
    with Image.open(path) as image:
        frames = []
        for number in range(getattr(image, "n_frames", 1)):
            image.seek(number)
            frames.append(image.convert("RGBA"))
        return frames, dict(image.info)


def same(left, right):
    return left.size == right.size and left.tobytes() == right.tobytes()


def frames_are_figures(folder):
    def with_cell(value):
        changed = [row[:] for row in BASE["inputs"]]
        changed[1][0] = value
        return changed

    cases = [  # the sweep, what it makes of the document and of the title, choices
        ("seed=1..6", [({"seed": n}, f"seed {n}") for n in range(1, 7)], ["--stage", "weights"]),
        ("dropout=0.3..0.7:0.2", [({"dropout": p}, f"dropout {p}") for p in (0.3, 0.5, 0.7)],
         # The sums of all frames need the same room, which a figure on its own does not know.
         ["--stage", "dropped_weights", "--range", "0..2", "--no-row-sums"]),
        ("embedding[2,1]=-1..1:0.5",
         [({"inputs": with_cell(v)}, "journey, dimension 1: " + str(v).replace("-", "\u2212"))
          for v in (-1.0, -0.5, 0.0, 0.5, 1.0)],
         ["--stage", "scores", "--range", "-1..1", "--decimals", "none"]),
        ("seed=3,1", [({"seed": 3}, "A title · seed 3"), ({"seed": 1}, "A title · seed 1")],
         ["--title", "A title", "--theme", "transparent", "--footer", "--head", "all"]),
    ]
    for sweep, expected, choices in cases:
        run("figure", folder / "base.json", "--sweep", sweep, "-o", folder / "a.png", "--scale", "1", *choices)
        run("figure", folder / "base.json", "--sweep", sweep, "-o", folder / "s-%04d.png", "--scale", "1", *choices)
        frames, info = frames_of(folder / "a.png")
        check(len(frames) == len(expected), f"{sweep}: {len(frames)} frames")
        check(info.get("duration") == 250 and info.get("loop") == 0, f"{sweep}: {info}")
        names = sorted(path.name for path in folder.glob("s-*.png"))
        check(names == [f"s-{n:04d}.png" for n in range(1, len(expected) + 1)], f"{sweep}: {names}")
        others = [option for option in choices if option not in ("--title", "A title")]
        for number, (change, title) in enumerate(expected):
            (folder / "one.json").write_text(json.dumps({**BASE, **change}))
            run("figure", folder / "one.json", "-o", folder / "one.png", "--scale", "1", "--title", title, *others)
            alone, _ = frames_of(folder / "one.png")
            check(same(frames[number], alone[0]), f"{sweep}: frame {number + 1} is not the figure of its document")
            numbered, _ = frames_of(folder / names[number])
            check(same(numbered[0], alone[0]), f"{sweep}: picture {number + 1} is not the figure of its document")
            check(run("eval", folder / names[number]) == run("eval", folder / "one.json"),
                  f"{sweep}: picture {number + 1} carries another document")
        check(not same(frames[0], frames[-1]), f"{sweep}: nothing changes")
        check(run("eval", folder / "a.png") == run("eval", folder / "base.json"), f"{sweep}: another document")
        for path in folder.glob("s-*.png"):
            path.unlink()


def playback(folder):
    run("figure", folder / "base.json", "--sweep", "tokens=1..4", "-o", folder / "a.png", "--fps", "10", "--loop", "3")
    frames, info = frames_of(folder / "a.png")
    check(len(frames) == 4 and info.get("duration") == 100 and info.get("loop") == 3, f"playback: {info}")
    check(len({frame.size for frame in frames}) == 1, "the frames have several sizes")


def on_terminal(folder, arguments, interrupt_at=None):
    """What the program says to a terminal, and its status; Ctrl+C as soon as it has said `interrupt_at`."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execv(program, [program, *map(str, arguments)])
    said = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        said += piece
        if interrupt_at and interrupt_at in said:
            os.write(terminal, b"\x03")
            interrupt_at = None
    _, status = os.waitpid(pid, 0)
    return said.decode(), os.waitstatus_to_exitcode(status)


def terminal(folder):
    figure = ["figure", folder / "base.json", "--scale", "1", "--sweep"]
    said, status = on_terminal(folder, [*figure, "seed=1..20", "-o", "t.png"])
    check(status == 0 and "frame 3 of 20" in said and "frame 20 of 20" in said, f"progress: {status} {said!r}")
    check("\n" not in said and said.endswith("\r\x1b[K"), f"progress is more than one line: {said!r}")
    (folder / "t.png").unlink()
    before = sorted(os.listdir(folder))
    said, status = on_terminal(folder, [*figure, "seed=1..900", "-o", "t.png"], b"frame 3 of 900 drawn")
    check(status == 130 and "Stopped: t.png is not written." in said, f"Ctrl+C: {status} {said[-200:]!r}")
    check(sorted(os.listdir(folder)) == before, f"Ctrl+C leaves {os.listdir(folder)}")
    said, status = on_terminal(folder, [*figure, "seed=1..900", "-o", "t-%d.png"], b"frame 9 of 900 drawn")
    check(status == 130 and "Stopped: no picture of t-%d.png is written." in said, f"Ctrl+C: {status} {said[-200:]!r}")
    check(sorted(os.listdir(folder)) == before, f"Ctrl+C leaves {os.listdir(folder)}")


program = str(pathlib.Path(sys.argv[1]).resolve())
with tempfile.TemporaryDirectory() as temporary:
    place = pathlib.Path(temporary)
    (place / "base.json").write_text(json.dumps(BASE))
    frames_are_figures(place)
    playback(place)
    terminal(place)
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
