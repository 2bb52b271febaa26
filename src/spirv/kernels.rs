//! Kernels of a module: entry points with their execution modes, and parameters as the API reports them.

use grus_ir::FuncId;
use grus_ir::abi::SUB_GROUP_SIZES;
use grus_support::{FastMap, FastSet};

use crate::error::Fault;
use crate::grammar::{
    Opcode, access_qualifier, capability, decoration, execution_mode, function_parameter_attribute,
};
use crate::module::{FunctionRange, Id};
use crate::request::{ArgType, Image};
use crate::translate::module::Translator;
use crate::translate::{arg_type, image};
use crate::types::{Space, TypeForm, TypeId, TypeTable};

/// Kernel of a module.
#[derive(Clone, Debug)]
pub struct Kernel {
    pub name: String,
    pub func: FuncId,
    pub params: Vec<KernelParam>,
    pub modes: KernelModes,
}

/// Execution modes of a kernel.
#[derive(Clone, Debug, Default)]
pub struct KernelModes {
    pub local_size: Option<[u32; 3]>,
    pub local_size_hint: Option<[u32; 3]>,
    /// OpenCL C type that VecTypeHint names.
    pub vec_type_hint: Option<String>,
    pub sub_group_size: Option<u16>,
    /// True if denormals of all widths are flushed.
    pub flushes_denormals: bool,
}

/// Parameter of a kernel.
#[derive(Clone, Debug)]
pub struct KernelParam {
    pub kind: ParamKind,
    pub name: String,
    pub type_name: String,
    pub is_const: bool,
    pub is_restrict: bool,
    pub is_volatile: bool,
    pub access: ParamAccess,
}

/// Access qualifier of an image or pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamAccess {
    None,
    ReadOnly,
    WriteOnly,
    ReadWrite,
}

/// Passing of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// Bytes of this size and alignment.
    Value {
        size: u32,
        align: u32,
    },
    /// Bytes of this size and alignment, of which the kernel gets the address.
    Struct {
        size: u32,
        align: u32,
    },
    Global,
    Constant,
    Local,
    /// Image of the type of this name in OpenCL C.
    Image(&'static str),
    Sampler,
    /// Pipe; the size and alignment of its packets are those of the first use, or 0.
    Pipe {
        size: u32,
        align: u32,
    },
    Queue,
}

type Result<T> = std::result::Result<T, Fault>;

/// Returns the description of an entry point.
pub(crate) fn describe(
    t: &Translator<'_>,
    range: FunctionRange,
    func: FuncId,
    name: String,
) -> Result<Kernel> {
    let module = t.module;
    let mut declared = Vec::new();
    for place in module.instructions(range.start, range.body) {
        let words = module.raw(place as usize);
        if Opcode::from_number(words[0] as u16) == Some(Opcode::FunctionParameter) {
            declared.push((t.globals.type_at(words, 1)?, Id(words[2])));
        }
    }
    let pipes = declared.iter().filter(|(ty, _)| matches!(t.globals.types.form(*ty), TypeForm::Pipe { .. }));
    let pipes: FastSet<Id> = pipes.map(|&(_, id)| id).collect();
    let packets = if pipes.is_empty() { Packets::default() } else { packets(t, range, &pipes) };
    let params = declared.into_iter().map(|(ty, id)| param(t, &packets, ty, id));
    let mut params = params.collect::<Result<Vec<KernelParam>>>()?;
    let words = module.raw(range.start as usize);
    let (result, _) = t.signature(words)?;
    if !matches!(t.globals.types.form(result), TypeForm::Void) {
        return Err(Fault::at(2, "the entry point returns a value"));
    }
    let (types, qualifiers) =
        (t.arg_strings.types(&name, params.len()), t.arg_strings.qualifiers(&name, params.len()));
    for (param, name) in params.iter_mut().zip(types) {
        param.type_name = name.to_owned();
    }
    for (param, qualifiers) in params.iter_mut().zip(qualifiers) {
        for qualifier in qualifiers.split(' ') {
            match qualifier {
                "const" => param.is_const = true,
                "restrict" => param.is_restrict = true,
                "volatile" => param.is_volatile = true,
                _ => {}
            }
        }
    }
    Ok(Kernel { name, func, params, modes: modes(t, range.id)? })
}

/// Size and alignment of the packets of pipes.
type Packets = FastMap<Id, (u32, u32)>;

