"""Grus, an OpenCL 2.0 runtime whose device is the CPU, as a Python package.

PyOpenCL's wheels find it by themselves: `pyopencl.get_platforms()` lists it. For other programs:

    python -m grus_opencl               prints the path of the library, which OCL_ICD_VENDORS can be (with ocl-icd)
    python -m grus_opencl --register    has the loader of this environment find it, too
"""

import os
import site
import sys
from importlib import metadata
from pathlib import Path

__version__ = metadata.version("grus-opencl")

_HERE = Path(__file__).resolve().parent


def library():
    """The path of libgrus.so."""
    return _HERE / "libgrus.so"


def vendors():
    """The vendors folder of this environment: `etc/OpenCL/vendors` where Python is installed, or the user's packages are."""
    user = site.getuserbase() if site.ENABLE_USER_SITE else None
    is_user = user and Path(user).resolve() in _HERE.parents
    return Path(user if is_user else sys.prefix) / "etc" / "OpenCL" / "vendors"


def register():
    """Writes an `.icd` file into `vendors()`, which conda's loader reads, and others by OCL_ICD_VENDORS; returns its path.

    It goes when the package is uninstalled. OSError says why it cannot be written.
    """
    file = vendors() / "grus.icd"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{library()}\n")
    # Only a path of the environment can be in the text, so no wheel can bring the file; but what its record lists is removed.
    record = Path(next(part.locate() for part in metadata.files("grus-opencl") if part.name == "RECORD"))
    line = f"{Path(os.path.relpath(file.resolve(), _HERE.parent)).as_posix()},,\n"
    lines = record.read_text(encoding="utf-8")
    if line not in lines:
        # A new file: installers may share the old one between environments.
        new = record.with_suffix(".new")
        new.write_text(lines + line, encoding="utf-8")
        new.replace(record)
    return file


def tool():
    """Becomes the command `grus`."""
    program = _HERE / "grus"
    os.execv(program, [str(program), *sys.argv[1:]])
