//! Lowering of one function: its variables, body, and elementwise form.

use super::LowerContext;
use grus_clc::tree::{self, FunctionBody, LabelId, LocalId};
use grus_clc::types::{Opaque, Type as CType, TypeId};
use grus_ir::{Attr, Block, Builder, Function, Loc, Mem, Op, ParamFacts, Type, Value, analysis};
use grus_support::{FastMap, Id, IdMap};

/// State of lowering one function.
pub(super) struct Lowering<'a> {
    pub cx: &'a LowerContext<'a>,
    pub function: &'a tree::Function,
    pub b: Builder<'a>,
    /// Addresses of the variables.
    pub slots: IdMap<LocalId, Option<Value>>,
    pub labels: IdMap<LabelId, Option<Block>>,
    /// Targets of `break`, innermost last.
    pub breaks: Vec<Block>,
    /// Unroll factor that the program requests for the next loop.
    pub unroll: Option<u32>,
    pub continues: Vec<Block>,
    /// Literals of block variables, as far as they are known.
    pub known: FastMap<LocalId, u32>,
    /// Address where a struct result is stored.
    pub result_slot: Option<Value>,
    /// Entry block with allocations and parameters; it gets its terminator at the end.
    pub entry: Block,
}

/// Returns a declaration without parameters and result.
pub(super) fn declare(function: &tree::Function) -> Function {
    let mut func = Function::new(function.name.clone(), Type::VOID);
    func.linkage = super::linkage(function.is_static);
    func.is_kernel = function.kernel.is_some();
    func.no_inline = function.no_inline;
    func.is_deferred = function.is_deferred;
    func.is_rare = function.is_rare;
    func
}

/// Lowers one function that is not an operation; a prototype gets no body. `blocks` are the literals of block
/// parameters that are known.
pub(super) fn lower_function(
    cx: &LowerContext<'_>,
    function: &tree::Function,
    blocks: &[Option<u32>],
) -> Function {
    let returns_struct = is_struct(cx, function.ret);
    let ret = if returns_struct { Type::VOID } else { cx.ty(function.ret) };
    let mut func = Function { ret, ..declare(function) };
    if matches!(function.body, FunctionBody::Declared | FunctionBody::Op(_)) {
        return func;
    }
    let entry = func.add_block();
    let mut lowering = Lowering {
        cx,
        function,
        b: Builder::new(&mut func, entry),
        slots: IdMap::with_len(None, function.locals.len()),
        labels: IdMap::with_len(None, function.labels as usize),
        breaks: Vec::new(),
        unroll: None,
        continues: Vec::new(),
        known: known_blocks(blocks),
        result_slot: None,
        entry,
    };
    let params = lowering.parameters(returns_struct);
    let body = lowering.b.func.add_block();
    match &function.body {
        FunctionBody::Block(stmts) => lowering.body(stmts, &params, body),
        FunctionBody::Elementwise(scalar) => lowering.elementwise(*scalar, &params, body),
        FunctionBody::Declared | FunctionBody::Op(_) => {}
    }
    lowering.finish(body);
    analysis::prune_unreachable(&mut func);
    func
}

fn known_blocks(blocks: &[Option<u32>]) -> FastMap<LocalId, u32> {
    let numbered = blocks.iter().enumerate();
    numbered.filter_map(|(i, block)| Some((LocalId::new(i), (*block)?))).collect()
}

/// Checks whether values of a type are addresses of private memory.
pub(super) fn is_struct(cx: &LowerContext<'_>, ty: TypeId) -> bool {
    matches!(cx.types().get(ty), CType::Struct(_) | CType::Opaque(Opaque::NdRange))
}

