//! Check of one instruction of a function: the classes of its operands and the relation between their types.

use super::classes::{Class, flag};
use super::environment::{self, Environment};
use super::flow::Blocks;
use super::ids::{Facts, Kind};
use super::special::Requests;
use super::table::{Relation, Row, row_of};
use super::{Checked, Stop, special};
use crate::error::Fault;
use crate::grammar::{
    Instruction, Opcode, OperandKind, access_qualifier, dim, group_operation, image_operands,
};
use crate::module::Id;
use crate::types::{ImageForm, TypeForm, TypeId};

/// Maximum number of operands in a row of the table.
// Source: the longest row has six.
const MAX_OPERANDS: usize = 8;

/// Operands of an instruction that have types.
struct Operands {
    list: [(usize, TypeId, Class); MAX_OPERANDS],
    count: usize,
}

impl Operands {
    fn all(&self) -> &[(usize, TypeId, Class)] {
        &self.list[..self.count]
    }
}

/// Place in a function, and what rules look up.
pub(super) struct Checker<'c, 'm> {
    pub facts: &'c Facts<'m>,
    pub environment: &'c Environment,
    pub blocks: &'c Blocks,
    pub requests: &'c mut Requests,
    /// Number of the function.
    pub function: u32,
    /// Type of its result.
    pub returned: Option<TypeId>,
    pub block: u32,
    /// Position of the instruction.
    pub place: u32,
}

impl Checker<'_, '_> {
    /// Checks an instruction.
    #[inline]
    pub(super) fn check(&mut self, instruction: &'static Instruction, words: &[u32]) -> Checked<()> {
        self.environment.check_opcode(instruction)?;
        match row_of(instruction.opcode) {
            Some(row) => self.check_row(row, words),
            None => special::check(self, instruction, words),
        }
    }

    fn check_row(&mut self, row: &Row, words: &[u32]) -> Checked<()> {
        let has_result = row.result != Class::Nothing;
        let result = if has_result { Some(self.result(words, row.result)?) } else { None };
        let first = if has_result { 3 } else { 1 };
        let mut found = Operands { list: [(0, TypeId(0), Class::Nothing); MAX_OPERANDS], count: 0 };
        for (at, &class) in (first..words.len()).zip(row.operands) {
            if class.flags() != 0 {
                let ty = self.operand(words, at, class)?;
                found.list[found.count] = (at, ty, class);
                found.count += 1;
            } else {
                self.untyped(words, at, class)?;
            }
        }
        self.relate(row, words, result, found.all())?;
        if row.opcode == Opcode::AtomicLoad {
            return Ok(());
        }
        let mut written = found.all().iter().filter(|operand| operand.2 == Class::WritablePointer);
        written.try_for_each(|&(at, ..)| self.is_no_constant(words, at))
    }

    /// Checks an operand that is no value.
    fn untyped(&self, words: &[u32], at: usize, class: Class) -> Checked<()> {
        match class {
            Class::GroupOperation => {
                self.environment.check_enumerant(OperandKind::GroupOperation, words[at], at)?;
                self.cluster(words, at)
            }
            Class::PackedFormat => {
                Ok(self.environment.check_enumerant(OperandKind::PackedVectorFormat, words[at], at)?)
            }
            Class::ImageOperands => self.image_operands(words, at),
            Class::Function => self.is_kind(words, at, Kind::Function, "a function"),
            Class::Nothing => Ok(()),
            _ => self.scope(words, at, class),
        }
    }

    /// Checks that a group operation has the size of a cluster if it is one of clusters.
    fn cluster(&self, words: &[u32], at: usize) -> Checked<()> {
        let is_clustered = words[at] == group_operation::ClusteredReduce;
        match (is_clustered, words.len() > at + 2) {
            (true, false) => Err(Fault::at(at, "the size of the cluster is missing").into()),
            (false, true) => {
                let text = format!(
                    "operand {} is the size of a cluster; only ClusteredReduce has one",
                    number(words, at + 2)
                );
                Err(Fault::at(at + 2, text).into())
            }
            _ => Ok(()),
        }
    }

