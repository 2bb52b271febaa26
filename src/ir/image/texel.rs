//! Conversion between the bits of a texel and the four components that a kernel sees (OpenCL C s8.3).
//!
//! Components are bits: of floats for float and normalized formats, of integers for the remaining ones. Reading a
//! format as the wrong type is undefined; here integers and floats are converted as in C. An exception are 32-bit
//! floats read as integers: the result is their bits, since programs for GPUs store doubles in images this way.

use super::Descriptor;
use super::format::{ChannelClass, ChannelType, Format, Order, SampledType};
use grus_support::f16;
use grus_support::fork::Global;

/// Size of the largest texel in bytes.
// Source: four channels of 32 bits (API s5.3.1.1).
pub const MAX_TEXEL_SIZE: usize = 16;

/// Stored texel; smaller formats use the first bytes.
pub type Texel = [u8; MAX_TEXEL_SIZE];

/// Returns the linear value of each raw value of sRGB.
pub fn srgb_table() -> &'static [f32; 256] {
    static TABLE: Global<[f32; 256]> = Global::fact();
    TABLE.get(|| {
        std::array::from_fn(|raw| {
            let c = raw as f64 / 255.0;
            (if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }) as f32
        })
    })
}

/// Returns the raw sRGB value of a linear one.
fn srgb_encoded(value: f32) -> u32 {
    let c = f64::from(if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) });
    let c = if c < 0.003_130_8 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
    (c * 255.0 + 0.5).floor() as u32
}

/// Reads a channel, zero- or sign-extended to 32 bits.
fn channel(ty: ChannelType, texel: &[u8], index: usize) -> u32 {
    let size = ty.channel_size();
    let bytes = &texel[index * size..][..size];
    match (size, bytes) {
        (1, &[a]) if is_signed(ty) => a as i8 as u32,
        (1, &[a]) => u32::from(a),
        (2, &[a, b]) if is_signed(ty) => i16::from_ne_bytes([a, b]) as u32,
        (2, &[a, b]) => u32::from(u16::from_ne_bytes([a, b])),
        (_, &[a, b, c, d]) => u32::from_ne_bytes([a, b, c, d]),
        _ => unreachable!("channels have 1, 2 or 4 bytes"),
    }
}

fn is_signed(ty: ChannelType) -> bool {
    ty.class() == ChannelClass::Signed || ty.normalized().is_some_and(|(_, signed)| signed)
}

/// Returns the raw value of a normalized channel as a float; there are two representations of -1.
fn raw_normalized(stored: u32, max_value: f32, signed: bool) -> f32 {
    if signed { (stored as i32 as f32).max(-max_value) } else { stored as f32 }
}

/// Returns the raw value that represents the component 1 in the result of [`decode_raw`].
pub fn one(format: Format) -> f32 {
    match format.channel_type().normalized() {
        Some((max_value, _)) if !format.is_srgb() => max_value,
        _ => 1.0,
    }
}

/// Returns the factor by which kernels multiply loaded components, which converts raw normalized values.
pub fn scale(format: Format) -> f32 {
    1.0 / one(format)
}

/// Returns the components of a texel as the bits of floats (raw values of normalized channels) or of integers,
/// depending on the format's class.
fn decode(format: Format, texel: &[u8]) -> [u32; 4] {
    let ty = format.channel_type();
    let one = if format.class() == ChannelClass::Float { one(format).to_bits() } else { 1 };
    let value = |index: usize| {
        if ty.is_packed() {
            let word =
                texel[..format.texel_size()].iter().rev().fold(0, |all, &byte| all << 8 | u32::from(byte));
            let (at, bits) = ty.fields()[index];
            let max_value = (1u32 << bits) - 1;
            return ((word >> at & max_value) as f32 * (1.0 / max_value as f32)).to_bits();
        }
        let stored = channel(ty, texel, index);
        match ty.normalized() {
            Some(_) if format.is_srgb() && format.channels()[index] < 3 => {
                srgb_table()[stored as usize].to_bits()
            }
            Some((max_value, _)) if format.is_srgb() => (stored as f32 * (1.0 / max_value)).to_bits(),
            Some((max_value, signed)) => raw_normalized(stored, max_value, signed).to_bits(),
            None if ty == ChannelType::HALF_FLOAT => f16::to_f32(stored as u16).to_bits(),
            None => stored,
        }
    };
    format.view().map(|source| match source {
        SampledType::Channel(index) => value(usize::from(index)),
        SampledType::Zero => 0,
        SampledType::One => one,
    })
}

