//! Declarations of a module: types, constants and variables, in one pass over the words in front of the functions.
//! Array lengths are constants, which may be specialized, so that types and constants need each other.

use grus_ir::MAX_OBJECT_SIZE;
use grus_support::FastMap;

use crate::constants::{ConstForm, ConstId, ConstRow, ConstTable};
use crate::decorations::OFFSET;
use crate::error::{Fault, Messages};
use crate::grammar::{Opcode, Section, decoration, sampler_addressing_mode, sampler_filter_mode};
use crate::module::{Annotation, HEADER, Id, Module};
use crate::specialize::{self, SpecValues};
use crate::types::{ImageForm, Space, TypeForm, TypeId, TypeRow, TypeTable, ValueType};

/// Maximum depth of nested types, a universal limit of SPIR-V (s2.17).
const MAX_DEPTH: u32 = 255;

/// Variable of a module.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub id: Id,
    /// Position of OpVariable.
    pub place: u32,
    pub space: Space,
    /// Type of its contents.
    pub contents: TypeId,
    /// Type of its address.
    pub pointer: TypeId,
    pub initializer: Option<Id>,
    /// Number of `BuiltIn`.
    pub built_in: Option<u32>,
}

impl Variable {
    /// Checks whether loads of it ask for something. Older translators put such variables into other storage classes
    /// than Input.
    pub(crate) fn is_built_in(&self) -> bool {
        self.space == Space::Input || self.built_in.is_some()
    }
}

/// Types, constants and variables of a module.
#[derive(Debug)]
pub(crate) struct Globals {
    pub types: TypeTable,
    pub constants: ConstTable,
    pub variables: FastMap<Id, Variable>,
    /// Ids of the variables in the order of the module.
    pub order: Vec<Id>,
}

type Result<T> = std::result::Result<T, Fault>;

impl Globals {
    /// Reads the declarations of a module, with these values of specialization constants.
    pub(crate) fn read(module: &Module, values: &SpecValues, messages: &mut Messages) -> Globals {
        let globals = Globals {
            types: TypeTable::new(module.bound()),
            constants: ConstTable::new(module.bound()),
            variables: FastMap::default(),
            order: Vec::new(),
        };
        let mut reader = Reader { module, values, globals };
        let end = module.functions().first().map_or(module.words().len() as u32, |function| function.start);
        for place in module.instructions(HEADER as u32, end) {
            let words = module.raw(place as usize);
            let opcode = Opcode::from_number(words[0] as u16).expect("reading has checked it");
            if let Err(fault) = reader.declaration(opcode, words, place) {
                messages.add(module, place, fault);
            }
        }
        reader.globals
    }

    /// Checks whether a constant of type `found` may be the first contents of an object. Translators write addresses with
    /// another pointee, and null pointers as null integers.
    pub(crate) fn may_initialize(&self, constant: ConstId, found: TypeId, contents: TypeId) -> bool {
        let is_null = || self.constants.get(constant).form == ConstForm::Null;
        let is_pointer = matches!(self.types.form(contents), TypeForm::Pointer { .. });
        self.types.are_alike(found, contents)
            || is_pointer && self.types.get(found).size == self.types.get(contents).size && is_null()
    }

    /// Returns the type of an id that must be one.
    pub(crate) fn type_at(&self, words: &[u32], at: usize) -> Result<TypeId> {
        let id = Id(words[at]);
        self.types.find(id).ok_or_else(|| Fault::at(at, format!("{id} is no type that is declared before")))
    }

    /// Returns the constant of an id that must be one.
    pub(crate) fn constant_at(&self, words: &[u32], at: usize) -> Result<ConstId> {
        let id = Id(words[at]);
        let found = self.constants.find(id);
        found.ok_or_else(|| Fault::at(at, format!("{id} is no constant that is declared before")))
    }

    /// Returns the bits of an integer constant that must be one.
    pub(crate) fn integer_at(&self, words: &[u32], at: usize) -> Result<u64> {
        let constant = self.constant_at(words, at)?;
        let is_int = matches!(self.types.form(self.constants.get(constant).ty), TypeForm::Int { .. });
        let bits = self.constants.bits(constant).filter(|_| is_int);
        bits.ok_or_else(|| Fault::at(at, format!("{} is no constant integer", Id(words[at]))))
    }
}

