//! Calls of library functions (s6.13): overload resolution, and instantiation of the chosen declaration. Scalar
//! arguments convert as in C++ overload resolution, where the best candidate must not be worse than another one in
//! any argument. A scalar converts to a vector only if no other candidate matches ([`SPLAT`]).
//!
//! Bodies are parsed after the program, from a queue, so that instantiations do not nest, and functions that are
//! not called are never parsed.

use smallvec::SmallVec;

use super::Candidate;
use super::builtins::{GenericArgs, PendingBody};
use super::generic_types::{Elem, IMAGES, LANES, Lanes, SignatureType};
use super::index::{
    AccessPattern, BodyKind, FunctionDecl, LibraryParam, PointerPattern, SpacePattern, TextDecl, TypePattern,
};
use crate::names::Symbol;
use crate::parse::Operand;
use crate::pp;
use crate::scope::Entity;
use crate::sema::AssignAction;
use crate::session::{Cursor, FunctionInfo, Session};
use crate::token::{Token, TokenKind};
use crate::tree::{Expr, ExprKind, Function, FunctionBody, FunctionId, Local};
use crate::types::{AccessQualifier, FunctionType, Opaque, QualType, Scalar, Space, Type, TypeId};
use grus_support::IdVec;
use grus_support::diag::Span;

/// Spaces and types of generic arguments, which are consumed in the order of the parameters.
struct ParamArgs<'b> {
    spaces: std::slice::Iter<'b, Space>,
    types: std::slice::Iter<'b, QualType>,
}

impl<'b> ParamArgs<'b> {
    fn of(generic_args: &'b GenericArgs) -> Self {
        ParamArgs { spaces: generic_args.spaces.iter(), types: generic_args.types.iter() }
    }
}

/// Candidate whose parameters accept the arguments.
struct ViableCandidate {
    index: u16,
    generic_args: GenericArgs,
    ranks: SmallVec<[u8; 4]>,
}

/// Rank of a conversion without cost. Lower ranks are better.
pub const EXACT: u8 = 0;
/// Rank of a promotion.
pub const PROMOTION: u8 = 1;
/// Rank of another scalar conversion.
pub const CONVERSION: u8 = 2;
/// Rank of a scalar that fills a vector. The specification does not have this conversion: it declares the forms
/// with scalars one by one. Programs and conformance tests written for other compilers rely on it if no declared
/// form matches.
pub const SPLAT: u8 = 3;

/// Maximum number of candidates listed when none matches.
// Arbitrary.
const MAX_LISTED_CANDIDATES: usize = 5;
/// Maximum number of arguments labeled with their types when no candidate matches.
// Arbitrary.
const MAX_ARGUMENT_LABELS: usize = 6;