/// Returns the components of a texel before the multiplication by the [`scale`]: raw values for normalized
/// channels, else the results of `read_imagef`. Filters multiply once instead of texel by texel.
pub fn decode_raw(format: Format, texel: &[u8]) -> [f32; 4] {
    decode(format, texel).map(|bits| match format.class() {
        ChannelClass::Float => f32::from_bits(bits),
        ChannelClass::Signed => bits as i32 as f32,
        ChannelClass::Unsigned => bits as f32,
    })
}

/// Returns the result of `read_imagef` for a texel. `texel` has at least the format's bytes.
pub fn decode_float(format: Format, texel: &[u8]) -> [f32; 4] {
    decode_raw(format, texel).map(|raw| raw * scale(format))
}

/// Returns the result of `read_imagei` or `read_imageui` for a texel. `texel` has at least the format's bytes.
pub fn decode_int(format: Format, texel: &[u8]) -> [u32; 4] {
    match format.class() {
        ChannelClass::Float if format.channel_type() == ChannelType::FLOAT => decode(format, texel),
        ChannelClass::Float => decode_float(format, texel).map(|value| value as i32 as u32),
        ChannelClass::Signed | ChannelClass::Unsigned => decode(format, texel),
    }
}

/// Returns the alpha of the border color of CLK_ADDRESS_CLAMP; its other components are 0.
pub fn border_alpha(format: Format) -> u32 {
    match (format.has_opaque_border(), format.class()) {
        (false, _) => 0,
        (true, ChannelClass::Float) => 1f32.to_bits(),
        (true, _) => 1,
    }
}

/// Converts a normalized value to an integer: to nearest even, saturating, NaN to 0.
fn quantize(value: f32, max_value: f32, min_value: f32) -> i32 {
    ((value * max_value).round_ties_even()).clamp(min_value, max_value) as i32
}

/// Returns the bits of a channel for a component.
fn encode_channel(format: Format, component: u8, value: f32) -> u32 {
    let ty = format.channel_type();
    if format.is_srgb() && component < 3 {
        return srgb_encoded(value);
    }
    match ty {
        ChannelType::HALF_FLOAT => u32::from(f16::from_f64(f64::from(value))),
        ChannelType::FLOAT => value.to_bits(),
        _ => match ty.normalized() {
            Some((max_value, signed)) => {
                quantize(value, max_value, if signed { -max_value - 1.0 } else { 0.0 }) as u32
            }
            None => unreachable!("integers are saturated"),
        },
    }
}

/// Returns the texel that `write_imagef` stores for these components.
pub fn encode_float(format: Format, components: [f32; 4]) -> Texel {
    let ty = format.channel_type();
    if format.class() != ChannelClass::Float {
        let to_int = |value: f32| {
            if format.class() == ChannelClass::Signed { value as i32 as u32 } else { value as u32 }
        };
        return encode_int(format, components.map(to_int));
    }
    let mut texel = Texel::default();
    if ty.is_packed() {
        let fields = ty.fields().iter().zip(components);
        let word = fields.fold(0, |word, (&(at, bits), value)| {
            let max_value = (1u32 << bits) - 1;
            word | (quantize(value, max_value as f32, 0.0) as u32) << at
        });
        texel[..4].copy_from_slice(&word.to_ne_bytes());
        return texel;
    }
    for (index, &component) in format.channels().iter().enumerate() {
        put(&mut texel, ty, index, encode_channel(format, component, components[usize::from(component)]));
    }
    texel
}

