"""Someone who does anything at all in a real window, for a while: monkey.py PROGRAM PID SECONDS SEED

Clicks, drags, types and presses keys at places that a seed chooses, and looks at the program's memory in between, with
the document that a new window has. Says what it did; ends with 1 where the program ended.
"""

import json
import pathlib
import random
import statistics
import subprocess
import sys
import time

WIDTH, HEIGHT = 1280, 800
MOUSE_SECONDS = "0.15"  # that a button is down: a frame must see it
REST_SECONDS = 60  # between looks at the memory
LETTERS = "abcdefghijklmnoprstuvwxyz0123456789"  # Ctrl+Q ends the program
KEYS = ("Escape", "Return", "Tab", "BackSpace", "Delete", "Left", "Right", "Up", "Down", "Home", "End", "Prior", "Next",
        "space", "F1", "F11", "bracketleft", "bracketright", "minus", "equal")
TEXTS = ("0", "2.5", "-3", "1e30", "nan", "the journey starts", "##id", "99999", "%s %n", "{{x}}")


def xdotool(*words):
    subprocess.run(["xdotool", *map(str, words)], check=True, stderr=subprocess.DEVNULL)


def point(random_):
    return random_.randrange(WIDTH), random_.randrange(HEIGHT)


def act(random_):
    kind = random_.random()
    held = [name for name in ("ctrl", "shift", "alt") if random_.random() < 0.2]
    if kind < 0.5:
        button = 3 if random_.random() < 0.1 else 1
        xdotool("mousemove", *point(random_), "sleep", "0.05", "mousedown", button, "sleep", MOUSE_SECONDS, "mouseup", button)
    elif kind < 0.65:
        xdotool("mousemove", *point(random_), "mousedown", 1, "sleep", MOUSE_SECONDS, "mousemove", *point(random_),
                "sleep", MOUSE_SECONDS, "mouseup", 1)
    elif kind < 0.75:
        xdotool("mousemove", *point(random_), "click", "--repeat", random_.randrange(1, 5), "--delay", 30, random_.choice((4, 5)))
    elif kind < 0.82:
        xdotool("type", "--delay", 20, "--", random_.choice(TEXTS))
    else:
        key = random_.choice(LETTERS) if random_.random() < 0.5 else random_.choice(KEYS)
        xdotool("key", "--delay", 60, "+".join([*held, key]))


def memory(pid):  # MB
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return None  # it has ended


def place_of_discard(program, folder):
    """The middle of the button that lets go what was not saved."""
    steps = [{"enter": "setup/seed", "text": "7"}, {"keys": "Ctrl+N"}, {"read": "a.json"}]
    script = folder / "discard.json"
    script.write_text(json.dumps({"document": {}, "size": [WIDTH, HEIGHT], "steps": steps}))
    subprocess.run([program, "drive", script, "-o", folder], check=True)
    widgets = json.loads((folder / "a.json").read_text())["widgets"]
    [(left, top, right, bottom)] = [widget["rect"] for widget in widgets if widget["name"] == "dialog/discard"]
    return (left + right) // 2, (top + bottom) // 2


def rest(pid, discard):
    """The memory with a new document, when nothing is left to do."""
    xdotool("mousemove", 1, HEIGHT - 1, "key", "--delay", 60, "Escape", "Escape", "Escape", "Escape", "ctrl+n")
    time.sleep(0.5)
    xdotool("mousemove", *discard, "sleep", "0.1", "mousedown", 1, "sleep", MOUSE_SECONDS, "mouseup", 1)
    xdotool("mousemove", 1, HEIGHT - 1)
    time.sleep(3)
    return memory(pid)


def main():
    program, pid, seconds, seed = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    discard = place_of_discard(program, pathlib.Path.cwd())
    random_ = random.Random(seed)
    begin = time.monotonic()
    rests = []
    actions = 0
    try:
        while time.monotonic() - begin < seconds:
            act(random_)
            actions += 1
            if memory(pid) is None:
                raise FileNotFoundError
            if time.monotonic() - begin > REST_SECONDS * (len(rests) + 1):
                rests.append(rest(pid, discard))
                print(f"{len(rests)} min: {actions} actions, {rests[-1]:.0f} MB", flush=True)
    except FileNotFoundError:
        sys.exit(f"the program ended after {actions} actions from seed {seed}")
    print(f"{actions} actions from seed {seed}")
    third = len(rests) // 3
    if third >= 2:
        print(f"memory at rest: {statistics.median(rests[:third]):.0f} MB in the first third, "
              f"{statistics.median(rests[third:-third]):.0f} MB in the second, {statistics.median(rests[-third:]):.0f} MB in the last")


if __name__ == "__main__":
    main()