impl Session<'_> {
    /// Builds a call of the library functions named `symbol`.
    pub fn call_library(&mut self, symbol: Symbol, at: Span, args: Vec<Operand>, span: Span) -> Expr {
        let Some(candidates) = self.library_functions(symbol) else {
            return self.error_expr(span);
        };
        let mut values: Vec<Expr> = args.into_iter().map(|a| self.value(a)).collect();
        if values.iter().any(|v| v.ty == self.types.common.error) {
            return self.error_expr(span);
        }
        if candidates.iter().all(|c| c.decl().takes_long) {
            values = values.into_iter().map(|value| self.widen_integer(value)).collect();
        }
        let mut viable = Vec::new();
        for candidate in &candidates {
            self.add_viable(*candidate, &values, &mut viable);
        }
        let ranks: Vec<&[u8]> = viable.iter().map(|m| &m.ranks[..]).collect();
        match best_viable(&ranks) {
            Some(best) => self.build_call(&viable[best], values, at, span),
            None => {
                let ambiguous = !viable.is_empty();
                self.report_no_match(symbol, at, &candidates, &values, ambiguous);
                self.error_expr(span)
            }
        }
    }

    /// Returns the library function with the name, the parameters and the return type of a function of the program.
    pub fn builtin_with_signature_of(&mut self, id: FunctionId) -> Option<FunctionId> {
        let symbol = self.library_name(id)?;
        let span = self.unit.functions[id].span;
        let values: Vec<Expr> =
            self.unit.infos[id].params.iter().map(|p| self.opaque_value(p.ty, span)).collect();
        let chosen = self.best_match(symbol, &values)?;
        let decl = &super::index::FUNCTIONS[usize::from(chosen.index)];
        if decl.variadic || decl.kind == BodyKind::Bitcast {
            return None;
        }
        let builtin = self.instance(chosen.index, chosen.generic_args);
        let fits = |a: &FunctionInfo, b: &FunctionInfo| {
            a.ret == b.ret && a.params.iter().map(|p| p.ty).eq(b.params.iter().map(|p| p.ty))
        };
        fits(&self.unit.infos[id], &self.unit.infos[builtin]).then_some(builtin)
    }

    /// Returns the ranks of the arguments for the best library function with this name.
    pub fn library_ranks(&self, symbol: Symbol, values: &[Expr]) -> Option<SmallVec<[u8; 4]>> {
        self.best_match(symbol, values).map(|chosen| chosen.ranks)
    }

    /// Returns the best match among the library functions with this name.
    fn best_match(&self, symbol: Symbol, values: &[Expr]) -> Option<ViableCandidate> {
        let mut viable = Vec::new();
        for candidate in self.library_functions(symbol)? {
            self.add_viable(candidate, values, &mut viable);
        }
        let ranks: Vec<&[u8]> = viable.iter().map(|m| &m.ranks[..]).collect();
        let chosen = best_viable(&ranks)?;
        Some(viable.swap_remove(chosen))
    }

    /// Converts an integer to `long` or `ulong`.
    fn widen_integer(&mut self, value: Expr) -> Expr {
        match self.types.get(value.ty) {
            Type::Scalar(s) if s.is_unsigned() => self.convert_value(value, self.types.common.ulong),
            Type::Scalar(s) if s.is_signed_int() => self.convert_value(value, self.types.common.long),
            Type::Bool => self.convert_value(value, self.types.common.long),
            _ => value,
        }
    }

    fn report_no_match(
        &mut self,
        symbol: Symbol,
        at: Span,
        candidates: &[Candidate],
        values: &[Expr],
        ambiguous: bool,
    ) {
        let name = self.names.text(symbol).to_owned();
        let types: Vec<String> = values.iter().map(|v| self.type_text(v.ty)).collect();
        let listed = types.join(", ");
        let message = if ambiguous {
            format!("the call of '{name}' is ambiguous with ({listed})")
        } else {
            format!("no built-in function '{name}' takes ({listed})")
        };
        let spans: Vec<(Span, String)> = values.iter().map(|v| v.span).zip(types).collect();
        let report = self.diags.error(at, message);
        for (span, ty) in spans.into_iter().take(MAX_ARGUMENT_LABELS) {
            report.label(span, ty);
        }
        let mut texts = Vec::new();
        for candidate in candidates {
            let decl = candidate.decl();
            let text = self.builtins.library.signature(decl, &name);
            let text = format!("candidate: {text}{}", arity_note(decl, values.len()));
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        let more = texts.len().saturating_sub(MAX_LISTED_CANDIDATES);
        for text in texts.into_iter().take(MAX_LISTED_CANDIDATES) {
            report.note(Span::default(), text);
        }
        if more > 0 {
            report.note(Span::default(), format!("and {more} more"));
        }
    }

    /// Adds every match of `candidate` with `values`.
    fn add_viable(&self, candidate: Candidate, values: &[Expr], out: &mut Vec<ViableCandidate>) {
        let decl = candidate.decl();
        let enough = values.len() == decl.params.len() || decl.variadic && values.len() >= decl.params.len();
        if !enough {
            return;
        }
        let Some(mut generic_args) = self.bind_lanes(candidate, values) else {
            return;
        };
        generic_args.dst_elem = candidate.dst.map(|d| d.0);
        let uses_element = decl.params.iter().any(|p| depends_on_elem(p.pattern.ty.elem));
        if !uses_element {
            self.try_generic_args(candidate.index, decl, values, generic_args, out);
            return;
        }
        for scalar in Scalar::ALL {
            if (decl.elems & self.library_scalars()) >> scalar as u16 & 1 != 0 {
                let mut generic_args = generic_args.clone();
                generic_args.elem = Some(scalar);
                self.try_generic_args(candidate.index, decl, values, generic_args, out);
            }
        }
    }

    /// Returns a bit mask of the scalars that library functions exist for. The library itself may use `double` on a
    /// device without it.
    pub fn library_scalars(&self) -> u16 {
        let double = 1 << Scalar::Double as u16;
        self.builtins.library.scalars | if self.in_library() { double } else { 0 }
    }

    /// Binds N and M, from the vectors among the arguments.
    fn bind_lanes(&self, candidate: Candidate, values: &[Expr]) -> Option<GenericArgs> {
        let decl = candidate.decl();
        let mut n = candidate.dst.map(|d| d.1);
        let mut m = None;
        for (param, value) in decl.params.iter().zip(values) {
            let variable = match param.pattern.ty.lanes {
                Lanes::Fixed(_) => continue,
                Lanes::N => &mut n,
                Lanes::M => &mut m,
            };
            let ty = match (param.pattern.pointer, self.pointee(value.ty)) {
                (Some(_), Some(to)) => to.ty,
                _ => value.ty,
            };
            let lanes = self.elem_and_lanes(ty).map_or(1, |x| x.1);
            let may_widen = param.pattern.pointer.is_none() && candidate.dst.is_none();
            *variable = match *variable {
                Some(bound) if bound != lanes && may_widen && lanes == 1 => Some(bound),
                Some(1) if may_widen => Some(lanes),
                Some(bound) if bound != lanes => return None,
                _ => Some(lanes),
            };
        }
        let allowed = |lanes: u8| {
            let bit = LANES.iter().position(|l| *l == lanes);
            bit.is_some_and(|bit| decl.lanes >> bit & 1 != 0)
        };
        let generic_args =
            GenericArgs { lanes_n: n.unwrap_or(1), lanes_m: m.unwrap_or(1), ..GenericArgs::default() };
        (n.is_none_or(allowed) && m.is_none_or(allowed)).then_some(generic_args)
    }

    fn try_generic_args(
        &self,
        index: u16,
        decl: &FunctionDecl,
        values: &[Expr],
        mut generic_args: GenericArgs,
        out: &mut Vec<ViableCandidate>,
    ) {
        let mut ranks = SmallVec::new();
        for (param, value) in decl.params.iter().zip(values) {
            match self.conversion_rank(&param.pattern, value, &mut generic_args) {
                Some(rank) => ranks.push(rank),
                None => return,
            }
        }
        if decl.kind == BodyKind::Bitcast && !self.same_size(decl, values, &generic_args, &ranks) {
            return;
        }
        out.push(ViableCandidate { index, generic_args, ranks });
    }

    /// Checks the argument of `as_type`: no conversion, and the size of the result.
    fn same_size(
        &self,
        decl: &FunctionDecl,
        values: &[Expr],
        generic_args: &GenericArgs,
        ranks: &[u8],
    ) -> bool {
        let Some((scalar, lanes)) = elem_and_lanes_of_signature(decl.ret.ty, generic_args) else {
            return false;
        };
        let padded = if lanes == 3 { 4 } else { u64::from(lanes) };
        let size = self.types.size_of(values[0].ty);
        ranks[0] == EXACT && size == scalar.size() * padded
    }

    fn conversion_rank(
        &self,
        pattern: &TypePattern,
        value: &Expr,
        generic_args: &mut GenericArgs,
    ) -> Option<u8> {
        if let Some(pointer) = pattern.pointer {
            return self.rank_pointer(pattern.ty, pointer, value, generic_args);
        }
        let (Some((expected, lanes)), ty) =
            (elem_and_lanes_of_signature(pattern.ty, generic_args), self.types.get(value.ty))
        else {
            return self.rank_opaque(pattern, value, generic_args);
        };
        match *ty {
            Type::Vector(s, n) => (s == expected && n == lanes).then_some(EXACT),
            Type::Bool if lanes != 1 => None,
            Type::Scalar(s) if lanes != 1 => Some(SPLAT + u8::from(s != expected)),
            _ if lanes != 1 => None,
            Type::Bool if expected == Scalar::Int => Some(PROMOTION),
            Type::Bool => Some(CONVERSION),
            Type::Scalar(s) if s == expected => Some(EXACT),
            Type::Scalar(s) => Some(scalar_rank(s, expected)),
            _ => None,
        }
    }

    fn rank_opaque(&self, pattern: &TypePattern, value: &Expr, generic_args: &mut GenericArgs) -> Option<u8> {
        let ty = self.types.get(value.ty);
        let elem = pattern.ty.elem;
        match (elem, ty) {
            (Elem::Image(index), Type::Opaque(Opaque::Image(name, access)))
                if *name == IMAGES[usize::from(index)] && accepts_access(pattern.access, *access) => {}
            (Elem::Pipe, Type::Pipe(_, access)) if accepts_access(pattern.access, *access) => {}
            (Elem::Block | Elem::LocalBlock, Type::Block(function)) => {
                if !self.can_be_enqueued(function) || function.params.is_empty() != (elem == Elem::Block) {
                    return None;
                }
            }
            (Elem::Sampler, _) if self.is_integer(value.ty) => {
                return self.constant_integer(value).map(|_| CONVERSION);
            }
            (Elem::Bool, _) => return self.is_scalar_number(value.ty).then_some(PROMOTION),
            (_, Type::Opaque(opaque)) => return (opaque_of(elem) == Some(*opaque)).then_some(EXACT),
            _ => {
                let nullable = matches!(elem, Elem::Event | Elem::ClkEvent | Elem::Queue | Elem::ReserveId);
                return (nullable && self.is_null(value)).then_some(CONVERSION);
            }
        }
        generic_args.types.push(QualType::new(value.ty, Space::Private));
        Some(EXACT)
    }

    /// Checks whether a kernel can enqueue a block: it returns nothing and takes pointers to local memory
    /// (s6.13.17.2).
    fn can_be_enqueued(&self, block: &FunctionType) -> bool {
        let is_local = |ty: &TypeId| {
            self.pointee(*ty).is_some_and(|to| to.space == Space::Local && to.ty == self.types.common.void)
        };
        block.ret == self.types.common.void && block.params.iter().all(is_local)
    }

    /// Checks the sizes after a block: there is one for each of its parameters (s6.13.17.2).
    fn check_local_sizes(&mut self, args: &[Expr], fixed_type: usize, at: Span) -> bool {
        let Some(Type::Block(function)) = args.get(fixed_type - 1).map(|a| self.types.get(a.ty)) else {
            return false;
        };
        let param_count = function.params.len();
        let sizes = &args[fixed_type..];
        if sizes.len() != param_count {
            let size_count = sizes.len();
            self.error(at, format!("the block has {param_count} parameters and {size_count} sizes"));
        } else if let Some(size) = sizes.iter().find(|s| !self.is_integer(s.ty)) {
            let span = size.span;
            self.error(span, "the size of a block's local memory must be an integer");
        }
        true
    }

    /// Returns the packet type of the pipe among the parameters.
    fn packet_type(&self, generic_args: &GenericArgs) -> Option<TypeId> {
        generic_args.types.iter().find_map(|bound| match *self.types.get(bound.ty) {
            Type::Pipe(packet, _) => Some(packet),
            _ => None,
        })
    }

    fn rank_pointer(
        &self,
        ty: SignatureType,
        pointer: PointerPattern,
        value: &Expr,
        generic_args: &mut GenericArgs,
    ) -> Option<u8> {
        if self.is_null(value) && pointer.spaces != SpacePattern::Only(Space::Constant) {
            if !matches!(pointer.spaces, SpacePattern::Only(_)) {
                generic_args.spaces.push(Space::Private);
            }
            return (ty.elem != Elem::AnyType).then_some(CONVERSION);
        }
        let to = self.pointee(value.ty)?;
        let fits = match (ty.elem, self.types.get(to.ty)) {
            (Elem::Void | Elem::AnyType, _) => true,
            (Elem::Packet, _) => self.packet_type(generic_args) == Some(to.ty),
            (elem, Type::Opaque(opaque)) => opaque_of(elem) == Some(*opaque),
            (Elem::Atomic, Type::Atomic(s)) => Some(*s) == generic_args.elem,
            (Elem::Atomic, _) => false,
            (_, Type::Scalar(s)) => elem_and_lanes_of_signature(ty, generic_args) == Some((*s, 1)),
            (_, Type::Vector(s, n)) => elem_and_lanes_of_signature(ty, generic_args) == Some((*s, *n)),
            _ => false,
        };
        let keeps_const = pointer.is_const || ty.elem == Elem::AnyType;
        let drops_const = to.is_const && !keeps_const && to.space != Space::Constant;
        if !fits || drops_const {
            return None;
        }
        let generic = to.space == Space::Generic;
        let named = matches!(to.space, Space::Private | Space::Local | Space::Global);
        let rank = match pointer.spaces {
            SpacePattern::Only(space) if space == to.space => EXACT,
            SpacePattern::Only(space) if self.is_space_convertible(to.space, space) => PROMOTION,
            SpacePattern::Any if named || generic => EXACT,
            SpacePattern::Readable => EXACT,
            SpacePattern::Shared if generic || matches!(to.space, Space::Local | Space::Global) => EXACT,
            _ => return None,
        };
        if !matches!(pointer.spaces, SpacePattern::Only(_)) {
            generic_args.spaces.push(to.space);
        }
        if ty.elem == Elem::AnyType {
            generic_args.types.push(to);
        }
        Some(rank)
    }

    /// Returns the type that a type of a signature stands for.
    pub fn signature_type_id(&mut self, ty: SignatureType, generic_args: &GenericArgs) -> Option<TypeId> {
        if let Some((scalar, lanes)) = elem_and_lanes_of_signature(ty, generic_args) {
            return Some(self.arithmetic_type(scalar, lanes));
        }
        Some(match ty.elem {
            Elem::Void => self.types.common.void,
            Elem::Bool => self.types.common.bool,
            Elem::Atomic => self.intern(Type::Atomic(generic_args.elem?)),
            Elem::Packet => self.packet_type(generic_args).unwrap_or(self.types.common.error),
            elem => self.intern(Type::Opaque(opaque_of(elem)?)),
        })
    }

    /// Returns the type of a parameter or result; `bound` yields the spaces and types of the binding.
    fn pattern_type(
        &mut self,
        pattern: &TypePattern,
        generic_args: &GenericArgs,
        bound: &mut ParamArgs<'_>,
    ) -> TypeId {
        let error = self.types.common.error;
        let elem = pattern.ty.elem;
        let pointee = match elem {
            Elem::AnyType | Elem::Image(_) | Elem::Pipe | Elem::Block | Elem::LocalBlock => {
                bound.types.next().copied()
            }
            _ => self.signature_type_id(pattern.ty, generic_args).map(|ty| QualType::new(ty, Space::Private)),
        };
        let pointee = pointee.unwrap_or(QualType::new(error, Space::Private));
        let Some(pointer) = pattern.pointer else {
            return pointee.ty;
        };
        let space = match pointer.spaces {
            SpacePattern::Only(space) => space,
            _ => bound.spaces.next().copied().unwrap_or(Space::Private),
        };
        // A pointer to any type keeps the qualifiers of the argument's pointee.
        let keeps_const = elem == Elem::AnyType;
        self.pointer(QualType {
            ty: pointee.ty,
            space,
            is_const: pointer.is_const || keeps_const && pointee.is_const,
            is_volatile: pointer.is_volatile || keeps_const && pointee.is_volatile,
            is_restrict: false,
        })
    }

    fn build_call(&mut self, chosen: &ViableCandidate, values: Vec<Expr>, at: Span, span: Span) -> Expr {
        let decl = &super::index::FUNCTIONS[usize::from(chosen.index)];
        if decl.kind == BodyKind::Bitcast {
            let ty = self.signature_type_id(decl.ret.ty, &chosen.generic_args);
            let value = values.into_iter().next().expect("it has one parameter");
            let ty = ty.unwrap_or(self.types.common.error);
            return Expr { kind: ExprKind::Bitcast(Box::new(value)), ty, span };
        }
        let id = self.instance(chosen.index, chosen.generic_args.clone());
        let mut args = Vec::with_capacity(values.len());
        let fixed_type = decl.params.len();
        for (i, value) in values.into_iter().enumerate() {
            args.push(match self.unit.infos[id].params.get(i) {
                Some(param) => {
                    let ty = param.ty;
                    self.convert_assign(Operand::Value(value), ty, AssignAction::Pass)
                }
                None => self.promote_argument(value),
            });
        }
        if decl.variadic && fixed_type > 0 && !self.check_local_sizes(&args, fixed_type, at) {
            self.check_format_is_constant(&args[fixed_type - 1]);
            self.mark_suspicious();
        }
        self.record_call(id, at);
        Expr { kind: ExprKind::Call(id, args), ty: self.unit.infos[id].ret, span }
    }

    /// Returns the instance of a declaration with these types.
    fn instance(&mut self, index: u16, generic_args: GenericArgs) -> FunctionId {
        let key = (index, generic_args);
        if let Some(id) = self.builtins.instance(&key) {
            return id;
        }
        let decl = &super::index::FUNCTIONS[usize::from(index)];
        let generic_args = &key.1;
        let mut bound = ParamArgs::of(generic_args);
        let mut params = Vec::with_capacity(decl.params.len());
        for param in decl.params {
            let ty = self.pattern_type(&param.pattern, generic_args, &mut bound);
            params.push(QualType::new(ty, Space::Private));
        }
        let ret = self.pattern_type(&decl.ret, generic_args, &mut ParamArgs::of(generic_args));
        let body = match decl.kind {
            BodyKind::Op(name) => FunctionBody::Op(name.to_owned()),
            BodyKind::Each if generic_args.lanes_n > 1 => {
                let mut scalar = generic_args.clone();
                scalar.lanes_n = 1;
                FunctionBody::Elementwise(self.instance(index, scalar))
            }
            _ => FunctionBody::Declared,
        };
        let needs_body = matches!(body, FunctionBody::Declared);
        let id = self.add_library_function(decl, generic_args, ret, params, body);
        self.builtins.add_instance(key, id, needs_body);
        id
    }

    fn add_library_function(
        &mut self,
        decl: &'static FunctionDecl,
        generic_args: &GenericArgs,
        ret: TypeId,
        params: Vec<QualType>,
        body: FunctionBody,
    ) -> FunctionId {
        let types: Vec<String> = params.iter().map(|p| self.type_text(p.ty)).collect();
        let mut name = decl.name.to_owned();
        if let (Some(suffix), Some(d)) = (decl.suffix, generic_args.dst_elem) {
            let dst = self.arithmetic_type(d, generic_args.lanes_n);
            name = format!("{name}{}{suffix}", self.type_text(dst));
        }
        let mut locals = IdVec::new();
        for (param, ty) in decl.params.iter().zip(&params) {
            locals.push(self.library_local(param, *ty));
        }
        let function_type = Type::Function(FunctionType {
            ret,
            params: params.iter().map(|p| p.ty).collect(),
            variadic: decl.variadic,
        });
        let function = Function {
            name: format!("{name}${}", types.join(",")),
            ret,
            params: params.len() as u32,
            locals,
            body,
            is_static: true,
            no_inline: decl.is_outlined,
            no_return: decl.is_noreturn,
            is_deferred: decl.is_deferred,
            is_rare: decl.is_outlined,
            kernel: None,
            labels: 0,
            span: Span::default(),
        };
        let ty = self.intern(function_type);
        let info = FunctionInfo::new(ty, ret, params, true);
        let info =
            FunctionInfo { is_divergent: decl.is_divergent, is_convergent: decl.is_convergent, ..info };
        self.unit.add_function(function, info)
    }

    fn library_local(&self, param: &LibraryParam, ty: QualType) -> Local {
        Local { name: param.name.to_owned(), ty, align: self.types.align_of(ty.ty), span: Span::default() }
    }

    /// Parses the bodies of all instances in use, including those that they use in turn.
    pub fn parse_instances(&mut self) {
        let mut next = 0;
        while let Some(PendingBody { function, decl, args }) = self.builtins.pending_body(next) {
            next += 1;
            let decl = &super::index::FUNCTIONS[usize::from(decl)];
            let Some(lexer) = self.builtins.library.lexer(&mut self.source.map, decl.range) else {
                continue;
            };
            let tokens = pp::preprocess_library(self.pp_input(), lexer);
            self.unit.functions[function].span = tokens[0].span();
            let outer = std::mem::replace(&mut self.cursor, Cursor::new(tokens));
            let scopes = self.scopes.open_library();
            self.builtins.set_generic_args(Some(args));
            self.parse_instance_body(function, decl);
            self.builtins.set_generic_args(None);
            self.scopes.close_library(scopes);
            self.cursor = outer;
        }
    }

    /// Instantiates every function with all types and address spaces, for the test of the library itself.
    pub fn instantiate_all(&mut self) {
        for (index, decl) in super::index::FUNCTIONS.iter().enumerate() {
            let has_body = decl.kind != BodyKind::Bitcast;
            if !self.builtins.library.has(decl.requires) || !has_body {
                continue;
            }
            for generic_args in self.all_generic_args(decl) {
                self.instance(index as u16, generic_args);
            }
        }
    }

    fn all_generic_args(&self, decl: &FunctionDecl) -> Vec<GenericArgs> {
        let generic_types: Vec<SignatureType> =
            decl.params.iter().map(|p| p.pattern.ty).chain([decl.ret.ty]).collect();
        let scalars = |is_used: bool, mask: u16| -> Vec<Option<Scalar>> {
            if !is_used {
                return vec![None];
            }
            let mask = mask & self.builtins.library.scalars;
            Scalar::ALL.into_iter().filter(|s| mask >> *s as u16 & 1 != 0).map(Some).collect()
        };
        let lanes = |rule: Lanes| -> Vec<u8> {
            if !generic_types.iter().any(|w| w.lanes == rule) {
                return vec![1];
            }
            let allowed = |i: &usize| decl.lanes >> i & 1 != 0;
            (0..LANES.len()).filter(allowed).map(|i| LANES[i]).collect()
        };
        let es = scalars(generic_types.iter().any(|w| depends_on_elem(w.elem)), decl.elems);
        let ds = scalars(decl.suffix.is_some(), decl.dst_elems);
        let (ns, ms) = (lanes(Lanes::N), lanes(Lanes::M));
        let mut all = Vec::new();
        for (e, d) in es.iter().flat_map(|e| ds.iter().map(move |d| (*e, *d))) {
            for (n, m) in ns.iter().flat_map(|n| ms.iter().map(move |m| (*n, *m))) {
                for spaces in all_spaces(decl, self.options.std >= 200) {
                    all.push(GenericArgs {
                        lanes_n: n,
                        lanes_m: m,
                        elem: e,
                        dst_elem: d,
                        spaces,
                        types: SmallVec::new(),
                    });
                }
            }
        }
        all
    }

    fn parse_instance_body(&mut self, id: FunctionId, decl: &FunctionDecl) {
        let symbol = self.names.intern(decl.name);
        let first = self.peek();
        let name = |symbol| Token { kind: TokenKind::Ident, symbol, ..first };
        self.begin_function(id, name(symbol));
        let params = self.unit.infos[id].params.clone();
        for (param, ty) in decl.params.iter().zip(params) {
            let local = self.new_local(param.name.to_owned(), ty, 1, first.span());
            let symbol = self.names.intern(param.name);
            self.declare(name(symbol), Entity::Local(local));
        }
        self.function_body(id);
    }

    /// Parses a declaration of the library that is not a function.
    pub fn parse_library_declaration(&mut self, text: &TextDecl) {
        let Some(lexer) = self.builtins.library.lexer(&mut self.source.map, text.range) else {
            return;
        };
        let tokens = pp::preprocess_library(self.pp_input(), lexer);
        let outer = std::mem::replace(&mut self.cursor, Cursor::new(tokens));
        let function = self.function.take();
        let scopes = self.scopes.open_library();
        let args = self.builtins.set_generic_args(Some(GenericArgs::default()));
        self.external_declaration();
        self.builtins.set_generic_args(args);
        let declared = self.scopes.close_library(scopes);
        self.builtins.add_entities(declared);
        self.function = function;
        self.cursor = outer;
    }
}

