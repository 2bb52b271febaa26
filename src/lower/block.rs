//! Calls of blocks. IR has no pointers to functions and rarely needs them, because the language lets most
//! block values be traced to their literal: a block variable has the literal of its initializer, and a
//! function with block parameters is cloned for each set of literals that it is called with.
//!
//! A block whose literal is unknown, because another unit creates the block or calls the function, is called
//! through the closure switch of its signature. The switch is declared here and defined when all units are
//! linked ([`grus_ir::ClosureSwitch`]).

use std::cell::RefCell;

use super::func::{Lowering, is_struct};
use super::{LowerContext, func};
use grus_clc::tree::{
    self, Expr, ExprKind, FunctionBody, FunctionId, GlobalId, Init, LocalId, Lvalue, LvalueKind, Unit,
};
use grus_clc::types::{Type as CType, TypeId};
use grus_ir::{Attr, ClosureSwitch, FuncId, Function, Linkage, Module, Op, Type, Value};
use grus_support::{FastMap, Id};

/// Maximum number of clones in a unit in addition to two for each literal; further calls go through closure
/// switches. Functions that pass on several blocks could need any number of clones.
// Arbitrary.
const MAX_EXTRA_CLONES: usize = 64;

/// A block literal: its index in the unit's list.
type BlockLiteral = u32;

/// A function that is not in the unit's tree.
#[derive(Clone, PartialEq, Eq, Hash)]
enum ExtraFunction {
    /// Clone of a function for known blocks, one entry for each parameter.
    Clone(FunctionId, Vec<Option<BlockLiteral>>),
    ClosureSwitch(Signature),
}

/// Signature of an invoke function.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Signature {
    ret: Type,
    params: Vec<Type>,
    /// Index of the block parameter, which comes after the address of a struct result.
    block: u8,
}

/// Block literals of a unit and the functions created for them.
pub(super) struct Blocks {
    by_descriptor: FastMap<GlobalId, BlockLiteral>,
    /// Number of the first function that is not in the unit's tree.
    base: usize,
    extras: RefCell<ExtraFunctions>,
}

#[derive(Default)]
struct ExtraFunctions {
    list: Vec<ExtraFunction>,
    ids: FastMap<ExtraFunction, FuncId>,
}

impl Blocks {
    pub(super) fn new(unit: &Unit, base: usize) -> Blocks {
        let numbered = unit.blocks.iter().enumerate();
        let by_descriptor = numbered.map(|(i, block)| (block.descriptor, i as BlockLiteral)).collect();
        Blocks { by_descriptor, base, extras: RefCell::default() }
    }

    fn extra(&self, extra: ExtraFunction) -> FuncId {
        let mut extras = self.extras.borrow_mut();
        if let Some(&id) = extras.ids.get(&extra) {
            return id;
        }
        let id = FuncId::new(self.base + extras.list.len());
        extras.list.push(extra.clone());
        extras.ids.insert(extra, id);
        id
    }

    fn nth(&self, index: usize) -> Option<ExtraFunction> {
        self.extras.borrow().list.get(index).cloned()
    }

    /// Returns the literal whose descriptor is the first word of these contents.
    fn literal_at(&self, data: Option<&tree::ConstData>) -> Option<BlockLiteral> {
        let first = data?.relocs.first().filter(|r| r.offset == 0 && r.addend == 0)?;
        self.by_descriptor.get(&first.target).copied()
    }
}

impl LowerContext<'_> {
    /// Returns the signature of blocks of type `ty`.
    fn signature(&self, ty: TypeId) -> Signature {
        let CType::Block(ty) = self.types().get(ty) else { unreachable!("a block has a block's type") };
        let returns_struct = is_struct(self, ty.ret);
        let mut params = vec![Type::PRIVATE; 1 + usize::from(returns_struct)];
        params.extend(ty.params.iter().map(|p| self.ty(*p)));
        let ret = if returns_struct { Type::VOID } else { self.ty(ty.ret) };
        Signature { ret, params, block: u8::from(returns_struct) }
    }
}

/// Lowers the extra functions, which may request further ones, and collects the unit's literals by signature.
pub(super) struct LoweredExtras {
    entries: FastMap<FuncId, Vec<(grus_ir::GlobalId, FuncId)>>,
    count: usize,
}

impl LoweredExtras {
    pub(super) fn new(cx: &LowerContext<'_>) -> LoweredExtras {
        let mut entries: FastMap<FuncId, Vec<(grus_ir::GlobalId, FuncId)>> = FastMap::default();
        for block in cx.unit.blocks.iter().filter(|block| block.is_called) {
            let closure_switch = cx.blocks.extra(ExtraFunction::ClosureSwitch(cx.signature(block.ty)));
            let invoke = cx.map[block.invoke].expect("a block's body is a function");
            let descriptor = grus_ir::GlobalId::new(block.descriptor.index());
            entries.entry(closure_switch).or_default().push((descriptor, invoke));
        }
        LoweredExtras { entries, count: 0 }
    }

