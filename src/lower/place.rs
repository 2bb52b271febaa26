//! Places: addresses, loads, stores, initialisation.

use super::func::{Lowering, is_struct};
use crate::clc::tree::{Components, Expr, ExprKind, Init, Lvalue, LvalueKind};
use crate::clc::types::{Space, Type as CType, TypeId};
use crate::ir::{Attr, GlobalId, Mem, Op, Type, Value};
use crate::support::Id;

/// A place whose address has been computed.
pub(super) struct Address {
    ptr: Value,
    mem: Mem,
    /// Type of the memory at `ptr`.
    ty: TypeId,
    /// Components of the vector at `ptr`, if the place is some of them.
    lanes: Option<Components>,
    /// Nobody else sees this memory: a whole vector may be rewritten to change a lane.
    private: bool,
}

/// Places and pointers that are looked through for what is known of their alignment.
const DEPTH: u32 = 32;

/// How far a member is aligned: in a packed struct less than its type.
fn member_align(natural: u32, outer: u32, offset: u64) -> u32 {
    natural.min(outer).min(1 << offset.trailing_zeros().min(16))
}

impl Lowering<'_> {
    /// The address of a place; its operands are evaluated once, here.
    pub(super) fn address(&mut self, place: &Lvalue) -> Address {
        let ty = place.ty.ty;
        let align = self.cx.types().align_of(ty) as u32;
        let natural = Mem { volatile: place.ty.is_volatile, ..Mem::aligned(align) };
        let plain = |ptr, private| Address { ptr, mem: natural, ty, lanes: None, private };
        match &place.kind {
            LvalueKind::Local(id) => plain(self.slot(*id), true),
            LvalueKind::Global(id) => {
                plain(self.global_address(GlobalId::new(id.index()), place.ty.space), false)
            }
            LvalueKind::Deref(pointer) => {
                let align = natural.align.min(self.pointer_align(pointer, DEPTH));
                let ptr = self.expr(pointer).expect("a pointer is a value");
                Address { mem: Mem { align, ..natural }, ..plain(ptr, false) }
            }
            LvalueKind::Field(base, field) => self.field(base, *field, place),
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
                self.initialise(ty, slot, init);
                plain(slot, true)
            }
        }
    }

    /// How far what a pointer names is known to be aligned: elements of an array in a packed struct less than their type.
    fn pointer_align(&self, pointer: &Expr, depth: u32) -> u32 {
        let Some(depth) = depth.checked_sub(1) else { return 1 };
        match &pointer.kind {
            ExprKind::AddressOf(place) => self.place_align(place, depth),
            // An element's size is a multiple of what it is aligned to.
            ExprKind::PtrAdd(pointer, _) => self.pointer_align(pointer, depth),
            _ => u32::MAX,
        }
    }

    fn place_align(&self, place: &Lvalue, depth: u32) -> u32 {
        let Some(depth) = depth.checked_sub(1) else { return 1 };
        let natural = self.cx.types().align_of(place.ty.ty) as u32;
        match &place.kind {
            LvalueKind::Deref(pointer) => natural.min(self.pointer_align(pointer, depth)),
            LvalueKind::Field(base, field) => {
                let CType::Struct(id) = self.cx.types().get(base.ty.ty) else { return 1 };
                let offset = self.cx.types().structs[*id].fields[*field as usize].offset;
                member_align(natural, self.place_align(base, depth), offset)
            }
            LvalueKind::Swizzle(base, _) => self.place_align(base, depth),
            _ => natural,
        }
    }

    fn global_address(&mut self, global: GlobalId, space: Space) -> Value {
        let op = if space == Space::Local { Op::LocalAddr } else { Op::GlobalAddr };
        self.b.value(op, Type::scalar(super::pointer_kind(space)), &[], Attr::Global(global))
    }

    fn field(&mut self, base: &Lvalue, field: u32, place: &Lvalue) -> Address {
        let outer = self.address(base);
        let CType::Struct(id) = self.cx.types().get(base.ty.ty) else {
            unreachable!("a member belongs to a struct")
        };
        let offset = self.cx.types().structs[*id].fields[field as usize].offset;
        let ptr = self.b.ptr_offset(outer.ptr, offset);
        let align = member_align(self.cx.types().align_of(place.ty.ty) as u32, outer.mem.align, offset);
        let mem = Mem { volatile: outer.mem.volatile || place.ty.is_volatile, ..Mem::aligned(align) };
        Address { ptr, mem, ty: place.ty.ty, lanes: None, private: outer.private }
    }

    fn component(&mut self, base: &Lvalue, lanes: &Components) -> Address {
        let mut address = self.address(base);
        address.lanes = Some(match &address.lanes {
            None => lanes.clone(),
            Some(outer) => lanes.iter().map(|&l| outer[usize::from(l)]).collect(),
        });
        address
    }

    /// The pointer to a place; components have none but through their first lane.
    pub(super) fn pointer_to(&mut self, place: &Lvalue) -> Value {
        let address = self.address(place);
        match &address.lanes {
            None => address.ptr,
            Some(lanes) => self.lane_pointer(&address, lanes[0]),
        }
    }

    fn lane_pointer(&mut self, address: &Address, lane: u8) -> Value {
        let bytes = u64::from(self.cx.ty(address.ty).kind.bytes());
        self.b.ptr_offset(address.ptr, bytes * u64::from(lane))
    }

    /// The contents of a place; for structs an address that is aligned as their type.
    pub(super) fn load(&mut self, address: &Address) -> Value {
        let ty = self.cx.ty(address.ty);
        match &address.lanes {
            None if is_struct(self.cx, address.ty) && address.mem.align < self.mem_of(address.ty).align => {
                self.aligned_copy(address)
            }
            None if is_aggregate(self, address.ty) => self.b.convert(Op::Bitcast, Type::PRIVATE, address.ptr),
            None => self.b.load(ty, address.ptr, address.mem),
            Some(lanes) if lanes.len() == 1 && !address.private => {
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

    /// A copy of a structure that lies in a packed one.
    fn aligned_copy(&mut self, address: &Address) -> Value {
        let size = self.cx.types().size_of(address.ty);
        let slot = self.temporary_of(address.ty);
        let from = self.b.convert(Op::Bitcast, Type::PRIVATE, address.ptr);
        self.b.effect(Op::MemCopy, &[slot, from], Attr::SizeAlign(size, address.mem.align));
        slot
    }

    /// Components of a vector value.
    pub(super) fn swizzle(&mut self, vector: Value, lanes: &[u8]) -> Value {
        match lanes {
            [lane] => self.b.extract(vector, u16::from(*lane)),
            _ => {
                let lanes: Vec<u16> = lanes.iter().map(|&lane| u16::from(lane)).collect();
                self.b.shuffle(vector, vector, &lanes)
            }
        }
    }

    /// Writes a value to a place.
    pub(super) fn store(&mut self, address: &Address, value: Value) {
        let Some(lanes) = address.lanes.clone() else {
            return self.store_with(address.ty, value, address.ptr, address.mem);
        };
        let ty = self.cx.ty(address.ty);
        if address.private {
            let mut vector = self.b.load(ty, address.ptr, address.mem);
            for (i, &lane) in lanes.iter().enumerate() {
                let part = self.lane_of(value, i);
                vector = self.b.value(Op::Insert, ty, &[vector, part], Attr::Int(u64::from(lane)));
            }
            self.b.store(vector, address.ptr, address.mem);
        } else {
            // Neighbours may belong to other work-items: only the named lanes are written.
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

    /// Gives memory its initial value.
    pub(super) fn initialise(&mut self, ty: TypeId, ptr: Value, init: &Init) {
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

fn lane_mem(address: &Address, vector: Type) -> Mem {
    Mem { align: vector.kind.bytes().min(address.mem.align), ..address.mem }
}
