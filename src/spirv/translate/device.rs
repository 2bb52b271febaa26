//! Device-side enqueue: kernels that enqueue functions of the module.
//!
//! The executor knows functions to be enqueued by *closure objects*: memory that begins with the address of a descriptor,
//! a constant that stands for the function, and is copied for the launch. So an OpEnqueueKernel makes a closure object of
//! the parameter's bytes, and a function that takes the object's address and calls the invoked one with that of the bytes.
//!
//! An ND-range is a structure of ten numbers: the number of dimensions, then offset, global size and local size.

use grus_ir::abi::enqueue::{self, Call};
use grus_ir::{
    Attr, Builder, FuncId, Function, Global, GlobalId, GlobalSpace, Linkage, Mem, Op, Type, Value,
};

use super::arithmetic::resize;
use super::function::{FunctionTranslator, Leaves, Result, Translation};
use super::module::Translator;
use crate::error::{Fault, shortened};
use crate::grammar::Opcode;
use crate::module::Id;
use crate::types::TypeForm;

/// Function that kernels enqueue.
#[derive(Clone, Debug)]
pub struct EnqueuedFunction {
    pub name: String,
    /// Function that takes the address of the closure object, then pointers to local memory.
    pub func: FuncId,
    pub descriptor: GlobalId,
    /// Size of the closure object in bytes.
    pub closure_size: u32,
    /// Number of pointers to local memory.
    pub locals: usize,
}

/// Properties by which enqueued functions differ: the function, size and alignment of its parameter, and the number of
/// pointers to local memory.
pub(crate) type EnqueuedKey = (Id, u64, u64, usize);

/// Numbers of an ND-range.
const RANGE_WORDS: usize = 10;

/// Position of the local size in OpBuildNDRange.
const LOCAL_SIZE: usize = 4;

/// Maximum size of a parameter in bytes.
// Source: as large as the arguments of a kernel may be.
const MAX_PARAM: u64 = 1 << 16;

/// Size of the descriptor's address at the beginning of a closure object, and of the object's size behind it.
const CLOSURE_HEAD: u64 = 16;

pub(super) fn is_of_device(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(
        opcode,
        EnqueueKernel
            | BuildNDRange
            | GetKernelNDrangeSubGroupCount
            | GetKernelNDrangeMaxSubGroupSize
            | GetKernelWorkGroupSize
            | GetKernelPreferredWorkGroupSizeMultiple
            | GetKernelLocalSizeForSubgroupCount
            | GetKernelMaxNumSubgroups
    )
}

impl FunctionTranslator<'_, '_> {
    pub(super) fn device(&mut self, opcode: Opcode, words: &[u32]) -> Result<()> {
        let value = match opcode {
            Opcode::EnqueueKernel => self.enqueue_kernel(words)?,
            Opcode::BuildNDRange => return self.build_range(words),
            Opcode::GetKernelNDrangeSubGroupCount => {
                let args = self.range_and_closure(words, 3, 4)?;
                self.b.ask_device(self.entry, Call::SubGroupCount, &args)
            }
            Opcode::GetKernelNDrangeMaxSubGroupSize => {
                let args = self.range_and_closure(words, 3, 4)?;
                self.b.ask_device(self.entry, Call::SubGroupSize, &args)
            }
            Opcode::GetKernelWorkGroupSize => {
                self.b.iconst(Type::I64, u64::from(enqueue::MAX_WORK_GROUP_SIZE))
            }
            Opcode::GetKernelPreferredWorkGroupSizeMultiple => {
                self.b.iconst(Type::I64, u64::from(enqueue::WORK_GROUP_MULTIPLE))
            }
            _ => return Err(Fault::new("the device does not support this instruction")),
        };
        let ty = self.t.globals.type_at(words, 1)?;
        let ir = self.t.types().ir(ty).filter(|ir| ir.kind.is_int() && !ir.is_vector());
        let ir = ir.ok_or_else(|| Fault::at(1, "the result is no integer"))?;
        let value = resize(&mut self.b, Op::Zext, ir, value);
        self.result(words, value)
    }