    /// Checks that an operand is an id of a kind.
    pub(super) fn is_kind(&self, words: &[u32], at: usize, kind: Kind, wanted: &str) -> Checked<()> {
        let found = self.facts.definition(Id(words[at])).kind;
        if found == kind { Ok(()) } else { Err(self.wrong_kind(words, at, found, wanted)) }
    }

    #[cold]
    fn wrong_kind(&self, words: &[u32], at: usize, found: Kind, wanted: &str) -> Stop {
        let id = self.facts.named(Id(words[at]));
        let found = found.text();
        Fault::at(at, format!("operand {} is {id}, {found}; {wanted} is wanted", number(words, at))).into()
    }

    /// Returns the type of the result, which must be of a class.
    #[inline]
    pub(super) fn result(&self, words: &[u32], class: Class) -> Checked<TypeId> {
        let ty = self.type_at(words, 1)?;
        if self.facts.shape(ty).is_any(class.flags()) {
            return Ok(ty);
        }
        Err(self.wrong_result(ty, class.text()))
    }

    #[cold]
    pub(super) fn wrong_result(&self, ty: TypeId, wanted: &str) -> Stop {
        let found = self.facts.described(ty);
        Fault::at(1, format!("the result's type is {found}; {wanted} is wanted")).into()
    }

    /// Returns the type that an operand names.
    #[inline]
    pub(super) fn type_at(&self, words: &[u32], at: usize) -> Checked<TypeId> {
        let id = Id(words[at]);
        self.facts.types().find(id).ok_or_else(|| match self.facts.definition(id).kind {
            // What is wrong with the type is said where it is declared.
            Kind::Type => Stop::KNOWN,
            kind if at == 1 => {
                let text = format!("the result's type is {}, {}", self.facts.named(id), kind.text());
                Fault::at(at, text).into()
            }
            kind => self.wrong_kind(words, at, kind, "a type"),
        })
    }

    /// Returns the type of an operand, which must be a value of a class that can be used here.
    #[inline]
    pub(super) fn operand(&self, words: &[u32], at: usize, class: Class) -> Checked<TypeId> {
        let ty = self.value(words, at)?;
        if self.facts.shape(ty).is_any(class.flags()) {
            return Ok(ty);
        }
        Err(self.wrong(words, at, ty, class.text()))
    }

    /// Returns the type of an operand, which must be a value that can be used here.
    #[inline]
    pub(super) fn value(&self, words: &[u32], at: usize) -> Checked<TypeId> {
        let id = Id(words[at]);
        let definition = self.facts.definition(id);
        match definition.kind {
            Kind::Constant | Kind::Variable => {}
            Kind::Parameter if definition.function == self.function => {}
            Kind::Local if definition.function == self.function => {
                self.is_visible(words, at, definition.block)?
            }
            Kind::Parameter | Kind::Local => {
                return Err(self.invisible(words, at, "which another function defines"));
            }
            kind => return Err(self.wrong_kind(words, at, kind, "a value")),
        }
        definition.ty().ok_or(Stop::KNOWN)
    }

    /// Checks that the definition in a block comes before this instruction on all paths.
    #[inline]
    fn is_visible(&self, words: &[u32], at: usize, block: u32) -> Checked<()> {
        if block == self.block {
            let place = self.facts.module.place(Id(words[at])).unwrap_or(0);
            if place < self.place || !self.blocks.is_reachable(self.block) {
                return Ok(());
            }
            return Err(self.invisible(words, at, "which is defined later"));
        }
        if !self.blocks.is_reachable(self.block) || self.blocks.dominates(block, self.block) {
            return Ok(());
        }
        Err(self.invisible(words, at, "whose definition does not dominate this use"))
    }

