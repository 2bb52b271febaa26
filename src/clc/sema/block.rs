//! Blocks (s6.12): what may be done with them. What a literal captures is in `capture.rs`.
//!
//! A block cannot outlive what declares it, and cannot capture another. So every block that is called or given to a
//! function can be traced to its literal. Whoever does that counts as calling the literal, calls of parameters count for
//! nothing, and still every recursion is a cycle, while a function may be given a block that calls it anew. A block that
//! is only enqueued is called by nobody: it may enqueue itself.

use super::capture::Captures;
use crate::clc::parse::{Operand, Written};
use crate::clc::session::{FunctionInfo, FunctionState, Session};
use crate::clc::token::{Token, TokenKind};
use crate::clc::tree::{
    BlockLiteral, Expr, ExprKind, Function, FunctionBody, FunctionId, GlobalId, Init, LocalId, Lvalue,
    LvalueKind, Stmt,
};
use crate::clc::types::{FunctionType, QualType, StructId, Type, TypeId};
use crate::diag::Span;
use crate::support::{FastMap, FastSet, IdVec};

/// The blocks of a unit.
#[derive(Debug, Default)]
pub struct Blocks {
    pub literals: Vec<BlockLiteral>,
    /// Functions (or the program) around the block that is being read, outermost first.
    pub(super) outer: Vec<Option<FunctionState>>,
    /// Where functions call blocks, or give them away.
    uses: Vec<(FunctionId, BlockSource, Span)>,
    /// The program has been told that its language version has none.
    refused: bool,
}

/// Where the value of a block comes from.
#[derive(Clone, Copy, Debug)]
pub enum BlockSource {
    /// The literal with this descriptor.
    Literal(GlobalId),
    /// A variable with static storage, whose literal is known when all initialisers have been read.
    Variable(GlobalId),
}

/// What is known of a block beside what is known of every function.
#[derive(Debug)]
pub struct BlockState {
    result: BlockResult,
    pub(super) captures: Captures,
}

/// The type a block returns.
#[derive(Clone, Copy, Debug)]
enum BlockResult {
    Written,
    /// No `return` was seen yet.
    Open,
    /// What the first `return` gave.
    Found(TypeId, Span),
}

