#!/usr/bin/env python3
"""Draws how the suite scales: runs it on 1, 2, 4, ... compute units, and plots the speed of each workload over that on one.

    scaling.py SUITE SVG [UNITS ...]     SUITE is the program of `cargo build --release -p grus-bench`
    scaling.py --plot FOLDER SVG         plots what an earlier run has left in FOLDER, NUMBER.json for each number of units

Wants the package matplotlib, and Grus as the only vendor (OCL_ICD_VENDORS). The times are minima. A table goes to the
standard output: milliseconds for each number of units, and the largest ratio of a number to half of it.
"""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile


def measure(suite, units, folder):
    for count in units:
        environment = dict(os.environ, GRUS_MAX_COMPUTE_UNITS=str(count))
        command = [suite, "--rounds", "3", "--json", str(folder / f"{count}.json")]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)


def load(folder):
    """The minimum of each workload in milliseconds, by number of units."""
    times = {}
    for file in sorted(folder.glob("*.json"), key=lambda file: int(file.stem)):
        for work in json.loads(file.read_text())["workloads"]:
            # Builds and empty launches use one thread.
            if work["seconds"] and work["seconds"][0] and not work["name"].startswith(("build", "launch")):
                times.setdefault(work["name"], {})[int(file.stem)] = min(work["seconds"][0]) * 1e3
    return times


def table(times, units):
    print("| ms | " + " | ".join(map(str, units)) + " | slowest step |")
    print("|---|" + "--:|" * (len(units) + 1))
    for name, row in times.items():
        step = max(row[more] / row[fewer] for fewer, more in zip(units, units[1:]))
        print(f"| {name} | " + " | ".join(f"{row[count]:.3g}" for count in units) + f" | {step:.2f} |")


def plot(times, units, path):
    import matplotlib

    matplotlib.use("svg")
    # Text stays text, and the same figures give the same file.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "scaling", "font.size": 9})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    for row in times.values():
        axes.plot(units, [row[1] / row[count] for count in units], color="0.75", linewidth=0.7)
    mean = [math.exp(sum(math.log(row[1] / row[count]) for row in times.values()) / len(times)) for count in units]
    axes.plot(units, mean, color="C0", marker="o", linewidth=2, label="geometric mean")
    axes.plot(units, units, color="0.4", linestyle=":", label="as many times as units")
    axes.set(xscale="log", yscale="log", xlabel="compute units", ylabel="speed over one unit")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks(units, [str(count) for count in units])
        axis.set_minor_locator(matplotlib.ticker.NullLocator())
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    print(f"geometric means: {', '.join(f'{value:.1f}' for value in mean)}")


def main():
    if len(sys.argv) < (4 if sys.argv[1:2] == ["--plot"] else 3):
        sys.exit(__doc__)
    if sys.argv[1] == "--plot":
        times = load(pathlib.Path(sys.argv[2]))
        path = sys.argv[3]
    else:
        most = os.cpu_count()
        units = [int(count) for count in sys.argv[3:]] or [1 << n for n in range(most.bit_length()) if 1 << n <= most]
        with tempfile.TemporaryDirectory() as folder:
            measure(sys.argv[1], units, pathlib.Path(folder))
            times = load(pathlib.Path(folder))
        path = sys.argv[2]
    units = sorted(set.intersection(*(set(row) for row in times.values())))
    table(times, units)
    plot(times, units, path)


if __name__ == "__main__":
    main()