impl Lowering<'_> {
    /// Declares the parameters in the entry block.
    fn parameters(&mut self, returns_struct: bool) -> Vec<Value> {
        if returns_struct {
            self.result_slot = Some(self.b.func.add_param(self.entry, Type::PRIVATE));
        }
        let ids = (0..self.function.params as usize).map(LocalId::new);
        ids.map(|id| {
            let declared = &self.function.locals[id].ty;
            let facts = match self.cx.types().get(declared.ty) {
                CType::Pointer(to) => ParamFacts {
                    is_restrict: declared.is_restrict,
                    is_const: to.is_const,
                    align: self.cx.types().align_of(to.ty) as u32,
                    ..ParamFacts::default()
                },
                _ => ParamFacts::default(),
            };
            // The address of a struct result comes first and has no facts.
            let params = self.b.func.params().len();
            self.b.func.param_facts.resize(params, ParamFacts::default());
            self.b.func.param_facts.push(facts);
            self.b.func.add_param(self.entry, self.cx.ty(declared.ty))
        })
        .collect()
    }

    fn body(&mut self, stmts: &[tree::Stmt], params: &[Value], body: Block) {
        for (i, &param) in params.iter().enumerate() {
            let id = LocalId::new(i);
            let slot = self.slot(id);
            let ty = self.function.locals[id].ty.ty;
            self.store_value(ty, param, slot);
        }
        self.b.switch_to(body);
        self.stmts(stmts);
    }

    /// Emits a body that calls the scalar function for each lane of the vector parameters.
    fn elementwise(&mut self, scalar: tree::FunctionId, params: &[Value], body: Block) {
        self.b.switch_to(body);
        let callee = &self.cx.unit.functions[scalar];
        let ret = self.cx.ty(self.function.ret);
        let lanes = params.iter().map(|&p| self.b.func.ty(p).lanes).max().unwrap_or(1).max(ret.lanes);
        let mut results = Vec::new();
        for lane in 0..lanes {
            let args: Vec<Value> =
                (0..params.len()).map(|i| self.lane_argument(callee, params[i], i, lane)).collect();
            let result = self.call(scalar, callee, &args);
            results.extend(result);
        }
        let args: Vec<Value> = if results.is_empty() {
            vec![]
        } else {
            vec![self.b.value(Op::BuildVector, ret, &results, Attr::None)]
        };
        self.b.ret(&args);
    }

    fn lane_argument(&mut self, callee: &tree::Function, param: Value, index: usize, lane: u16) -> Value {
        let ty = self.b.func.ty(param);
        if ty.is_vector() {
            return self.b.extract(param, lane);
        }
        let scalar_param = callee.locals[LocalId::new(index)].ty.ty;
        match self.cx.types().get(scalar_param) {
            CType::Pointer(to) => {
                let bytes = u64::from(lane) * self.cx.types().size_of(to.ty);
                self.b.ptr_offset(param, bytes)
            }
            _ => param,
        }
    }

    /// Terminates the last block and the entry block.
    fn finish(&mut self, body: Block) {
        if !self.b.is_terminated() {
            if self.b.func.ret == Type::VOID {
                self.b.ret(&[]);
            } else {
                // Reaching the end of the function gives an undefined value (C99 s6.9.1); here it is zero.
                let zero = self.b.zero(self.b.func.ret);
                self.b.ret(&[zero]);
            }
        }
        self.b.switch_to(self.entry);
        self.b.jump(body, &[]);
    }

    /// Returns the address of a variable, which is allocated in the entry block at first use.
    pub(super) fn slot(&mut self, id: LocalId) -> Value {
        if let Some(slot) = self.slots[id] {
            return slot;
        }
        let local = &self.function.locals[id];
        let size = self.cx.types().size_of(local.ty.ty);
        let slot = self.temporary(size, local.align.max(self.cx.types().align_of(local.ty.ty)));
        self.slots[id] = Some(slot);
        slot
    }

    /// Allocates private memory.
    pub(super) fn temporary(&mut self, size: u64, align: u64) -> Value {
        self.b.temporary(self.entry, size, align)
    }

    /// Allocates private memory for a value of type `ty`.
    pub(super) fn temporary_of(&mut self, ty: TypeId) -> Value {
        let types = self.cx.types();
        self.temporary(types.size_of(ty), types.align_of(ty))
    }

    /// Returns an access with the alignment of `ty`.
    pub(super) fn mem_of(&self, ty: TypeId) -> Mem {
        Mem::aligned(self.cx.types().align_of(ty) as u32)
    }

    /// Stores a value of type `ty`; a struct is copied from its address.
    pub(super) fn store_value(&mut self, ty: TypeId, value: Value, ptr: Value) {
        let mem = self.mem_of(ty);
        self.store_with(ty, value, ptr, mem);
    }

    /// Stores a value of type `ty` by the given access.
    pub(super) fn store_with(&mut self, ty: TypeId, value: Value, ptr: Value, mem: Mem) {
        if !is_struct(self.cx, ty) {
            return self.b.store(value, ptr, mem);
        }
        let mut leaves = Vec::new();
        if self.leaves(ty, 0, &mut leaves) {
            for (offset, leaf) in leaves {
                let align = mem.align.min(1 << offset.trailing_zeros().min(16));
                let mem = Mem { volatile: mem.volatile, ..Mem::aligned(align) };
                let from = self.b.ptr_offset(value, offset);
                let loaded = self.b.load(self.cx.ty(leaf), from, mem);
                let to = self.b.ptr_offset(ptr, offset);
                self.b.store(loaded, to, mem);
            }
        } else {
            let size = self.cx.types().size_of(ty);
            self.b.effect(Op::MemCopy, &[ptr, value], Attr::SizeAlign(size, mem.align));
        }
    }

    /// Collects the scalars and vectors of a small struct without unions, with their offsets; returns false
    /// if the struct should be copied as bytes.
    fn leaves(&self, ty: TypeId, offset: u64, out: &mut Vec<(u64, TypeId)>) -> bool {
        // Arbitrary.
        const MAX_LEAVES: usize = 16;
        match self.cx.types().get(ty) {
            CType::Struct(id) => {
                let def = &self.cx.types().structs[*id];
                !def.is_union && def.fields.iter().all(|f| self.leaves(f.ty.ty, offset + f.offset, out))
            }
            CType::Array(elem, len) => {
                let len = len.unwrap_or(0);
                let size = self.cx.types().size_of(elem.ty);
                len <= MAX_LEAVES as u64 && (0..len).all(|i| self.leaves(elem.ty, offset + i * size, out))
            }
            CType::Opaque(Opaque::NdRange) => false,
            _ => {
                out.push((offset, ty));
                out.len() <= MAX_LEAVES
            }
        }
    }

    /// Sets the source position of the instructions that follow.
    pub(super) fn at(&mut self, span: grus_support::diag::Span) {
        self.b.loc = span.lo as Loc;
    }
}