impl Session<'_> {
    /// Whether this is a block.
    pub fn is_block(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Block(_))
    }

    /// Blocks exist from 2.0 on; said once.
    pub fn check_blocks_exist(&mut self, span: Span) {
        if self.options.std < 200 && !std::mem::replace(&mut self.blocks.refused, true) {
            self.error(span, "blocks need OpenCL C 2.0");
        }
    }

    /// `ret (^)(params)` for messages.
    pub fn block_text(&self, ty: &FunctionType) -> String {
        let ret = self.type_text(ty.ret);
        let blank = if ret.ends_with('*') { "" } else { " " };
        let params: Vec<String> = ty.params.iter().map(|p| self.type_text(*p)).collect();
        let params = if params.is_empty() { "void".into() } else { params.join(", ") };
        format!("{ret}{blank}(^)({params})")
    }

    /// What a declarator's `^` makes of the type behind it.
    pub fn block_of(&mut self, of: Written, span: Span) -> Written {
        self.check_blocks_exist(span);
        let ty = match self.types.get(of.ty) {
            Type::Function(ty) => Type::Block(FunctionType { variadic: false, ..ty.clone() }),
            Type::Error => Type::Error,
            _ => {
                self.error(span, "'^' declares a block, which needs parameters: 'int (^name)(void)'");
                Type::Error
            }
        };
        Written::plain(self.intern(ty))
    }

    /// The rules for a variable that is a block; its initialiser, if any, comes next.
    pub fn check_block_variable(&mut self, ty: TypeId, is_extern: bool, name: Token) {
        if !self.is_block(ty) {
            return;
        }
        if is_extern {
            self.error(name.span(), "a block cannot be 'extern'");
        } else if self.kind() != TokenKind::Assign {
            self.error(name.span(), "a block variable must be initialised");
        }
    }

    /// Notes that the initialiser of a block variable is read, or (`None`) has been.
    pub fn begin_block_initialiser(&mut self, ty: TypeId, variable: Option<LocalId>) {
        if self.is_block(ty)
            && let Some(function) = &mut self.function
        {
            function.initialising = variable;
        }
    }

    /// A block that is called.
    pub fn call_block(&mut self, callee: Expr, ty: &FunctionType, args: Vec<Operand>, span: Span) -> Expr {
        let (given, wanted) = (args.len(), ty.params.len());
        if given != wanted {
            let how = if given < wanted { "few" } else { "many" };
            self.error(span, format!("too {how} arguments to the block: {given} given, {wanted} wanted"));
            return self.error_expr(span);
        }
        let values = args.into_iter().zip(&ty.params).map(|(arg, ty)| self.convert_assign(arg, *ty, "pass"));
        let values: Vec<Expr> = values.collect();
        self.note_block_use(&callee);
        values.iter().for_each(|value| self.note_block_use(value));
        Expr { kind: ExprKind::CallBlock(Box::new(callee), values), ty: ty.ret, span }
    }

    /// The function that a literal's body is; `params` begins with the pointer to its closure object.
    pub fn new_block_function(
        &mut self,
        ret: Option<TypeId>,
        params: Vec<QualType>,
        span: Span,
    ) -> FunctionId {
        let name = match &self.function {
            Some(function) => format!("block in {}", self.functions[function.id].name),
            None => "block".into(),
        };
        let ret = ret.unwrap_or(self.common.error);
        let ty = FunctionType { ret, params: params.iter().map(|p| p.ty).collect(), variadic: false };
        let ty = self.intern(Type::Function(ty));
        let count = params.len() as u32;
        self.infos.push(FunctionInfo::new(ty, ret, params, true));
        self.functions.push(Function {
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
        })
    }

    /// Puts the function around a literal aside and begins the literal's own.
    pub fn open_block(&mut self, id: FunctionId, closure: StructId, result_is_written: bool) {
        let symbol = match &self.function {
            Some(function) => function.name,
            None => self.names.intern(""),
        };
        let name = Token { symbol, ..self.peek() };
        let outer = self.function.take();
        self.blocks.outer.push(outer);
        self.usage.function(id);
        self.begin_function(id, name);
        let result = if result_is_written { BlockResult::Written } else { BlockResult::Open };
        let state = BlockState { result, captures: Captures::new(closure) };
        self.function.as_mut().expect("just begun").block = Some(state);
    }

    /// Completes a literal whose body has been read: its value where it stands.
    pub fn close_block(&mut self, id: FunctionId, body: Vec<Stmt>, span: Span) -> Expr {
        self.check_unused_variables();
        let state = self.function.take().expect("begun with the literal");
        self.function = self.blocks.outer.pop().expect("pushed with the literal");
        let block = state.block.expect("it is a block");
        let ret = match block.result {
            BlockResult::Written => self.functions[id].ret,
            BlockResult::Open => self.common.void,
            BlockResult::Found(ty, _) => ty,
        };
        self.infos[id].ret = ret;
        let function = &mut self.functions[id];
        (function.ret, function.locals, function.labels) = (ret, state.locals, state.label_count);
        function.body = FunctionBody::Block(body);
        let params = self.infos[id].params[1..].iter().map(|p| p.ty).collect();
        let ty = self.intern(Type::Block(FunctionType { ret, params, variadic: false }));
        let descriptor = self.block_descriptor(span);
        self.blocks.literals.push(BlockLiteral { descriptor, invoke: id, ty, is_called: false });
        let place = self.closure_object(block.captures, descriptor, span);
        Expr { kind: ExprKind::AddressOf(place), ty, span }
    }

    /// Whether the type of what is returned here follows from it.
    pub fn infers_result(&self) -> bool {
        let block = self.function.as_ref().and_then(|f| f.block.as_ref());
        block.is_some_and(|b| !matches!(b.result, BlockResult::Written))
    }

    /// What a block without a written result returns.
    pub fn inferred_result(&mut self, operand: Operand) -> Expr {
        let value = match operand {
            Operand::Value(value) => value,
            other => self.value(other),
        };
        if self.is_block(value.ty) {
            self.error(value.span, "a block cannot return a block");
            return self.error_expr(value.span);
        }
        self.infer_result(value.ty, value.span);
        value
    }

    /// Notes the type of a `return`; all must agree.
    pub fn infer_result(&mut self, ty: TypeId, span: Span) {
        let error = self.common.error;
        let Some(block) = self.function.as_mut().and_then(|f| f.block.as_mut()) else { return };
        match block.result {
            BlockResult::Open if ty != error => block.result = BlockResult::Found(ty, span),
            BlockResult::Found(before, first) if before != ty && ty != error => {
                let (before, ty) = (self.type_text(before), self.type_text(ty));
                let message = format!("the block returns '{ty}' here, and '{before}' before");
                self.error(span, message).note(first, "the type of its result follows from this");
            }
            _ => {}
        }
    }

    /// Notes which literal a block variable has.
    pub fn know_block(&mut self, variable: LocalId, init: &Init) {
        if let Init::Value(value) = init
            && let Some(source) = self.block_source(value)
            && let Some(function) = &mut self.function
        {
            function.block_variables.insert(variable, source);
        }
    }

    /// Where a block comes from; none if it is a parameter.
    fn block_source(&self, block: &Expr) -> Option<BlockSource> {
        let mut block = block;
        while let ExprKind::Comma(_, last) = &block.kind {
            block = last;
        }
        match &block.kind {
            ExprKind::AddressOf(place) => match &place.kind {
                LvalueKind::Global(id) => Some(BlockSource::Literal(*id)),
                LvalueKind::CompoundLiteral(_, init) => match &**init {
                    Init::Parts(parts) => self.block_source(&parts.first()?.1),
                    Init::Value(_) => None,
                },
                _ => None,
            },
            ExprKind::Load(Lvalue { kind: LvalueKind::Local(id), .. }) => {
                self.function.as_ref()?.block_variables.get(id).copied()
            }
            ExprKind::Load(Lvalue { kind: LvalueKind::Global(id), .. }) => Some(BlockSource::Variable(*id)),
            _ => None,
        }
    }

    /// Notes that the function being read calls a block, or gives it to a function of the program.
    pub fn note_block_use(&mut self, block: &Expr) {
        if self.unevaluated == 0
            && self.is_block(block.ty)
            && let Some(source) = self.block_source(block)
            && let Some(function) = &self.function
        {
            self.blocks.uses.push((function.id, source, block.span));
        }
    }

    /// Who uses a block counts as calling its literal, which is known now that all initialisers were read.
    pub fn join_blocks(&mut self) {
        let numbered = self.blocks.literals.iter().enumerate();
        let literals: FastMap<GlobalId, usize> = numbered.map(|(i, b)| (b.descriptor, i)).collect();
        let mut seen = FastSet::default();
        for (user, source, span) in std::mem::take(&mut self.blocks.uses) {
            let descriptor = match source {
                BlockSource::Literal(descriptor) => Some(descriptor),
                BlockSource::Variable(global) => {
                    let init = self.globals[global].init.as_ref();
                    init.and_then(|data| data.relocs.first()).map(|reloc| reloc.target)
                }
            };
            let Some(&literal) = descriptor.and_then(|descriptor| literals.get(&descriptor)) else {
                continue;
            };
            let block = &mut self.blocks.literals[literal];
            block.is_called = true;
            if seen.insert((user, literal)) {
                self.infos[user].calls.push((block.invoke, span));
            }
        }
    }
}
