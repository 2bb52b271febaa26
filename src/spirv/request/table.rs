//! Rows of the tables of requests, which `build/requests.rs` makes, and the types that they accept.

use super::{
    Access, ArgType, COpaque, CScalar, CType, Image, ImageDim, NoRequest, Number, Place, Pointee, Request,
    Sign, Space,
};

include!(concat!(env!("OUT_DIR"), "/requests.rs"));

/// Function for an instruction or a built-in variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Number of the instruction in OpenCL.std, opcode, or value of BuiltIn.
    pub number: u16,
    pub when: When,
    /// Name of the function, with placeholders; empty if the instruction is not one function.
    pub function: &'static str,
    pub domain: Domain,
    pub result: Word,
    pub params: &'static [Word],
}

/// Condition on the literals of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum When {
    Always,
    /// The first literal is the scope Device.
    Device,
    /// The first literal is the scope Workgroup.
    WorkGroup,
    /// The first literal is the scope Subgroup.
    SubGroup,
    /// The operands are packed vectors, as a literal says.
    Packed,
    /// There is no literal.
    NoLiteral,
}

/// Types that the subject of a row may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Domain {
    pub subject: Subject,
    /// Bit mask: integers of 8 to 64 bits, then floats of 16 to 64, in the highest bit `bool`.
    pub elements: u8,
    /// Bit mask of the numbers of lanes in `LANES`.
    pub lanes: u8,
}

/// Operand or result whose type the types of the others follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    None,
    Result,
    Operand(u8),
}

/// Type of an operand or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Void,
    /// Operand that the function does not take.
    Dropped,
    /// Type of the subject.
    Subject(Sign),
    /// Integer with the width and lanes of the subject.
    Int(Sign),
    /// Float with the width and lanes of the subject.
    Float,
    /// One lane of the subject.
    Element(Sign),
    /// Elements of the subject, any number of lanes.
    AnyLanes(Sign),
    /// This type with the lanes of the subject.
    Lanes(CScalar),
    /// Integer twice as wide as the subject.
    Double(Sign),
    /// Integer of any width, one lane.
    AnyInt(Sign),
    /// Integer of any width with the lanes of the subject.
    AnyWidth(Sign),
    /// Float of any width with the lanes of the subject.
    AnyFloat,
    Fixed(CScalar, u8),
    /// Size of an image operand: `int` for each dimension, and for the number of layers.
    ImageSize,
    /// Coordinates for the image that is the first operand: `int` or `float`.
    Coordinate(CScalar),
    Image(ImageUse),
    Opaque(COpaque),
    Pipe(Option<Access>),
    Pointer {
        spaces: u8,
        is_const: bool,
        to: &'static Word,
    },
}

/// Access that an image must allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImageUse {
    Any,
    Reads,
    Writes,
    /// With a sampler: read-only, and no buffer.
    Samples,
    /// One 2D image that is no depth image.
    ReadsPlane,
    WritesPlane,
}

/// Literals and decorations that choose a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice<'l> {
    pub literals: &'l [u32],
    pub is_saturated: bool,
    pub rounding: Option<u32>,
}

/// Numbers of lanes, by bit of `Domain::lanes`.
pub(super) const LANES: [u8; 6] = [1, 2, 3, 4, 8, 16];

/// Elements, by bit of `Domain::elements`.
pub(super) const ELEMENTS: [(bool, u8); 7] =
    [(false, 8), (false, 16), (false, 32), (false, 64), (true, 16), (true, 32), (true, 64)];

/// Address spaces, by bit of `Word::Pointer`'s `spaces`.
pub(super) const SPACES: [Space; 5] =
    [Space::Private, Space::Global, Space::Local, Space::Generic, Space::Constant];

/// Values of Scope.
const DEVICE: u32 = 1;
const WORK_GROUP: u32 = 2;
const SUB_GROUP: u32 = 3;

impl<'l> Choice<'l> {
    /// Returns the choice by literals, the last of which may be a rounding mode.
    pub(super) fn of_literals(literals: &'l [u32]) -> Self {
        Choice { literals, is_saturated: false, rounding: literals.last().copied() }
    }
}

/// Number that stands for `bool` as a subject.
pub(super) const BOOL: Number = Number { is_float: false, bits: 1, lanes: 1 };

impl Domain {
    pub(super) fn has_bool(self) -> bool {
        self.elements >> 7 == 1
    }

    pub(super) fn has(self, number: Number) -> bool {
        let element = ELEMENTS.iter().position(|&element| element == (number.is_float, number.bits));
        let lanes = LANES.iter().position(|&lanes| lanes == number.lanes);
        element.is_some_and(|bit| self.elements >> bit & 1 == 1)
            && lanes.is_some_and(|bit| self.lanes >> bit & 1 == 1)
    }
}

