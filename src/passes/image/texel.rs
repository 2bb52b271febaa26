//! Conversion between the bits of a texel and its components, emitted for a known format. All results are
//! bit-identical with those of `image::texel`.

use grus_ir::image::format::{ChannelClass, SampledType};
use grus_ir::image::{self, ChannelType, Format, Order};
use grus_ir::{Attr, Builder, FloatCond, Kind, Mem, Op, Type, Value};

/// Checks whether [`load`] supports the format, and kernels may read it as components of type `ty`.
pub(super) fn can_load(format: Format, ty: Type) -> bool {
    is_read_as(format, ty)
}

/// Checks whether [`store`] supports the format, and kernels may write it as components of type `ty`.
pub(super) fn can_store(format: Format, ty: Type) -> bool {
    is_read_as(format, ty) && !format.is_srgb() && !format.channel_type().is_packed()
}

fn is_read_as(format: Format, ty: Type) -> bool {
    (format.class() == ChannelClass::Float) == (ty.kind == Kind::F32)
}

/// Returns the memory attributes of a texel. Rows of an image in the application's memory may have any alignment.
fn unaligned() -> Mem {
    Mem::aligned(1)
}

/// Returns the kind of a channel in memory.
fn stored_kind(ty: ChannelType) -> Kind {
    match ty {
        ChannelType::FLOAT => Kind::F32,
        ChannelType::HALF_FLOAT => Kind::F16,
        _ => Kind::int_of_bits(8 * ty.channel_size() as u32),
    }
}

fn f32_splat(b: &mut Builder<'_>, ty: Type, value: f32) -> Value {
    b.fconst_bits(ty, u64::from(value.to_bits()))
}

/// Emits the load of the components of the texel at `address`; `table` is the sRGB conversion table.
pub(super) fn load(b: &mut Builder<'_>, format: Format, address: Value, table: Option<Value>) -> Value {
    let ty = format.channel_type();
    if ty.is_packed() {
        return load_packed(b, format, address);
    }
    if let Some(table) = table {
        return load_srgb(b, format, address, table);
    }
    let channels = format.channels().len() as u8;
    let kind = stored_kind(ty);
    if channels == 4 {
        let stored = b.load(Type::vector(kind, 4), address, unaligned());
        let components = decode(b, ty, stored);
        let lanes = format.view().map(|source| match source {
            SampledType::Channel(lane) => u16::from(lane),
            SampledType::Zero | SampledType::One => unreachable!("kernels see all four channels"),
        });
        if lanes == [0, 1, 2, 3] {
            return components;
        }
        return b.shuffle(components, components, &lanes);
    }
    let channels: Vec<Value> = (0..channels)
        .map(|index| {
            let address = b.ptr_offset(address, u64::from(index) * u64::from(kind.bytes()));
            let stored = b.load(Type::scalar(kind), address, unaligned());
            decode(b, ty, stored)
        })
        .collect();
    view(b, format, &channels)
}

/// Builds the components that a kernel sees from the channels.
fn view(b: &mut Builder<'_>, format: Format, channels: &[Value]) -> Value {
    let ty = b.func.ty(channels[0]);
    let zero = b.zero(ty);
    let one = if ty == Type::F32 { f32_splat(b, ty, image::texel::one(format)) } else { b.iconst(ty, 1) };
    let components = format.view().map(|source| match source {
        SampledType::Channel(index) => channels[usize::from(index)],
        SampledType::Zero => zero,
        SampledType::One => one,
    });
    b.value(Op::BuildVector, ty.with_lanes(4), &components, Attr::None)
}

/// Converts stored channels, one or four at once; normalized ones are converted to float but not scaled.
fn decode(b: &mut Builder<'_>, ty: ChannelType, stored: Value) -> Value {
    let lanes = b.func.ty(stored).lanes;
    let (float, int) = (Type::F32.with_lanes(lanes), Type::I32.with_lanes(lanes));
    match ty {
        ChannelType::FLOAT | ChannelType::SIGNED_INT32 | ChannelType::UNSIGNED_INT32 => stored,
        ChannelType::HALF_FLOAT => b.convert(Op::Fpext, float, stored),
        ChannelType::SIGNED_INT8 | ChannelType::SIGNED_INT16 => b.convert(Op::Sext, int, stored),
        ChannelType::UNSIGNED_INT8 | ChannelType::UNSIGNED_INT16 => b.convert(Op::Zext, int, stored),
        _ => {
            let (max_value, signed) = ty.normalized().unwrap_or((1.0, false));
            let wide = b.convert(if signed { Op::Sext } else { Op::Zext }, int, stored);
            let number = b.convert(Op::Sitofp, float, wide);
            if signed { at_least(b, number, -max_value) } else { number }
        }
    }
}

/// Returns `value`, or `bound` if the value is less. NaN is kept.
fn at_least(b: &mut Builder<'_>, value: Value, bound: f32) -> Value {
    let bound = f32_splat(b, b.func.ty(value), bound);
    let below = b.fcmp(FloatCond::Olt, value, bound);
    b.select(below, bound, value)
}

