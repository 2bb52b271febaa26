//! Floating-point types. Every value of each type is exactly a double, so a double represents it. The bits of the
//! type occur only in the buffers of the device.

use cl_sys::cl_ulong;

/// Floating-point type of OpenCL C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    Float,
    Double,
    Half,
}

impl Type {
    pub const ALL: [Type; 3] = [Type::Float, Type::Double, Type::Half];

    pub fn name(self) -> &'static str {
        match self {
            Type::Float => "float",
            Type::Double => "double",
            Type::Half => "half",
        }
    }

    /// Returns the type named `name`.
    pub fn named(name: &str) -> Result<Type, String> {
        Type::ALL.into_iter().find(|ty| ty.name() == name).ok_or(format!("no floating type {name}"))
    }

    /// Returns the extension that a program must enable to use the type.
    pub fn extension(self) -> Option<&'static str> {
        match self {
            Type::Float => None,
            Type::Double => Some("cl_khr_fp64"),
            Type::Half => Some("cl_khr_fp16"),
        }
    }

    /// Returns the size in bytes.
    pub fn size(self) -> usize {
        match self {
            Type::Float => 4,
            Type::Double => 8,
            Type::Half => 2,
        }
    }

    /// Returns the number of bits of the significand, including the implicit one.
    pub fn digits(self) -> i32 {
        match self {
            Type::Float => 24,
            Type::Double => 53,
            Type::Half => 11,
        }
    }

    /// Returns the exponent of the largest number, which is less than twice 2 to this power.
    pub fn largest_exponent(self) -> i32 {
        match self {
            Type::Float => 127,
            Type::Double => 1023,
            Type::Half => 15,
        }
    }

    /// Returns the exponent of the smallest normal number.
    pub fn smallest_exponent(self) -> i32 {
        1 - self.largest_exponent()
    }

    /// Returns the smallest normal number.
    pub fn smallest_normal(self) -> f64 {
        power(self.smallest_exponent())
    }

    /// Returns the largest number.
    pub fn largest(self) -> f64 {
        power(self.largest_exponent()) * (2.0 - power(1 - self.digits()))
    }

    pub fn is_subnormal(self, x: f64) -> bool {
        x != 0.0 && x.abs() < self.smallest_normal()
    }

    /// Returns the number with these bits.
    pub fn value(self, bits: u64) -> f64 {
        match self {
            Type::Float => f32::from_bits(bits as u32).into(),
            Type::Double => f64::from_bits(bits),
            Type::Half => from_half(bits as u16),
        }
    }

    /// Returns the bits of the number nearest to `x`, ties to even.
    pub fn bits(self, x: f64) -> u64 {
        match self {
            Type::Float => (x as f32).to_bits().into(),
            Type::Double => x.to_bits(),
            Type::Half => to_half(x).into(),
        }
    }

    /// Returns the number nearest to `x`, ties to even.
    pub fn round(self, x: f64) -> f64 {
        match self {
            Type::Float => (x as f32).into(),
            Type::Double => x,
            Type::Half => from_half(to_half(x)),
        }
    }

    /// Returns a mask of all bits of a number.
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - 8 * self.size())
    }

    /// Returns the number `steps` steps further from zero, if `x` is finite.
    pub fn step(self, x: f64, steps: i64) -> f64 {
        self.value(self.bits(x).wrapping_add_signed(steps) & self.mask())
    }

    /// Returns the device query for the capabilities of the type.
    pub fn config_query(self) -> u32 {
        match self {
            Type::Float => cl_sys::CL_DEVICE_SINGLE_FP_CONFIG,
            Type::Double => cl_sys::CL_DEVICE_DOUBLE_FP_CONFIG,
            Type::Half => 0x1033,
        }
    }
}

/// CL_FP_DENORM.
pub const DENORM: cl_ulong = 1;

/// Returns 2 to the power of `exponent`, or zero or infinity outside the range of double.
pub fn power(exponent: i32) -> f64 {
    libm::ldexp(1.0, exponent)
}

/// Returns the exponent of a finite number other than zero.
pub fn exponent(x: f64) -> i32 {
    libm::ilogb(x)
}

fn from_half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let fraction = f64::from(bits & 0x3ff);
    sign * match bits >> 10 & 0x1f {
        0 => fraction * power(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (fraction + 1024.0) * power(i32::from(e) - 25),
    }
}

fn to_half(x: f64) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let size = x.abs();
    if size.is_nan() {
        return sign | 0x7e00;
    }
    if size >= 65520.0 {
        return sign | 0x7c00;
    }
    if size < power(-14) {
        return sign | (size * power(24)).round_ties_even() as u16;
    }
    let e = exponent(size);
    // A carry out of the significand correctly increments the exponent.
    sign | ((((e + 14) as u16) << 10) + (size * power(10 - e)).round_ties_even() as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_there_and_back() {
        for bits in 0..=u16::MAX {
            let value = from_half(bits);
            if !value.is_nan() {
                assert_eq!(to_half(value), bits, "{bits:#x}");
            }
        }
    }

    #[test]
    fn halves_round_to_even() {
        for (x, bits) in [
            (65519.9, 0x7bff),
            (65520.0, 0x7c00),
            (2049.0, 0x6800),
            (2051.0, 0x6802),
            (power(-25), 0),
            (power(-25) * 1.001, 1),
            (power(-24) * 1.5, 2),
            (power(-14) * (1.0 - power(-12)), 0x400),
            (-0.0, 0x8000),
        ] {
            assert_eq!(to_half(x), bits, "{x}");
        }
    }

    #[test]
    fn limits() {
        assert_eq!(Type::Float.largest(), f64::from(f32::MAX));
        assert_eq!(Type::Double.largest(), f64::MAX);
        assert_eq!(Type::Half.largest(), 65504.0);
        assert_eq!(Type::Float.step(1.0, 1), 1.0 + f64::from(f32::EPSILON));
    }
}
