//! Declarations at program scope: functions, kernels and variables (C99 s6.9, OpenCL C
//! s6.7 and s6.9).

use super::{Declarator, Parameter, Specifiers, StorageClass};
use crate::names::Keyword;
use crate::scope::Entity;
use crate::session::{FunctionInfo, FunctionState, Session};
use crate::token::{Token, TokenKind};
use crate::tree::{
    ConstData, Function, FunctionBody, FunctionId, Global, GlobalId, KernelArg, KernelAttributes, Local,
};
use crate::types::{FunctionType, Opaque, QualType, Space, Type, TypeId};
use grus_support::diag::Span;
use grus_support::{IdVec, memory};

impl Session<'_> {
    /// unit = (function | declaration | ";")*
    pub fn translation_unit(&mut self) {
        while self.kind() != TokenKind::Eof && !self.depth.is_aborted() {
            memory::check();
            let before = self.cursor.position();
            self.apply_fp_contract_pragma();
            self.external_declaration();
            if self.cursor.position() == before {
                let token = self.bump();
                let text = self.token_text(token);
                self.error(token.span(), format!("unexpected {text} at program scope"));
            }
            if self.diags.too_many() {
                self.abort();
            }
        }
    }

    /// external-declaration = specifiers (function-body | declarators ";")
    pub fn external_declaration(&mut self) {
        if self.eat(TokenKind::Semi) {
            return;
        }
        let start = self.peek();
        match self.keyword() {
            Some(Keyword::StaticAssert) => return self.static_assert(),
            Some(Keyword::Asm) => return self.assembly_statement(),
            _ if self.begins_declaration(start) || self.at_attribute() => {}
            _ if !self.is_type_missing(start) => return self.report_non_declaration(start),
            _ => {}
        }
        let specs = self.specifiers();
        self.reject_auto_type(&specs);
        if specs.is_missing_semicolon || self.eat(TokenKind::Semi) {
            if !specs.declares_tag && specs.base.ty != self.types.common.error {
                self.warning(specs.span, "declaration declares nothing");
            }
            return;
        }
        let mut declarator = self.declarator(specs.base);
        loop {
            if declarator.name.is_none() {
                self.report_missing_name(&specs);
                self.skip_declaration();
                return;
            }
            if declarator.params.is_some() && self.kind() == TokenKind::LBrace {
                self.function_definition(&specs, declarator);
                return;
            }
            self.external_declarator(&specs, &declarator);
            if declarator.params.is_some() && self.is_body_missing() {
                return self.report_missing_body();
            }
            if !self.eat(TokenKind::Comma) {
                break;
            }
            declarator = self.declarator(specs.base);
        }
        if !self.expect(TokenKind::Semi, "';'") {
            self.skip_declaration();
        }
    }

    /// Checks whether a function declarator is followed by further lines, but neither by a body nor by `;`.
    fn is_body_missing(&self) -> bool {
        let token = self.peek();
        let goes_on =
            !matches!(token.kind, TokenKind::Semi | TokenKind::Comma | TokenKind::Assign | TokenKind::Eof);
        goes_on && token.at_line_start() && !self.begins_declaration(token)
    }

    /// Reports the missing `{` and skips the function body up to its `}`.
    fn report_missing_body(&mut self) {
        let span = self.end_of_last();
        let text = self.token_text(self.peek());
        self.error(span, format!("expected a function body or ';' before {text}"));
        while !matches!(self.kind(), TokenKind::RBrace | TokenKind::Eof)
            && self.keyword() != Some(Keyword::Kernel)
        {
            if matches!(self.kind(), TokenKind::LParen | TokenKind::LBracket | TokenKind::LBrace) {
                self.skip_balanced();
            } else {
                self.bump();
            }
        }
        self.eat(TokenKind::RBrace);
    }

    fn report_non_declaration(&mut self, start: Token) {
        if start.kind == TokenKind::Ident && self.keyword().is_none() {
            self.unknown_type(start);
            self.bump();
            // If a misspelt word precedes a declaration, the declaration itself is parsed.
            if !self.begins_declaration(self.peek()) || self.peek().at_line_start() {
                self.skip_declaration();
            }
        }
    }

    /// Checks for `name name` and `name * name`, whose first name should be a type, and for `name(...) {`, which
    /// lacks a result type.
    fn is_type_missing(&mut self, start: Token) -> bool {
        if start.kind != TokenKind::Ident || self.keyword().is_some() {
            return false;
        }
        let (next, after) = (self.peek_at(1), self.peek_at(2));
        let is_name = |s: &Self, t: Token| t.kind == TokenKind::Ident && s.as_keyword(t).is_none();
        match next.kind {
            TokenKind::Ident => {
                is_name(self, next)
                    && matches!(after.kind, TokenKind::LParen | TokenKind::Assign | TokenKind::Semi)
            }
            TokenKind::Star => is_name(self, after),
            TokenKind::LParen => {
                let at = self.cursor.position();
                self.bump();
                self.skip_balanced();
                let has_body = self.kind() == TokenKind::LBrace;
                self.cursor.seek(at);
                has_body
            }
            _ => false,
        }
    }

    /// Skips tokens that cannot be a declaration: up to `;`, or past a body in braces.
    fn skip_declaration(&mut self) {
        loop {
            match self.kind() {
                TokenKind::Semi => {
                    self.bump();
                    return;
                }
                TokenKind::LBrace => {
                    self.skip_balanced();
                    return;
                }
                TokenKind::RBrace | TokenKind::Eof => return,
                TokenKind::LParen | TokenKind::LBracket => self.skip_balanced(),
                _ => {
                    self.bump();
                }
            }
        }
    }

    fn external_declarator(&mut self, specs: &Specifiers, declarator: &Declarator) {
        if let Some((StorageClass::Typedef, _)) = specs.storage {
            self.declare_typedef(specs, declarator);
            return;
        }
        if matches!(self.types.get(declarator.ty.ty), Type::Function(_)) {
            self.declare_prototype(specs, declarator);
            return;
        }
        if let Some(span) = specs.kernel {
            self.error(span, "only a function can be a kernel");
        }
        if let Some((StorageClass::Extern, _)) = specs.storage {
            self.extern_variable(specs, declarator);
            return;
        }
        let space = self.program_scope_space(specs, declarator);
        self.global_variable(specs, declarator, space);
    }

    /// Returns the address space of a variable at program scope (s6.7.1, s6.7.4).
    fn program_scope_space(&mut self, specs: &Specifiers, declarator: &Declarator) -> Space {
        let is_sampler = matches!(self.types.get(declarator.ty.ty), Type::Opaque(Opaque::Sampler));
        match declarator.ty.space {
            Some(Space::Constant) => Space::Constant,
            None if is_sampler => Space::Constant,
            _ if self.types.get(declarator.ty.ty) == &Type::Error => Space::Constant,
            Some(Space::Global) | None if self.options.std >= 200 => Space::Global,
            Some(Space::Global) | None => {
                let message = "a program-scope variable must be 'constant' before OpenCL C 2.0";
                self.error(declarator.span, message);
                Space::Constant
            }
            Some(_) => {
                let message = "a program-scope variable must be in the global or constant space";
                self.error(specs.space_span.unwrap_or(declarator.span), message);
                Space::Constant
            }
        }
    }

    /// Declares a variable with static storage, at any scope.
    pub(super) fn global_variable(&mut self, specs: &Specifiers, declarator: &Declarator, space: Space) {
        let Some(name) = declarator.name else { return };
        let is_extern = specs.storage.is_some_and(|s| s.0 == StorageClass::Extern);
        let ty = self.variable_type(specs, &declarator.ty, space, name.span());
        let is_static = specs.storage.is_some_and(|s| s.0 == StorageClass::Static);
        let id = self.declare_global(name, ty, is_extern);
        self.unit.globals[id].is_static |= is_static;
        self.check_block_variable(ty.ty, is_extern, name);
        let mut init = None;
        if self.eat(TokenKind::Assign) {
            let (value, complete) = self.initializer(ty);
            self.unit.globals[id].ty.ty = complete;
            self.unit.globals[id].is_extern = false;
            self.check_opaque_variable(self.unit.globals[id].ty, Some(&value), name);
            init = self.static_data(&value, complete, name.span());
        } else {
            self.check_opaque_variable(ty, None, name);
            let needs_value = declarator.ty.space == Some(Space::Constant) && !is_extern;
            let is_sampler = matches!(self.types.get(ty.ty), Type::Opaque(Opaque::Sampler));
            if needs_value && !is_sampler && !is_error_type(self, ty) {
                let message = "a variable in the constant address space must be initialized";
                self.error(name.span(), message);
            }
        }
        if init.is_some() {
            self.unit.globals[id].init = init;
        }
        let ty = self.global_type(id);
        let may_be_incomplete =
            is_extern && matches!(self.types.get(ty.ty), Type::Array(_, None) | Type::Struct(_));
        if !(may_be_incomplete && self.unit.globals[id].is_extern) {
            self.check_object(ty, name.span());
        }
        self.check_program_object(ty, name.span());
    }

    /// Reports a type that cannot have objects with static storage.
    fn check_program_object(&mut self, ty: QualType, span: Span) {
        let mut element = ty.ty;
        while let Type::Array(of, _) = self.types.get(element) {
            element = of.ty;
        }
        if let Type::Opaque(opaque) = self.types.get(element)
            && !matches!(opaque, Opaque::Sampler | Opaque::Image(..))
        {
            let name = self.type_text(element);
            self.error(span, format!("a variable of type '{name}' must be private"));
        }
    }

    /// Returns the global named `name`: a compatible one that is already declared, or a new one.
    fn declare_global(&mut self, name: Token, ty: QualType, is_extern: bool) -> GlobalId {
        let earlier = self.scopes.find(name.symbol).filter(|b| b.is_innermost);
        if let Some(earlier) = earlier
            && let Entity::Global(id) = earlier.decl
        {
            let old = self.unit.globals[id].ty;
            let completes = self.is_compatible(old.ty, ty.ty);
            let repeatable = self.unit.globals[id].is_extern || is_extern || self.is_tentative(id);
            if repeatable && completes && old.space == ty.space {
                if let Type::Array(_, None) = self.types.get(old.ty) {
                    self.unit.globals[id].ty.ty = ty.ty;
                }
                self.unit.globals[id].is_extern &= is_extern;
                return id;
            }
        }
        let text = self.names.text(name.symbol).to_owned();
        let owner = self.function.as_ref().map(|f| f.id);
        let id = self.unit.globals.push(Global {
            name: text,
            ty,
            init: None,
            owner,
            is_extern,
            is_static: self.in_library() || (owner.is_some() && !is_extern),
            span: name.span(),
        });
        self.declare(name, Entity::Global(id));
        id
    }

    /// Checks whether the global is a tentative definition (C99 s6.9.2): declared at program scope without a value.
    fn is_tentative(&self, id: GlobalId) -> bool {
        let global = &self.unit.globals[id];
        global.init.is_none() && global.owner.is_none() && global.ty.space == Space::Global
    }

    /// Declares a function by its prototype. Prototypes of variadic functions, such as `printf`, are ignored, since
    /// only the library can define them.
    pub(super) fn declare_prototype(&mut self, specs: &Specifiers, declarator: &Declarator) {
        if !matches!(self.types.get(declarator.ty.ty), Type::Function(ty) if ty.variadic && !self.in_library())
        {
            self.declare_function(specs, declarator);
        }
    }

    /// Declares a function by its prototype or by the declarator of its definition.
    pub(super) fn declare_function(&mut self, specs: &Specifiers, declarator: &Declarator) -> FunctionId {
        let name = declarator.name.expect("functions have names");
        let params = declarator.params.as_deref().unwrap_or(&[]);
        let Type::Function(ty) = self.types.get(declarator.ty.ty).clone() else {
            unreachable!("the caller saw a function type")
        };
        let text = self.names.text(name.symbol).to_owned();
        if text == "main" {
            self.error(name.span(), "a function cannot be named 'main'");
        }
        let mut attributes = specs.attributes.clone();
        attributes.kernel.extend(declarator.attributes.kernel.clone());
        let no_inline = attributes.no_inline || declarator.attributes.no_inline;
        let no_return = attributes.no_return || declarator.attributes.no_return;
        let overloadable = attributes.overloadable || declarator.attributes.overloadable;
        let id = match self.earlier_function(name, declarator.ty.ty, overloadable) {
            Some(id) => id,
            None => {
                let text = if overloadable { self.overload_name(&text, &ty) } else { text };
                let id = self.new_function(text, &ty, declarator.ty.ty, params, name);
                self.unit.infos[id].is_overloadable = overloadable;
                self.unit.functions[id].no_inline = no_inline;
                self.unit.functions[id].is_static = self.in_library() || specs.is_inline;
                let clash = self
                    .scopes
                    .find(name.symbol)
                    .is_some_and(|b| b.is_innermost && matches!(b.decl, Entity::Function(_)));
                if self.add_overload(name, id) {
                    // Lookup finds the first overload; `overloads` lists the others.
                } else if clash {
                    // The clash has been reported. Later uses refer to the new declaration.
                    self.scopes.bind(name.symbol, Entity::Function(id), name.span());
                } else {
                    self.declare(name, Entity::Function(id));
                }
                id
            }
        };
        self.unit.functions[id].no_return |= no_return;
        let has_static = specs.storage.is_some_and(|s| s.0 == StorageClass::Static);
        self.unit.functions[id].is_static |= has_static;
        if specs.is_inline || specs.attributes.unused || declarator.attributes.unused {
            self.usage.mark_function_used(id);
        }
        if specs.kernel.is_some() {
            self.unit.infos[id].is_kernel = true;
            self.unit.functions[id].is_static = false;
            self.kernel(specs, declarator, id, params);
        } else {
            self.reject_kernel_attributes(&specs.attributes);
            self.reject_kernel_attributes(&declarator.attributes);
        }
        id
    }

    /// Creates a function without a body. If its type is from a typedef, the parameters have no names.
    fn new_function(
        &mut self,
        text: String,
        ty: &FunctionType,
        id: TypeId,
        params: &[Parameter],
        name: Token,
    ) -> FunctionId {
        let of_type = |i: usize| QualType::new(ty.params[i], Space::Private);
        let types: Vec<QualType> =
            (0..ty.params.len()).map(|i| params.get(i).map_or(of_type(i), |p| p.ty)).collect();
        let mut locals = IdVec::new();
        for (i, ty) in types.iter().enumerate() {
            let named = params.get(i).and_then(|p| p.name);
            locals.push(Local {
                name: named.map_or(String::new(), |n| self.names.text(n.symbol).to_owned()),
                ty: *ty,
                align: self.types.align_of(ty.ty),
                span: params.get(i).map_or(name.span(), |p| p.span),
            });
        }
        let info = FunctionInfo::new(id, ty.ret, types, false);
        let function = Function {
            name: text,
            ret: ty.ret,
            params: ty.params.len() as u32,
            locals,
            body: FunctionBody::Declared,
            is_static: false,
            no_inline: false,
            no_return: false,
            is_deferred: false,
            is_rare: false,
            kernel: None,
            labels: 0,
            span: name.span(),
        };
        self.unit.add_function(function, info)
    }

    fn earlier_function(&mut self, name: Token, ty: TypeId, overloadable: bool) -> Option<FunctionId> {
        let earlier = self.scopes.find(name.symbol)?;
        let Entity::Function(id) = earlier.decl else {
            return None;
        };
        if let Some(same) = self.unit.overloads_of(id).into_iter().find(|f| self.unit.infos[*f].ty == ty) {
            return Some(same);
        }
        if self.may_overload(id, ty, overloadable) {
            return None;
        }
        let text = self.token_text(name);
        let message = format!("conflicting types for {text}; functions cannot be overloaded");
        self.error(name.span(), message).note(earlier.span, "declared here before");
        None
    }

    /// Checks a kernel and sets its attributes (s6.9, API s5.9.4).
    fn kernel(&mut self, specs: &Specifiers, declarator: &Declarator, id: FunctionId, params: &[Parameter]) {
        let name = declarator.name.expect("functions have names");
        if self.unit.functions[id].ret != self.types.common.void
            && self.unit.functions[id].ret != self.types.common.error
        {
            self.error(name.span(), "a kernel must return 'void'");
        }
        if let Some((StorageClass::Static, span)) = specs.storage {
            self.error(span, "a kernel cannot be 'static'");
        }
        if self.unit.infos[id].is_overloadable {
            self.error(name.span(), "a kernel cannot be overloaded");
        }
        for param in params {
            self.check_kernel_parameter(param);
        }
        let attributes = &specs.attributes;
        let on_declarator = &declarator.attributes;
        let old = self.unit.functions[id].kernel.take().unwrap_or_default();
        let mut texts: Vec<&str> = old.text.split(' ').filter(|t| !t.is_empty()).collect();
        for text in attributes.kernel.iter().chain(&on_declarator.kernel) {
            if !texts.contains(&text.as_str()) {
                texts.push(text);
            }
        }
        let kernel = KernelAttributes {
            reqd_work_group_size: attributes
                .reqd_work_group_size
                .or(on_declarator.reqd_work_group_size)
                .or(old.reqd_work_group_size),
            work_group_size_hint: attributes
                .work_group_size_hint
                .or(on_declarator.work_group_size_hint)
                .or(old.work_group_size_hint),
            vec_type_hint: attributes
                .vec_type_hint
                .clone()
                .or(on_declarator.vec_type_hint.clone())
                .or(old.vec_type_hint.clone()),
            sub_group_size: attributes.sub_group_size.or(on_declarator.sub_group_size).or(old.sub_group_size),
            text: texts.join(" "),
            args: params.iter().map(|p| self.kernel_arg(p)).collect(),
        };
        self.unit.functions[id].kernel = Some(kernel);
    }

    fn kernel_arg(&self, param: &Parameter) -> KernelArg {
        let pointee = match self.types.get(param.ty.ty) {
            Type::Pointer(to) => Some(*to),
            _ => None,
        };
        let name = param.name.map_or("", |n| self.names.text(n.symbol));
        KernelArg {
            name: name.to_owned(),
            type_name: param.type_name.clone(),
            is_const: pointee.is_some_and(|p| p.is_const || p.space == Space::Constant),
            is_restrict: pointee.is_some() && param.ty.is_restrict,
            is_volatile: pointee.is_some_and(|p| p.is_volatile),
            is_pipe: matches!(self.types.get(param.ty.ty), Type::Pipe(..)),
            access: param.access,
        }
    }

    fn check_kernel_parameter(&mut self, param: &Parameter) {
        let span = param.span;
        let name = self.type_text(param.ty.ty);
        let message = match *self.types.get(param.ty.ty) {
            Type::Pointer(to) => return self.check_kernel_pointer(to, span),
            Type::Bool => "a kernel parameter cannot be 'bool'".into(),
            Type::Block(_) => "a kernel parameter cannot be a block".into(),
            _ if param.host_sized => {
                "a kernel parameter cannot be 'size_t' or its like: the host's may differ".into()
            }
            Type::Struct(id) => match self.structs.bad_kernel_arg(id) {
                Some(member) => {
                    format!("'{name}' cannot be a kernel parameter: a member is {member}")
                }
                None => return,
            },
            Type::Opaque(Opaque::Event | Opaque::ClkEvent | Opaque::ReserveId | Opaque::NdRange)
            | Type::Atomic(_) => format!("a kernel parameter cannot be '{name}'"),
            _ => return,
        };
        self.error(span, message);
    }

    fn check_kernel_pointer(&mut self, to: QualType, span: Span) {
        if !matches!(to.space, Space::Global | Space::Local | Space::Constant) {
            let message = "a pointer parameter of a kernel must point to global, local or constant";
            self.error(span, message);
            return;
        }
        if let Type::Pointer(inner) = *self.types.get(to.ty) {
            if self.options.std < 200 {
                let message = "a kernel parameter cannot be a pointer to a pointer before 2.0";
                self.error(span, message);
            } else {
                self.check_kernel_pointer(inner, span);
            }
        }
    }

    /// function = specifiers declarator "{" statement* "}"
    fn function_definition(&mut self, specs: &Specifiers, declarator: Declarator) {
        let id = self.declare_function(specs, &declarator);
        let name = declarator.name.expect("functions have names");
        let is_variadic = matches!(self.types.get(declarator.ty.ty), Type::Function(ty) if ty.variadic);
        if is_variadic && self.is_variadic_builtin(name.symbol) {
            // A prototype of this name refers to the library's function, but a definition is an error.
            self.error(name.span(), "functions with variable arguments are not supported");
        }
        if self.unit.infos[id].is_defined {
            let text = self.token_text(name);
            let first = self.unit.functions[id].span;
            self.error(name.span(), format!("redefinition of {text}")).note(first, "first defined here");
        }
        let params = declarator.params.unwrap_or_default();
        self.unit.infos[id].is_defined = true;
        self.unit.infos[id].params = params.iter().map(|p| p.ty).collect();
        self.unit.functions[id].span = name.span();
        self.begin_function(id, name);
        for param in params {
            self.bind_parameter(param);
        }
        self.function_body(id);
    }

    /// Starts the body of function `id`. The caller binds the parameters next.
    pub fn begin_function(&mut self, id: FunctionId, name: Token) {
        let enclosing_scopes = self.scopes.depth();
        self.scopes.push();
        let ret = self.unit.functions[id].ret;
        let is_kernel = self.unit.infos[id].is_kernel;
        self.function = Some(FunctionState::new(id, name.symbol, ret, is_kernel, enclosing_scopes));
    }

    pub(super) fn bind_parameter(&mut self, param: Parameter) {
        let text = match param.name {
            Some(name) => self.names.text(name.symbol).to_owned(),
            None => String::new(),
        };
        let align = param.align.unwrap_or(1);
        let id = self.new_local(text, param.ty, align, param.span);
        // C23 and other compilers permit unnamed parameters.
        if let Some(name) = param.name {
            self.declare(name, Entity::Local(id));
        }
    }

    /// Parses the body in braces and completes the function.
    pub fn function_body(&mut self, id: FunctionId) {
        let body = self.body_block();
        self.usage.set_closing_brace(id, self.last_span());
        self.scopes.pop();
        self.check_labels();
        self.check_unused();
        let state = self.function.take().expect("begun by the caller");
        let labels = state.label_count();
        let function = &mut self.unit.functions[id];
        function.params = self.unit.infos[id].params.len() as u32;
        function.locals = state.locals;
        function.labels = labels;
        function.body = FunctionBody::Block(body);
    }

    /// Creates a nameless constant, such as a string literal or `__func__`.
    pub fn constant_global(&mut self, ty: TypeId, data: ConstData, span: Span) -> GlobalId {
        self.unit.globals.push(Global {
            name: String::new(),
            ty: QualType { is_const: true, ..QualType::new(ty, Space::Constant) },
            init: Some(data),
            owner: None,
            is_extern: false,
            is_static: true,
            span,
        })
    }
}

fn is_error_type(session: &Session<'_>, ty: QualType) -> bool {
    ty.ty == session.types.common.error
}