    #[cold]
    fn invisible(&self, words: &[u32], at: usize, why: &str) -> Stop {
        let id = self.facts.named(Id(words[at]));
        Fault::at(at, format!("operand {} is {id}, {why}", number(words, at))).into()
    }

    /// Returns the fault of an operand whose type is another one than wanted.
    #[cold]
    pub(super) fn wrong(&self, words: &[u32], at: usize, found: TypeId, wanted: &str) -> Stop {
        let id = self.facts.named(Id(words[at]));
        let found = self.facts.describe(found);
        Fault::at(at, format!("operand {} is {id}, {found}; {wanted} is wanted", number(words, at))).into()
    }

    /// Checks that the type of an operand is this one.
    #[inline]
    pub(super) fn is_same(&self, words: &[u32], at: usize, found: TypeId, wanted: TypeId) -> Checked<()> {
        if self.facts.is_same(found, wanted) {
            return Ok(());
        }
        Err(self.other_type(words, at, found, wanted))
    }

    #[cold]
    fn other_type(&self, words: &[u32], at: usize, found: TypeId, wanted: TypeId) -> Stop {
        let (described, wanted_text) = (self.facts.describe(found), self.facts.describe(wanted));
        let id = self.facts.named(Id(words[at]));
        let number = number(words, at);
        let wanted = self.facts.described(wanted);
        let found = if described == wanted_text { self.facts.described(found) } else { described };
        Fault::at(at, format!("operand {number} is {id}, {found}; {wanted} is wanted")).into()
    }

    /// Checks a scope or semantics.
    fn scope(&self, words: &[u32], at: usize, class: Class) -> Checked<()> {
        self.operand(words, at, Class::Int32)?;
        let id = Id(words[at]);
        let Some(constant) = self.facts.globals.constants.find(id) else {
            // Kernels may compute which memory they mean.
            let is_memory = matches!(class, Class::MemoryScope | Class::Semantics | Class::LoadOrder);
            if is_memory || self.facts.definition(id).kind == Kind::Constant {
                return Ok(());
            }
            let named = self.facts.named(id);
            let text = format!(
                "operand {} is {named}, which is not constant; {} is wanted",
                number(words, at),
                class.text()
            );
            return Err(Fault::at(at, text).into());
        };
        let bits = self.facts.globals.constants.bits(constant).ok_or(Stop::KNOWN)?;
        if environment::suits(class, bits) {
            return Ok(());
        }
        let text = format!(
            "operand {} is {}, the number {bits}; {} is wanted",
            number(words, at),
            self.facts.named(id),
            class.text()
        );
        Err(Fault::at(at, text).into())
    }

    /// Checks the operands of an access to an image.
    fn image_operands(&self, words: &[u32], at: usize) -> Checked<()> {
        let mask = words[at];
        self.environment.check_enumerant(OperandKind::ImageOperands, mask, at)?;
        if mask & image_operands::ConstOffset != 0 {
            return Err(Fault::at(at, "ConstOffset is not for OpenCL").into());
        }
        (at + 1..words.len()).try_for_each(|at| self.value(words, at).map(drop))
    }