struct Reader<'m> {
    module: &'m Module,
    values: &'m SpecValues,
    globals: Globals,
}

impl Reader<'_> {
    fn declaration(&mut self, opcode: Opcode, words: &[u32], place: u32) -> Result<()> {
        if opcode == Opcode::TypeForwardPointer {
            return self.forward_pointer(words);
        }
        // A pointer that was declared ahead is that type.
        if opcode == Opcode::TypePointer && self.globals.types.find(Id(words[1])).is_some() {
            return Ok(());
        }
        if words.len() > 1 && is_type(opcode) {
            let row = self.type_row(opcode, words, place)?;
            self.globals.types.add(row);
            return Ok(());
        }
        match opcode {
            Opcode::Variable | Opcode::UntypedVariableKHR => self.variable(opcode, words, place),
            Opcode::ConstantTrue
            | Opcode::ConstantFalse
            | Opcode::Constant
            | Opcode::ConstantNull
            | Opcode::ConstantComposite
            | Opcode::ConstantSampler
            | Opcode::SpecConstantTrue
            | Opcode::SpecConstantFalse
            | Opcode::SpecConstant
            | Opcode::SpecConstantComposite
            | Opcode::SpecConstantOp
            | Opcode::ConstantCompositeReplicateEXT
            | Opcode::SpecConstantCompositeReplicateEXT
            | Opcode::Undef
            | Opcode::PoisonKHR => self.constant(opcode, words, place),
            Opcode::ConstantPipeStorage | Opcode::ConstantFunctionPointerINTEL => {
                Err(Fault::new("the device does not support this instruction"))
            }
            _ => Ok(()),
        }
    }

    fn type_row(&self, opcode: Opcode, words: &[u32], place: u32) -> Result<TypeRow> {
        let id = Id(words[1]);
        let plain = |form| Ok(TypeRow::plain(id, form));
        match opcode {
            Opcode::TypeVoid => plain(TypeForm::Void),
            Opcode::TypeBool => plain(TypeForm::Bool),
            Opcode::TypeInt => match words[2] {
                bits @ 1..=64 => plain(TypeForm::Int { bits }),
                bits => Err(Fault::at(2, format!("{bits} bits; 1 to 64 are wanted"))),
            },
            Opcode::TypeFloat => match (words[2], words.get(3)) {
                (bits @ (16 | 32 | 64), None) => plain(TypeForm::Float { bits }),
                (_, Some(_)) => Err(Fault::at(3, "the device has no floats of another encoding")),
                (bits, _) => Err(Fault::at(2, format!("{bits} bits; 16, 32 or 64 are wanted"))),
            },
            Opcode::TypeVector => self.vector(id, words),
            Opcode::TypeArray => self.array(id, words),
            Opcode::TypeStruct => self.structure(id, words, place),
            Opcode::TypePointer => {
                let space = self.space(words[2])?;
                plain(TypeForm::Pointer { space, pointee: Some(Id(words[3])) })
            }
            Opcode::TypeUntypedPointerKHR => {
                let space = self.space(words[2])?;
                plain(TypeForm::Pointer { space, pointee: None })
            }
            Opcode::TypeFunction => {
                let result = self.globals.type_at(words, 2)?;
                let params = (3..words.len()).map(|at| self.globals.type_at(words, at));
                plain(TypeForm::Function { result, params: params.collect::<Result<_>>()? })
            }
            Opcode::TypeImage => plain(TypeForm::Image(ImageForm {
                dim: words[3],
                is_depth: words[4] == 1,
                is_array: words[5] == 1,
                is_multisampled: words[6] == 1,
                access: words.get(9).copied().unwrap_or(0),
            })),
            Opcode::TypeSampler => plain(TypeForm::Sampler),
            Opcode::TypeSampledImage => {
                let image = self.globals.type_at(words, 2)?;
                plain(TypeForm::SampledImage { image })
            }
            Opcode::TypeEvent => plain(TypeForm::Event),
            Opcode::TypeDeviceEvent => plain(TypeForm::DeviceEvent),
            Opcode::TypeReserveId => plain(TypeForm::ReserveId),
            Opcode::TypeQueue => plain(TypeForm::Queue),
            Opcode::TypePipe => plain(TypeForm::Pipe { access: words[2] }),
            Opcode::TypeOpaque => plain(TypeForm::Opaque),
            _ => Err(Fault::new("the device does not support this type")),
        }
    }

    /// Declares a pointer type ahead, so that structures have members of it. Its own declaration says where it points.
    fn forward_pointer(&mut self, words: &[u32]) -> Result<()> {
        let id = Id(words[1]);
        let space = self.space(words[2])?;
        let declared = self.module.definition(id).filter(|(row, _)| row.opcode == Opcode::TypePointer);
        let (_, declared) = declared.ok_or_else(|| Fault::at(1, format!("{id} is no pointer type")))?;
        if declared[2] != words[2] {
            return Err(Fault::at(2, format!("the storage class is another one than that of {id}")));
        }
        if self.globals.types.find(id).is_none() {
            let form = TypeForm::Pointer { space, pointee: Some(Id(declared[3])) };
            self.globals.types.add(TypeRow::plain(id, form));
        }
        Ok(())
    }

    fn space(&self, class: u32) -> Result<Space> {
        Space::from_class(class).ok_or_else(|| Fault::at(2, "kernels have no such storage class"))
    }

    fn vector(&self, id: Id, words: &[u32]) -> Result<TypeRow> {
        let element = self.globals.type_at(words, 2)?;
        let lanes = match words[3] {
            lanes @ 1..=16 => lanes as u16,
            lanes => return Err(Fault::at(3, format!("{lanes} components; 1 to 16 are wanted"))),
        };
        let row = self.globals.types.get(element);
        if !matches!(row.form, TypeForm::Bool | TypeForm::Int { .. } | TypeForm::Float { .. }) {
            let found = self.globals.types.describe(element);
            return Err(Fault::at(2, format!("the component is {found}; a number or a bool is wanted")));
        }
        let bits = match row.form {
            TypeForm::Int { bits } => u64::from(bits),
            _ => row.size * 8,
        };
        let is_of_length = matches!(lanes, 2 | 3 | 4 | 8 | 16);
        if bits < row.size * 8 && !is_of_length {
            let text = format!("{lanes} components of {bits} bits; 2, 3, 4, 8 or 16 are wanted");
            return Err(Fault::at(3, text));
        }
        // Vectors of three lie in memory like those of four (s6.3.5 of OpenCL C), those of integers of other widths
        // without bits between them, as LLVM has them.
        let size = (bits * u64::from(lanes)).div_ceil(8).next_power_of_two();
        // LLVM's back end merges accesses to vectors of other lengths, one included, and takes them apart again: they are
        // arrays here.
        let form = if is_of_length {
            TypeForm::Vector { element, lanes }
        } else {
            TypeForm::Array { element, length: lanes.into() }
        };
        Ok(TypeRow { id, form, size, align: size as u32, depth: 1, is_sized: true })
    }

    fn array(&self, id: Id, words: &[u32]) -> Result<TypeRow> {
        let element = self.globals.type_at(words, 2)?;
        let length = self.globals.integer_at(words, 3)?;
        if length == 0 || length as i64 <= 0 {
            return Err(Fault::at(
                3,
                format!("the array has {} elements; one or more are wanted", length as i64),
            ));
        }
        let row = self.globals.types.get(element);
        let stride = self.globals.types.stride(element);
        let size = stride.checked_mul(length).filter(|&size| size <= MAX_OBJECT_SIZE);
        let size = size.ok_or_else(|| Fault::at(3, "the array is too large"))?;
        self.nested(row, 2)?;
        let form = TypeForm::Array { element, length };
        Ok(TypeRow { id, form, size, align: row.align, depth: row.depth + 1, is_sized: true })
    }

    fn nested(&self, row: &TypeRow, at: usize) -> Result<()> {
        if !row.is_sized && !matches!(row.form, TypeForm::Struct { .. } | TypeForm::Array { .. }) {
            return Err(Fault::at(at, format!("{} has no size", row.id)));
        }
        if row.depth >= MAX_DEPTH {
            return Err(Fault::at(at, format!("types are nested more than {MAX_DEPTH} deep")));
        }
        Ok(())
    }

    fn structure(&self, id: Id, words: &[u32], place: u32) -> Result<TypeRow> {
        let mut is_packed = false;
        let mut offsets: FastMap<u32, u32> = FastMap::default();
        self.module.each_decoration(id, |found| match found.number {
            decoration::CPacked if found.member == Annotation::WHOLE => is_packed = true,
            OFFSET if found.member != Annotation::WHOLE => {
                offsets.extend(found.operands.first().map(|&offset| (found.member, offset)));
            }
            _ => {}
        });
        let (mut members, mut end, mut align, mut depth) = (Vec::new(), 0u64, 1u32, 0);
        for (at, id) in operands(self.module, words, place, 2).enumerate() {
            let ty = self.globals.types.find(id);
            let ty = ty.ok_or_else(|| {
                Fault::at(at + 2, format!("member {at} is {id}, which is no type that is declared before"))
            })?;
            let row = self.globals.types.get(ty);
            self.nested(row, at + 2)?;
            let needs = if is_packed { 1 } else { row.align };
            let next = end.next_multiple_of(u64::from(needs.max(1)));
            let offset = offsets.get(&(at as u32)).map_or(next, |&offset| offset.into());
            end = end.max(offset + row.size);
            if end > MAX_OBJECT_SIZE {
                return Err(Fault::at(at + 2, "the structure is too large"));
            }
            (align, depth) = (align.max(needs), depth.max(row.depth + 1));
            members.push((ty, offset));
        }
        if !offsets.is_empty() {
            self.are_apart(&members)?;
        }
        let size = end.next_multiple_of(u64::from(align));
        let form = TypeForm::Struct { members: members.into() };
        Ok(TypeRow { id, form, size, align, depth, is_sized: true })
    }

    /// Checks that the members of a structure do not overlap: nested, they would have more parts than bytes.
    fn are_apart(&self, members: &[(TypeId, u64)]) -> Result<()> {
        let ranges = members.iter().map(|&(ty, offset)| (offset, offset + self.globals.types.get(ty).size));
        let mut ranges: Vec<(u64, u64)> = ranges.filter(|(start, end)| start < end).collect();
        ranges.sort_unstable();
        match ranges.windows(2).find(|pair| pair[0].1 > pair[1].0) {
            Some(pair) => Err(Fault::new(format!("two members overlap at the offset {}", pair[1].0))),
            None => Ok(()),
        }
    }

    fn variable(&mut self, opcode: Opcode, words: &[u32], place: u32) -> Result<()> {
        let variable = self.globals.variable(self.module, opcode, words, place)?;
        // Translators write constants in memory of functions, too: each use gets a copy.
        if variable.space == Space::Generic {
            return Err(Fault::at(3, "a variable is in no generic memory"));
        }
        self.globals.order.push(variable.id);
        self.globals.variables.insert(variable.id, variable);
        Ok(())
    }

    fn constant(&mut self, opcode: Opcode, words: &[u32], place: u32) -> Result<()> {
        let ty = self.globals.type_at(words, 1)?;
        let id = Id(words[2]);
        let form = match opcode {
            Opcode::ConstantTrue => self.of_bool(ty, true)?,
            Opcode::ConstantFalse => self.of_bool(ty, false)?,
            Opcode::SpecConstantTrue | Opcode::SpecConstantFalse => {
                let set = self.set_value(id).map(|bits| bits & 0xff != 0);
                self.of_bool(ty, set.unwrap_or(opcode == Opcode::SpecConstantTrue))?
            }
            Opcode::Constant => ConstForm::Bits(self.literal(ty, words)?),
            Opcode::SpecConstant => {
                let literal = self.literal(ty, words)?;
                let bits = self.set_value(id).unwrap_or(literal);
                ConstForm::Bits(bits & self.mask(ty))
            }
            Opcode::ConstantNull | Opcode::Undef | Opcode::PoisonKHR => self.null(ty)?,
            Opcode::ConstantComposite | Opcode::SpecConstantComposite => self.composite(ty, words, place)?,
            Opcode::ConstantCompositeReplicateEXT | Opcode::SpecConstantCompositeReplicateEXT => {
                self.replicated(ty, words)?
            }
            Opcode::ConstantSampler => self.sampler(ty, words)?,
            Opcode::SpecConstantOp => specialize::operation(&mut self.globals, ty, words)?,
            _ => return Err(Fault::new("the device does not support this constant")),
        };
        self.globals.constants.add(ConstRow { id, ty, form }, true);
        Ok(())
    }

    fn set_value(&self, id: Id) -> Option<u64> {
        self.values.get(self.module.spec_id(id)?)
    }

    fn of_bool(&self, ty: TypeId, value: bool) -> Result<ConstForm> {
        match self.globals.types.form(ty) {
            TypeForm::Bool => Ok(ConstForm::Bits(value.into())),
            _ => {
                Err(Fault::at(1, format!("the type is {}; bool is wanted", self.globals.types.describe(ty))))
            }
        }
    }

    /// Returns the mask of the bits of a scalar type.
    fn mask(&self, ty: TypeId) -> u64 {
        self.globals.types.value(ty).map_or(u64::MAX, ValueType::mask)
    }

    /// Returns the bits of a literal, without the sign extension of those that do not fill their words.
    fn literal(&self, ty: TypeId, words: &[u32]) -> Result<u64> {
        if !matches!(self.globals.types.form(ty), TypeForm::Int { .. } | TypeForm::Float { .. }) {
            return Err(Fault::at(
                1,
                format!("the type is {}; a number is wanted", self.globals.types.describe(ty)),
            ));
        }
        let high = words.get(4).copied().unwrap_or(0);
        Ok((u64::from(high) << 32 | u64::from(words[3])) & self.mask(ty))
    }

    fn null(&self, ty: TypeId) -> Result<ConstForm> {
        match self.globals.types.form(ty) {
            TypeForm::Void | TypeForm::Function { .. } | TypeForm::Opaque => {
                Err(Fault::at(1, format!("{} has no values", self.globals.types.describe(ty))))
            }
            _ => Ok(ConstForm::Null),
        }
    }

    /// Returns the constant of an id; the address of a variable is one.
    fn constant_or_address(&mut self, id: Id) -> Option<ConstId> {
        if let Some(variable) = self.globals.variables.get(&id).filter(|found| found.built_in.is_none()) {
            let form = ConstForm::Address { variable: id, offset: 0 };
            return Some(self.globals.constants.add(ConstRow { id, ty: variable.pointer, form }, false));
        }
        self.globals.constants.find(id)
    }

    fn composite(&mut self, ty: TypeId, words: &[u32], place: u32) -> Result<ConstForm> {
        let types = &self.globals.types;
        let wanted = types.parts(ty);
        if wanted == 0 && !matches!(types.form(ty), TypeForm::Struct { .. }) {
            return Err(Fault::at(1, format!("{} has no parts", types.describe(ty))));
        }
        let mut parts = Vec::new();
        for (at, id) in operands(self.module, words, place, 3).enumerate() {
            let part = self.constant_or_address(id);
            let globals = &self.globals;
            let part = part.ok_or_else(|| {
                Fault::at(at + 3, format!("part {at} is {id}, which is no constant that is declared before"))
            })?;
            let expected = globals.types.part(ty, at as u64).map(|(ty, _)| ty);
            let found = globals.constants.get(part).ty;
            let expected = expected.filter(|&expected| globals.may_initialize(part, found, expected));
            let expected = expected.ok_or_else(|| {
                Fault::at(at + 3, format!("part {at} is {id}, which has another type than the part"))
            })?;
            let is_alike = globals.types.are_alike(expected, found);
            parts.push(if is_alike {
                part
            } else {
                let null = ConstRow { id, ty: expected, form: ConstForm::Null };
                self.globals.constants.add(null, false)
            });
        }
        if parts.len() as u64 != wanted {
            let found = parts.len();
            return Err(Fault::new(format!("the composite has {found} parts; {wanted} are wanted")));
        }
        // Nothing but zeros: constants that are not null have a byte of their own.
        if parts.iter().all(|&part| self.globals.constants.is_zero(part)) {
            return Ok(ConstForm::Null);
        }
        Ok(ConstForm::Parts(parts.into()))
    }

    fn replicated(&mut self, ty: TypeId, words: &[u32]) -> Result<ConstForm> {
        let part = self.globals.constant_at(words, 3)?;
        let count = self.globals.types.parts(ty);
        if count > MAX_REPLICATED {
            return Err(Fault::new("the composite is too large"));
        }
        if self.globals.constants.is_zero(part) {
            return self.null(ty);
        }
        let has_type = self.globals.types.part(ty, 0).map(|(ty, _)| ty);
        let is_uniform = !matches!(self.globals.types.form(ty), TypeForm::Struct { .. }) || count == 1;
        if has_type != Some(self.globals.constants.get(part).ty) || !is_uniform {
            return Err(Fault::at(3, "the part has another type than the parts of the composite"));
        }
        self.globals.constants.count_made(count)?;
        Ok(ConstForm::Parts(vec![part; count as usize].into()))
    }

    fn sampler(&self, ty: TypeId, words: &[u32]) -> Result<ConstForm> {
        if !matches!(self.globals.types.form(ty), TypeForm::Sampler) {
            return Err(Fault::at(1, "the type is no sampler"));
        }
        // Numbers as in CLK_ADDRESS_* and CLK_FILTER_*, which the runtime's samplers have too.
        let addressing = match words[3] {
            sampler_addressing_mode::None => 0,
            sampler_addressing_mode::ClampToEdge => 2,
            sampler_addressing_mode::Clamp => 4,
            sampler_addressing_mode::Repeat => 6,
            _ => 8,
        };
        let filter = if words[5] == sampler_filter_mode::Linear { 0x20 } else { 0x10 };
        Ok(ConstForm::Sampler(addressing | filter | (words[4] & 1)))
    }
}