    fn build_range(&mut self, words: &[u32]) -> Result<()> {
        let ty = self.t.globals.type_at(words, 1)?;
        let leaves = self.t.types().leaves(ty).filter(|leaves| leaves.len() == RANGE_WORDS);
        let leaves = leaves
            .filter(|leaves| leaves.iter().all(|leaf| leaf.ty.ir.kind.is_int() && !leaf.ty.is_narrow()));
        let leaves = leaves.ok_or_else(|| {
            Fault::at(1, "the result is no structure of a number and three arrays of three")
        })?;
        // Offset, global size, local size, with what stands for dimensions that are not there.
        let parts = [(5, 0), (3, 1), (LOCAL_SIZE, 0)];
        let mut values = Leaves::new();
        let mut dims = 1;
        for (at, missing) in parts {
            let given = match self.translation(Id(words[at]))? {
                (_, Translation::One(value)) => Leaves::from_slice(&[value]),
                (_, Translation::Leaves(values)) if values.len() <= 3 => values,
                _ => return Err(Fault::at(at, "the size is neither an integer nor an array of up to three")),
            };
            dims = dims.max(given.len());
            for dim in 0..3 {
                let leaf = leaves[1 + values.len()].ty.ir;
                values.push(match given.get(dim) {
                    Some(&value) => resize(&mut self.b, Op::Zext, leaf, value),
                    // Without a local size all of it is 0.
                    None if at == LOCAL_SIZE => self.one_if_there(values[6], leaf),
                    None => self.b.iconst(leaf, missing),
                });
            }
        }
        let count = self.b.iconst(leaves[0].ty.ir, dims as u64);
        values.insert(0, count);
        self.define(Id(words[2]), ty, Translation::Leaves(values));
        Ok(())
    }

    /// Emits 1 if a size is there, which is not 0 then, else 0.
    fn one_if_there(&mut self, size: Value, ty: Type) -> Value {
        let is_there = self.truth(size);
        self.b.convert(Op::Zext, ty, is_there)
    }

    /// Returns the address of the words of an ND-range.
    fn range_words(&mut self, words: &[u32], at: usize) -> Result<Value> {
        let (mut ty, mut value) = self.translation(Id(words[at]))?;
        if let Translation::One(address) = value {
            let pointee = self.t.types().pointee(ty);
            ty = pointee.ok_or_else(|| Fault::at(at, "the operand is no ND-range"))?;
            value = self.load_any(ty, address, self.t.types().get(ty).align, false)?;
        }
        let Translation::Leaves(numbers) = value else {
            return Err(Fault::at(at, "the operand is no ND-range"));
        };
        if numbers.len() != RANGE_WORDS {
            return Err(Fault::at(at, "the operand is no ND-range"));
        }
        let numbers: Vec<Value> = numbers.into_iter().map(|number| self.b.word(number)).collect();
        Ok(self.b.stored(self.entry, &numbers))
    }

    fn enqueue_kernel(&mut self, words: &[u32]) -> Result<Value> {
        let (queue, flags) = (self.value(words, 3)?, self.value(words, 4)?);
        let range = self.range_words(words, 5)?;
        let (count, waits, event) = (self.value(words, 6)?, self.value(words, 7)?, self.value(words, 8)?);
        let sizes: Vec<Value> =
            (13..words.len()).map(|at| self.local_size(words, at)).collect::<Result<_>>()?;
        let closure = self.closure(words, 9, sizes.len())?;
        let sizes_count = self.b.iconst(Type::I64, sizes.len() as u64);
        let mut args = vec![queue, flags, range, count, waits, event, closure, sizes_count];
        args.extend(sizes);
        Ok(self.b.ask_device(self.entry, Call::EnqueueAfter, &args))
    }

    /// Returns a size of local memory. Khronos' translator writes the address of the size instead.
    fn local_size(&mut self, words: &[u32], at: usize) -> Result<Value> {
        let (ty, size) = self.typed(words, at)?;
        if !self.b.func.ty(size).kind.is_ptr() {
            return Ok(size);
        }
        let pointee = self.t.types().pointee(ty).and_then(|ty| self.t.types().value(ty));
        let pointee = pointee.filter(|ty| ty.ir.kind.is_int() && !ty.ir.is_vector());
        let ty = pointee.ok_or_else(|| Fault::at(at, "the operand is no size, nor the address of one"))?;
        Ok(self.load_value(ty, size, Mem::aligned(ty.ir.kind.bytes())))
    }

    fn range_and_closure(&mut self, words: &[u32], range: usize, invoke: usize) -> Result<[Value; 2]> {
        let locals = self.t.range_of(Id(words[invoke]));
        let locals = locals.ok_or_else(|| Fault::at(invoke, "the operand is no function"))?;
        let (_, params) = self.t.signature(self.t.module.raw(locals.start as usize))?;
        Ok([self.range_words(words, range)?, self.closure(words, invoke, params.len().saturating_sub(1))?])
    }

