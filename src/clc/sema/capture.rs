//! Variables that block literals capture (s6.12). A name in a literal that refers to a variable of an enclosing
//! function becomes a const member of the literal's closure object, which is filled when the literal is evaluated.
//! Nested literals pass the value from one closure to the next. Arrays are captured as a pointer to them. Variables
//! with static storage, including `local` ones, are not captured but used directly.

use crate::parse::Operand;
use crate::session::{FunctionState, Session};
use crate::tree::{ConstData, Expr, ExprKind, GlobalId, Init, LocalId, Lvalue, LvalueKind, Reloc};
use crate::types::{Field, QualType, Space, StructId, Type};
use grus_support::diag::Span;
use grus_support::{FastMap, Id};

/// Variables that a literal has captured so far.
#[derive(Debug)]
pub struct Captures {
    closure: StructId,
    variables: Vec<CapturedVariable>,
    /// Indices into `list`, by the level of the owning function in [`super::Blocks`] and the variable.
    index: FastMap<(usize, LocalId), usize>,
}

/// A captured variable.
#[derive(Debug)]
pub struct CapturedVariable {
    pub name: String,
    pub declared: Span,
    /// Value that is stored in the closure object, as an expression of the enclosing function.
    value: Expr,
}

/// Number of members of a closure object before the captured variables.
const HEADER_FIELDS: usize = 2;

/// Size of these members in bytes.
const HEADER_BYTES: u64 = 16;

impl Captures {
    /// Creates an empty list; `closure` is the type of the closure object.
    pub fn new(closure: StructId) -> Captures {
        Captures { closure, variables: Vec::new(), index: FastMap::default() }
    }
}

