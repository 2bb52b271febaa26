//! Declarations inside functions (C99 s6.7, OpenCL C s6.7). The address space of a variable determines its storage
//! and the scopes in which it may be declared.

use super::{Declarator, DeclaredType, Specifiers, StorageClass};
use crate::names::Keyword as K;
use crate::scope::{Entity, Typedef};
use crate::session::Session;
use crate::token::{Token, TokenKind};
use crate::tree::{Expr, Global, GlobalId, Init, Local, LocalId, Stmt, StmtKind};
use crate::types::{Opaque, QualType, Space, Type, TypeId};
use grus_support::diag::Span;

impl Session<'_> {
    /// declaration = specifiers (declarator ("=" initializer)? ("," ...)*)? ";"
    pub(super) fn declaration(&mut self, out: &mut Vec<Stmt>) {
        if self.keyword() == Some(K::StaticAssert) {
            return self.static_assert();
        }
        let before = self.cursor.position();
        let specs = self.specifiers();
        if let Some(span) = specs.kernel {
            self.error(span, "a kernel must be defined at program scope");
        }
        self.reject_kernel_attributes(&specs.attributes);
        if specs.auto_type.is_some() {
            return self.auto_declaration(&specs, out);
        }
        if specs.is_missing_semicolon || self.eat(TokenKind::Semi) {
            if !specs.declares_tag && specs.base.ty != self.types.common.error {
                self.warning(specs.span, "declaration declares nothing");
            }
            return;
        }
        loop {
            let declarator = self.declarator(specs.base);
            if declarator.name.is_none() {
                self.report_missing_name(&specs);
                self.skip_to_semi();
                return;
            }
            self.block_declarator(&specs, declarator, out);
            if !self.eat(TokenKind::Comma) {
                break;
            }
        }
        if !self.expect(TokenKind::Semi, "';'") {
            self.skip_to_next_statement(before);
        }
    }

    /// Reports a declarator without a name, unless an earlier error explains it.
    pub(super) fn report_missing_name(&mut self, specs: &Specifiers) {
        let token = self.peek();
        if specs.base.ty == self.types.common.error && self.diags.error_count() > 0 {
            return;
        }
        let last = self.cursor.lookbehind(1).unwrap_or(token);
        let is_space = |word| matches!(word, K::Global | K::Local | K::Constant | K::Private | K::Generic);
        for word in [last, token] {
            if self.as_keyword(word).is_some_and(|k| word.lo == token.lo || is_space(k)) {
                let text = self.token_text(word);
                let message = format!("{text} is a reserved word and cannot be declared");
                self.error(word.span(), message);
                return;
            }
        }
        let text = self.token_text(token);
        self.error(token.span(), format!("expected a name before {text}"));
    }

    /// Declares one name inside a function.
    fn block_declarator(&mut self, specs: &Specifiers, declarator: Declarator, out: &mut Vec<Stmt>) {
        if let Some((StorageClass::Typedef, _)) = specs.storage {
            self.declare_typedef(specs, &declarator);
            return;
        }
        if matches!(self.types.get(declarator.ty.ty), Type::Function(_)) {
            self.declare_prototype(specs, &declarator);
            return;
        }
        let name = declarator.name.expect("checked by the caller");
        let storage = specs.storage.map(|s| s.0);
        match (storage, declarator.ty.space) {
            (Some(StorageClass::Extern), _) => self.extern_variable(specs, &declarator),
            (Some(StorageClass::Static), space) => self.static_variable(specs, &declarator, space),
            (_, None | Some(Space::Private)) => self.automatic_variable(specs, declarator, out),
            (_, Some(Space::Local)) => self.local_variable(specs, &declarator),
            (_, Some(Space::Constant)) => {
                self.check_kernel_scope_variable("constant", name);
                self.global_variable(specs, &declarator, Space::Constant);
            }
            (_, Some(Space::Global)) => {
                let message = "a 'global' variable inside a function must be 'static' or 'extern'";
                self.error(name.span(), message);
                self.automatic_variable(specs, declarator, out);
            }
            (_, Some(Space::Generic)) => {
                let message = "nothing is allocated in the generic address space";
                self.error(name.span(), message);
                self.automatic_variable(specs, declarator, out);
            }
        }
    }

    /// Checks whether an initial value consists only of constants and blocks.
    fn is_constant_or_block(&self, init: &Init) -> bool {
        let mut values: Box<dyn Iterator<Item = &Expr>> = match init {
            Init::Value(value) => Box::new(std::iter::once(value)),
            Init::Parts(parts) => Box::new(parts.iter().map(|part| &part.1)),
        };
        values.all(|v| self.is_constant(v) || matches!(self.types.get(v.ty), Type::Block(_)))
    }

    fn check_kernel_scope_variable(&mut self, space: &str, name: Token) {
        let Some(function) = &self.function else {
            return;
        };
        if self.in_library() {
            // A `local` variable of a library function belongs to the calling kernel.
        } else if !function.is_kernel {
            let message = format!("a '{space}' variable can only be declared in a kernel function");
            self.error(name.span(), message);
        } else if function.block_depth != 1 {
            let message = format!("a '{space}' variable must be in the outermost scope of its kernel");
            self.error(name.span(), message);
        }
    }

    fn static_variable(&mut self, specs: &Specifiers, declarator: &Declarator, space: Option<Space>) {
        let span = specs.storage.map_or(specs.span, |s| s.1);
        if self.options.std < 200 {
            let message = "'static' variables inside functions need OpenCL C 2.0";
            self.error(span, message);
        }
        let space = space.unwrap_or(Space::Global);
        if !matches!(space, Space::Global | Space::Constant) {
            let message = "a 'static' variable must be in the global or constant address space";
            self.error(declarator.span, message);
        }
        self.global_variable(specs, declarator, space);
    }

    /// Declares a `local` variable of a work-group (s6.7.2).
    fn local_variable(&mut self, specs: &Specifiers, declarator: &Declarator) {
        let name = declarator.name.expect("checked by the caller");
        self.check_kernel_scope_variable("local", name);
        let ty = self.variable_type(specs, &declarator.ty, Space::Local, name.span());
        self.check_object(ty, name.span());
        let owner = self.function.as_ref().map(|f| f.id);
        let text = self.names.text(name.symbol).to_owned();
        let id = self.unit.globals.push(Global {
            name: text,
            ty,
            init: None,
            owner,
            is_extern: false,
            is_static: true,
            span: name.span(),
        });
        self.declare(name, Entity::Global(id));
        self.check_block_variable(ty.ty, false, name);
        if self.kind() == TokenKind::Assign {
            let span = self.bump().span();
            self.error(span, "a 'local' variable cannot be initialized");
            self.initializer(ty);
        }
    }

    /// Declares an automatic variable.
    fn automatic_variable(&mut self, specs: &Specifiers, declarator: Declarator, out: &mut Vec<Stmt>) {
        let name = declarator.name.expect("checked by the caller");
        let mut ty = self.variable_type(specs, &declarator.ty, Space::Private, name.span());
        let aligned = specs.attributes.aligned.max(declarator.attributes.aligned);
        let text = self.names.text(name.symbol).to_owned();
        let id = self.new_local(text, ty, aligned.unwrap_or(1), name.span());
        self.declare(name, Entity::Local(id));
        self.check_block_variable(ty.ty, false, name);
        if specs.attributes.unused || declarator.attributes.unused {
            self.function.as_mut().expect("inside a function").mark_used(id);
        }
        let mut init = None;
        if self.eat(TokenKind::Assign) {
            self.set_initialized_block(ty.ty, Some(id));
            let (value, complete) = self.initializer(ty);
            self.set_initialized_block(ty.ty, None);
            ty.ty = complete;
            // A variable initialized by a computation is not reported as unused: code generators emit many of them.
            if !self.is_constant_or_block(&value) {
                self.function.as_mut().expect("inside a function").mark_used(id);
            }
            self.record_block_source(id, &value);
            init = Some(value);
        }
        self.check_object(ty, name.span());
        self.check_opaque_variable(ty, init.as_ref(), name);
        self.record_constant(id, ty, init.as_ref());
        let align = self.types.align_of(ty.ty);
        let function = self.function.as_mut().expect("inside a function");
        let local = &mut function.locals[id];
        local.ty = ty;
        local.align = local.align.max(align);
        out.push(Stmt { kind: StmtKind::Decl(id, init), span: name.span() });
    }

    /// Records the value of `const int n = 4`, so that `int a[n]` has a constant size.
    pub(super) fn record_constant(&mut self, id: LocalId, ty: QualType, init: Option<&Init>) {
        if !ty.is_const || ty.is_volatile || !self.is_integer(ty.ty) {
            return;
        }
        let Some(Init::Value(value)) = init else {
            return;
        };
        if let Some(value) = self.constant_integer(value)
            && let Some(function) = &mut self.function
        {
            function.constants.insert(id, value as u64);
        }
    }

    /// Adds a variable to the current function.
    pub fn new_local(&mut self, name: String, ty: QualType, align: u64, span: Span) -> LocalId {
        let align = align.max(self.types.align_of(ty.ty));
        let function = self.function.as_mut().expect("inside a function");
        function.locals.push(Local { name, ty, align, span })
    }

    /// Returns the type of a variable in `space`.
    pub(super) fn variable_type(
        &mut self,
        specs: &Specifiers,
        ty: &DeclaredType,
        space: Space,
        span: Span,
    ) -> QualType {
        if ty.is_restrict && !matches!(self.types.get(ty.ty), Type::Pointer(_)) {
            let span = specs.restrict_span.unwrap_or(span);
            self.error(span, "'restrict' is for pointers only");
        }
        if let Some(span) = specs.access_span {
            self.error(span, "an access qualifier is for image parameters only");
        }
        QualType {
            ty: ty.ty,
            space,
            is_const: ty.is_const || space == Space::Constant || self.is_block(ty.ty),
            is_volatile: ty.is_volatile,
            is_restrict: ty.is_restrict,
        }
    }

    /// Reports a type that cannot have objects.
    pub(super) fn check_object(&mut self, ty: QualType, span: Span) {
        if ty.ty == self.types.common.void {
            self.error(span, "a variable cannot be 'void'");
        } else if let Type::Array(_, None) = self.types.get(ty.ty) {
            self.error(span, "the size of the array is missing");
        }
        self.check_complete(ty.ty, span);
        self.check_half_object(ty.ty, span);
    }

    /// Reports a struct type that is incomplete.
    pub(super) fn check_complete(&mut self, ty: TypeId, span: Span) {
        if let Type::Struct(id) = self.types.get(ty)
            && !self.types.structs[*id].complete
        {
            let name = self.type_text(ty);
            self.error(span, format!("'{name}' is not defined"));
        }
    }

    /// Checks variables that are images, samplers or events (s6.9).
    pub(super) fn check_opaque_variable(&mut self, ty: QualType, init: Option<&Init>, name: Token) {
        let mut element = ty.ty;
        while let Type::Array(of, _) = self.types.get(element) {
            element = of.ty;
        }
        if let Type::Pipe(..) = self.types.get(element) {
            self.error(name.span(), "a pipe can only be a parameter of a function");
            return;
        }
        let Type::Opaque(opaque) = *self.types.get(element) else {
            return;
        };
        match opaque {
            Opaque::Image(..) => {
                let message = "an image can only be a parameter of a function";
                self.error(name.span(), message);
            }
            Opaque::Sampler => {
                let constant = matches!(init, Some(Init::Value(v)) if self.is_constant(v));
                if init.is_none() {
                    self.error(name.span(), "a sampler variable must be initialized");
                } else if !constant {
                    let message = "the initial value of a sampler must be a constant";
                    self.error(name.span(), message);
                }
            }
            _ => {}
        }
    }

    /// Declares a typedef name.
    pub(super) fn declare_typedef(&mut self, specs: &Specifiers, declarator: &Declarator) {
        let Some(name) = declarator.name else { return };
        if let Type::Struct(id) = *self.types.get(declarator.ty.ty)
            && self.types.structs[id].name.is_empty()
        {
            self.types.structs[id].name = self.names.text(name.symbol).to_owned();
        }
        if self.kind() == TokenKind::Assign {
            let span = self.bump().span();
            self.error(span, "a type cannot be initialized");
            self.assignment();
        }
        self.reject_kernel_attributes(&declarator.attributes);
        let is_same_type = declarator.ty.ty == specs.base.ty;
        let typedef = Typedef {
            ty: declarator.ty.ty,
            space: declarator.ty.space,
            is_const: declarator.ty.is_const,
            is_volatile: declarator.ty.is_volatile,
            host_sized: declarator.ty.host_sized || specs.base.host_sized && is_same_type,
        };
        self.declare(name, Entity::Typedef(typedef));
    }

    /// Declares a name in the innermost scope.
    pub fn declare(&mut self, name: Token, entity: Entity) {
        let earlier = self.scopes.find(name.symbol).filter(|b| b.is_innermost);
        if let Some(earlier) = earlier {
            let same = match (earlier.decl, entity) {
                (Entity::Typedef(a), Entity::Typedef(b)) => a.ty == b.ty,
                _ => false,
            };
            if !same {
                let text = self.token_text(name);
                self.error(name.span(), format!("redefinition of {text}"))
                    .note(earlier.span, "first declared here");
                // Keep the first declaration: later uses most likely refer to it.
                return;
            }
        } else if let Entity::Typedef(new) = entity
            && self.scopes.at_program_scope()
        {
            self.check_builtin_typedef(name, new);
        }
        self.scopes.bind(name.symbol, entity, name.span());
    }

    /// Reports a typedef of a built-in type's name, unless it names the same type, such as `typedef unsigned int
    /// uint;`.
    fn check_builtin_typedef(&mut self, name: Token, new: Typedef) {
        if let Some(old) = self.find_type(name.symbol)
            && old.ty != new.ty
        {
            let text = self.token_text(name);
            let message = format!("{text} is a built-in type and cannot be defined anew");
            self.error(name.span(), message);
        }
    }

    /// Declares an `extern` variable at any scope.
    pub(super) fn extern_variable(&mut self, specs: &Specifiers, declarator: &Declarator) {
        let default = if self.options.std >= 200 { Space::Global } else { Space::Private };
        let space = declarator.ty.space.unwrap_or(default);
        if !matches!(space, Space::Global | Space::Constant) {
            let message = "an 'extern' variable must be in the global or constant address space";
            self.error(declarator.span, message);
            return;
        }
        self.global_variable(specs, declarator, space);
    }

    /// Returns the type of the global variable `id`.
    pub(super) fn global_type(&self, id: GlobalId) -> QualType {
        self.unit.globals[id].ty
    }
}