/// Returns the texel that `write_imagei` or `write_imageui`, depending on the format, stores for these components.
pub fn encode_int(format: Format, components: [u32; 4]) -> Texel {
    let ty = format.channel_type();
    let bits = 8 * ty.channel_size() as u32;
    let saturated = |value: u32| match format.class() {
        ChannelClass::Signed => {
            let max_value = i32::MAX >> (32 - bits);
            (value as i32).clamp(-max_value - 1, max_value) as u32
        }
        _ => value.min(u32::MAX >> (32 - bits)),
    };
    if format.class() == ChannelClass::Float {
        let is_bits = ty == ChannelType::FLOAT;
        let of = |value: u32| if is_bits { f32::from_bits(value) } else { value as i32 as f32 };
        return encode_float(format, components.map(of));
    }
    let mut texel = Texel::default();
    for (index, &component) in format.channels().iter().enumerate() {
        put(&mut texel, ty, index, saturated(components[usize::from(component)]));
    }
    texel
}

fn put(texel: &mut Texel, ty: ChannelType, index: usize, bits: u32) {
    let size = ty.channel_size();
    // The low bytes are the first ones: all targets are little-endian.
    texel[index * size..][..size].copy_from_slice(&bits.to_le_bytes()[..size]);
}

/// Returns the texel of a fill color of clEnqueueFillImage, which is four floats, four integers, or one float for
/// depth images; `color` holds their bits.
pub fn fill_texel(format: Format, color: [u32; 4]) -> Texel {
    match format.class() {
        ChannelClass::Float if format.order() == Order::DEPTH => {
            encode_float(format, [f32::from_bits(color[0]); 4])
        }
        ChannelClass::Float => encode_float(format, color.map(f32::from_bits)),
        ChannelClass::Signed | ChannelClass::Unsigned => encode_int(format, color),
    }
}

/// Loads the components of the texel at byte `offset` of an image, as bits of floats ([`decode_raw`]) or of
/// integers.
///
/// # Safety
/// `image` points to a valid descriptor, and there is a texel at `offset`.
pub unsafe fn load(image: *const Descriptor, offset: u64, floats: bool) -> [u32; 4] {
    // SAFETY: the caller guarantees that `image` is valid, and that there is a texel, thus `texel_size` bytes, at
    // `offset`. `Texel` is as large as the largest format.
    let (format, texel) = unsafe {
        let image = &*image;
        let Some(format) = image.format() else { return [0; 4] };
        let mut texel = Texel::default();
        std::ptr::copy_nonoverlapping(
            image.base.wrapping_add(offset as usize),
            texel.as_mut_ptr(),
            format.texel_size(),
        );
        (format, texel)
    };
    if floats { decode_raw(format, &texel).map(f32::to_bits) } else { decode_int(format, &texel) }
}

