"""Writes the `expect` lines of sample.cl and formats.cl: what OpenCL C s8 and API s5.3.1.1 say that their kernels read and
write, computed from the text of the fixture alone. Nothing here knows Grus.

    python3 tests/run/image/expect.py tests/run/image/sample.cl tests/run/image/formats.cl

`_` stands for what the specification leaves open: coordinates that are no numbers, texels outside of an image whose
sampler promises that there are none, channels without a meaning, NaN as an integer.
"""
import math
import re
import struct
import sys

CHANNELS = {  # in memory, by the component that each is
    "R": "r", "Rx": "r", "A": "a", "INTENSITY": "r", "LUMINANCE": "r", "DEPTH": "r", "RG": "rg", "RGx": "rg", "RA": "ra",
    "RGB": "rgb", "RGBx": "rgb", "RGBA": "rgba", "BGRA": "bgra", "ARGB": "argb", "ABGR": "abgr", "sRGB": "rgb",
    "sRGBx": "rgbx", "sRGBA": "rgba", "sBGRA": "bgra",
}
PACKED = {  # fields from red to alpha: first bit and number of bits
    "UNORM_SHORT_565": [(11, 5), (5, 6), (0, 5)],
    "UNORM_SHORT_555": [(10, 5), (5, 5), (0, 5)],
    "UNORM_INT_101010": [(20, 10), (10, 10), (0, 10)],
    "UNORM_INT_101010_2": [(22, 10), (12, 10), (2, 10), (0, 2)],
}
OPAQUE_BORDER = {"R", "RG", "RGB", "LUMINANCE", "sRGB"}
OPEN = None  # prints as `_`