impl Row {
    /// Checks whether the row is for these literals.
    pub(super) fn is_for(&self, literals: &[u32]) -> bool {
        match self.when {
            When::Always => true,
            When::Device => literals.first() == Some(&DEVICE),
            When::WorkGroup => literals.first() == Some(&WORK_GROUP),
            When::SubGroup => literals.first() == Some(&SUB_GROUP),
            When::Packed => !literals.is_empty(),
            When::NoLiteral => literals.is_empty(),
        }
    }

    /// Returns the request for an instruction, which is called `name` in errors.
    pub(super) fn request(
        &self,
        name: &'static str,
        result: ArgType,
        operands: &[ArgType],
        choice: &Choice<'_>,
    ) -> Result<Request, NoRequest> {
        if self.function.is_empty() {
            return Err(NoRequest::Special { name });
        }
        if operands.len() != self.params.len() {
            return Err(NoRequest::Count { name, found: operands.len(), wanted: self.params.len() });
        }
        let wrong = |place: Place, found: ArgType| NoRequest::Type { name, place, found };
        let image = operands.iter().find_map(|operand| match operand {
            ArgType::Image(image) => Some(*image),
            _ => None,
        });
        let subject = self.subject(result, operands, image).map_err(|(place, found)| wrong(place, found))?;
        let cx = Context { subject, image };
        let mut params = Vec::with_capacity(operands.len());
        for (index, (word, &found)) in self.params.iter().zip(operands).enumerate() {
            if *word == Word::Dropped {
                continue;
            }
            let ty = cx.accept(*word, found).ok_or_else(|| wrong(Place::Operand(index), found))?;
            params.push(ty.to_string());
        }
        let ty = cx.accept(self.result, result).ok_or_else(|| wrong(Place::Result, result))?;
        let result = ty.to_string();
        Ok(Request { name: self.name(name, &result, subject, choice)?, result, params, is_relaxed: false })
    }

    /// Returns the type of the subject, or a number of no meaning if there is none.
    fn subject(
        &self,
        result: ArgType,
        operands: &[ArgType],
        image: Option<Image>,
    ) -> Result<Number, (Place, ArgType)> {
        let (place, ty) = match self.domain.subject {
            Subject::None => return Ok(Number { is_float: false, bits: 0, lanes: 0 }),
            Subject::Result => (Place::Result, result),
            Subject::Operand(index) => {
                let index = usize::from(index);
                (Place::Operand(index), operands.get(index).copied().unwrap_or(ArgType::Void))
            }
        };
        let number = match ty {
            ArgType::Pointer { to, .. } => to.number(),
            // Functions that move values take `bool` as they take `uchar`.
            ArgType::Bool { lanes: 1 } if self.domain.has_bool() => Some(BOOL),
            _ => ty.number(),
        };
        number
            .filter(|&number| (number == BOOL && self.domain.has_bool()) || self.domain.has(number))
            .filter(|&number| self.is_texel(image, number))
            .ok_or((place, ty))
    }

    /// Checks whether a texel is one that the image has, if the row is of texels: depth images have one component, and
    /// no integers or halves. The translator makes four of it where a module reads four.
    pub(super) fn is_texel(&self, image: Option<Image>, texel: Number) -> bool {
        match image.filter(|_| self.function.contains("{k}")) {
            None => true,
            Some(image) if image.is_depth => texel.is_float && texel.bits == 32 && texel.lanes == 1,
            Some(_) => texel.lanes == 4,
        }
    }

    /// Returns the name of the function with its placeholders replaced.
    fn name(
        &self,
        of: &'static str,
        result: &str,
        subject: Number,
        choice: &Choice<'_>,
    ) -> Result<String, NoRequest> {
        let mut name = String::new();
        let mut rest = self.function;
        while let Some((before, behind)) = rest.split_once('{') {
            let (placeholder, after) = behind.split_once('}').unwrap_or((behind, ""));
            name += before;
            rest = after;
            let literal =
                |index: usize| choice.literals.get(index).copied().ok_or(NoRequest::NoLiteral { name: of });
            let one_of = |found: u32, words: &[&'static str]| {
                words.get(found as usize).copied().ok_or(NoRequest::Literal { name: of, found })
            };
            match placeholder {
                "n" => name += &subject.lanes.to_string(),
                // The same, which a literal repeats.
                "N" => match literal(0)? {
                    lanes if lanes == u32::from(subject.lanes) => name += &lanes.to_string(),
                    found => return Err(NoRequest::Literal { name: of, found }),
                },
                "t" => name += result,
                "sat" => name += if choice.is_saturated { "_sat" } else { "" },
                "r" => name += choice.rounding.map_or(Ok(""), |mode| one_of(mode, ROUNDINGS))?,
                "op" => name += one_of(literal(1)?, &["reduce", "scan_inclusive", "scan_exclusive"])?,
                "set" => name += one_of(literal(1)?, SETS)?,
                "all" => name += one_of(literal(1)?, PARTIAL)?,
                "d" => name += one_of(literal(0)?, &["", "1", "2", "3"])?,
                // Integers have no sign: those of signed images have the same bits.
                "k" => {
                    name += if !subject.is_float {
                        "ui"
                    } else if subject.bits == 16 {
                        "h"
                    } else {
                        "f"
                    }
                }
                _ => {}
            }
        }
        Ok(name + rest)
    }
}

