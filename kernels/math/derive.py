#!/usr/bin/env python3
"""Derives the polynomials of this folder: minimax approximations by Remez's exchange in
60 digits, rounded to double. Prints each with its largest relative error, so that the
tables in the .cl files can be checked or made anew. Needs mpmath."""

import struct

from mpmath import mp, mpf, matrix, lu_solve
import mpmath as m

mp.dps = 60


def remez(f, degree, lo, hi, weight):
    """Coefficients of the polynomial p that makes max |f - p| * weight least."""
    lo, hi = mpf(lo), mpf(hi)
    count = degree + 2
    grid = [lo + (hi - lo) * i / 2000 for i in range(2001)]
    # A weight that vanishes would leave a coefficient free.
    least = max(weight(x) for x in grid) / 1000
    raw, weight = weight, lambda x: max(raw(x), least)
    points = [(lo + hi) / 2 - (hi - lo) / 2 * m.cos(m.pi * i / (count - 1)) for i in range(count)]
    for _ in range(12):
        a = matrix(count, count)
        b = matrix(count, 1)
        for row, x in enumerate(points):
            for k in range(degree + 1):
                a[row, k] = x**k
            a[row, degree + 1] = (-1) ** row / weight(x)
            b[row] = f(x)
        solution = lu_solve(a, b)
        p = [solution[k] for k in range(degree + 1)]
        error = lambda x: (f(x) - m.polyval(p[::-1], x)) * weight(x)
        values = [(error(x), x) for x in grid]
        extrema = []
        for value, x in values:
            if extrema and (value > 0) == (extrema[-1][0] > 0):
                if abs(value) > abs(extrema[-1][0]):
                    extrema[-1] = (value, x)
            else:
                extrema.append((value, x))
        while len(extrema) > count:
            extrema.pop(0 if abs(extrema[0][0]) < abs(extrema[-1][0]) else -1)
        if len(extrema) < count:
            break
        points = [x for _, x in extrema]
        sizes = [abs(v) for v, _ in extrema]
        if max(sizes) / min(sizes) < 1.01:
            break
    return p, max(abs(v) for v, _ in values)


def show(name, f, degree, lo, hi, weight=lambda x: 1 / mpf(1)):
    p, error = remez(f, degree, lo, hi, weight)
    print(f"// {name}: [{m.nstr(mpf(lo), 6)}, {m.nstr(mpf(hi), 6)}], error 2^{m.nstr(m.log(error, 2), 4)}")
    print("    " + ", ".join(float(c).hex() for c in p))
    return [float(c) for c in p]


def stable(f, taylor):
    """f with its removable singularity at 0 filled in."""
    return lambda x: taylor if abs(x) < mpf(10) ** -15 else f(x)


