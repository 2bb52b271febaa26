//! Instructions that are functions of the builtin library: those of OpenCL.std, and core instructions in the table of
//! requests. Operands and literals are found by the grammar.

use grus_ir::{Kind, Op, Type, Value};
use smallvec::SmallVec;

use super::function::{FunctionTranslator, Result, Translation};
use super::{arithmetic, narrow};
use crate::error::Fault;
use crate::grammar::{
    ExtendedSet, Opcode, OperandKind, access_qualifier, decoration, dim, fp_fast_math_mode, opencl_std,
};
use crate::module::Id;
use crate::operands::{What, walk};
use crate::request::{
    self, Access, Adjustment, After, ArgType, Image, ImageDim, NoRequest, Pointee, Request,
};
use crate::types::{ImageForm, Space, TypeForm, TypeId, TypeTable, ValueType};

/// Operands of an instruction that is a request: positions of values, and literals.
#[derive(Debug, Default)]
pub(super) struct Operands {
    pub values: SmallVec<[usize; 4]>,
    pub literals: SmallVec<[u32; 2]>,
}

impl FunctionTranslator<'_, '_> {
    /// Translates an instruction of an extended set. Those for debuggers compute nothing.
    pub(super) fn extended(&mut self, words: &[u32]) -> Result<()> {
        if self.t.module.extended_set(Id(words[3])) != Some(ExtendedSet::OpenclStd) {
            return Ok(());
        }
        if words[4] == opencl_std::printf {
            return self.printf(words);
        }
        let operands = self.request_operands(words, 5)?;
        self.call_request(words, &operands, |result, types, literals| {
            request::extended(words[4], &result, types, literals)
        })
    }

    /// Checks whether an instruction is a request.
    pub(super) fn is_request(&self, opcode: Opcode, words: &[u32]) -> bool {
        if !request::has_rows(opcode) {
            return false;
        }
        if !is_conversion(opcode) {
            return true;
        }
        let (is_saturated, rounding) = self.conversion(Id(words[2]));
        is_saturated || rounding.is_some()
    }

    /// Returns how a conversion is decorated: saturated, and with which rounding mode.
    fn conversion(&self, id: Id) -> (bool, Option<u32>) {
        let (mut is_saturated, mut rounding) = (false, None);
        self.t.module.each_decoration(id, |found| match found.number {
            decoration::SaturatedConversion => is_saturated = true,
            decoration::FPRoundingMode => rounding = found.operands.first().copied(),
            _ => {}
        });
        (is_saturated, rounding)
    }

    /// Translates a core instruction that is a request.
    pub(super) fn core_request(&mut self, opcode: Opcode, words: &[u32]) -> Result<()> {
        let row = opcode.instruction();
        let operands = self.request_operands(words, 1 + row.result_operands())?;
        if is_conversion(opcode) {
            let (is_saturated, rounding) = self.conversion(Id(words[2]));
            return self.call_request(words, &operands, |result, types, _| {
                let [operand] = types else {
                    return Err(NoRequest::Count { name: row.name(), found: types.len(), wanted: 1 });
                };
                request::converted(opcode, &result, operand, is_saturated, rounding)
            });
        }
        self.call_request(words, &operands, |result, types, literals| {
            request::core(opcode, &result, types, literals)
        })
    }

    /// Translates a copy by a work-group. The pointers may have lost the type of the elements, and sizes may have other
    /// widths than those of OpenCL C.
    pub(super) fn async_copy(&mut self, words: &[u32]) -> Result<()> {
        let mut types = [ArgType::Event; 5];
        let mut args = SmallVec::<[Value; 4]>::new();
        for (index, ty) in types.iter_mut().enumerate() {
            let at = 4 + index;
            let (found, value) = self.typed(words, at)?;
            *ty = self.arg_type(found, at)?;
            if let ArgType::Int { bits, lanes: 1 } = ty {
                *bits = 64;
                args.push(arithmetic::resize(&mut self.b, Op::Zext, Type::I64, value));
            } else {
                args.push(value);
            }
        }
        let is_number = |ty: &ArgType| matches!(ty, ArgType::Pointer { to, .. } if *to != Pointee::Void);
        let element = types[..2].iter().find(|ty| is_number(ty)).copied();
        if let Some(ArgType::Pointer { to: element, .. }) = element {
            for ty in &mut types[..2] {
                if let ArgType::Pointer { to, .. } = ty {
                    *to = element;
                }
            }
        }
        let result = self.t.globals.type_at(words, 1)?;
        let returned = self.arg_type(result, 1)?;
        let request = request::core(Opcode::GroupAsyncCopy, &returned, &types, &[]);
        let request = request.map_err(|why| Fault::new(why.to_string()))?;
        self.finish_request(words, request, Some(result), &args)
    }