/// Suffixes of the rounding modes of FPRoundingMode.
const ROUNDINGS: &[&str] = &["_rte", "_rtz", "_rtp", "_rtn"];
/// Group operations on sets of work-items.
const SETS: &[&str] = &["bit_count", "inclusive_scan", "exclusive_scan"];
/// Group operations among the work-items that come together.
const PARTIAL: &[&str] =
    &["non_uniform_reduce", "non_uniform_scan_inclusive", "non_uniform_scan_exclusive", "clustered_reduce"];

/// Types that words refer to.
pub(super) struct Context {
    pub subject: Number,
    pub image: Option<Image>,
}

impl Context {
    /// Returns the C type of an operand or result, or `None` if it is not what the word says.
    fn accept(&self, word: Word, found: ArgType) -> Option<CType> {
        match word {
            Word::Void => (found == ArgType::Void).then_some(CType::Void),
            Word::Dropped => None,
            Word::Subject(_) if self.subject == BOOL => {
                let is_bool = found == ArgType::Bool { lanes: 1 };
                is_bool.then_some(CType::Scalar { kind: CScalar::Bool, lanes: 1 })
            }
            Word::Fixed(CScalar::Bool, _) => {
                let is_bool = found == ArgType::Bool { lanes: 1 };
                is_bool.then_some(CType::Scalar { kind: CScalar::Bool, lanes: 1 })
            }
            Word::Pointer { spaces, is_const, to } => self.pointer(spaces, is_const, to, found),
            Word::Image(wanted) => match found {
                ArgType::Image(image) if wanted.allows(image) => CType::of_image(image),
                _ => None,
            },
            Word::Pipe(wanted) => match found {
                ArgType::Pipe { access } if wanted.is_none_or(|wanted| wanted == access) => {
                    Some(CType::Pipe { access })
                }
                _ => None,
            },
            Word::Opaque(opaque) => (found == opaque_type(opaque)).then_some(CType::Opaque(opaque)),
            _ => {
                let number = found.number()?;
                self.has(word, number).then(|| CType::of_number(number, sign(word))).flatten()
            }
        }
    }

    /// Checks whether a number is what a word for numbers says.
    fn has(&self, word: Word, number: Number) -> bool {
        match self.number(word) {
            Some(wanted) => wanted == number,
            None => match word {
                Word::AnyLanes(_) => number == Number { lanes: number.lanes, ..self.subject },
                Word::AnyInt(_) => !number.is_float && number.lanes == 1,
                Word::AnyWidth(_) => !number.is_float && number.lanes == self.subject.lanes,
                Word::AnyFloat => number.is_float && number.lanes == self.subject.lanes,
                _ => false,
            },
        }
    }

    /// Returns the number that a word means, unless several would do.
    fn number(&self, word: Word) -> Option<Number> {
        let subject = self.subject;
        let int = |bits, lanes| Number { is_float: false, bits, lanes };
        Some(match word {
            Word::Subject(_) => subject,
            Word::Int(_) => Number { is_float: false, ..subject },
            Word::Float => Number { is_float: true, ..subject },
            Word::Element(_) => Number { lanes: 1, ..subject },
            Word::Lanes(scalar) => Number { lanes: subject.lanes, ..scalar.number()? },
            Word::Double(_) => int(subject.bits.checked_mul(2)?, subject.lanes),
            Word::Fixed(scalar, lanes) => Number { lanes, ..scalar.number()? },
            Word::ImageSize => int(32, self.image?.size_lanes()),
            Word::Coordinate(scalar) => Number { lanes: self.image?.coordinate_lanes(), ..scalar.number()? },
            _ => return None,
        })
    }

    fn pointer(&self, spaces: u8, is_const: bool, to: &Word, found: ArgType) -> Option<CType> {
        let ArgType::Pointer { space, .. } = found else { return None };
        let bit = SPACES.iter().position(|&other| other == space)?;
        if spaces >> bit & 1 == 0 {
            return None;
        }
        let to = match *to {
            Word::Opaque(opaque) => CType::Opaque(opaque),
            Word::Void => CType::Void,
            word => CType::of_number(self.number(word)?, sign(word))?,
        };
        Some(CType::Pointer { to: Box::new(to), space, is_const })
    }