    /// Makes the closure object of the invoked function at a position, which is followed by its parameter, and size and
    /// alignment of that.
    fn closure(&mut self, words: &[u32], at: usize, locals: usize) -> Result<Value> {
        let invoke = Id(words[at]);
        let param = self.value(words, at + 1)?;
        if !self.b.func.ty(param).kind.is_ptr() {
            return Err(Fault::at(at + 1, "the parameter is no pointer"));
        }
        let number = |at: usize| {
            self.constant_operand(words, at)
                .ok_or_else(|| Fault::at(at, "the parameter's size is not constant"))
        };
        let (size, align) = (number(at + 2)?, number(at + 3)?.clamp(1, 128));
        if size > MAX_PARAM || !align.is_power_of_two() {
            return Err(Fault::at(at + 2, "the parameter is too large, or its alignment no power of two"));
        }
        let descriptor =
            self.t.enqueued(invoke, size, align, locals).map_err(|fault| Fault { at, ..fault })?;
        let closure = self.temporary(CLOSURE_HEAD.next_multiple_of(align) + size, align.max(8) as u32);
        let address = self.address(descriptor);
        self.b.store(address, closure, Mem::aligned(8));
        let data = self.b.ptr_offset(closure, CLOSURE_HEAD.next_multiple_of(align));
        self.b.copy_bytes(data, param, size, 1);
        Ok(closure)
    }
}

impl Translator<'_> {
    /// Returns the descriptor of a function that is enqueued with such a parameter.
    fn enqueued(&mut self, invoke: Id, size: u64, align: u64, locals: usize) -> Result<GlobalId> {
        let key = (invoke, size, align, locals);
        if let Some(&index) = self.enqueued_index.get(&key) {
            return Ok(self.enqueued[index].descriptor);
        }
        let range = self.range_of(invoke);
        let range = range.ok_or_else(|| Fault::new(format!("{invoke} is no function")))?;
        let (result, params) = self.signature(self.module.raw(range.start as usize))?;
        let kinds: Vec<Option<Type>> = params.iter().map(|&ty| self.types().ir(ty)).collect();
        let fits = matches!(self.types().form(result), TypeForm::Void)
            && kinds.len() == 1 + locals
            && kinds[0].is_some_and(|ty| ty.kind.is_ptr())
            && kinds[1..].iter().all(|&ty| ty == Some(Type::LOCAL));
        if !fits {
            return Err(Fault::new(format!(
                "{invoke} does not take a pointer and {locals} pointers to local memory, or has a result"
            )));
        }
        let data = CLOSURE_HEAD.next_multiple_of(align);
        let closure_size = (data + size).next_multiple_of(align.max(8));
        let callee = self.functions[&invoke];
        // It is there three times for each size of a parameter.
        let name = shortened(&self.out.funcs[callee].name);
        let func = invoker(&name, callee, kinds[0].expect("it was checked"), data, locals);
        let func = self.out.funcs.push(func);
        let descriptor = self.out.globals.next_id();
        let mut init = vec![0; CLOSURE_HEAD as usize];
        init[8..].copy_from_slice(&closure_size.to_le_bytes());
        self.out.globals.push(Global {
            name: format!("descriptor of {name}"),
            linkage: Linkage::Internal,
            is_defined: true,
            space: GlobalSpace::Constant,
            size: CLOSURE_HEAD,
            align: 8,
            init,
            relocs: vec![(0, descriptor, 0)],
        });
        self.enqueued_index.insert(key, self.enqueued.len());
        let closure_size = closure_size as u32;
        self.enqueued.push(EnqueuedFunction { name, func, descriptor, closure_size, locals });
        Ok(descriptor)
    }
}

/// Returns a function that takes a closure object and pointers to local memory, and calls another with the address of
/// the object's data.
fn invoker(name: &str, callee: FuncId, param: Type, data: u64, locals: usize) -> Function {
    let mut func = Function::new(format!("{name} as a block"), Type::VOID);
    func.linkage = Linkage::Internal;
    let entry = func.add_block();
    let closure = func.add_param(entry, Type::PRIVATE);
    let locals: Vec<Value> = (0..locals).map(|_| func.add_param(entry, Type::LOCAL)).collect();
    let mut b = Builder::new(&mut func, entry);
    let data = b.ptr_offset(closure, data);
    let mut args = vec![b.convert(Op::Bitcast, param, data)];
    args.extend(locals);
    b.inst(Op::Call, Type::VOID, &args, Attr::Func(callee), Vec::new());
    b.ret(&[]);
    func
}
