//! Initial contents of variables with static storage: bytes, and relocations for addresses.

use super::constant::ConstValue;
use super::evaluate;
use crate::session::Session;
use crate::tree::{ConstData, Expr, ExprKind, Init, Reloc};
use crate::types::{Scalar, Space, Type, TypeId};
use grus_support::diag::Span;

/// Size in bytes of the largest object that may have an initializer.
// Arbitrary.
const MAX_INITIALIZED_BYTES: u64 = 1 << 30;

impl Session<'_> {
    /// Returns the bytes of an initial value; `None` after an error.
    pub fn static_data(&mut self, init: &Init, ty: TypeId, span: Span) -> Option<ConstData> {
        let size = self.types.size_of(ty);
        if size > MAX_INITIALIZED_BYTES {
            self.error(span, "the object is too large to be initialized");
            return None;
        }
        let mut data = ConstData { bytes: vec![0; size as usize], relocs: Vec::new() };
        let ok = match init {
            Init::Value(value) => self.write_value(value, 0, &mut data),
            Init::Parts(parts) => {
                let mut ok = true;
                for (offset, value) in parts {
                    ok &= self.write_value(value, *offset, &mut data);
                }
                ok
            }
        };
        ok.then_some(data)
    }

    /// Writes one value; reports an error and returns `false` if it is not constant.
    fn write_value(&mut self, value: &Expr, offset: u64, data: &mut ConstData) -> bool {
        let fits = offset + self.types.size_of(value.ty) <= data.bytes.len() as u64;
        if value.ty == self.types.common.error || !fits {
            // An error in the type has been reported already.
            return false;
        }
        if let Type::Struct(_) = self.types.get(value.ty) {
            if self.copy_constant_struct(value, offset, data).is_some() {
                return true;
            }
        } else if let Some(found) = self.evaluate(value)
            && self.write_const(value.ty, found, offset as usize, data)
        {
            return true;
        }
        self.error(value.span, "the initial value must be a constant");
        false
    }

    /// Copies the contents of a constant struct.
    fn copy_constant_struct(&self, value: &Expr, offset: u64, data: &mut ConstData) -> Option<()> {
        let ExprKind::Load(lvalue) = &value.kind else {
            return matches!(value.kind, ExprKind::Zero).then_some(());
        };
        let (Some(id), start) = self.constant_address(lvalue)? else {
            return None;
        };
        let global = &self.unit.globals[id];
        if global.ty.space != Space::Constant {
            return None;
        }
        let source = global.init.as_ref()?;
        let start = usize::try_from(start).ok()?;
        let size = self.types.size_of(value.ty) as usize;
        let bytes = source.bytes.get(start..start + size)?;
        data.bytes[offset as usize..offset as usize + size].copy_from_slice(bytes);
        for reloc in &source.relocs {
            let inside = (start as u64..(start + size) as u64).contains(&reloc.offset);
            if inside {
                data.relocs.push(Reloc { offset: reloc.offset - start as u64 + offset, ..*reloc });
            }
        }
        Some(())
    }

    fn write_const(&self, ty: TypeId, value: ConstValue, offset: usize, data: &mut ConstData) -> bool {
        let size = self.types.size_of(ty) as usize;
        data.relocs.retain(|r| r.offset < offset as u64 || r.offset >= (offset + size) as u64);
        match (value, self.types.get(ty)) {
            (ConstValue::Scalar(number), _) => {
                let scalar = self.elem_and_lanes(ty).map_or(Scalar::ULong, |n| n.0);
                write_bits(data, offset, evaluate::bits(number, scalar), size);
            }
            (ConstValue::Lanes(lanes), Type::Vector(scalar, _)) => {
                let step = scalar.size() as usize;
                for (i, lane) in lanes.into_iter().enumerate() {
                    write_bits(data, offset + i * step, evaluate::bits(lane, *scalar), step);
                }
            }
            (ConstValue::Address(None, address), _) => write_bits(data, offset, address as u64, size),
            (ConstValue::Address(Some(target), addend), _) if size == 8 => {
                write_bits(data, offset, 0, 8);
                data.relocs.push(Reloc { offset: offset as u64, target, addend });
            }
            _ => return false,
        }
        true
    }
}

fn write_bits(data: &mut ConstData, offset: usize, bits: u64, size: usize) {
    let bytes = bits.to_le_bytes();
    let size = size.min(8);
    data.bytes[offset..offset + size].copy_from_slice(&bytes[..size]);
}
