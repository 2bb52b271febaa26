//! Blocks (s6.12): checks of block variables, literals and calls. `capture.rs` has the captured variables.
//!
//! A block cannot outlive the function that declares it, and cannot capture another block. Within a unit, every block
//! that is called or passed on can be traced to its literal, except parameters. The recursion check treats a function
//! that calls or passes a block as a caller of its literal, and ignores calls through parameters. This misses no cycle,
//! and a function may still receive a block that calls that function with another block. A block that is only enqueued
//! has no caller, so it may enqueue itself.

use super::capture::Captures;
use super::convert::AssignAction;
use crate::parse::{DeclaredType, Operand};
use crate::session::{FunctionInfo, FunctionState, Session};
use crate::token::{Token, TokenKind};
use crate::tree::{
    BlockLiteral, Expr, ExprKind, Function, FunctionBody, FunctionId, GlobalId, Init, LocalId, Lvalue,
    LvalueKind, Stmt,
};
use crate::types::{FunctionType, QualType, StructId, Type, TypeId};
use grus_support::diag::Span;
use grus_support::{FastMap, FastSet, IdVec};

/// Block literals of a translation unit.
#[derive(Debug, Default)]
pub struct Blocks {
    pub literals: Vec<BlockLiteral>,
    /// Functions that enclose the block being parsed, outermost first; `None` is the program scope.
    pub(super) enclosing: Vec<Option<FunctionState>>,
    /// Positions at which functions call blocks or pass them on.
    uses: Vec<(FunctionId, BlockSource, Span)>,
    /// True if the error that this language version has no blocks was reported.
    reported_unsupported: bool,
}

/// Origin of the value of a block.
#[derive(Clone, Copy, Debug)]
pub enum BlockSource {
    /// The literal with this descriptor.
    Literal(GlobalId),
    /// A variable with static storage; its literal is known when all initializers have been parsed.
    Variable(GlobalId),
}

/// State of the block function being parsed, in addition to that of every function.
#[derive(Debug)]
pub struct BlockState {
    ret: BlockReturn,
    pub(super) captures: Captures,
}

/// Return type of a block.
#[derive(Clone, Copy, Debug)]
enum BlockReturn {
    Explicit,
    /// No type is written, and no `return` was seen yet.
    Unknown,
    /// Type and position of the first `return`.
    Inferred(TypeId, Span),
}