/// Checks whether a parameter that needs `needed` accepts an argument with `access`.
fn accepts_access(needed: AccessPattern, access: AccessQualifier) -> bool {
    match needed {
        AccessPattern::ReadOnly => access == AccessQualifier::ReadOnly,
        AccessPattern::WriteOnly => access == AccessQualifier::WriteOnly,
        AccessPattern::ReadWrite => access == AccessQualifier::ReadWrite,
        AccessPattern::Reads => access != AccessQualifier::WriteOnly,
        AccessPattern::Writes => access != AccessQualifier::ReadOnly,
        AccessPattern::Any => true,
    }
}

/// Returns the opaque type that a type of a signature names without further types.
fn opaque_of(elem: Elem) -> Option<Opaque> {
    match elem {
        Elem::Event => Some(Opaque::Event),
        Elem::Sampler => Some(Opaque::Sampler),
        Elem::Queue => Some(Opaque::Queue),
        Elem::ClkEvent => Some(Opaque::ClkEvent),
        Elem::ReserveId => Some(Opaque::ReserveId),
        Elem::NdRange => Some(Opaque::NdRange),
        _ => None,
    }
}

/// Returns the end of a sentence about a candidate with another number of parameters.
fn arity_note(decl: &FunctionDecl, arg_count: usize) -> String {
    let param_count = decl.params.len();
    match param_count {
        _ if param_count == arg_count || decl.variadic && arg_count >= param_count => String::new(),
        1 => ", which takes 1 argument".into(),
        _ => format!(", which takes {param_count} arguments"),
    }
}

