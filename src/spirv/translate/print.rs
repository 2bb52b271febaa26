//! `printf`, whose arguments are stored in memory for the runtime.

use grus_ir::abi::print::{self, Class};
use grus_ir::{Helper, Kind, Mem, Op, Query, Type, Value};

use super::function::{FunctionTranslator, Result};
use crate::error::Fault;

impl FunctionTranslator<'_, '_> {
    /// Translates a call of printf: each argument is stored as a descriptor followed by a word for each lane.
    pub(super) fn printf(&mut self, words: &[u32]) -> Result<()> {
        let format = self.value(words, 5)?;
        if !self.b.func.ty(format).kind.is_ptr() {
            return Err(Fault::at(5, "the format is no pointer"));
        }
        let args: Vec<Value> = (6..words.len()).map(|at| self.value(words, at)).collect::<Result<_>>()?;
        let count: u64 = args.iter().map(|&arg| 1 + u64::from(self.b.func.ty(arg).lanes)).sum();
        let buffer = self.temporary(8 * count.max(1), 8);
        let mut offset = 0;
        for &arg in &args {
            let arg = self.widened(arg);
            let ty = self.b.func.ty(arg);
            let class = match ty.kind {
                kind if kind.is_float() => Class::Float,
                kind if kind.is_ptr() => Class::Pointer,
                _ => Class::Int,
            };
            let description = print::describe(class, ty.kind.bits(), ty.lanes as u8);
            let description = self.b.iconst(Type::I64, description);
            self.store_word(buffer, &mut offset, description);
            for lane in 0..ty.lanes {
                let value = if ty.is_vector() { self.b.extract(arg, lane) } else { arg };
                let word = self.word(value);
                self.store_word(buffer, &mut offset, word);
            }
        }
        let format = self.b.convert(Op::Bitcast, Type::CONSTANT, format);
        let buffer = self.b.convert(Op::Bitcast, Type::CONSTANT, buffer);
        let count = self.b.iconst(Type::I64, args.len() as u64);
        let context = self.b.query(Query::Context, 0);
        let value = self.b.helper(Helper::Printf, Type::I32, &[context, format, buffer, count]);
        self.result(words, value.expect("printf returns an int"))
    }

    pub(super) fn store_word(&mut self, buffer: Value, offset: &mut u64, word: Value) {
        let ptr = self.b.ptr_offset(buffer, *offset);
        self.b.store(word, ptr, Mem::aligned(8));
        *offset += 8;
    }

    /// Extends the bits of a scalar to 64.
    pub(super) fn word(&mut self, value: Value) -> Value {
        let kind = self.b.func.ty(value).kind;
        let bits = Type::scalar(Kind::int_of_bits(kind.bits()));
        let value = if kind.is_int() { value } else { self.b.convert(Op::Bitcast, bits, value) };
        self.b.convert(Op::Zext, Type::I64, value)
    }
}
