#!/usr/bin/env python3
"""How the cost of an evaluation grows with tokens, heads and threads, as a table and as a picture.

Usage: growth.py ATTNSCOPE PICTURE.svg

Causal multi-head attention of 768 features, one batch entry. Each point is a median of `attnscope bench`.
"""

import json
import math
import subprocess
import sys

FEATURES = 768
TOKENS = [64, 128, 256, 512, 1024, 2048, 4096]
HEADS = [1, 2, 3, 4, 6, 8, 12, 24, 48]
THREADS = {1: "#b45309", 2: "#1d4ed8"}
PANEL_WIDTH, PANEL_HEIGHT = 400, 300
LEFT, TOP, GAP = 70, 56, 90


def seconds(program, tokens, heads, threads):
    document = {"inputs": {"randn": [tokens, FEATURES]}, "d_out": FEATURES, "num_heads": heads}
    repetitions = "3" if tokens > 4096 else "9"
    command = [program, "bench", "-", "--json", "--threads", str(threads), "--repeat", repetitions]
    report = subprocess.run(command, input=json.dumps(document).encode(), check=True, capture_output=True).stdout
    return json.loads(report)["median_s"]


def milliseconds(value):
    return f"{value * 1e3:.3g}" if value < 1 else f"{value * 1e3:,.0f}"


def powers_of_ten(low, high):
    return [10.0**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def tick_name(value):
    return f"{value:g} s" if value >= 1 else f"{value * 1e3:g} ms"


def text(x, y, words, anchor="middle", size=12, colour="#374151", weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}" '
            f'font-weight="{weight}">{words}</text>')


class Panel:
    """One plot with two logarithmic axes; times in seconds upwards."""

    def __init__(self, left, title, axis, values, series):
        self.left, self.title, self.axis, self.values, self.series = left, title, axis, values, series
        times = [t for line in series.values() for t in line]
        self.ticks = powers_of_ten(min(times), max(times))

    def x(self, value):
        first, last = math.log(self.values[0]), math.log(self.values[-1])
        return self.left + 14 + (math.log(value) - first) / (last - first) * (PANEL_WIDTH - 28)

    def y(self, value):
        first, last = math.log(self.ticks[0]), math.log(self.ticks[-1])
        return TOP + PANEL_HEIGHT - (math.log(value) - first) / (last - first) * PANEL_HEIGHT

    def axes(self):
        bottom, right = TOP + PANEL_HEIGHT, self.left + PANEL_WIDTH
        parts = [text(self.left, TOP - 18, self.title, "start", 14, "#111827", "bold")]
        for tick in self.ticks:
            parts.append(f'<path d="M{self.left} {self.y(tick):.1f}H{right}" stroke="#e5e7eb"/>')
            parts.append(text(self.left - 8, self.y(tick) + 4, tick_name(tick), "end"))
        for value in self.values:
            parts.append(text(self.x(value), bottom + 18, f"{value:,}", size=11))
        parts.append(f'<path d="M{self.left} {bottom}H{right}" stroke="#9ca3af"/>')
        parts.append(text(self.left + PANEL_WIDTH / 2, bottom + 40, self.axis))
        return parts

    def lines(self):
        parts = []
        for row, (threads, times) in enumerate(self.series.items()):
            colour = THREADS[threads]
            points = [(self.x(v), self.y(t)) for v, t in zip(self.values, times)]
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
            name = f"{threads} thread{'s' if threads > 1 else ''}"
            parts.append(text(self.left + 14, TOP + 24 + 20 * row, name, "start", 12, colour, "bold"))
        return parts


def picture(panels):
    width, height = LEFT + 2 * PANEL_WIDTH + GAP + 20, TOP + PANEL_HEIGHT + 56
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
             f'height="{height}" font-family="DejaVu Sans, sans-serif">',
             f'<rect width="{width}" height="{height}" fill="white"/>']
    for panel in panels:
        parts += panel.axes() + panel.lines()
    return "\n".join([*parts, "</svg>", ""])


def measure(program, name, values, sizes):
    series = {threads: [seconds(program, *size, threads) for size in sizes] for threads in THREADS}
    print(f"| {name} | " + " | ".join(f"{v:,}" for v in values) + " |\n|" + " --- |" * (len(values) + 1))
    for threads, times in series.items():
        print(f"| ms, {threads} thread{'s' if threads > 1 else ''} | " + " | ".join(map(milliseconds, times)) + " |")
    print(flush=True)
    return series


def main():
    program, path = sys.argv[1:]
    by_tokens = measure(program, "tokens, 12 heads", TOKENS, [(tokens, 12) for tokens in TOKENS])
    by_heads = measure(program, "heads, 1024 tokens", HEADS, [(1024, heads) for heads in HEADS])
    with open(path, "w", encoding="utf-8") as file:
        file.write(picture([
            Panel(LEFT, "Time over tokens (12 heads of 64)", "tokens", TOKENS, by_tokens),
            Panel(LEFT + PANEL_WIDTH + GAP, "Time over heads (1024 tokens, 768 features)", "heads", HEADS, by_heads),
        ]))


if __name__ == "__main__":
    main()