/// Returns size and alignment of the packets of each pipe, by the first instruction of a function that uses it. They are
/// the last operands of all such instructions.
fn packets(t: &Translator<'_>, range: FunctionRange, pipes: &FastSet<Id>) -> Packets {
    let mut found = Packets::default();
    let number = |id| u32::try_from(t.globals.constants.bits_of(Id(id))?).ok();
    for place in t.module.instructions(range.body, range.end) {
        let words = t.module.raw(place as usize);
        let opcode = Opcode::from_number(words[0] as u16).expect("reading has checked it");
        let is_of_pipes = opcode.instruction().conditions.capabilities() == [capability::Pipes as u16];
        let [_, operands @ .., size, align] = words else { continue };
        if !is_of_pipes || opcode == Opcode::IsValidReserveId {
            continue;
        }
        for pipe in operands.iter().map(|&id| Id(id)).filter(|id| pipes.contains(id)) {
            let (size, align) = (number(*size), number(*align));
            found.entry(pipe).or_insert_with(|| size.zip(align.map(|align| align.max(1))).unwrap_or((0, 1)));
        }
        if found.len() == pipes.len() {
            break;
        }
    }
    found
}

fn param(t: &Translator<'_>, packets: &Packets, ty: TypeId, id: Id) -> Result<KernelParam> {
    let types = &t.globals.types;
    let row = types.get(ty);
    let size_of = |ty: TypeId| {
        let row = types.get(ty);
        u32::try_from(row.size)
            .map(|size| (size, row.align))
            .map_err(|_| Fault::new("a parameter is too large"))
    };
    let (kind, access) = match row.form {
        TypeForm::Pointer { space, .. } => (pointer(t, ty, id, space)?, ParamAccess::None),
        TypeForm::Image(form) => {
            let name = image(form).and_then(Image::name);
            let name = name.ok_or_else(|| Fault::new("there are no images of a parameter's type"))?;
            (ParamKind::Image(name), access_of(form.access))
        }
        TypeForm::Sampler => (ParamKind::Sampler, ParamAccess::None),
        TypeForm::Queue => (ParamKind::Queue, ParamAccess::None),
        TypeForm::Pipe { access } => {
            let (size, align) = packets.get(&id).copied().unwrap_or((0, 1));
            (ParamKind::Pipe { size, align }, access_of(access))
        }
        TypeForm::Int { .. } | TypeForm::Float { .. } | TypeForm::Vector { .. } if !types.is_bool(ty) => {
            let (size, align) = size_of(ty)?;
            (ParamKind::Value { size, align }, ParamAccess::None)
        }
        TypeForm::Struct { .. } | TypeForm::Array { .. } => {
            let (size, align) = size_of(ty)?;
            (ParamKind::Struct { size, align }, ParamAccess::None)
        }
        _ => {
            let found = types.describe(ty);
            return Err(Fault::new(format!(
                "the parameter {id} of a kernel is {found}, which no argument can be"
            )));
        }
    };
    let facts = t.param_facts(ty, id);
    let is_volatile = t.module.is_decorated(id, decoration::Volatile);
    Ok(KernelParam {
        kind,
        name: t.module.name(id).unwrap_or_default(),
        type_name: type_name(types, ty, kind),
        is_const: facts.is_const || kind == ParamKind::Constant,
        is_restrict: facts.is_restrict,
        is_volatile,
        access,
    })
}

fn pointer(t: &Translator<'_>, ty: TypeId, id: Id, space: Space) -> Result<ParamKind> {
    Ok(match space {
        Space::CrossWorkgroup => ParamKind::Global,
        Space::UniformConstant => ParamKind::Constant,
        Space::Workgroup => ParamKind::Local,
        Space::Function => {
            let pointee = t.globals.types.pointee(ty).filter(|&to| t.globals.types.get(to).is_sized);
            let is_value = t.module.has_attribute(id, function_parameter_attribute::ByVal);
            let pointee = pointee.filter(|_| is_value).ok_or_else(|| {
                Fault::new(format!(
                    "the parameter {id} of a kernel points to private memory and is not ByVal"
                ))
            })?;
            let row = t.globals.types.get(pointee);
            let size = u32::try_from(row.size).map_err(|_| Fault::new("a parameter is too large"))?;
            ParamKind::Struct { size, align: row.align }
        }
        Space::Generic | Space::Input => {
            return Err(Fault::new(format!(
                "the parameter {id} of a kernel points to no memory that arguments have"
            )));
        }
    })
}

fn access_of(access: u32) -> ParamAccess {
    match access {
        access_qualifier::WriteOnly => ParamAccess::WriteOnly,
        access_qualifier::ReadWrite => ParamAccess::ReadWrite,
        _ => ParamAccess::ReadOnly,
    }
}