def f32(x):
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def f16(x):
    try:
        return struct.unpack("e", struct.pack("e", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def number(text):
    if text.startswith("0x"):
        return struct.unpack("f", struct.pack("I", int(text, 16)))[0]
    return float(text)


def bits_of(ty):
    if ty in PACKED:
        return 16 if "SHORT" in ty else 32
    return {"HALF_FLOAT": 16, "FLOAT": 32}.get(ty) or int(re.search(r"INT(\d+)$", ty)[1])


def is_float(ty):
    return ty in ("FLOAT", "HALF_FLOAT")


class Image:
    def __init__(self, text):
        head, values = text.split("=")
        words = head.split()[1:]
        self.order, self.ty = words[:2]
        size = [int(n) for n in words[2].split("x")]
        self.size = (size + [1, 1])[:3]
        self.per_texel = 1 if self.ty in PACKED else len(CHANNELS[self.order])
        unit = bits_of(self.ty) // 8
        self.row = int(words[4]) // unit if len(words) > 3 else self.size[0] * self.per_texel
        count = self.row * self.size[1] * self.size[2]
        self.stored = list(range(count)) if values.strip() == "iota" else [number(v) for v in values.split()]
        self.stored += [0] * (count - len(self.stored))
        if self.ty == "HALF_FLOAT":
            self.stored = [f16(v) for v in self.stored]
        elif self.ty == "FLOAT":
            self.stored = [f32(v) for v in self.stored]
        else:
            self.stored = [int(v) % (1 << bits_of(self.ty)) for v in self.stored]

    def decode(self, stored, component):
        """A channel as a kernel sees it."""
        if is_float(self.ty):
            return stored
        bits = bits_of(self.ty)
        if "SIGNED" in self.ty or "SNORM" in self.ty:
            if not self.ty.startswith("UN"):
                stored = stored - (1 << bits) if stored >> (bits - 1) else stored
        if "NORM" not in self.ty:
            return stored
        if "SNORM" in self.ty:
            return max(-1.0, stored / ((1 << (bits - 1)) - 1))
        value = stored / ((1 << bits) - 1)
        if self.order.startswith("s") and component != "a":
            return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        return value

    def texel(self, x, y, z):
        """Four components."""
        at = (z * self.size[1] + y) * self.row + x * self.per_texel
        seen = {"r": 0, "g": 0, "b": 0, "a": 0 if "a" in CHANNELS[self.order] else 1}
        if self.ty in PACKED:
            for component, (first, bits) in zip("rgba", PACKED[self.ty]):
                most = (1 << bits) - 1
                seen[component] = (self.stored[at] >> first & most) / most
        else:
            for i, component in enumerate(CHANNELS[self.order]):
                seen[component] = self.decode(self.stored[at + i], component)
        if self.order == "INTENSITY":
            return [seen["r"]] * 4
        if self.order == "LUMINANCE":
            return [seen["r"]] * 3 + [1]
        return [seen[c] for c in "rgba"]

    def border(self):
        return [0, 0, 0, 1 if self.order in OPAQUE_BORDER else 0]

    def encode(self, color):
        """What is stored for four components; signed numbers as they are."""
        color = dict(zip("rgba", color))
        if self.ty in PACKED:
            word = 0
            for component, (first, bits) in zip("rgba", PACKED[self.ty]):
                if math.isnan(color[component]):
                    return [OPEN]
                word |= self.normalized(color[component], 0, (1 << bits) - 1) << first
            return [word]
        return [self.encode_channel(c, color.get(c)) for c in CHANNELS[self.order]]

    def encode_channel(self, component, value):
        bits = bits_of(self.ty)
        if value is None:
            return OPEN
        if self.ty == "FLOAT":
            return f32(value)
        if self.ty == "HALF_FLOAT":
            return f16(value)
        if "NORM" not in self.ty:
            least = 0 if self.ty.startswith("UN") else -(1 << (bits - 1))
            return max(least, min(least + (1 << bits) - 1, value))
        if self.order.startswith("s") and component != "a":
            c = 0 if math.isnan(value) else max(0.0, min(1.0, value))
            c = 12.92 * c if c < 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055
            return math.floor(c * 255 + 0.5)
        if math.isnan(value):
            return OPEN
        if "SNORM" in self.ty:
            return self.normalized(value, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        return self.normalized(value, 0, (1 << bits) - 1)

    @staticmethod
    def normalized(value, least, most):
        scaled = f32(value * most)
        return least if scaled <= least else most if scaled >= most else round(scaled)


ADDRESS = {0: "none", 2: "edge", 4: "clamp", 6: "repeat", 8: "mirror"}


def addressed(mode, i, n):
    """A texel's number, -1 for the border, none if it may not be read."""
    if mode == "edge":
        return max(0, min(n - 1, i))
    if mode == "clamp":
        return i if 0 <= i < n else -1
    return i if 0 <= i < n else None


def along(sampler, s, n):
    """For one coordinate: texels and their weights."""
    mode = ADDRESS[sampler & 14]
    if not math.isfinite(s):
        return None
    if mode == "repeat":
        u = f32(f32(s - math.floor(s)) * n) if abs(s) < 2 ** 24 else 0.0
    elif mode == "mirror":
        u = f32(abs(f32(s - f32(2 * round(0.5 * s)))) * n)
    else:
        u = f32(s * n) if sampler & 1 else s
    if not math.isfinite(u):
        return None
    if sampler & 0x10:
        i = math.floor(u)
        if mode == "repeat":
            return [(i - n if i > n - 1 else i, 1)]
        if mode == "mirror":
            return [(min(i, n - 1), 1)]
        return [(addressed(mode, i, n), 1)]
    v = f32(u - 0.5)
    i, a = math.floor(v), v - math.floor(v)
    if mode == "repeat":
        pair = (i + n if i < 0 else i, i + 1 - n if i + 1 > n - 1 else i + 1)
    elif mode == "mirror":
        pair = (max(i, 0), min(i + 1, n - 1))
    else:
        pair = (addressed(mode, i, n), addressed(mode, i + 1, n))
    return [(pair[0], 1 - a), (pair[1], a)]


def layer(s, n):
    return [(max(0, min(n - 1, round(s))), 1)] if math.isfinite(s) else None


def mixed(image, axes):
    if any(axis is None for axis in axes):
        return [OPEN] * 4
    sum_of = [0.0] * 4
    for x, wx in axes[0]:
        for y, wy in axes[1]:
            for z, wz in axes[2]:
                if None in (x, y, z):
                    return [OPEN] * 4
                texel = image.border() if -1 in (x, y, z) else image.texel(x, y, z)
                sum_of = [total + wx * wy * wz * c for total, c in zip(sum_of, texel)]
    return sum_of


def sampled(kernel, image, sampler, at, items):
    if sampler & 14 not in ADDRESS or not sampler & 0x30 in (0x10, 0x20):
        return None
    seen, size = [], image.size
    for i in range(items):
        x, y, z = at[i % 23], at[(i * 7 + 3) % 23], at[(i * 5 + 1) % 23]
        only = [(0, 1)]
        if kernel == "whole":
            at_texel = (i % 5 - 1, i % 7 - 1, i % 4 - 1)
            mode = ADDRESS[sampler & 14]
            axes = [[(addressed(mode, at_texel[d], size[d]), 1)] for d in range(3)]
        else:
            axes = [along(sampler, x, size[0]), only, only]
            if kernel == "layers":
                axes[2] = layer(y, size[2])
            elif kernel != "flat":
                axes[1] = along(sampler, y, size[1])
            if kernel == "planes":
                axes[2] = layer(z, size[2])
            elif kernel == "cube":
                axes[2] = along(sampler, z, size[2])
        color = mixed(image, axes)
        seen += [color[0]] * 4 if kernel == "depths" else color
    return seen


def shown(values, digits=9):
    return " ".join("_" if v is OPEN else f"{v:.{digits}g}" if isinstance(v, float) else str(v) for v in values)


def list_of(text):
    head, values = text.split("=")
    count = int(re.search(r"\[(\d+)\]", head)[1])
    parse = number if "float" in head else int
    found = [parse(v) for v in values.split()]
    return found + [0] * (count - len(found))


def expectations(line):
    head, args = line.split("args:")
    kernel, items = re.search(r"run: (\w+) global=(\d+)", head).groups()
    items, args = int(items), [arg.strip() for arg in args.split(";")]
    image = Image(args[0])
    if args[1].startswith("uint ="):
        seen = sampled(kernel, image, int(args[1].split("=")[1]), [f32(v) for v in list_of(args[2])], items)
        return [] if seen is None else ["3 within 1e-5 = " + shown(seen, 7)]
    # An image of depths is no image2d_t.
    if image.order == "DEPTH":
        return []
    if kernel.startswith("wild"):
        values = list_of(args[1])
        if kernel == "wild_unsigned":
            values = [v % (1 << 32) for v in values]
        elif kernel == "wild_floats":
            values = [f32(v) for v in values]
        stored = [image.encode(values[4 * i:4 * i + 4]) for i in range(items)]
        return ["0 = " + shown(v for texel in stored for v in texel)]
    texels = [image.texel(x, 0, 0) for x in range(items)]
    stored = [image.encode(texel) for texel in texels]
    near = " within 2e-7" if kernel == "floats" else ""
    return [
        "1 = " + shown(v for texel in stored for v in texel),
        f"2{near} = " + shown(v for texel in texels for v in texel),
    ]


def main():
    for path in sys.argv[1:]:
        lines = []
        for line in open(path).read().splitlines():
            if not line.startswith("// expect:"):
                lines.append(line)
            if line.startswith("// run:"):
                lines += ["// expect: " + text for text in expectations(line)]
        open(path, "w").write("\n".join(lines) + "\n")


main()