/// Returns `value`, or `bound` if the value is greater. NaN is kept.
fn at_most(b: &mut Builder<'_>, value: Value, bound: f32) -> Value {
    let bound = f32_splat(b, b.func.ty(value), bound);
    let above = b.fcmp(FloatCond::Ogt, value, bound);
    b.select(above, bound, value)
}

fn load_packed(b: &mut Builder<'_>, format: Format, address: Value) -> Value {
    let ty = format.channel_type();
    let kind = Kind::int_of_bits(8 * format.texel_size() as u32);
    let word = b.load(Type::scalar(kind), address, unaligned());
    let word = b.convert(Op::Zext, Type::I32, word);
    let channels: Vec<Value> = ty
        .fields()
        .iter()
        .map(|&(at, bits)| {
            let max_value = (1u32 << bits) - 1;
            let count = b.iconst(Type::I32, u64::from(at));
            let shifted = b.same(Op::Lshr, &[word, count]);
            let mask = b.iconst(Type::I32, u64::from(max_value));
            let field = b.same(Op::And, &[shifted, mask]);
            let number = b.convert(Op::Sitofp, Type::F32, field);
            let scale = f32_splat(b, Type::F32, 1.0 / max_value as f32);
            b.same(Op::Fmul, &[number, scale])
        })
        .collect();
    view(b, format, &channels)
}

fn load_srgb(b: &mut Builder<'_>, format: Format, address: Value, table: Value) -> Value {
    let channels: Vec<Value> = format
        .channels()
        .iter()
        .enumerate()
        .map(|(index, &component)| {
            let address = b.ptr_offset(address, index as u64);
            let raw = b.load(Type::I8, address, unaligned());
            if component == 3 {
                let raw = decode(b, format.channel_type(), raw);
                let scale = f32_splat(b, Type::F32, 1.0 / 255.0);
                return b.same(Op::Fmul, &[raw, scale]);
            }
            let index = b.convert(Op::Zext, Type::I64, raw);
            let two = b.iconst(Type::I64, 2);
            let bytes = b.same(Op::Shl, &[index, two]);
            let entry = b.ptr_add(table, bytes);
            b.load(Type::F32, entry, Mem::aligned(4))
        })
        .collect();
    view(b, format, &channels)
}

/// Emits the store of the components as a texel at `address`.
pub(super) fn store(b: &mut Builder<'_>, format: Format, address: Value, components: Value) {
    let ty = format.channel_type();
    let channels = format.channels();
    if channels.len() == 4 {
        let in_order = format.order() == Order::RGBA;
        let lanes: Vec<u16> = channels.iter().map(|&lane| u16::from(lane)).collect();
        let ordered = if in_order { components } else { b.shuffle(components, components, &lanes) };
        let stored = encode(b, ty, ordered);
        return b.store(stored, address, unaligned());
    }
    for (index, &component) in channels.iter().enumerate() {
        let value = b.extract(components, u16::from(component));
        let stored = encode(b, ty, value);
        let address = b.ptr_offset(address, (index * ty.channel_size()) as u64);
        b.store(stored, address, unaligned());
    }
}

/// Converts components to stored channels, one or four at once.
fn encode(b: &mut Builder<'_>, ty: ChannelType, value: Value) -> Value {
    let lanes = b.func.ty(value).lanes;
    let int = Type::I32.with_lanes(lanes);
    let stored = Type { kind: stored_kind(ty), lanes };
    match ty {
        ChannelType::FLOAT | ChannelType::SIGNED_INT32 | ChannelType::UNSIGNED_INT32 => value,
        ChannelType::HALF_FLOAT => b.convert(Op::Fptrunc, stored, value),
        ChannelType::SIGNED_INT8 | ChannelType::SIGNED_INT16 => {
            let max_value = (1u64 << (8 * ty.channel_size() - 1)) - 1;
            let (low, high) = (b.iconst(int, !max_value), b.iconst(int, max_value));
            let value = b.same(Op::Smax, &[value, low]);
            let value = b.same(Op::Smin, &[value, high]);
            b.convert(Op::Trunc, stored, value)
        }
        ChannelType::UNSIGNED_INT8 | ChannelType::UNSIGNED_INT16 => {
            let high = b.iconst(int, (1u64 << (8 * ty.channel_size())) - 1);
            let value = b.same(Op::Umin, &[value, high]);
            b.convert(Op::Trunc, stored, value)
        }
        _ => {
            let (max_value, signed) = ty.normalized().unwrap_or((1.0, false));
            let scale = f32_splat(b, b.func.ty(value), max_value);
            let scaled = b.same(Op::Fmul, &[value, scale]);
            let rounded = b.same(Op::Fnearest, &[scaled]);
            let bounded = at_least(b, rounded, if signed { -max_value - 1.0 } else { 0.0 });
            let bounded = at_most(b, bounded, max_value);
            let number = b.convert(Op::Fptosi, int, bounded);
            b.convert(Op::Trunc, stored, number)
        }
    }
}