    fn relate(
        &self,
        row: &Row,
        words: &[u32],
        result: Option<TypeId>,
        operands: &[(usize, TypeId, Class)],
    ) -> Checked<()> {
        let same = |of: &[(usize, TypeId, Class)], wanted: TypeId| {
            of.iter().try_for_each(|&(at, ty, _)| self.is_same(words, at, ty, wanted))
        };
        match (row.relation, result, operands) {
            (Relation::Same, Some(result), _) => same(operands, result),
            (Relation::First, Some(result), [first, ..]) => self.is_same(words, first.0, first.1, result),
            (Relation::FirstTwo, Some(result), [..]) => same(&operands[..operands.len().min(2)], result),
            (Relation::Lanes, Some(result), _) => self.have_lanes(words, operands, result),
            (Relation::Shift, Some(result), [base, rest @ ..]) => {
                self.is_same(words, base.0, base.1, result)?;
                self.have_lanes(words, rest, result)
            }
            (Relation::Compare, Some(result), [first, rest @ ..]) => {
                let lanes = self.facts.shape(first.1).lanes;
                if self.facts.shape(result).lanes != lanes {
                    return Err(self.wrong_result(result, &as_many("bool", lanes)));
                }
                same(rest, first.1)
            }
            (Relation::Scaled, Some(result), [vector, scalar, ..]) => {
                self.is_same(words, vector.0, vector.1, result)?;
                self.is_same(words, scalar.0, scalar.1, self.facts.element(result))
            }
            (Relation::Dot, Some(result), [first, rest @ ..]) => {
                self.is_element(first.1, result)?;
                same(rest, first.1)
            }
            (Relation::Extract, Some(result), [vector, ..]) => self.is_element(vector.1, result),
            (Relation::Pair, Some(result), [first, rest @ ..]) => {
                same(rest, first.1)?;
                self.is_pair(result, first.1)
            }
            (Relation::Spaces, _, [first, second, ..]) => {
                if self.facts.shape(first.1).space == self.facts.shape(second.1).space {
                    return Ok(());
                }
                let wanted = self.facts.describe(first.1);
                Err(self.wrong(words, second.0, second.1, &wanted))
            }
            (Relation::Atomic, _, [pointer, values @ ..]) => {
                let ty = result.or(values.first().map(|value| value.1)).ok_or(Stop::KNOWN)?;
                let at = if result.is_some() { 1 } else { values.first().map_or(1, |value| value.0) };
                self.environment.check_atomic(self.facts, row.opcode, ty, at)?;
                self.points_at(words, pointer.0, pointer.1, ty)?;
                same(values, ty)
            }
            (Relation::Flag, _, [pointer, ..]) => {
                let is_flag = |ty| self.facts.shape(ty).is_any(flag::INT32);
                match self.facts.types().pointee(pointer.1) {
                    Some(pointee) if !is_flag(pointee) => {
                        Err(self.wrong(words, pointer.0, pointer.1, "a pointer to an integer of 32 bits"))
                    }
                    _ => Ok(()),
                }
            }
            (Relation::Block, ..) => {
                let value = result.or(operands.get(1).map(|value| value.1)).ok_or(Stop::KNOWN)?;
                let [pointer, ..] = operands else { return Ok(()) };
                self.points_at(words, pointer.0, pointer.1, self.facts.element(value))
            }
            (Relation::Texel, _, [image, coordinate, ..]) => {
                self.is_accessible(words, result.is_none(), image)?;
                self.is_coordinate(words, image.1, coordinate)
            }
            (Relation::Products, Some(result), [a, b, rest @ ..]) => {
                let (of_a, of_b) = (self.facts.shape(a.1), self.facts.shape(b.1));
                let is_packed = words.len() > b.0 + 1 + rest.len();
                if (of_a.bits, of_a.lanes) != (of_b.bits, of_b.lanes) {
                    return Err(self.other_type(words, b.0, b.1, a.1));
                }
                if is_packed != (of_a.lanes == 1) || is_packed && of_a.bits != 32 {
                    let wanted = if is_packed { "an integer of 32 bits" } else { "a vector of integers" };
                    return Err(self.wrong(words, a.0, a.1, wanted));
                }
                same(rest, result)
            }
            _ => Ok(()),
        }
    }

    /// Returns the form of an image, or of that of a sampled image.
    fn image(&self, ty: TypeId) -> Checked<ImageForm> {
        let types = self.facts.types();
        let of = match *types.form(ty) {
            TypeForm::SampledImage { image } => image,
            _ => ty,
        };
        match *types.form(of) {
            TypeForm::Image(form) => Ok(form),
            _ => Err(Stop::KNOWN),
        }
    }