/// Returns a type's name in OpenCL C, without knowledge of signs.
fn type_name(types: &TypeTable, ty: TypeId, kind: ParamKind) -> String {
    match (types.form(ty), kind) {
        (_, ParamKind::Image(name)) => name.to_owned(),
        (_, ParamKind::Struct { .. }) => "struct".to_owned(),
        (TypeForm::Pointer { .. }, _) => {
            let to = types.pointee(ty).map_or_else(|| "void".to_owned(), |to| number_name(types, to));
            format!("{to}*")
        }
        (TypeForm::Sampler, _) => "sampler_t".to_owned(),
        (TypeForm::Queue, _) => "queue_t".to_owned(),
        (TypeForm::Pipe { .. }, _) => "pipe".to_owned(),
        _ => number_name(types, ty),
    }
}

/// Returns the OpenCL C type of results of functions, or `None` if functions of its library return no such type.
pub(crate) fn c_name(types: &TypeTable, ty: TypeId) -> Option<String> {
    match arg_type(types, ty)? {
        ArgType::Void => Some("void".to_owned()),
        ArgType::Bool { lanes: 1 } => Some("bool".to_owned()),
        ArgType::Event => Some("event_t".to_owned()),
        other => other.number_name(),
    }
}

/// Returns the name of a number or vector, and `void` for other types.
fn number_name(types: &TypeTable, ty: TypeId) -> String {
    match arg_type(types, ty) {
        Some(ArgType::Bool { lanes: 1 }) => "bool".to_owned(),
        other => other.and_then(ArgType::number_name).unwrap_or_else(|| "void".to_owned()),
    }
}

/// Reads the execution modes of an entry point.
fn modes(t: &Translator<'_>, id: Id) -> Result<KernelModes> {
    let mut modes = KernelModes::default();
    for annotation in t.module.execution_modes(id) {
        let words = t.module.raw(annotation.place as usize);
        mode(t, words, &mut modes)
            .map_err(|fault| Fault { at: 0, text: format!("execution mode: {}", fault.text) })?;
    }
    Ok(modes)
}

fn mode(t: &Translator<'_>, words: &[u32], modes: &mut KernelModes) -> Result<()> {
    let literals = || -> Result<[u32; 3]> {
        match words.get(3..6) {
            Some(&[x, y, z]) => Ok([x, y, z]),
            _ => Err(Fault::new("three sizes are wanted")),
        }
    };
    let constants = || -> Result<[u32; 3]> {
        let mut sizes = [0; 3];
        for (size, at) in sizes.iter_mut().zip(3..) {
            *size = u32::try_from(t.globals.integer_at(words, at)?)
                .map_err(|_| Fault::new("a size is too large"))?;
        }
        Ok(sizes)
    };
    match words[2] {
        execution_mode::LocalSize => modes.local_size = Some(positive(literals()?)?),
        execution_mode::LocalSizeId => modes.local_size = Some(positive(constants()?)?),
        execution_mode::LocalSizeHint => modes.local_size_hint = Some(literals()?),
        execution_mode::LocalSizeHintId => modes.local_size_hint = Some(constants()?),
        execution_mode::VecTypeHint => {
            modes.vec_type_hint = words.get(3).and_then(|&hint| vec_type_hint(hint))
        }
        execution_mode::SubgroupSize => modes.sub_group_size = Some(sub_group_size(words)?),
        execution_mode::DenormFlushToZero => modes.flushes_denormals = true,
        execution_mode::DenormPreserve
        | execution_mode::SignedZeroInfNanPreserve
        | execution_mode::RoundingModeRTE
        | execution_mode::SubgroupsPerWorkgroup
        | execution_mode::SubgroupsPerWorkgroupId
        | execution_mode::ContractionOff
        | execution_mode::FPFastMathDefault
        | execution_mode::MaxWorkgroupSizeINTEL
        | execution_mode::MaxWorkDimINTEL
        | execution_mode::NoGlobalOffsetINTEL => {}
        number => return Err(Fault::new(format!("the device does not support mode {number}"))),
    }
    Ok(())
}

fn sub_group_size(words: &[u32]) -> Result<u16> {
    let size = words.get(3).copied().unwrap_or(0);
    let found = SUB_GROUP_SIZES.into_iter().find(|&possible| u32::from(possible) == size);
    found.ok_or_else(|| {
        let possible = SUB_GROUP_SIZES.map(|size| size.to_string()).join(", ");
        Fault::at(3, format!("sub-groups of {size} work-items; one of {possible} is wanted"))
    })
}

fn positive(sizes: [u32; 3]) -> Result<[u32; 3]> {
    if sizes.contains(&0) { Err(Fault::new("a size is 0")) } else { Ok(sizes) }
}

/// Returns the OpenCL C type of VecTypeHint's operand: the number of lanes above, the element below.
fn vec_type_hint(hint: u32) -> Option<String> {
    let element =
        ["char", "short", "int", "long", "half", "float", "double"].get((hint & 0xffff) as usize)?;
    Some(match hint >> 16 {
        0 | 1 => (*element).to_owned(),
        lanes => format!("{element}{lanes}"),
    })
}
