//! Blocks (s6.12): what may be done with them, and what a literal captures.
//!
//! A name inside a literal that means a variable of a function around it is a member of
//! the literal's record, const, and filled where the literal is evaluated; through nested
//! literals it is handed from record to record. Arrays are captured as a pointer to them.
//! Variables with static storage, `local` ones among them, are used as they are.
//!
//! A block cannot outlive what declares it, and cannot capture another. So whoever makes
//! a block counts as calling it, calls of block variables count for nothing, and still
//! every recursion is a cycle, while a function may be given a block that calls it anew.

use crate::clc::parse::{Operand, Written};
use crate::clc::session::{FunctionInfo, FunctionState, Session};
use crate::clc::token::{Kind, Token};
use crate::clc::tree::{
    Block, Body, ConstData, Expr, ExprKind, Function, FunctionId, GlobalId, Init, LocalId, Place, PlaceKind,
    Reloc, Stmt,
};
use crate::clc::types::{Field, FunctionType, QualType, Space, StructId, Type, TypeId};
use crate::diag::Span;
use crate::support::{FastMap, FastSet, Id, IdVec};

/// The blocks of a unit.
#[derive(Debug, Default)]
pub struct Blocks {
    pub literals: Vec<Block>,
    /// Functions (or the program) around the block that is being read, outermost first.
    outer: Vec<Option<FunctionState>>,
    /// Where functions name program-scope blocks.
    uses: Vec<(FunctionId, GlobalId, Span)>,
    /// The program has been told that its language version has none.
    refused: bool,
}