/// Stores the components of the texel at byte `offset` of an image, as bits of floats or of integers.
///
/// # Safety
/// `image` points to a valid descriptor, and there is a texel at `offset`, which may be written.
pub unsafe fn store(image: *const Descriptor, offset: u64, components: [u32; 4], floats: bool) {
    // SAFETY: the caller guarantees that `image` is valid, and that there is a writable texel, thus `texel_size`
    // bytes, at `offset`. `Texel` is as large as the largest format.
    unsafe {
        let image = &*image;
        let Some(format) = image.format() else { return };
        let texel = if floats {
            encode_float(format, components.map(f32::from_bits))
        } else {
            encode_int(format, components)
        };
        std::ptr::copy_nonoverlapping(
            texel.as_ptr(),
            image.base.wrapping_add(offset as usize),
            format.texel_size(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format(order: Order, ty: ChannelType) -> Format {
        Format::new(order, ty).expect("they go together")
    }

    /// Every raw value of a normalized channel is decoded within 1.5 ulp of the quotient, the ends exactly, and
    /// encoded to itself.
    #[test]
    fn normalized_values_survive() {
        for (ty, bits) in [
            (ChannelType::UNORM_INT8, 8),
            (ChannelType::UNORM_INT16, 16),
            (ChannelType::SNORM_INT8, 8),
            (ChannelType::SNORM_INT16, 16),
        ] {
            let (max_value, signed) = ty.normalized().expect("it is");
            let format = format(Order::R, ty);
            for raw in 0..1u32 << bits {
                let texel = raw.to_le_bytes();
                let [value, ..] = decode_float(format, &texel);
                let number =
                    if signed { ((raw << (32 - bits)) as i32 >> (32 - bits)) as f64 } else { f64::from(raw) };
                let exact = (number / f64::from(max_value)).max(-1.0);
                let ulp = f64::from(f32::EPSILON) * exact.abs().log2().floor().exp2();
                assert!(exact == 0.0 || (f64::from(value) - exact).abs() <= 1.5 * ulp, "{ty:?} {raw}");
                if exact.abs() == 1.0 || exact == 0.0 {
                    assert_eq!(f64::from(value), exact, "{ty:?} {raw}");
                }
                let back = encode_float(format, [value; 4]);
                let kept =
                    if exact == -1.0 { (-max_value) as i32 as u32 & (u32::MAX >> (32 - bits)) } else { raw };
                assert_eq!(back[..4], kept.to_le_bytes(), "{ty:?} {raw}");
            }
        }
    }

    #[test]
    fn packed_and_srgb_values_survive() {
        for ty in [
            ChannelType::UNORM_SHORT_565,
            ChannelType::UNORM_SHORT_555,
            ChannelType::UNORM_INT_101010,
            ChannelType::UNORM_INT_101010_2,
        ] {
            let order = if ty == ChannelType::UNORM_INT_101010_2 { Order::RGBA } else { Order::RGB };
            let format = format(order, ty);
            for (component, &(at, bits)) in ty.fields().iter().enumerate() {
                for raw in 0..1u32 << bits {
                    let word = raw << at;
                    let components = decode_float(format, &word.to_le_bytes());
                    let exact = f64::from(raw) / f64::from((1u32 << bits) - 1);
                    assert!((f64::from(components[component]) - exact).abs() < 1e-7);
                    assert!(raw != (1 << bits) - 1 || components[component] == 1.0, "{ty:?}");
                    assert_eq!(encode_float(format, components)[..4], word.to_le_bytes(), "{ty:?} {raw}");
                }
            }
        }
        let format = format(Order::sBGRA, ChannelType::UNORM_INT8);
        for raw in 0..=255u8 {
            let texel = [raw, raw / 2, 255 - raw, raw];
            assert_eq!(encode_float(format, decode_float(format, &texel))[..4], texel);
        }
    }

    #[test]
    fn writes_round_and_saturate() {
        let unorm = format(Order::RGBA, ChannelType::UNORM_INT8);
        let texel = encode_float(unorm, [f32::NAN, -1.0, 2.0, 0.5]);
        // 127.5 is rounded to the even neighbor.
        assert_eq!(texel[..4], [0, 0, 255, 128]);
        let snorm = format(Order::ARGB, ChannelType::SNORM_INT8);
        assert_eq!(encode_float(snorm, [-2.0, 0.0, 1.0, f32::INFINITY])[..4], [127, 128, 0, 127]);
        let signed = format(Order::RG, ChannelType::SIGNED_INT8);
        assert_eq!(encode_int(signed, [-1000i32 as u32, 1000, 0, 0])[..2], [128, 127]);
        let unsigned = format(Order::A, ChannelType::UNSIGNED_INT16);
        assert_eq!(encode_int(unsigned, [0, 0, 0, 70000])[..2], [255, 255]);
        let half = format(Order::R, ChannelType::HALF_FLOAT);
        assert_eq!(encode_float(half, [1e-7, 0.0, 0.0, 0.0])[..2], 2u16.to_le_bytes());
    }

    #[test]
    fn what_is_not_stored_reads_as_0_or_1() {
        let read = |order, ty, texel: &[u8]| decode_float(format(order, ty), texel);
        let unorm = ChannelType::UNORM_INT8;
        assert_eq!(read(Order::R, unorm, &[255]), [1.0, 0.0, 0.0, 1.0]);
        assert_eq!(read(Order::A, unorm, &[255]), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(read(Order::INTENSITY, unorm, &[255]), [1.0; 4]);
        assert_eq!(read(Order::LUMINANCE, unorm, &[0]), [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(read(Order::ABGR, unorm, &[0, 0, 0, 255]), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(decode_int(format(Order::RG, ChannelType::SIGNED_INT8), &[255, 1]), [u32::MAX, 1, 0, 1]);
    }
}