    /// Returns all types that a word allows, for samples.
    pub(super) fn all(&self, word: Word) -> Vec<ArgType> {
        let ints = [8, 16, 32, 64];
        match word {
            Word::Void | Word::Dropped => vec![ArgType::Void],
            Word::Subject(_) if self.subject == BOOL => vec![ArgType::Bool { lanes: 1 }],
            Word::Fixed(CScalar::Bool, lanes) => vec![ArgType::Bool { lanes }],
            Word::AnyLanes(_) => {
                // Of the lanes in the masks of shuffles.
                let lanes = [2, 4, 8, 16].into_iter();
                lanes.map(|lanes| Number { lanes, ..self.subject }.into()).collect()
            }
            Word::AnyInt(_) => ints.map(|bits| ArgType::Int { bits, lanes: 1 }).to_vec(),
            Word::AnyWidth(_) => ints.map(|bits| ArgType::Int { bits, lanes: self.subject.lanes }).to_vec(),
            Word::AnyFloat => {
                [16, 32, 64].map(|bits| ArgType::Float { bits, lanes: self.subject.lanes }).to_vec()
            }
            Word::Opaque(opaque) => vec![opaque_type(opaque)],
            Word::Pipe(access) => {
                let all = [Access::ReadOnly, Access::WriteOnly];
                let wanted = all.into_iter().filter(|&other| access.is_none_or(|access| access == other));
                wanted.map(|access| ArgType::Pipe { access }).collect()
            }
            Word::Image(_) => self.image.map(ArgType::Image).into_iter().collect(),
            Word::Pointer { spaces, to, .. } => {
                let to = self.number(*to).map_or(Pointee::Void, Pointee::from);
                let allowed = (0..SPACES.len()).filter(|bit| spaces >> bit & 1 == 1);
                allowed.map(|bit| ArgType::Pointer { space: SPACES[bit], to }).collect()
            }
            _ => self.number(word).map(ArgType::from).into_iter().collect(),
        }
    }
}

impl Word {
    /// Returns the type if it depends on nothing.
    pub(super) fn fixed(self) -> Option<ArgType> {
        let Word::Fixed(scalar, lanes) = self else { return None };
        Some(Number { lanes, ..scalar.number()? }.into())
    }
}

impl ImageUse {
    pub(super) fn allows(self, image: Image) -> bool {
        match self {
            ImageUse::Any => true,
            ImageUse::Reads => image.access != Access::WriteOnly,
            ImageUse::Writes => image.access != Access::ReadOnly,
            ImageUse::ReadsPlane => image.is_plane() && ImageUse::Reads.allows(image),
            ImageUse::WritesPlane => image.is_plane() && ImageUse::Writes.allows(image),
            ImageUse::Samples => image.access == Access::ReadOnly && image.dim != ImageDim::Buffer,
        }
    }
}

impl Image {
    fn is_plane(self) -> bool {
        self.dim == ImageDim::Two && !self.is_arrayed && !self.is_depth
    }

    /// Returns the number of dimensions, with one for the layers.
    fn size_lanes(self) -> u8 {
        let dimensions = match self.dim {
            ImageDim::One | ImageDim::Buffer => 1,
            ImageDim::Two => 2,
            ImageDim::Three => 3,
        };
        dimensions + u8::from(self.is_arrayed)
    }
}

fn opaque_type(opaque: COpaque) -> ArgType {
    match opaque {
        COpaque::Sampler => ArgType::Sampler,
        COpaque::Event => ArgType::Event,
        COpaque::ClkEvent => ArgType::DeviceEvent,
        COpaque::Queue => ArgType::Queue,
        COpaque::ReserveId => ArgType::ReserveId,
        COpaque::NdRange => ArgType::NdRange,
    }
}

/// Returns the sign of the integers of a word.
fn sign(word: Word) -> Sign {
    match word {
        Word::Subject(sign)
        | Word::Int(sign)
        | Word::Element(sign)
        | Word::AnyLanes(sign)
        | Word::Double(sign)
        | Word::AnyInt(sign)
        | Word::AnyWidth(sign) => sign,
        Word::Fixed(scalar, _) | Word::Lanes(scalar) => match scalar {
            CScalar::Char | CScalar::Short | CScalar::Int | CScalar::Long => Sign::Signed,
            _ => Sign::Unsigned,
        },
        Word::ImageSize | Word::Coordinate(_) => Sign::Signed,
        _ => Sign::Unsigned,
    }
}
