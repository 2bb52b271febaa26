//! Lowering: turns the typed tree of a unit into an IR module.
//!
//! Every local variable becomes private memory, which `promote` turns into SSA values. Structs live in
//! memory: a struct value is the address of memory that holds it and is not written while the value is in
//! use. A struct parameter is the address of the caller's object, which the callee copies; a struct result is
//! stored through a pointer that is the first parameter.

mod block;
mod builtin;
mod convert;
mod expr;
mod func;
mod lvalue;
mod stmt;

use grus_clc::tree::{self, FunctionBody, FunctionId, Unit};
use grus_clc::types::{Opaque, Scalar, Space, Type as CType, TypeId, TypeTable};
use grus_ir::{GlobalSpace, Kind, Linkage, Module, Type};
use grus_support::{Id, IdMap, IdVec};

/// Lowers a unit. Functions keep their order; those that are operations of the IR are omitted.
pub fn lower(unit: &Unit, functions_to_lower: LoweredFunctions) -> Lowered {
    let mut module = Module::default();
    for (_, global) in unit.globals.iter() {
        module.globals.push(lower_global(&unit.types, global));
    }
    let mut map = IdMap::with_len(None, unit.functions.len());
    let mut functions: IdVec<grus_ir::FuncId, FunctionId> = IdVec::new();
    for (id, function) in unit.functions.iter() {
        if !matches!(function.body, FunctionBody::Op(_)) {
            map[id] = Some(module.funcs.push(func::declare(function)));
            functions.push(id);
        }
    }
    let blocks = block::Blocks::new(unit, module.funcs.len());
    let cx = LowerContext { unit, map, blocks };
    let bodies = unit.blocks.iter().map(|block| cx.map[block.invoke].expect("a block's body is a function"));
    let bodies: Vec<grus_ir::FuncId> = bodies.collect();
    let is_root = |id: &grus_ir::FuncId| {
        functions_to_lower == LoweredFunctions::All || unit.functions[functions[*id]].kernel.is_some()
    };
    let mut worklist: Vec<grus_ir::FuncId> =
        functions.ids().filter(is_root).chain(bodies.iter().copied()).collect();
    let mut is_done = IdMap::with_len(false, functions.len());
    let mut extras = block::LoweredExtras::new(&cx);
    loop {
        while let Some(id) = worklist.pop() {
            // Ids past the unit's functions are extras, which `LoweredExtras` lowers in any case.
            if let Some(&function) = functions.get(id)
                && !std::mem::replace(&mut is_done[id], true)
            {
                module.funcs[id] = func::lower_function(&cx, &unit.functions[function], &[]);
                worklist.extend(called(&module.funcs[id]));
            }
        }
        match extras.next(&cx, &mut module) {
            Some(id) => worklist.extend(called(&module.funcs[id])),
            None => break,
        }
    }
    Lowered { bodies, module }
}

/// Selection of the functions of a unit to be lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoweredFunctions {
    /// All functions, because other units may call them.
    All,
    /// Functions that kernels and blocks reach; the others become declarations. This saves time for headers
    /// with many helper functions.
    Reachable,
}

/// Returns the functions that a function calls.
fn called(func: &grus_ir::Function) -> impl Iterator<Item = grus_ir::FuncId> + '_ {
    func.instructions().filter_map(|inst| match inst.attr {
        grus_ir::Attr::Func(callee) => Some(callee),
        _ => None,
    })
}

/// Result of lowering a unit.
pub struct Lowered {
    pub module: Module,
    /// Functions of the unit's block literals, in the order of the literals.
    pub bodies: Vec<grus_ir::FuncId>,
}

/// Data about the unit that lowering a function needs.
struct LowerContext<'u> {
    unit: &'u Unit,
    map: IdMap<FunctionId, Option<grus_ir::FuncId>>,
    blocks: block::Blocks,
}

impl LowerContext<'_> {
    fn types(&self) -> &TypeTable {
        &self.unit.types
    }
    /// Returns the IR type of a value; structs are addresses.
    fn ty(&self, id: TypeId) -> Type {
        value_type(&self.unit.types, id)
    }
}

fn lower_global(types: &TypeTable, global: &tree::Global) -> grus_ir::Global {
    let space = match global.ty.space {
        Space::Local => GlobalSpace::Local,
        Space::Constant => GlobalSpace::Constant,
        _ => GlobalSpace::Global,
    };
    let data = global.init.clone().unwrap_or_default();
    let relocs =
        data.relocs.iter().map(|r| (r.offset, grus_ir::GlobalId::new(r.target.index()), r.addend)).collect();
    grus_ir::Global {
        name: global.name.clone(),
        linkage: linkage(global.is_static),
        is_defined: !global.is_extern,
        space,
        size: types.size_of(global.ty.ty),
        align: types.align_of(global.ty.ty),
        init: data.bytes,
        relocs,
    }
}

fn linkage(is_static: bool) -> Linkage {
    if is_static { Linkage::Internal } else { Linkage::EXTERNAL }
}

/// Returns the IR kind of a pointer into `space`.
pub(crate) fn pointer_kind(space: Space) -> Kind {
    match space {
        Space::Private => Kind::PtrPrivate,
        Space::Global => Kind::PtrGlobal,
        Space::Local => Kind::PtrLocal,
        Space::Constant => Kind::PtrConstant,
        Space::Generic => Kind::PtrGeneric,
    }
}

/// Returns the IR kind of a scalar.
pub(crate) fn scalar_kind(scalar: Scalar) -> Kind {
    match scalar {
        Scalar::Char | Scalar::UChar => Kind::I8,
        Scalar::Short | Scalar::UShort => Kind::I16,
        Scalar::Int | Scalar::UInt => Kind::I32,
        Scalar::Long | Scalar::ULong => Kind::I64,
        Scalar::Half => Kind::F16,
        Scalar::Float => Kind::F32,
        Scalar::Double => Kind::F64,
    }
}

/// Returns the IR type of values of a type. A bool is an `i8` of 0 or 1, an image the address of its
/// descriptor, a sampler its number, a pipe the address of its header; other handles are `i64`. Structs,
/// arrays and blocks are addresses of private memory.
pub(crate) fn value_type(types: &TypeTable, id: TypeId) -> Type {
    match types.get(id) {
        CType::Error | CType::Void | CType::Function(_) => Type::VOID,
        CType::Bool => Type::I8,
        CType::Scalar(s) | CType::Atomic(s) => Type::scalar(scalar_kind(*s)),
        CType::Vector(s, n) => Type::vector(scalar_kind(*s), u16::from(*n)),
        CType::Pointer(to) => Type::scalar(pointer_kind(to.space)),
        CType::Opaque(Opaque::Image(..)) => Type::CONSTANT,
        CType::Opaque(Opaque::Sampler) => Type::I32,
        CType::Pipe(..) => Type::GLOBAL,
        CType::Opaque(Opaque::NdRange) => Type::PRIVATE,
        CType::Opaque(_) => Type::I64,
        CType::Array(..) | CType::Struct(_) | CType::Block(_) => Type::PRIVATE,
    }
}
