#!/usr/bin/env python3
"""The walls of the house: a folder that includes what it must not see does not compile. Tried with the very flags that
its own sources are compiled with, one include at a time, as far as the preprocessor: there an include fails. Headers
that the system installs where every compiler looks, no flag can hide: of these the sources are read."""

import json
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What each folder links, and so sees, with all that those see.
LINKS = {
    "core": ["Eigen/Core"],
    "assets": [],
    "platform/system": ["core"],
    "document": ["core", "assets", "platform/system"],
    "compute": ["core", "platform/system"],
    "files": ["document", "platform/system"],
    "view": ["document", "core", "assets"],
    "teach": ["view", "document", "platform/system"],
    "session": ["compute", "teach"],
    "paint/file": ["view", "teach", "compute", "document"],
    "paint/window": ["view", "compute", "imgui.h"],
    "ui": ["session", "paint/window"],
    "controllers": ["session", "teach", "view", "paint/file", "files"],
    "panels": ["ui", "controllers", "view", "teach"],
    "platform": ["ui", "glad/gl.h"],
    "window": ["controllers", "panels", "platform"],
    "cli": ["window"],
}
# These two share app/features/: each feature has a controller, which knows no Dear ImGui, and panels in a folder of their own.
FEATURES = {"controllers": "features/shared/app_services.h", "panels": "features/shared/panel/panels.h"}
# What a folder sees and does not show to those that link it.
OWN = {
    "platform/system": {"glib.h"},
    "paint/file": {"cairo.h", "glib.h", "files", "pango/pango.h"},
    "paint/window": {"files", "glad/gl.h"},
}
# Packages whose headers lie where the compiler always looks: by the beginning of their includes, who may use them.
PACKAGES = {
    "omp.h": {"core"},
    "fmt/": set(LINKS) - {"assets"},
    "nlohmann/": {"document"},
    "png.h": {"files"},
    "gif_lib.h": {"files"},
    "zip.h": {"files"},
    "zlib.h": {"files"},
    "expat.h": {"files"},
    "qpdf/": {"files"},
    "pcre2.h": {"files"},
    "fontconfig/": {"platform"},
    "GLFW/": {"platform"},
    "EGL/": {"platform"},
    "CLI/": {"cli"},
}
# What only painters write into a source, and the folders that may: pictures are values everywhere else, and panels draw
# their small marks with those of the toolkit.
PAINT = {"cairo_": {"paint/file", "platform/web"}, "DrawList": {"paint/window", "ui"}}
# What only an operating system has, and the one file outside app/platform that says why it needs some of it.
SYSTEM = re.compile(r"sys/|(dirent|dlfcn|fcntl|poll|pthread|pwd|sched|spawn|termios|unistd)\.h$")
EXCEPTIONS = {ROOT / "core/tensor.cpp"}


def place(folder):
    if folder in FEATURES:
        folder = "features"
    return ROOT / folder if folder in ("core", "assets") else ROOT / "app" / folder


def files_of(folder):
    """The headers and sources of the folder's target."""
    for path in [*place(folder).rglob("*.h"), *place(folder).rglob("*.cpp")]:
        if folder not in FEATURES or (path.parent.name == "panel") == (folder == "panels"):
            yield path


def header_of(name):
    """A header of one of our folders; of a package, the name is one."""
    if name not in LINKS:
        return f"<{name}>"
    if name in FEATURES:
        return f'"{FEATURES[name]}"'
    own = OWN.get(name, set())
    headers = sorted(place(name).glob("*.h"))
    seen_by_all = next(header for header in headers if not any(f"<{package}" in header.read_text() for package in own))
    return f'"{name}/{seen_by_all.name}"'


def seen_by(folder):
    seen = {folder}
    for other in LINKS.get(folder, []):
        seen |= seen_by(other)
    return seen


def seen_inside(folder):
    """What the folder itself sees: also what is its own."""
    return set.union(seen_by(folder), *(seen_by(name) for name in OWN.get(folder, ())))


def flags_of(folder, commands):
    """Of a unit of the folder's target: its command without the source and what is made of it."""
    target = f"attnscope_{folder.replace('/', '_')}.dir/"
    command = next(c for c in commands if target in c["command"])
    words = shlex.split(command["command"])
    while words[0].endswith("ccache"):
        words.pop(0)
    words = words[: words.index("-o")] + words[words.index("-o") + 2 :]
    words.remove("-c")
    words.remove(command["file"])
    if "-include" in words:  # precompiled headers: they are of packages, and of what every user of them links
        place = words.index("-include")
        words = words[:place] + words[place + 2 :]
    return words + ["-E", "-x", "c++", "-", "-o", "/dev/null"], command["directory"]


def attempt_to_include(flags, directory, includes):
    code = "".join(f"#include {include}\n" for include in includes)
    return subprocess.run(flags, cwd=directory, input=code, text=True, capture_output=True)


def check_folder(folder, commands):
    flags, directory = flags_of(folder, commands)
    seen = seen_inside(folder)
    faults = []
    control = attempt_to_include(flags, directory, [header_of(name) for name in sorted(seen)])
    if control.returncode != 0:
        faults.append(f"{folder} cannot include what it links:\n{control.stderr}")
    everything = set(LINKS) | {name for links in [*LINKS.values(), *OWN.values()] for name in links}
    for name in sorted(everything - seen):
        include = header_of(name)
        attempt = attempt_to_include(flags, directory, [include])
        if attempt.returncode == 0:
            faults.append(f"{folder} can include {include}, but it must not see it")
        elif include.strip('"<>') not in attempt.stderr and name not in FEATURES:
            faults.append(f"including {include} in {folder} fails for another reason:\n{attempt.stderr}")
    return faults


def check_packages(folder):
    faults = []
    for path in files_of(folder):
        text = path.read_text()
        for include in re.findall(r"^\s*#\s*include\s*<([^>]+)>", text, re.MULTILINE):
            users = next((users for start, users in PACKAGES.items() if include.startswith(start)), None)
            if users is not None and folder not in users:
                faults.append(f"{path.relative_to(ROOT)} includes <{include}>, which {folder} must not see")
            if SYSTEM.match(include) and not folder.startswith("platform") and path not in EXCEPTIONS:
                faults.append(f"{path.relative_to(ROOT)} includes <{include}>: that belongs into app/platform")
        for word, painters in PAINT.items():
            if word in text and not any(path.is_relative_to(place(painter)) for painter in painters):
                faults.append(f"{path.relative_to(ROOT)} says {word}, which is for {' and '.join(sorted(painters))}")
        if re.search(r'^\s*#\s*include\s*"\.', text, re.MULTILINE):
            faults.append(f"{path.relative_to(ROOT)} includes by a relative path, which leads around the walls")
    return faults


def main():
    commands = json.loads(Path(sys.argv[1], "compile_commands.json").read_text())
    with ThreadPoolExecutor() as pool:
        faults = [fault for found in pool.map(lambda folder: check_folder(folder, commands), LINKS) for fault in found]
    faults += [fault for folder in LINKS for fault in check_packages(folder)]
    print("\n".join(faults) or "Every wall stands, and every door is open.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