/// Maximum number of parts that one word may stand for.
// Arbitrary: as many leaves as composites may have in all.
const MAX_REPLICATED: u64 = 1 << 16;

impl Globals {
    /// Reads an OpVariable of the module or of a function.
    pub(crate) fn variable(
        &self,
        module: &Module,
        opcode: Opcode,
        words: &[u32],
        place: u32,
    ) -> Result<Variable> {
        let (pointer, id) = (self.type_at(words, 1)?, Id(words[2]));
        let TypeForm::Pointer { space, pointee } = *self.types.form(pointer) else {
            return Err(Fault::at(
                1,
                format!("the type is {}; a pointer is wanted", self.types.describe(pointer)),
            ));
        };
        if Space::from_class(words[3]) != Some(space) {
            return Err(Fault::at(3, "the storage class is another one than that of the type"));
        }
        let (contents, initializer) = match opcode {
            Opcode::Variable => (pointee, words.get(4)),
            _ => (words.get(4).map(|&id| Id(id)), words.get(5)),
        };
        let contents = contents.and_then(|id| self.types.find(id));
        let contents = contents.filter(|&ty| self.types.get(ty).is_sized);
        let contents = contents.ok_or_else(|| Fault::at(1, "the contents have no type with a size"))?;
        let built_in =
            module.decoration(id, decoration::BuiltIn).and_then(|operands| operands.first().copied());
        let initializer = initializer.map(|&id| Id(id));
        Ok(Variable { id, place, space, contents, pointer, initializer, built_in })
    }
}

/// Checks whether an instruction declares a type.
fn is_type(opcode: Opcode) -> bool {
    let row = opcode.instruction();
    row.section == Section::Global && row.has_result && !row.has_type
}

/// Returns the ids that an instruction lists from position `from` on, with those of the instructions that continue it.
fn operands<'m>(
    module: &'m Module,
    words: &'m [u32],
    place: u32,
    from: usize,
) -> impl Iterator<Item = Id> + 'm {
    let next = place + words.len() as u32;
    let continued = module.instructions(next, module.words().len() as u32);
    let continued = continued.map(|place| module.raw(place as usize)).take_while(|words| {
        matches!(
            Opcode::from_number(words[0] as u16),
            Some(
                Opcode::TypeStructContinuedINTEL
                    | Opcode::ConstantCompositeContinuedINTEL
                    | Opcode::SpecConstantCompositeContinuedINTEL
            )
        )
    });
    words[from..].iter().chain(continued.flat_map(|words| &words[1..])).map(|&id| Id(id))
}