fn depends_on_elem(elem: Elem) -> bool {
    matches!(
        elem,
        Elem::Generic | Elem::Signed | Elem::Unsigned | Elem::Wide | Elem::WideUnsigned | Elem::Atomic
    )
}

/// Returns the address spaces that the pointer parameters can be bound to; each element binds all of them.
fn all_spaces(decl: &FunctionDecl, generic: bool) -> Vec<SmallVec<[Space; 2]>> {
    let takes = |spaces: SpacePattern, space: Space| match spaces {
        SpacePattern::Only(_) => true,
        SpacePattern::Any => space != Space::Constant,
        SpacePattern::Readable => true,
        SpacePattern::Shared => !matches!(space, Space::Constant | Space::Private),
    };
    let pointers: SmallVec<[SpacePattern; 4]> =
        decl.params.iter().filter_map(|p| Some(p.pattern.pointer?.spaces)).collect();
    let free = pointers.iter().filter(|s| !matches!(s, SpacePattern::Only(_))).count();
    if free == 0 {
        return vec![SmallVec::new()];
    }
    [Space::Private, Space::Local, Space::Global, Space::Constant, Space::Generic]
        .into_iter()
        .filter(|space| generic || *space != Space::Generic)
        .filter(|space| pointers.iter().all(|p| takes(*p, *space)))
        .map(|space| SmallVec::from_elem(space, free))
        .collect()
}

