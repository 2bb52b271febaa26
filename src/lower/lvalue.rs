//! Lvalues: addresses, loads, stores and initialization.

use super::func::{Lowering, is_struct};
use grus_clc::tree::{Components, Expr, ExprKind, Init, Lvalue, LvalueKind};
use grus_clc::types::{Space, Type as CType, TypeId};
use grus_ir::{Attr, GlobalId, Mem, Op, Type, Value};
use grus_support::Id;

/// An lvalue whose address has been computed.
pub(super) struct LvalueAddress {
    ptr: Value,
    mem: Mem,
    /// Type of the memory at `ptr`.
    ty: TypeId,
    /// Components of the vector at `ptr` that the lvalue denotes; none if it is the whole object.
    lanes: Option<Components>,
    /// True if no other work-item can access the memory, so that a whole vector may be rewritten to change a
    /// lane.
    is_private: bool,
}

/// Maximum depth of lvalues and pointers that are searched for their alignment.
// Arbitrary.
const MAX_DEPTH: u32 = 32;

/// Returns the alignment of a member, which is less than that of its type in a packed struct.
fn member_align(natural: u32, outer: u32, offset: u64) -> u32 {
    natural.min(outer).min(1 << offset.trailing_zeros().min(16))
}

impl Lowering<'_> {
    /// Computes the address of an lvalue; its operands are evaluated once, here.
    pub(super) fn address(&mut self, lvalue: &Lvalue) -> LvalueAddress {
        let ty = lvalue.ty.ty;
        let align = self.cx.types().align_of(ty) as u32;
        let natural = Mem { volatile: lvalue.ty.is_volatile, ..Mem::aligned(align) };
        let plain = |ptr, is_private| LvalueAddress { ptr, mem: natural, ty, lanes: None, is_private };
        match &lvalue.kind {
            LvalueKind::Local(id) => plain(self.slot(*id), true),
            LvalueKind::Global(id) => {
                plain(self.global_address(GlobalId::new(id.index()), lvalue.ty.space), false)
            }
            LvalueKind::Deref(pointer) => {
                let align = natural.align.min(self.pointer_align(pointer, MAX_DEPTH));
                let ptr = self.expr(pointer).expect("a pointer is a value");
                LvalueAddress { mem: Mem { align, ..natural }, ..plain(ptr, false) }
            }
            LvalueKind::Field(base, field) => self.field(base, *field, lvalue),
            LvalueKind::Swizzle(base, lanes) => self.component(base, lanes),
            LvalueKind::Temporary(value) => {
                let slot = self.temporary_of(ty);
                if let Some(value) = self.expr(value) {
                    self.store_value(ty, value, slot);
                }
                plain(slot, true)
            }
            LvalueKind::CompoundLiteral(local, init) => {
                let slot = self.slot(*local);
                self.initialize(ty, slot, init);
                plain(slot, true)
            }
        }
    }

    /// Returns the known alignment of the object that a pointer points at; in a packed struct it may be less
    /// than that of its type.
    fn pointer_align(&self, pointer: &Expr, depth: u32) -> u32 {
        let Some(depth) = depth.checked_sub(1) else { return 1 };
        match &pointer.kind {
            ExprKind::AddressOf(lvalue) => self.lvalue_align(lvalue, depth),
            // The size of an element is a multiple of its alignment.
            ExprKind::PtrAdd(pointer, _) => self.pointer_align(pointer, depth),
            _ => u32::MAX,
        }
    }

    fn lvalue_align(&self, lvalue: &Lvalue, depth: u32) -> u32 {
        let Some(depth) = depth.checked_sub(1) else { return 1 };
        let natural = self.cx.types().align_of(lvalue.ty.ty) as u32;
        match &lvalue.kind {
            LvalueKind::Deref(pointer) => natural.min(self.pointer_align(pointer, depth)),
            LvalueKind::Field(base, field) => {
                let CType::Struct(id) = self.cx.types().get(base.ty.ty) else { return 1 };
                let offset = self.cx.types().structs[*id].fields[*field as usize].offset;
                member_align(natural, self.lvalue_align(base, depth), offset)
            }
            LvalueKind::Swizzle(base, _) => self.lvalue_align(base, depth),
            _ => natural,
        }
    }

    fn global_address(&mut self, global: GlobalId, space: Space) -> Value {
        let op = if space == Space::Local { Op::LocalAddr } else { Op::GlobalAddr };
        self.b.value(op, Type::scalar(super::pointer_kind(space)), &[], Attr::Global(global))
    }

    fn field(&mut self, base: &Lvalue, field: u32, lvalue: &Lvalue) -> LvalueAddress {
        let outer = self.address(base);
        let CType::Struct(id) = self.cx.types().get(base.ty.ty) else {
            unreachable!("a member belongs to a struct")
        };
        let offset = self.cx.types().structs[*id].fields[field as usize].offset;
        let ptr = self.b.ptr_offset(outer.ptr, offset);
        let align = member_align(self.cx.types().align_of(lvalue.ty.ty) as u32, outer.mem.align, offset);
        let mem = Mem { volatile: outer.mem.volatile || lvalue.ty.is_volatile, ..Mem::aligned(align) };
        LvalueAddress { ptr, mem, ty: lvalue.ty.ty, lanes: None, is_private: outer.is_private }
    }

    fn component(&mut self, base: &Lvalue, lanes: &Components) -> LvalueAddress {
        let mut address = self.address(base);
        address.lanes = Some(match &address.lanes {
            None => lanes.clone(),
            Some(outer) => lanes.iter().map(|&l| outer[usize::from(l)]).collect(),
        });
        address
    }

    /// Returns a pointer to an lvalue; for components, to the first one.
    pub(super) fn pointer_to(&mut self, lvalue: &Lvalue) -> Value {
        let address = self.address(lvalue);
        match &address.lanes {
            None => address.ptr,
            Some(lanes) => self.lane_pointer(&address, lanes[0]),
        }
    }

    fn lane_pointer(&mut self, address: &LvalueAddress, lane: u8) -> Value {
        let bytes = u64::from(self.cx.ty(address.ty).kind.bytes());
        self.b.ptr_offset(address.ptr, bytes * u64::from(lane))
    }

    /// Loads an lvalue; for structs returns an address with the alignment of the type.
    pub(super) fn load(&mut self, address: &LvalueAddress) -> Value {
        let ty = self.cx.ty(address.ty);
        match &address.lanes {
            None if is_struct(self.cx, address.ty) && address.mem.align < self.mem_of(address.ty).align => {
                self.aligned_copy(address)
            }
            None if is_aggregate(self, address.ty) => self.b.convert(Op::Bitcast, Type::PRIVATE, address.ptr),
            None => self.b.load(ty, address.ptr, address.mem),
            Some(lanes) if lanes.len() == 1 && !address.is_private => {
                let ptr = self.lane_pointer(address, lanes[0]);
                self.b.load(ty.lane(), ptr, lane_mem(address, ty))
            }
            Some(lanes) => {
                let lanes = lanes.clone();
                let vector = self.b.load(ty, address.ptr, address.mem);
                self.swizzle(vector, &lanes)
            }
        }
    }

    /// Copies a struct inside a packed struct to aligned memory.
    fn aligned_copy(&mut self, address: &LvalueAddress) -> Value {
        let size = self.cx.types().size_of(address.ty);
        let slot = self.temporary_of(address.ty);
        let from = self.b.convert(Op::Bitcast, Type::PRIVATE, address.ptr);
        self.b.effect(Op::MemCopy, &[slot, from], Attr::SizeAlign(size, address.mem.align));
        slot
    }

    /// Selects components of a vector value.
    pub(super) fn swizzle(&mut self, vector: Value, lanes: &[u8]) -> Value {
        match lanes {
            [lane] => self.b.extract(vector, u16::from(*lane)),
            _ => {
                let lanes: Vec<u16> = lanes.iter().map(|&lane| u16::from(lane)).collect();
                self.b.shuffle(vector, vector, &lanes)
            }
        }
    }

    /// Stores a value to an lvalue.
    pub(super) fn store(&mut self, address: &LvalueAddress, value: Value) {
        let Some(lanes) = address.lanes.clone() else {
            return self.store_with(address.ty, value, address.ptr, address.mem);
        };
        let ty = self.cx.ty(address.ty);
        if address.is_private {
            let mut vector = self.b.load(ty, address.ptr, address.mem);
            for (i, &lane) in lanes.iter().enumerate() {
                let part = self.lane_of(value, i);
                vector = self.b.value(Op::Insert, ty, &[vector, part], Attr::Int(u64::from(lane)));
            }
            self.b.store(vector, address.ptr, address.mem);
        } else {
            // Other work-items may own the neighboring lanes, so only the named ones are written.
            for (i, &lane) in lanes.iter().enumerate() {
                let part = self.lane_of(value, i);
                let ptr = self.lane_pointer(address, lane);
                self.b.store(part, ptr, lane_mem(address, ty));
            }
        }
    }

    fn lane_of(&mut self, value: Value, lane: usize) -> Value {
        if self.b.func.ty(value).is_vector() { self.b.extract(value, lane as u16) } else { value }
    }

    /// Initializes memory.
    pub(super) fn initialize(&mut self, ty: TypeId, ptr: Value, init: &Init) {
        match init {
            Init::Value(value) => {
                if let Some(value) = self.expr(value) {
                    self.store_value(ty, value, ptr);
                }
            }
            Init::Parts(parts) => {
                let mem = self.mem_of(ty);
                let size = self.cx.types().size_of(ty);
                let covered: u64 = parts.iter().map(|(_, e)| self.cx.types().size_of(e.ty)).sum();
                let distinct = parts.windows(2).all(|w| w[0].0 < w[1].0);
                if covered < size || !distinct {
                    self.b.effect(Op::MemZero, &[ptr], Attr::SizeAlign(size, mem.align));
                }
                for (offset, part) in parts {
                    if let Some(value) = self.expr(part) {
                        let align = self.cx.types().align_of(part.ty) as u32;
                        let align = align.min(mem.align).min(1 << offset.trailing_zeros().min(16));
                        let to = self.b.ptr_offset(ptr, *offset);
                        self.store_with(part.ty, value, to, Mem::aligned(align));
                    }
                }
            }
        }
    }
}

fn is_aggregate(lowering: &Lowering<'_>, ty: TypeId) -> bool {
    is_struct(lowering.cx, ty) || matches!(lowering.cx.types().get(ty), CType::Array(..))
}

fn lane_mem(address: &LvalueAddress, vector: Type) -> Mem {
    Mem { align: vector.kind.bytes().min(address.mem.align), ..address.mem }
}