/// What is known of a block beside what is known of every function.
#[derive(Debug)]
pub struct BlockState {
    record: StructId,
    result: BlockResult,
    captures: Vec<Captured>,
    /// Those by level of their function in `outer`, and variable.
    index: FastMap<(usize, LocalId), usize>,
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

/// A captured variable.
#[derive(Debug)]
pub struct Captured {
    pub name: String,
    pub declared: Span,
    /// What goes into the record, in terms of the function around the literal.
    value: Expr,
}

/// Members of a record before the captured variables.
const HEADER: usize = 2;

/// Bytes they take.
const HEADER_SIZE: u64 = 16;

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
        } else if self.kind() != Kind::Assign {
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
        let values = values.collect();
        Expr { kind: ExprKind::CallBlock(Box::new(callee), values), ty: ty.ret, span }
    }

    /// The function that a literal's body is; `params` begins with the pointer to its record.
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
        self.infos.push(FunctionInfo { ty, ret, params, defined: true, is_kernel: false, calls: Vec::new() });
        self.functions.push(Function {
            name,
            ret,
            params: count,
            locals: IdVec::new(),
            body: Body::Declared,
            is_static: true,
            kernel: None,
            labels: 0,
            span,
        })
    }

    /// Puts the function around a literal aside and begins the literal's own.
    pub fn open_block(&mut self, id: FunctionId, record: StructId, result_is_written: bool) {
        let symbol = match &self.function {
            Some(function) => function.name,
            None => self.names.intern(""),
        };
        let name = Token { symbol, ..self.peek() };
        let outer = self.function.take();
        self.blocks.outer.push(outer);
        self.begin_function(id, name);
        let result = if result_is_written { BlockResult::Written } else { BlockResult::Open };
        let state = BlockState { record, result, captures: Vec::new(), index: FastMap::default() };
        self.function.as_mut().expect("just begun").block = Some(state);
    }

    /// Completes a literal whose body has been read: its value where it stands.
    pub fn close_block(&mut self, id: FunctionId, body: Vec<Stmt>, span: Span) -> Expr {
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
        function.body = Body::Block(body);
        let params = self.infos[id].params[1..].iter().map(|p| p.ty).collect();
        let ty = self.intern(Type::Block(FunctionType { ret, params, variadic: false }));
        if let Some(maker) = &self.function
            && self.unevaluated == 0
        {
            self.infos[maker.id].calls.push((id, span));
        }
        let place = self.block_record(block, span, |identity| Block { identity, invoke: id, ty });
        Expr { kind: ExprKind::AddressOf(place), ty, span }
    }

    /// The record of a literal, laid out as [`Block`] says.
    fn block_record(&mut self, state: BlockState, span: Span, literal: impl Fn(GlobalId) -> Block) -> Place {
        let identity = self.block_identity(span);
        self.blocks.literals.push(literal(identity));
        let address = Expr {
            kind: ExprKind::AddressOf(self.global_place(identity, span)),
            ty: self.pointer(QualType::new(self.common.void, Space::Constant)),
            span,
        };
        let is_constant = state.captures.is_empty();
        let size = Expr { kind: ExprKind::Int(0), ty: self.common.ulong, span };
        let mut values = vec![address, size];
        values.extend(state.captures.into_iter().map(|c| c.value));
        let size = self.lay_out_record(state.record, &values);
        values[1].kind = ExprKind::Int(size);
        if let Some(data) = &mut self.globals[identity].init {
            data.bytes[8..].copy_from_slice(&size.to_le_bytes());
        }
        if is_constant || self.function.is_none() {
            return self.global_place(identity, span);
        }
        let offsets = self.types.structs[state.record].fields.iter().map(|f| f.offset);
        let parts = offsets.zip(values).collect();
        let ty = QualType::new(self.intern(Type::Struct(state.record)), Space::Private);
        let local = self.new_local(String::new(), ty, 1, span);
        Place { kind: PlaceKind::Literal(local, Box::new(Init::Parts(parts))), ty, span }
    }

    /// The constant that tells a literal from others: a record without captures.
    fn block_identity(&mut self, span: Span) -> GlobalId {
        let word = QualType::new(self.common.ulong, Space::Constant);
        let ty = self.intern(Type::Array(word, Some(HEADER as u64)));
        let target = self.globals.next_id();
        let relocs = vec![Reloc { offset: 0, target, addend: 0 }];
        self.constant_global(ty, ConstData { bytes: vec![0; HEADER_SIZE as usize], relocs }, span)
    }

    /// Defines a record whose members hold `values`; its size.
    fn lay_out_record(&mut self, record: StructId, values: &[Expr]) -> u64 {
        let (mut size, mut align) = (0u64, 8u64);
        let mut fields = Vec::with_capacity(values.len());
        for value in values {
            let own = self.types.align_of(value.ty);
            let offset = size.next_multiple_of(own);
            (size, align) = (offset + self.types.size_of(value.ty), align.max(own));
            fields.push(Field { name: String::new(), ty: QualType::new(value.ty, Space::Private), offset });
        }
        let def = &mut self.types.structs[record];
        (def.fields, def.align, def.size) = (fields, align, size.next_multiple_of(align));
        def.complete = true;
        def.size
    }

    /// A variable by its name, declared at scope `depth`.
    pub fn local_operand(&mut self, id: LocalId, depth: u32, span: Span) -> Operand {
        let function = self.function.as_ref().expect("variables are in functions");
        if depth <= function.scope_base {
            return self.captured_operand(id, depth, span);
        }
        if function.initialising == Some(id) {
            self.error(span, "a block variable cannot be used in its own initialiser");
            return Operand::Value(self.error_expr(span));
        }
        Operand::Place(Place { kind: PlaceKind::Local(id), ty: function.locals[id].ty, span })
    }

    /// A variable of a function around the block being read.
    fn captured_operand(&mut self, id: LocalId, depth: u32, span: Span) -> Operand {
        let owns = |f: &Option<FunctionState>| f.as_ref().is_some_and(|f| f.scope_base < depth);
        let level = self.blocks.outer.iter().rposition(owns).expect("a variable in scope has a function");
        let local = self.blocks.outer[level].as_ref().expect("found as one").locals[id].clone();
        if self.is_block(local.ty.ty) {
            let message = format!("a block cannot capture '{}', which is a block", local.name);
            self.error(span, message).note(local.span, "declared here");
            return Operand::Value(self.error_expr(span));
        }
        let mut place = Place { kind: PlaceKind::Local(id), ty: local.ty, span };
        for inner in level + 1..=self.blocks.outer.len() {
            let key = (level, id);
            if self.block_at(inner).index.get(&key).is_none() {
                let value = self.value(Operand::Place(place.clone()));
                let (name, declared) = (local.name.clone(), local.span);
                let block = self.block_at(inner);
                block.index.insert(key, block.captures.len());
                block.captures.push(Captured { name, declared, value });
            }
            place = self.copy_in_record(inner, key, place.ty, span);
        }
        Operand::Place(place)
    }

    /// The block that is read at a level of nesting.
    fn block_at(&mut self, level: usize) -> &mut BlockState {
        let state = match level == self.blocks.outer.len() {
            true => self.function.as_mut(),
            false => self.blocks.outer[level].as_mut(),
        };
        state.and_then(|f| f.block.as_mut()).expect("what is inside a function is a block")
    }

    /// A captured variable of type `source` as its block sees it.
    fn copy_in_record(&mut self, level: usize, key: (usize, LocalId), source: QualType, span: Span) -> Place {
        let block = self.block_at(level);
        let (record, index) = (block.record, block.index[&key]);
        let held = block.captures[index].value.ty;
        let record =
            QualType { is_const: true, ..QualType::new(self.intern(Type::Struct(record)), Space::Private) };
        let hidden = QualType::new(self.pointer(record), Space::Private);
        let hidden = Place { kind: PlaceKind::Local(LocalId::new(0)), ty: hidden, span };
        let hidden = Expr { ty: hidden.ty.ty, kind: ExprKind::Load(hidden), span };
        let whole = Place { kind: PlaceKind::Deref(Box::new(hidden)), ty: record, span };
        let ty = QualType { ty: held, space: Space::Private, is_const: true, is_volatile: false, ..source };
        let member = Place { kind: PlaceKind::Field(Box::new(whole), (HEADER + index) as u32), ty, span };
        if !matches!(self.types.get(source.ty), Type::Array(..)) {
            return member;
        }
        let pointer = Expr { kind: ExprKind::Load(member), ty: held, span };
        Place { kind: PlaceKind::Deref(Box::new(pointer)), ty: source, span }
    }

    /// The captured variable that a place is, or is part of.
    pub fn captured_variable(&self, place: &Place) -> Option<&Captured> {
        let block = self.function.as_ref()?.block.as_ref()?;
        let mut at = place;
        loop {
            match &at.kind {
                PlaceKind::Swizzle(of, _) => at = of,
                PlaceKind::Field(of, index) => {
                    if let PlaceKind::Deref(_) = of.kind
                        && *self.types.get(of.ty.ty) == Type::Struct(block.record)
                    {
                        return block.captures.get((*index as usize).checked_sub(HEADER)?);
                    }
                    at = of;
                }
                _ => return None,
            }
        }
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

    /// Notes that the function being read names a block at program scope.
    pub fn note_program_block(&mut self, id: GlobalId, span: Span) {
        if self.unevaluated == 0
            && self.is_block(self.globals[id].ty.ty)
            && let Some(function) = &self.function
        {
            self.blocks.uses.push((function.id, id, span));
        }
    }

    /// Who names a block at program scope counts as calling its literal, which is known
    /// now that all initialisers were read.
    pub fn join_program_blocks(&mut self) {
        let literals: FastMap<GlobalId, FunctionId> =
            self.blocks.literals.iter().map(|b| (b.identity, b.invoke)).collect();
        let mut seen = FastSet::default();
        for (user, global, span) in std::mem::take(&mut self.blocks.uses) {
            let init = self.globals[global].init.as_ref();
            let literal = init.and_then(|data| literals.get(&data.relocs.first()?.target));
            if let Some(&literal) = literal
                && seen.insert((user, literal))
            {
                self.infos[user].calls.push((literal, span));
            }
        }
    }
}