/// Returns the element type and the lanes of an arithmetic type of a signature.
pub fn elem_and_lanes_of_signature(ty: SignatureType, generic_args: &GenericArgs) -> Option<(Scalar, u8)> {
    let lanes = match ty.lanes {
        Lanes::Fixed(n) => n,
        Lanes::N => generic_args.lanes_n,
        Lanes::M => generic_args.lanes_m,
    };
    let e = generic_args.elem;
    let scalar = match ty.elem {
        Elem::Fixed(index) => Scalar::ALL[usize::from(index)],
        Elem::Generic => e?,
        Elem::Signed => e?.signed_same_size(),
        Elem::Unsigned => unsigned(e?.size())?,
        Elem::Wide if e?.is_signed_int() => unsigned(e?.size() * 2)?.signed_same_size(),
        Elem::Wide | Elem::WideUnsigned => unsigned(e?.size() * 2)?,
        Elem::Dst => generic_args.dst_elem?,
        _ => return None,
    };
    Some((scalar, lanes))
}

fn unsigned(size: u64) -> Option<Scalar> {
    match size {
        1 => Some(Scalar::UChar),
        2 => Some(Scalar::UShort),
        4 => Some(Scalar::UInt),
        8 => Some(Scalar::ULong),
        _ => None,
    }
}

/// Returns the rank of a conversion between different scalars.
pub fn scalar_rank(from: Scalar, to: Scalar) -> u8 {
    let promotes = match to {
        Scalar::Int => !from.is_float() && from.size() < 4,
        Scalar::Double => from == Scalar::Float,
        Scalar::Float => from == Scalar::Half,
        _ => false,
    };
    if promotes { PROMOTION } else { CONVERSION }
}

/// Returns the candidate that is not worse than another one in any argument, if there is exactly one; `ranks` has
/// the ranks of each candidate's arguments.
pub fn best_viable(ranks: &[&[u8]]) -> Option<usize> {
    let no_worse = |a: &[u8], b: &[u8]| a.iter().zip(b).all(|(x, y)| x <= y);
    let mut best = 0;
    for i in 1..ranks.len() {
        if !no_worse(ranks[best], ranks[i]) {
            best = i;
        }
    }
    let chosen = ranks.get(best)?;
    let beats = |other: &[u8]| no_worse(chosen, other) && !no_worse(other, chosen);
    let mut others = ranks.iter().enumerate().filter(|(i, _)| *i != best);
    others.all(|(_, other)| beats(other)).then_some(best)
}