    /// Returns values and literals among the operands from position `from` on.
    pub(super) fn request_operands(&self, words: &[u32], from: usize) -> Result<Operands> {
        let row = Opcode::from_number(words[0] as u16).expect("reading has checked it").instruction();
        let mut found = Operands::default();
        let mut fault = None;
        let walked = walk(self.t.module, row, words, &mut |piece| {
            if piece.at < from {
                return;
            }
            match piece.what {
                What::Of(OperandKind::IdScope) => match self.constant_operand(words, piece.at) {
                    Some(scope) => found.literals.push(scope as u32),
                    None => fault = Some(Fault::at(piece.at, "the scope is not constant")),
                },
                What::Of(OperandKind::IdRef | OperandKind::IdMemorySemantics) => found.values.push(piece.at),
                _ => found.literals.push(words[piece.at]),
            }
        });
        walked.map_err(|(at, rule)| Fault::at(at, rule.to_string()))?;
        fault.map_or(Ok(found), Err)
    }

    /// Emits the call of the request that `find` returns for the types of the operands.
    pub(super) fn call_request(
        &mut self,
        words: &[u32],
        operands: &Operands,
        find: impl FnOnce(ArgType, &[ArgType], &[u32]) -> std::result::Result<Request, NoRequest>,
    ) -> Result<()> {
        let (mut types, mut args) = (SmallVec::<[ArgType; 4]>::new(), SmallVec::<[Value; 4]>::new());
        let is_signed = adjustment(words).is_some_and(|adjustment| adjustment.is_signed);
        for &at in &operands.values {
            // A sampled image is two operands.
            if let (ty, Translation::Leaves(pair)) = self.translation(Id(words[at]))?
                && let TypeForm::SampledImage { image } = *self.t.types().form(ty)
            {
                types.extend([self.arg_type(image, at)?, ArgType::Sampler]);
                args.extend(pair);
                continue;
            }
            let (ty, value) = self.typed(words, at)?;
            types.push(self.arg_type(ty, at)?);
            let value = match self.t.types().value(ty) {
                Some(ty) if is_signed => narrow::sign_extended(&mut self.b, ty, value),
                _ => value,
            };
            args.push(self.widened(value));
        }
        let row = Opcode::from_number(words[0] as u16).expect("reading has checked it").instruction();
        let result = if row.has_type { Some(self.t.globals.type_at(words, 1)?) } else { None };
        let result_type = match result {
            Some(ty) => self.arg_type(ty, 1)?,
            None => ArgType::Void,
        };
        let request =
            find(result_type, &types, &operands.literals).map_err(|why| Fault::new(why.to_string()))?;
        // Operands that the function does not take are the last ones.
        args.truncate(request.params.len());
        let request =
            if row.has_result && self.is_relaxed(Id(words[2])) { request.relaxed() } else { request };
        self.finish_request(words, request, result, &args)
    }

    /// Emits the call of a request, and keeps its result.
    pub(super) fn finish_request(
        &mut self,
        words: &[u32],
        request: Request,
        result: Option<TypeId>,
        args: &[Value],
    ) -> Result<()> {
        let ty = result.and_then(|ty| self.t.types().value(ty)).unwrap_or(ValueType::exact(Type::VOID));
        let ir = ty.ir;
        let is_bool = ir.kind == Kind::I1;
        let returned = if is_bool { ir.with_kind(Kind::I8) } else { ir };
        match self.request(request, returned, args) {
            Some(value) => {
                let value = if is_bool { self.truth(value) } else { value };
                let after = adjustment(words).map_or(After::Clear, |adjustment| adjustment.after);
                let value = narrow::adjusted(&mut self.b, after, ty, value);
                self.result(words, value)
            }
            None => Ok(()),
        }
    }

    /// Returns a bool as OpenCL C has it, other values unchanged.
    pub(super) fn widened(&mut self, value: Value) -> Value {
        let ty = self.b.func.ty(value);
        if ty.kind == Kind::I1 { self.b.convert(Op::Zext, ty.with_kind(Kind::I8), value) } else { value }
    }

    /// Checks whether a result may be as inexact as `-cl-fast-relaxed-math` allows.
    fn is_relaxed(&self, id: Id) -> bool {
        use fp_fast_math_mode::{AllowRecip, Fast, NotInf, NotNaN};
        const TOGETHER: u32 = NotNaN | NotInf | AllowRecip | APPROXIMATE;
        let mode = self.t.module.decoration(id, decoration::FPFastMathMode);
        let mode = mode.and_then(|operands| operands.first()).copied().unwrap_or(0);
        mode & Fast != 0 || mode & TOGETHER == TOGETHER
    }