impl Session<'_> {
    /// Checks whether `ty` is a block type.
    pub fn is_block(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Block(_))
    }

    /// Reports, once per program, blocks in a language version before 2.0.
    pub fn require_blocks(&mut self, span: Span) {
        if self.options.std < 200 && !std::mem::replace(&mut self.blocks.reported_unsupported, true) {
            self.error(span, "blocks need OpenCL C 2.0");
        }
    }

    /// Returns `ret (^)(params)` for diagnostics.
    pub fn block_text(&self, ty: &FunctionType) -> String {
        let ret = self.type_text(ty.ret);
        let blank = if ret.ends_with('*') { "" } else { " " };
        let params: Vec<String> = ty.params.iter().map(|p| self.type_text(*p)).collect();
        let params = if params.is_empty() { "void".into() } else { params.join(", ") };
        format!("{ret}{blank}(^)({params})")
    }

    /// Returns the block type that the `^` of a declarator makes of a function type.
    pub fn block_type(&mut self, of: DeclaredType, span: Span) -> DeclaredType {
        self.require_blocks(span);
        let ty = match self.types.get(of.ty) {
            Type::Function(ty) => Type::Block(FunctionType { variadic: false, ..ty.clone() }),
            Type::Error => Type::Error,
            _ => {
                self.error(span, "'^' declares a block, which needs parameters: 'int (^name)(void)'");
                Type::Error
            }
        };
        DeclaredType::unqualified(self.intern(ty))
    }

    /// Checks the declaration of a block variable, apart from its initializer.
    pub fn check_block_variable(&mut self, ty: TypeId, is_extern: bool, name: Token) {
        if !self.is_block(ty) {
            return;
        }
        if is_extern {
            self.error(name.span(), "a block cannot be 'extern'");
        } else if self.kind() != TokenKind::Assign {
            self.error(name.span(), "a block variable must be initialized");
        }
    }

    /// Notes that parsing of a block variable's initializer begins, or (`None`) has ended.
    pub fn set_initialized_block(&mut self, ty: TypeId, variable: Option<LocalId>) {
        if self.is_block(ty)
            && let Some(function) = &mut self.function
        {
            function.initialized_block = variable;
        }
    }

    /// Builds the call of a block.
    pub fn call_block(&mut self, callee: Expr, ty: &FunctionType, args: Vec<Operand>, span: Span) -> Expr {
        let (arg_count, param_count) = (args.len(), ty.params.len());
        if arg_count != param_count {
            let few_or_many = if arg_count < param_count { "few" } else { "many" };
            self.error(
                span,
                format!("too {few_or_many} arguments to the block: {arg_count} given, {param_count} wanted"),
            );
            return self.error_expr(span);
        }
        let values = args
            .into_iter()
            .zip(&ty.params)
            .map(|(arg, ty)| self.convert_assign(arg, *ty, AssignAction::Pass));
        let values: Vec<Expr> = values.collect();
        self.record_block_use(&callee);
        values.iter().for_each(|value| self.record_block_use(value));
        Expr { kind: ExprKind::CallBlock(Box::new(callee), values), ty: ty.ret, span }
    }

    /// Creates the function for a literal's body; `params` begins with the pointer to its closure object.
    pub fn new_block_function(
        &mut self,
        ret: Option<TypeId>,
        params: Vec<QualType>,
        span: Span,
    ) -> FunctionId {
        let name = match &self.function {
            Some(function) => format!("block in {}", self.unit.functions[function.id].name),
            None => "block".into(),
        };
        let ret = ret.unwrap_or(self.types.common.error);
        let ty = FunctionType { ret, params: params.iter().map(|p| p.ty).collect(), variadic: false };
        let ty = self.intern(Type::Function(ty));
        let count = params.len() as u32;
        let info = FunctionInfo::new(ty, ret, params, true);
        let function = Function {
            name,
            ret,
            params: count,
            locals: IdVec::new(),
            body: FunctionBody::Declared,
            is_static: true,
            no_inline: false,
            no_return: false,
            is_deferred: false,
            is_rare: false,
            kernel: None,
            labels: 0,
            span,
        };
        self.unit.add_function(function, info)
    }

    /// Saves the state of the enclosing function of a literal, and begins the literal's own function.
    pub fn begin_block(&mut self, id: FunctionId, closure: StructId, has_return_type: bool) {
        let symbol = match &self.function {
            Some(function) => function.name,
            None => self.names.intern(""),
        };
        let name = Token { symbol, ..self.peek() };
        let outer = self.function.take();
        self.blocks.enclosing.push(outer);
        self.usage.mark_function_used(id);
        self.begin_function(id, name);
        let ret = if has_return_type { BlockReturn::Explicit } else { BlockReturn::Unknown };
        let state = BlockState { ret, captures: Captures::new(closure) };
        self.function.as_mut().expect("just begun").block = Some(state);
    }

    /// Completes a literal whose body has been parsed, and returns its value in the surrounding function.
    pub fn end_block(&mut self, id: FunctionId, body: Vec<Stmt>, span: Span) -> Expr {
        self.check_unused_variables();
        let state = self.function.take().expect("begun with the literal");
        self.function = self.blocks.enclosing.pop().expect("pushed with the literal");
        let labels = state.label_count();
        let block = state.block.expect("it is a block");
        let ret = match block.ret {
            BlockReturn::Explicit => self.unit.functions[id].ret,
            BlockReturn::Unknown => self.types.common.void,
            BlockReturn::Inferred(ty, _) => ty,
        };
        self.unit.infos[id].ret = ret;
        let function = &mut self.unit.functions[id];
        (function.ret, function.locals, function.labels) = (ret, state.locals, labels);
        function.body = FunctionBody::Block(body);
        let params = self.unit.infos[id].params[1..].iter().map(|p| p.ty).collect();
        let ty = self.intern(Type::Block(FunctionType { ret, params, variadic: false }));
        let descriptor = self.block_descriptor(span);
        self.blocks.literals.push(BlockLiteral { descriptor, invoke: id, ty, is_called: false });
        let lvalue = self.closure_object(block.captures, descriptor, span);
        Expr { kind: ExprKind::AddressOf(lvalue), ty, span }
    }

    /// Checks whether the return type of the current block is inferred from its `return` statements.
    pub fn infers_return_type(&self) -> bool {
        let block = self.function.as_ref().and_then(|f| f.block.as_ref());
        block.is_some_and(|b| !matches!(b.ret, BlockReturn::Explicit))
    }

    /// Converts the operand of `return` in a block without a written return type.
    pub fn convert_inferred_return(&mut self, operand: Operand) -> Expr {
        let value = match operand {
            Operand::Value(value) => value,
            other => self.value(other),
        };
        if self.is_block(value.ty) {
            self.error(value.span, "a block cannot return a block");
            return self.error_expr(value.span);
        }
        self.infer_return_type(value.ty, value.span);
        value
    }

    /// Records the type of a `return` statement; all of a block must have one type.
    pub fn infer_return_type(&mut self, ty: TypeId, span: Span) {
        let error = self.types.common.error;
        let Some(block) = self.function.as_mut().and_then(|f| f.block.as_mut()) else { return };
        match block.ret {
            BlockReturn::Unknown if ty != error => block.ret = BlockReturn::Inferred(ty, span),
            BlockReturn::Inferred(before, first) if before != ty && ty != error => {
                let (before, ty) = (self.type_text(before), self.type_text(ty));
                let message = format!("the block returns '{ty}' here, and '{before}' before");
                self.error(span, message).note(first, "the type of its result follows from this");
            }
            _ => {}
        }
    }

    /// Records the literal of a block variable.
    pub fn record_block_source(&mut self, variable: LocalId, init: &Init) {
        if let Init::Value(value) = init
            && let Some(source) = self.block_source(value)
            && let Some(function) = &mut self.function
        {
            function.block_sources.insert(variable, source);
        }
    }

    /// Returns the origin of a block; `None` if it is a parameter.
    fn block_source(&self, block: &Expr) -> Option<BlockSource> {
        let mut block = block;
        while let ExprKind::Comma(_, last) = &block.kind {
            block = last;
        }
        match &block.kind {
            ExprKind::AddressOf(lvalue) => match &lvalue.kind {
                LvalueKind::Global(id) => Some(BlockSource::Literal(*id)),
                LvalueKind::CompoundLiteral(_, init) => match &**init {
                    Init::Parts(parts) => self.block_source(&parts.first()?.1),
                    Init::Value(_) => None,
                },
                _ => None,
            },
            ExprKind::Load(Lvalue { kind: LvalueKind::Local(id), .. }) => {
                self.function.as_ref()?.block_sources.get(id).copied()
            }
            ExprKind::Load(Lvalue { kind: LvalueKind::Global(id), .. }) => Some(BlockSource::Variable(*id)),
            _ => None,
        }
    }

    /// Records that the function being parsed calls a block, or passes it to a function of the program.
    pub fn record_block_use(&mut self, block: &Expr) {
        if !self.context.is_unevaluated()
            && self.is_block(block.ty)
            && let Some(source) = self.block_source(block)
            && let Some(function) = &self.function
        {
            self.blocks.uses.push((function.id, source, block.span));
        }
    }

    /// Records every use of a block as a call of its literal. All initializers must have been parsed.
    pub fn resolve_block_calls(&mut self) {
        let numbered = self.blocks.literals.iter().enumerate();
        let literals: FastMap<GlobalId, usize> = numbered.map(|(i, b)| (b.descriptor, i)).collect();
        let mut seen = FastSet::default();
        for (user, source, span) in std::mem::take(&mut self.blocks.uses) {
            let descriptor = match source {
                BlockSource::Literal(descriptor) => Some(descriptor),
                BlockSource::Variable(global) => {
                    let init = self.unit.globals[global].init.as_ref();
                    init.and_then(|data| data.relocs.first()).map(|reloc| reloc.target)
                }
            };
            let Some(&literal) = descriptor.and_then(|descriptor| literals.get(&descriptor)) else {
                continue;
            };
            let block = &mut self.blocks.literals[literal];
            block.is_called = true;
            if seen.insert((user, literal)) {
                self.unit.infos[user].callees.push((block.invoke, span));
            }
        }
    }
}