if __name__ == "__main__":
    ln2h = m.log(2) / 2 * mpf("1.0005")
    # exp(r) = 1 + r + r^2 P(r)
    exp = stable(lambda r: (m.exp(r) - 1 - r) / r**2, mpf(1) / 2)
    show("exp, double", exp, 9, -ln2h, ln2h, lambda r: r**2)
    show("exp, float", exp, 5, -ln2h, ln2h, lambda r: r**2)
    # log((1+s)/(1-s)) = 2 s + s z R(z), z = s^2; weighted by its part in the sum
    zmax = ((m.sqrt(2) - 1) / (m.sqrt(2) + 1)) ** 2 * mpf("1.001")
    log = stable(lambda z: (2 * m.atanh(m.sqrt(z)) / m.sqrt(z) - 2) / z, mpf(2) / 3)
    show("log1p, double", log, 6, 0, zmax, lambda z: z)
    show("log, float", log, 3, 0, zmax, lambda z: z)
    # Rows of the table of pow: bits of c near 1 / z, with those of the second part of -log(c) below, and bits of the first
    # part, which has 42 bits behind the point. The bounds of the intervals of z are (1 + 13/32) / 2 and those that follow
    # in steps of 1/32 below 1, of 1/16 above. For z c - 1 to be exact, c has as few bits as leave it below 0.035.
    print("// pow, table")
    bits_of = lambda value: struct.unpack("<Q", struct.pack("<d", float(value)))[0]
    for number in 44, 43, 41, 39, 38, 37, 35, 34, 33, 32, 30, 28.5, 27, 25.5, 24.5, 23:
        c = mpf(number) / 32
        upper = m.nint(-m.log(c) * 2**42) / 2**42
        lower = int(m.nint((-m.log(c) - upper) * mpf(2) ** 86)) + 2**43
        print(f"    0x{bits_of(c) | lower:016x}, 0x{bits_of(upper):016x},")
    # sin(r) = r + r z S(z), cos(r) = 1 - z/2 + z^2 C(z), z = r^2
    q = (m.pi / 4) ** 2 * mpf("1.001")
    sin = stable(lambda z: (m.sin(m.sqrt(z)) / m.sqrt(z) - 1) / z, -mpf(1) / 6)
    cos = stable(lambda z: (m.cos(m.sqrt(z)) - 1 + z / 2) / z**2, mpf(1) / 24)
    show("sin, double", sin, 6, 0, q, lambda z: z)
    show("cos, double", cos, 6, 0, q, lambda z: z**2)
    show("sin, float", sin, 3, 0, q, lambda z: z)
    show("cos, float", cos, 3, 0, q, lambda z: z**2)
    # sin(r) = r + r z S(z) for |r| <= pi/2; sin(pi r) = r P(z) for |r| <= 1/2
    wide = (m.pi / 2) ** 2 * mpf("1.001")
    ratio = stable(lambda z: m.sin(m.sqrt(z)) / m.sqrt(z), mpf(1))
    show("sin of half turns, float", sin, 4, 0, wide, lambda z: z / ratio(z))
    sinpi = stable(lambda z: m.sin(m.pi * m.sqrt(z)) / m.sqrt(z), m.pi)
    show("sinpi, float", sinpi, 5, 0, mpf("0.2501"), lambda z: 1 / sinpi(z))
    # atan(u) = u + u z A(z), |u| <= tan(pi/8)
    t = m.tan(m.pi / 8) ** 2 * mpf("1.001")
    atan = stable(lambda z: (m.atan(m.sqrt(z)) / m.sqrt(z) - 1) / z, -mpf(1) / 3)
    show("atan, double", atan, 11, 0, t, lambda z: z)
    # asin(x) = x + x z B(z), |x| <= 1/2
    asin = stable(lambda z: (m.asin(m.sqrt(z)) / m.sqrt(z) - 1) / z, mpf(1) / 6)
    show("asin, double", asin, 12, 0, mpf("0.2501"), lambda z: z)
    # erf(x) = x P(x^2), |x| <= 1; one is taken from the first coefficient
    erf = stable(lambda z: m.erf(m.sqrt(z)) / m.sqrt(z), 2 / m.sqrt(m.pi))
    show("erf, double", erf, 12, 0, 1, lambda z: 1 / erf(z))
    # (1 + 2x) exp(x^2) erfc(x) as a polynomial in t = (x - 3.75) / (x + 3.75), x in [0, 28]
    x_of = lambda t: mpf("3.75") * (1 + t) / (1 - t)
    scaled = lambda t: (1 + 2 * x_of(t)) * m.exp(x_of(t) ** 2) * m.erfc(x_of(t))
    t_of = lambda x: (mpf(x) - mpf("3.75")) / (mpf(x) + mpf("3.75"))
    show("erfc, double", scaled, 22, t_of(0), t_of(28), lambda t: 1 / scaled(t))
    # (x + 3.75) exp(x^2) erfc(x) as a polynomial in the same t, x in [0, 6]
    nearer = lambda t: (x_of(t) + mpf("3.75")) * m.exp(x_of(t) ** 2) * m.erfc(x_of(t))
    show("erfc up to 6, double", nearer, 17, t_of(0), t_of(6), lambda t: 1 / nearer(t))
    # gamma(2 + t), t in [0, 1]
    gamma = lambda t: m.gamma(2 + t)
    show("gamma, double", gamma, 19, 0, 1, lambda t: 1 / gamma(t))
    # log gamma(1/u) = Stirling's formula + u P(u^2), u in (0, 1/3]
    def stirling(z):
        u = max(m.sqrt(z), mpf(10) ** -4)
        return (m.loggamma(1 / u) - (1 / u - mpf(1) / 2) * -m.log(u) + 1 / u - m.log(2 * m.pi) / 2) / u

    show("Stirling's rest, float", stirling, 3, 0, mpf(1) / 9, lambda z: m.sqrt(z))
    # log gamma(2 + t) = t P(t)
    near = stable(lambda t: m.re(m.loggamma(2 + t)) / t, 1 - m.euler)
    show("log gamma near its zeros, double", near, 21, -0.5, 1, lambda t: 1 / near(t))
    # v^(-1/3), v in [1/2, 4]
    inverse = lambda v: 1 / m.cbrt(v)
    show("cbrt, start", inverse, 6, mpf("0.5"), 4, lambda v: 1 / inverse(v))
    # Stirling's series of log gamma: B(2k) / (2k (2k - 1))
    print("// stirling")
    print("    " + ", ".join(float(m.bernoulli(2 * k) / (2 * k * (2 * k - 1))).hex() for k in range(1, 11)))
    mp.dps = 450
    bits = int(m.floor(2 / m.pi * mpf(2) ** (64 * 21)))
    words = [(bits >> (64 * (20 - i))) & 0xFFFFFFFFFFFFFFFF for i in range(21)]
    print("// 2 / pi, words of 64 bits")
    for i in range(0, 21, 4):
        print("    " + ", ".join(f"0x{w:016x}" for w in words[i : i + 4]) + ",")
    mp.dps = 60
    for name, value in [
        ("pi", m.pi), ("pi/2", m.pi / 2), ("ln2", m.log(2)), ("ln10", m.log(10)), ("1/pi", 1 / m.pi),
        ("log2e", 1 / m.log(2)), ("log10e", 1 / m.log(10)), ("log10 2", m.log(2, 10)), ("2/3", mpf(2) / 3),
        ("log2 10", m.log(10, 2)), ("2/pi", 2 / m.pi), ("sqrt(2 pi)", m.sqrt(2 * m.pi)), ("log(2 pi)/2", m.log(2 * m.pi) / 2),
    ]:
        hi = float(value)
        mid = float(value - hi)
        low = float(value - hi - mid)
        print(f"// {name}: {hi.hex()} + {mid.hex()} + {low.hex()}")