    /// Checks that an image may be read, or written.
    fn is_accessible(
        &self,
        words: &[u32],
        is_written: bool,
        &(at, ty, _): &(usize, TypeId, Class),
    ) -> Checked<()> {
        let (other, wanted) = if is_written {
            (access_qualifier::ReadOnly, "an image to write")
        } else {
            (access_qualifier::WriteOnly, "an image to read")
        };
        if self.image(ty)?.access != other {
            return Ok(());
        }
        Err(self.wrong(words, at, ty, wanted))
    }

    fn is_coordinate(
        &self,
        words: &[u32],
        image: TypeId,
        &(at, ty, _): &(usize, TypeId, Class),
    ) -> Checked<()> {
        let form = self.image(image)?;
        let dimensions = match form.dim {
            dim::Dim2D => 2,
            dim::Dim3D => 3,
            _ => 1,
        };
        let wanted = dimensions + u8::from(form.is_array);
        let shape = self.facts.shape(ty);
        if shape.lanes >= wanted && shape.bits == 32 {
            return Ok(());
        }
        let wanted = format!("a coordinate of {wanted} components of 32 bits");
        Err(self.wrong(words, at, ty, &wanted))
    }

    fn have_lanes(&self, words: &[u32], operands: &[(usize, TypeId, Class)], result: TypeId) -> Checked<()> {
        let lanes = self.facts.shape(result).lanes;
        match operands.iter().find(|operand| self.facts.shape(operand.1).lanes != lanes) {
            None => Ok(()),
            Some(&(at, ty, _)) => Err(self.wrong(words, at, ty, &as_many("number", lanes))),
        }
    }

    /// Checks that the result's type is that of a vector's components.
    pub(super) fn is_element(&self, vector: TypeId, result: TypeId) -> Checked<()> {
        let element = self.facts.element(vector);
        if self.facts.is_same(element, result) {
            return Ok(());
        }
        let wanted = self.facts.described(element);
        Err(self.wrong_result(result, &wanted))
    }

    fn is_pair(&self, result: TypeId, of: TypeId) -> Checked<()> {
        if let TypeForm::Struct { members } = self.facts.types().form(result)
            && members.len() == 2
            && members.iter().all(|&(member, _)| self.facts.is_same(member, of))
        {
            return Ok(());
        }
        let wanted = format!("a structure of two times {}", self.facts.described(of));
        Err(self.wrong_result(result, &wanted))
    }

    /// Checks that a pointer, if its pointee is known, points at a type.
    #[inline]
    pub(super) fn points_at(&self, words: &[u32], at: usize, pointer: TypeId, ty: TypeId) -> Checked<()> {
        match self.facts.types().form(pointer) {
            TypeForm::Pointer { pointee: None, .. } => Ok(()),
            TypeForm::Pointer { pointee: Some(id), .. } => match self.facts.types().find(*id) {
                Some(pointee) if self.facts.is_same(pointee, ty) => Ok(()),
                Some(pointee) => Err(self.other_pointee(words, at, pointee, ty)),
                None => Err(Stop::KNOWN),
            },
            _ => Err(self.wrong(words, at, pointer, "a pointer")),
        }
    }

    #[cold]
    fn other_pointee(&self, words: &[u32], at: usize, pointee: TypeId, ty: TypeId) -> Stop {
        let (found, wanted) = (self.facts.described(pointee), self.facts.described(ty));
        let id = self.facts.named(Id(words[at]));
        let number = number(words, at);
        Fault::at(at, format!("operand {number} is {id}, a pointer to {found}; one to {wanted} is wanted"))
            .into()
    }
}

/// Returns the number of an operand as messages count: from 1, behind type and id of the result.
pub(super) fn number(words: &[u32], at: usize) -> usize {
    let row = crate::grammar::instruction(words[0] as u16);
    at - row.map_or(0, |row| row.result_operands())
}

/// Returns a description of a value of so many components.
fn as_many(what: &str, lanes: u8) -> String {
    match lanes {
        1 => format!("a {what} that is no vector"),
        _ => format!("a vector of {lanes} {what}s"),
    }
}