impl Session<'_> {
    /// Builds the closure object of a literal with the layout of [`crate::tree::BlockLiteral`].
    pub(super) fn closure_object(&mut self, captures: Captures, descriptor: GlobalId, span: Span) -> Lvalue {
        let address = Expr {
            kind: ExprKind::AddressOf(self.global_lvalue(descriptor, span)),
            ty: self.pointer(QualType::new(self.types.common.void, Space::Constant)),
            span,
        };
        let is_constant = captures.variables.is_empty();
        let size = Expr { kind: ExprKind::Int(0), ty: self.types.common.ulong, span };
        let mut values = vec![address, size];
        values.extend(captures.variables.into_iter().map(|c| c.value));
        let size = self.lay_out_closure(captures.closure, &values);
        values[1].kind = ExprKind::Int(size);
        if let Some(data) = &mut self.unit.globals[descriptor].init {
            data.bytes[8..].copy_from_slice(&size.to_le_bytes());
        }
        if is_constant || self.function.is_none() {
            return self.global_lvalue(descriptor, span);
        }
        let offsets = self.types.structs[captures.closure].fields.iter().map(|f| f.offset);
        let parts = offsets.zip(values).collect();
        let ty = QualType::new(self.intern(Type::Struct(captures.closure)), Space::Private);
        let local = self.new_local(String::new(), ty, 1, span);
        Lvalue { kind: LvalueKind::CompoundLiteral(local, Box::new(Init::Parts(parts))), ty, span }
    }

    /// Creates the constant that identifies a literal: a closure object without captures.
    pub(super) fn block_descriptor(&mut self, span: Span) -> GlobalId {
        let word = QualType::new(self.types.common.ulong, Space::Constant);
        let ty = self.intern(Type::Array(word, Some(HEADER_FIELDS as u64)));
        let target = self.unit.globals.next_id();
        let relocs = vec![Reloc { offset: 0, target, addend: 0 }];
        self.constant_global(ty, ConstData { bytes: vec![0; HEADER_BYTES as usize], relocs }, span)
    }

    /// Defines a closure object whose members hold `values`, and returns its size in bytes.
    fn lay_out_closure(&mut self, closure: StructId, values: &[Expr]) -> u64 {
        let (mut size, mut align) = (0u64, 8u64);
        let mut fields = Vec::with_capacity(values.len());
        for value in values {
            let align_of_value = self.types.align_of(value.ty);
            let offset = size.next_multiple_of(align_of_value);
            (size, align) = (offset + self.types.size_of(value.ty), align.max(align_of_value));
            fields.push(Field { name: String::new(), ty: QualType::new(value.ty, Space::Private), offset });
        }
        let def = &mut self.types.structs[closure];
        (def.fields, def.align, def.size) = (fields, align, size.next_multiple_of(align));
        def.complete = true;
        def.size
    }

    /// Returns the operand for a variable declared at scope `depth`, which is captured if that is outside the
    /// current block.
    pub fn local_operand(&mut self, id: LocalId, depth: u32, span: Span) -> Operand {
        let function = self.function.as_mut().expect("variables are in functions");
        if depth <= function.enclosing_scopes {
            return self.captured_operand(id, depth, span);
        }
        if function.initialized_block == Some(id) {
            self.error(span, "a block variable cannot be used in its own initializer");
            return Operand::Value(self.error_expr(span));
        }
        function.mark_used(id);
        Operand::Lvalue(Lvalue { kind: LvalueKind::Local(id), ty: function.locals[id].ty, span })
    }

    /// Captures a variable of an enclosing function of the block being parsed.
    fn captured_operand(&mut self, id: LocalId, depth: u32, span: Span) -> Operand {
        let owns = |f: &Option<FunctionState>| f.as_ref().is_some_and(|f| f.enclosing_scopes < depth);
        let level = self.blocks.enclosing.iter().rposition(owns).expect("a variable in scope has a function");
        let owner = self.blocks.enclosing[level].as_mut().expect("found as one");
        owner.mark_used(id);
        let local = owner.locals[id].clone();
        if self.is_block(local.ty.ty) {
            let message = format!("a block cannot capture '{}', which is a block", local.name);
            self.error(span, message).note(local.span, "declared here");
            return Operand::Value(self.error_expr(span));
        }
        let mut lvalue = Lvalue { kind: LvalueKind::Local(id), ty: local.ty, span };
        for inner in level + 1..=self.blocks.enclosing.len() {
            let key = (level, id);
            if !self.captures_at(inner).index.contains_key(&key) {
                let value = self.value(Operand::Lvalue(lvalue.clone()));
                let (name, declared) = (local.name.clone(), local.span);
                let captures = self.captures_at(inner);
                captures.index.insert(key, captures.variables.len());
                captures.variables.push(CapturedVariable { name, declared, value });
            }
            lvalue = self.closure_member(inner, key, lvalue.ty, span);
        }
        Operand::Lvalue(lvalue)
    }

    /// Returns the captures of the block at a level of nesting.
    fn captures_at(&mut self, level: usize) -> &mut Captures {
        let state = match level == self.blocks.enclosing.len() {
            true => self.function.as_mut(),
            false => self.blocks.enclosing[level].as_mut(),
        };
        let block = state.and_then(|f| f.block.as_mut());
        &mut block.expect("what is inside a function is a block").captures
    }

    /// Returns the lvalue that a captured variable, which has type `source`, is inside its block.
    fn closure_member(
        &mut self,
        level: usize,
        key: (usize, LocalId),
        source: QualType,
        span: Span,
    ) -> Lvalue {
        let captures = self.captures_at(level);
        let (closure, index) = (captures.closure, captures.index[&key]);
        let member_ty = captures.variables[index].value.ty;
        let closure =
            QualType { is_const: true, ..QualType::new(self.intern(Type::Struct(closure)), Space::Private) };
        let closure_pointer = QualType::new(self.pointer(closure), Space::Private);
        let closure_pointer = Lvalue { kind: LvalueKind::Local(LocalId::new(0)), ty: closure_pointer, span };
        let closure_pointer = Expr { ty: closure_pointer.ty.ty, kind: ExprKind::Load(closure_pointer), span };
        let closure_object = Lvalue { kind: LvalueKind::Deref(Box::new(closure_pointer)), ty: closure, span };
        let ty =
            QualType { ty: member_ty, space: Space::Private, is_const: true, is_volatile: false, ..source };
        let member = Lvalue {
            kind: LvalueKind::Field(Box::new(closure_object), (HEADER_FIELDS + index) as u32),
            ty,
            span,
        };
        if !matches!(self.types.get(source.ty), Type::Array(..)) {
            return member;
        }
        let pointer = Expr { kind: ExprKind::Load(member), ty: member_ty, span };
        Lvalue { kind: LvalueKind::Deref(Box::new(pointer)), ty: source, span }
    }

    /// Returns the captured variable that contains `lvalue`, if one does.
    pub fn captured_variable(&self, lvalue: &Lvalue) -> Option<&CapturedVariable> {
        let captures = &self.function.as_ref()?.block.as_ref()?.captures;
        let mut at = lvalue;
        loop {
            match &at.kind {
                LvalueKind::Swizzle(of, _) => at = of,
                LvalueKind::Field(of, index) => {
                    if let LvalueKind::Deref(_) = of.kind
                        && *self.types.get(of.ty.ty) == Type::Struct(captures.closure)
                    {
                        return captures.variables.get((*index as usize).checked_sub(HEADER_FIELDS)?);
                    }
                    at = of;
                }
                _ => return None,
            }
        }
    }
}