    /// Adds the next requested function to the module; returns it.
    pub(super) fn next(&mut self, cx: &LowerContext<'_>, module: &mut Module) -> Option<FuncId> {
        let extra = cx.blocks.nth(self.count)?;
        self.count += 1;
        Some(match extra {
            ExtraFunction::Clone(id, blocks) => {
                let mut func = func::lower_function(cx, &cx.unit.functions[id], &blocks);
                (func.linkage, func.is_kernel) = (Linkage::Internal, false);
                module.funcs.push(func)
            }
            ExtraFunction::ClosureSwitch(Signature { ret, params, block }) => {
                let texts: Vec<String> = params.iter().map(Type::to_string).collect();
                // The name identifies the switch across units. No function of a program has such a name.
                let name = format!("block {block} {ret}({})", texts.join(","));
                let func = module.funcs.push(Function::new(name, ret));
                let blocks = self.entries.remove(&func).unwrap_or_default();
                module.closure_switches.push(ClosureSwitch { func, params, block, blocks });
                func
            }
        })
    }
}

impl Lowering<'_> {
    /// Records the literal of a block variable.
    pub(super) fn record_block(&mut self, local: LocalId, init: &Init) {
        if let Init::Value(value) = init
            && let Some(literal) = self.literal_of(value)
        {
            self.known.insert(local, literal);
        }
    }

    /// Returns the literal of a block value if it can be traced.
    fn literal_of(&self, block: &Expr) -> Option<BlockLiteral> {
        let mut block = block;
        while let ExprKind::Comma(_, last) = &block.kind {
            block = last;
        }
        let blocks = &self.cx.blocks;
        match &block.kind {
            ExprKind::AddressOf(Lvalue { kind: LvalueKind::Global(id), .. }) => {
                blocks.by_descriptor.get(id).copied()
            }
            ExprKind::AddressOf(Lvalue { kind: LvalueKind::CompoundLiteral(_, init), .. }) => match &**init {
                Init::Parts(parts) => self.literal_of(&parts.first()?.1),
                Init::Value(_) => None,
            },
            ExprKind::Load(Lvalue { kind: LvalueKind::Local(id), .. }) => self.known.get(id).copied(),
            ExprKind::Load(Lvalue { kind: LvalueKind::Global(id), .. }) if self.is_block(block.ty) => {
                blocks.literal_at(self.cx.unit.globals[*id].init.as_ref())
            }
            _ => None,
        }
    }

    fn is_block(&self, ty: TypeId) -> bool {
        matches!(self.cx.types().get(ty), CType::Block(_))
    }

    /// Lowers the call of a block.
    pub(super) fn call_block(&mut self, block: &Expr, args: &[Expr], ret: TypeId) -> Option<Value> {
        let closure = self.value(block);
        let mut values = vec![closure];
        values.extend(args.iter().map(|a| self.value(a)));
        let func = match self.literal_of(block) {
            Some(literal) => {
                let known = [None].into_iter().chain(args.iter().map(|a| self.block_argument(a)));
                self.callee(self.cx.unit.blocks[literal as usize].invoke, known.collect())
            }
            None => self.cx.blocks.extra(ExtraFunction::ClosureSwitch(self.cx.signature(block.ty))),
        };
        self.call_func(func, ret, values)
    }

    /// Returns the function for a call of `id`: a clone if arguments are known blocks.
    pub(super) fn function_for(&self, id: FunctionId, args: &[Expr]) -> FuncId {
        self.callee(id, args.iter().map(|a| self.block_argument(a)).collect())
    }

    fn block_argument(&self, arg: &Expr) -> Option<BlockLiteral> {
        self.is_block(arg.ty).then(|| self.literal_of(arg)).flatten()
    }

    fn callee(&self, id: FunctionId, known: Vec<Option<BlockLiteral>>) -> FuncId {
        let func = self.cx.map[id].expect("a function that is not an operation is in the module");
        let has_body = matches!(self.cx.unit.functions[id].body, FunctionBody::Block(_));
        let blocks = &self.cx.blocks;
        if !has_body || known.iter().all(Option::is_none) {
            return func;
        }
        let clone = ExtraFunction::Clone(id, known);
        let max_extras = MAX_EXTRA_CLONES + 2 * self.cx.unit.blocks.len();
        let is_full = blocks.extras.borrow().list.len() >= max_extras;
        if is_full && !blocks.extras.borrow().ids.contains_key(&clone) {
            return func;
        }
        blocks.extra(clone)
    }

    /// Emits a call with lowered arguments; a struct result is the address of a temporary.
    pub(super) fn call_func(&mut self, func: FuncId, ret: TypeId, mut args: Vec<Value>) -> Option<Value> {
        let slot = is_struct(self.cx, ret).then(|| self.temporary_of(ret));
        if let Some(slot) = slot {
            args.insert(0, slot);
        }
        let ty = if slot.is_some() { Type::VOID } else { self.cx.ty(ret) };
        let inst = self.b.inst(Op::Call, ty, &args, Attr::Func(func), Vec::new());
        slot.or(self.b.func.insts[inst].result)
    }
}