    pub(super) fn arg_type(&self, ty: TypeId, at: usize) -> Result<ArgType> {
        arg_type(self.t.types(), ty).ok_or_else(|| {
            Fault::at(at, format!("no function takes or returns {}", self.t.types().describe(ty)))
        })
    }
}

/// Bit of FPFastMathMode by which functions may be approximated (AFn, which AllowTransform implies).
const APPROXIMATE: u32 = fp_fast_math_mode::AllowTransform;

/// Returns the adjustment of the function that an instruction is.
fn adjustment(words: &[u32]) -> Option<Adjustment> {
    match Opcode::from_number(words[0] as u16).expect("reading has checked it") {
        Opcode::ExtInst | Opcode::ExtInstWithForwardRefsKHR => request::of_extended(words[4]),
        opcode => request::of_core(opcode),
    }
}

fn is_conversion(opcode: Opcode) -> bool {
    use Opcode::*;
    matches!(opcode, ConvertFToU | ConvertFToS | ConvertSToF | ConvertUToF | UConvert | SConvert | FConvert)
}

/// Returns a type as requests describe it.
pub(crate) fn arg_type(types: &TypeTable, ty: TypeId) -> Option<ArgType> {
    if let Some((element, lanes)) = number(types, ty) {
        return Some(match *element {
            TypeForm::Bool => ArgType::Bool { lanes },
            TypeForm::Int { bits } => ArgType::Int { bits: bits as u8, lanes },
            TypeForm::Float { bits } => ArgType::Float { bits: bits as u8, lanes },
            _ => return None,
        });
    }
    Some(match *types.form(ty) {
        TypeForm::Void => ArgType::Void,
        TypeForm::Pointer { space, .. } => {
            // The objects of a copy are the elements of what an array's address points at.
            let mut to = types.pointee(ty);
            while let Some(TypeForm::Array { element, .. }) = to.map(|to| types.form(to)) {
                to = Some(*element);
            }
            let to = to.and_then(|to| number(types, to));
            let to = to.map_or(Pointee::Void, |(element, lanes)| match *element {
                TypeForm::Int { bits } => Pointee::Int { bits: bits as u8, lanes },
                TypeForm::Float { bits } => Pointee::Float { bits: bits as u8, lanes },
                _ => Pointee::Void,
            });
            ArgType::Pointer { space: space_of(space), to }
        }
        TypeForm::Image(form) => ArgType::Image(image(form)?),
        TypeForm::Sampler => ArgType::Sampler,
        TypeForm::Event => ArgType::Event,
        TypeForm::DeviceEvent => ArgType::DeviceEvent,
        TypeForm::ReserveId => ArgType::ReserveId,
        TypeForm::Queue => ArgType::Queue,
        TypeForm::Pipe { access } => ArgType::Pipe { access: access_of(access) },
        _ => return None,
    })
}

fn number(types: &TypeTable, ty: TypeId) -> Option<(&TypeForm, u8)> {
    match types.form(ty) {
        TypeForm::Vector { element, lanes } => Some((types.form(*element), *lanes as u8)),
        form @ (TypeForm::Bool | TypeForm::Int { .. } | TypeForm::Float { .. }) => Some((form, 1)),
        _ => None,
    }
}

fn space_of(space: Space) -> request::Space {
    match space {
        Space::Function | Space::Input => request::Space::Private,
        Space::CrossWorkgroup => request::Space::Global,
        Space::Workgroup => request::Space::Local,
        Space::UniformConstant => request::Space::Constant,
        Space::Generic => request::Space::Generic,
    }
}

fn access_of(access: u32) -> Access {
    match access {
        access_qualifier::WriteOnly => Access::WriteOnly,
        access_qualifier::ReadWrite => Access::ReadWrite,
        _ => Access::ReadOnly,
    }
}

/// Returns an image type as requests describe it, or `None` if there are no such images.
pub(crate) fn image(form: ImageForm) -> Option<Image> {
    let dim = match form.dim {
        dim::Dim1D => ImageDim::One,
        dim::Dim2D => ImageDim::Two,
        dim::Dim3D => ImageDim::Three,
        dim::Buffer => ImageDim::Buffer,
        _ => return None,
    };
    Some(Image {
        dim,
        is_arrayed: form.is_array,
        is_depth: form.is_depth,
        is_multisampled: form.is_multisampled,
        access: access_of(form.access),
    })
}
