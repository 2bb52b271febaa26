//! Sequences of instructions that front ends share: copies, queries at computed dimensions, address spaces of generic
//! pointers, and calls of the runtime that pass arguments in memory.

use crate::abi::enqueue::Call;
use crate::abi::print::{self, Class};
use crate::abi::space;
use crate::{Attr, Block, Builder, Helper, IntCond, Kind, Mem, Op, Query, Type, Value};

/// Maximum alignment of memory that is allocated for a value.
// Arbitrary.
const MAX_ALIGN: u64 = 1 << 16;

impl Query {
    /// Returns what the query gives in dimensions that no ND-range has: 1 for sizes, else 0 (s6.15.1 of OpenCL C).
    pub fn outside(self) -> u64 {
        let is_size = matches!(
            self,
            Query::GlobalSize | Query::LocalSize | Query::EnqueuedLocalSize | Query::NumGroups
        );
        is_size.into()
    }
}

impl Builder<'_> {
    /// Allocates private memory in the entry block, which does not end yet.
    pub fn temporary(&mut self, entry: Block, size: u64, align: u64) -> Value {
        let here = self.block;
        self.switch_to(entry);
        let slot = self.alloca(size, align.clamp(1, MAX_ALIGN) as u32);
        self.switch_to(here);
        slot
    }

    /// Appends the copy of a constant number of bytes. The objects may overlap.
    pub fn copy_bytes(&mut self, to: Value, from: Value, size: u64, align: u32) {
        match size {
            0 => {}
            // A load and store of an integer allows memory that has only such accesses to become a register.
            1 | 2 | 4 | 8 => {
                let ty = Type::scalar(Kind::int_of_bits(size as u32 * 8));
                let bytes = self.load(ty, from, Mem::aligned(align));
                self.store(bytes, to, Mem::aligned(align));
            }
            _ => self.effect(Op::MemCopy, &[to, from], Attr::SizeAlign(size, align)),
        }
    }

    /// Appends a work-item query of 64 bits in a dimension that is a value, and may be one that no ND-range has.
    pub fn query_at(&mut self, query: Query, dim: Value) -> Value {
        if let Some(dim) = self.func.as_const(dim).filter(|&dim| dim < 3) {
            return self.query(query, dim as u8);
        }
        let mut result = self.iconst(Type::I64, query.outside());
        if self.func.as_const(dim).is_some() {
            return result;
        }
        let ty = self.func.ty(dim);
        for candidate in 0..3 {
            let number = self.iconst(ty, candidate);
            let is_it = self.icmp(IntCond::Eq, dim, number);
            let value = self.query(query, candidate as u8);
            result = self.select(is_it, value, result);
        }
        result
    }

    /// Appends the number (`abi::space`) of the address space that a pointer points into; a constant if the pointer was
    /// made from one to a named space.
    pub fn space_of(&mut self, pointer: Value) -> Value {
        // Arbitrary. Without a limit, chains of additions would take the square of their length.
        const MAX_STEPS: usize = 32;
        let mut source = pointer;
        for _ in 0..MAX_STEPS {
            let def = self.func.def_inst(source).filter(|def| matches!(def.op, Op::Bitcast | Op::PtrAdd));
            let Some(def) = def.filter(|def| self.func.ty(def.args[0]).kind.is_ptr()) else { break };
            source = def.args[0];
        }
        let known = match self.func.ty(source).kind {
            Kind::PtrGlobal | Kind::PtrConstant => Some(space::GLOBAL),
            Kind::PtrLocal => Some(space::LOCAL),
            Kind::PtrPrivate => Some(space::PRIVATE),
            _ => None,
        };
        if let Some(space) = known {
            return self.iconst(Type::I32, space.into());
        }
        let context = self.query(Query::Context, 0);
        self.helper(Helper::SpaceOf, Type::I32, &[context, pointer]).expect("it has a result")
    }

    /// Appends a pointer as type `ty` if it points into the space, else null.
    pub fn if_in_space(&mut self, space: u32, pointer: Value, ty: Type) -> Value {
        let found = self.space_of(pointer);
        let wanted = self.iconst(Type::I32, space.into());
        let is_there = self.icmp(IntCond::Eq, found, wanted);
        let pointer = self.convert(Op::Bitcast, ty, pointer);
        let null = self.zero(ty);
        self.select(is_there, pointer, null)
    }

    /// Appends a call of printf, whose arguments are stored in memory: each as a descriptor followed by a word for each
    /// lane.
    pub fn printf(&mut self, entry: Block, format: Value, args: &[Value]) -> Value {
        let mut words = Vec::new();
        for &arg in args {
            let ty = self.func.ty(arg);
            let class = match ty.kind {
                kind if kind.is_float() => Class::Float,
                kind if kind.is_ptr() => Class::Pointer,
                _ => Class::Int,
            };
            words.push(self.iconst(Type::I64, print::describe(class, ty.kind.bits(), ty.lanes as u8)));
            for lane in 0..ty.lanes {
                let value = if ty.is_vector() { self.extract(arg, lane) } else { arg };
                words.push(self.word(value));
            }
        }
        let buffer = self.stored(entry, &words);
        let format = self.convert(Op::Bitcast, Type::CONSTANT, format);
        let buffer = self.convert(Op::Bitcast, Type::CONSTANT, buffer);
        let count = self.iconst(Type::I64, args.len() as u64);
        let context = self.query(Query::Context, 0);
        let args = [context, format, buffer, count];
        self.helper(Helper::Printf, Type::I32, &args).expect("printf returns an int")
    }

    /// Appends a request to the executor (`abi::enqueue`), whose arguments are stored in memory, a word each.
    pub fn ask_device(&mut self, entry: Block, call: Call, args: &[Value]) -> Value {
        let words: Vec<Value> = args.iter().map(|&arg| self.word(arg)).collect();
        let buffer = self.stored(entry, &words);
        let call = self.iconst(Type::I64, call as u64);
        let buffer = self.convert(Op::Bitcast, Type::CONSTANT, buffer);
        let context = self.query(Query::Context, 0);
        let result = self.helper(Helper::Enqueue, Type::I64, &[context, call, buffer]);
        result.expect("requests have a result")
    }

    /// Appends the stores of words of 64 bits to new memory; returns its address.
    pub fn stored(&mut self, entry: Block, words: &[Value]) -> Value {
        let buffer = self.temporary(entry, 8 * words.len().max(1) as u64, 8);
        for (&word, at) in words.iter().zip(0u64..) {
            let address = self.ptr_offset(buffer, 8 * at);
            self.store(word, address, Mem::aligned(8));
        }
        buffer
    }

    /// Appends the extension of a scalar's bits to 64.
    pub fn word(&mut self, value: Value) -> Value {
        let kind = self.func.ty(value).kind;
        let bits = Type::scalar(Kind::int_of_bits(kind.bits()));
        let value = if kind.is_int() { value } else { self.convert(Op::Bitcast, bits, value) };
        self.convert(Op::Zext, Type::I64, value)
    }
}
