#!/usr/bin/env python3
"""Times hashcat's own benchmark on OpenCL devices, beside each other.

    hashcat.py NAME=FOLDER ... [MODE ...]     folders of .icd files, as OCL_ICD_VENDORS takes them; the first is compared with the others

Wants hashcat on the PATH. Devices take turns, three times four seconds for each mode; a rate is the best of the three, in hashes
a second. hashcat chooses the length of vectors and how much is done at once for each device.
"""

import math
import os
import re
import statistics
import subprocess
import sys

UNITS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}
MODES = ["0", "100", "1000", "1400", "1700", "22000"]


def rate(folder, mode):
    """Hashes a second; none if hashcat says nothing of it."""
    command = ["hashcat", "-b", "-m", mode, "-D", "1", "--force", "--runtime=4", "--machine-readable"]
    ran = subprocess.run(command, env=dict(os.environ, OCL_ICD_VENDORS=folder), capture_output=True, text=True, timeout=300)
    # DEVICE:MODE:...:RATE
    rates = re.findall(rf"^\d+:{mode}:.*:(\d+)$", ran.stdout, re.MULTILINE)
    return float(rates[0]) if rates else None


def shown(value):
    if value is None:
        return "-"
    unit = next(unit for unit in "GMk " if value >= UNITS[unit.strip()] or unit == " ").strip()
    return f"{value / UNITS[unit]:.3g} {unit}".strip()


def main():
    folders = dict(argument.split("=", 1) for argument in sys.argv[1:] if "=" in argument)
    modes = [argument for argument in sys.argv[1:] if "=" not in argument] or MODES
    if not folders:
        sys.exit(__doc__)
    first, *others = folders
    print("| mode | " + " | ".join(f"{device}, H/s" for device in folders) + "".join(f" | {first} / {other}" for other in others) + " |")
    print("|---|" + "--:|" * (len(folders) + len(others)))
    ratios = {other: [] for other in others}
    for mode in modes:
        rates = {}
        for _ in range(3):
            for device, folder in folders.items():
                measured = rate(folder, mode)
                if measured:
                    rates[device] = max(measured, rates.get(device, 0))
        cells = [shown(rates.get(device)) for device in folders]
        for other in others:
            known = first in rates and other in rates
            cells.append(f"{rates[first] / rates[other]:.2f}" if known else "-")
            if known:
                ratios[other].append(math.log(rates[first] / rates[other]))
        print(f"| {mode} | " + " | ".join(cells) + " |", flush=True)
    means = [f"{math.exp(statistics.mean(values)):.2f}" if values else "-" for values in ratios.values()]
    print("| geometric mean | " + " | ".join([""] * len(folders) + means) + " |")


if __name__ == "__main__":
    main()
