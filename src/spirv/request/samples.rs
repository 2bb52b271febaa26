//! All combinations of types that the rows allow, for tests that compile each.

use super::table::{BUILT_INS, CORE, Choice, Context, ELEMENTS, EXTENDED, LANES, Row, Subject, When, Word};
use super::{Access, ArgType, CScalar, Image, ImageDim, Number, Request, extended_name, variable};
use crate::grammar::Opcode;

/// Request of a row, for one combination of types.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Name of the instruction.
    pub instruction: &'static str,
    pub result: ArgType,
    /// Types of the operands that the function takes.
    pub operands: Vec<ArgType>,
    pub request: Request,
}

/// Returns the requests of every row for every combination of types and literals.
pub fn samples() -> Vec<Sample> {
    let mut all = Vec::new();
    for row in &EXTENDED {
        add(&mut all, extended_name(row.number.into()), row);
    }
    for row in &CORE {
        let opcode = Opcode::from_number(row.number).expect("rows are of instructions");
        add(&mut all, opcode.instruction().name(), row);
    }
    for row in &BUILT_INS {
        let (request, result) = variable(row.number.into()).expect("built-in variables have one type");
        all.push(Sample { instruction: "BuiltIn", result, operands: Vec::new(), request });
    }
    all
}

fn add(all: &mut Vec<Sample>, name: &'static str, row: &Row) {
    if row.function.is_empty() {
        return;
    }
    for subject in subjects(row) {
        for image in images(row).into_iter().filter(|&image| row.is_texel(image, subject)) {
            let cx = Context { subject, image };
            for choice in choices(row, subject) {
                add_types(all, name, row, &cx, &choice);
            }
        }
    }
}

/// Adds the requests for all types that the words allow in one context.
fn add_types(all: &mut Vec<Sample>, name: &'static str, row: &Row, cx: &Context, choice: &OwnedChoice) {
    let mut operands: Vec<Vec<ArgType>> = vec![Vec::new()];
    for word in row.params {
        let types = cx.all(*word);
        let longer = operands.iter().flat_map(|before| {
            types.iter().map(move |ty| before.iter().copied().chain([*ty]).collect::<Vec<_>>())
        });
        operands = longer.collect();
    }
    for operands in operands.iter().filter(|operands| agree(row, operands)) {
        for result in cx.all(row.result) {
            if !agree(row, &[operands.as_slice(), &[result]].concat()) {
                continue;
            }
            let choice = Choice {
                literals: &choice.literals,
                is_saturated: choice.is_saturated,
                rounding: choice.rounding,
            };
            let request = row.request(name, result, operands, &choice);
            let request =
                request.unwrap_or_else(|why| panic!("{name}: {why}: {row:?} {result} {operands:?}"));
            let operands = operands[..request.params.len()].to_vec();
            all.push(Sample { instruction: name, result, operands, request });
        }
    }
}

/// Checks whether lanes of shuffled vectors and integers of any width agree, where the instruction wants that.
fn agree(row: &Row, types: &[ArgType]) -> bool {
    let words = || row.params.iter().chain([&row.result]).zip(types);
    let all_equal = |kind: fn(&Word) -> bool| {
        let mut found = words().filter(|(word, _)| kind(word)).map(|(_, ty)| ty);
        let first = found.next();
        found.all(|ty| Some(ty) == first)
    };
    all_equal(|word| matches!(word, Word::AnyLanes(_))) && all_equal(|word| matches!(word, Word::AnyInt(_)))
}

/// Returns all types of the domain.
fn subjects(row: &Row) -> Vec<Number> {
    if row.domain.subject == Subject::None {
        return vec![Number { is_float: false, bits: 0, lanes: 0 }];
    }
    let mut found = Vec::new();
    for (is_float, bits) in ELEMENTS {
        let numbers = LANES.map(|lanes| Number { is_float, bits, lanes });
        found.extend(numbers.into_iter().filter(|&number| row.domain.has(number)));
    }
    found.extend(row.domain.has_bool().then_some(super::table::BOOL));
    found
}

/// Returns all types of the row's image, or none if it has no image.
fn images(row: &Row) -> Vec<Option<Image>> {
    let wanted = row.params.iter().find_map(|word| match word {
        Word::Image(wanted) => Some(*wanted),
        _ => None,
    });
    let Some(wanted) = wanted else { return vec![None] };
    let mut found = Vec::new();
    for dim in [ImageDim::One, ImageDim::Two, ImageDim::Three, ImageDim::Buffer] {
        for (is_arrayed, is_depth) in [(false, false), (true, false), (false, true), (true, true)] {
            for access in [Access::ReadOnly, Access::WriteOnly, Access::ReadWrite] {
                let image = Image { dim, is_arrayed, is_depth, is_multisampled: false, access };
                let is_float = row.params.contains(&Word::Coordinate(CScalar::Float));
                let known = super::CType::of_image(image).is_some() && wanted.allows(image);
                found.extend((known && (!is_float || dim != ImageDim::Buffer)).then_some(Some(image)));
            }
        }
    }
    found
}

/// Literals and decorations, like `Choice`.
struct OwnedChoice {
    literals: Vec<u32>,
    is_saturated: bool,
    rounding: Option<u32>,
}

/// Returns all choices among the functions of a row.
fn choices(row: &Row, subject: Number) -> Vec<OwnedChoice> {
    let has = |placeholder: &str| row.function.contains(placeholder);
    let first = match row.when {
        When::Always | When::NoLiteral => None,
        When::Device => Some(1),
        When::WorkGroup => Some(2),
        When::SubGroup => Some(3),
        When::Packed => Some(0),
    };
    let second: Vec<Option<u32>> = match () {
        () if has("{op}") || has("{set}") => (0..3).map(Some).collect(),
        // With a size of clusters there is only one, without it that is none.
        () if has("{all}") && row.params.len() > 1 => vec![Some(3)],
        () if has("{all}") => (0..3).map(Some).collect(),
        () if has("{d}") => vec![Some(2), Some(3)],
        () if has("{N}") => vec![Some(subject.lanes.into())],
        () => vec![None],
    };
    let roundings: Vec<Option<u32>> =
        if has("{r}") { (0..4).map(Some).chain([None]).collect() } else { vec![None] };
    let mut found = Vec::new();
    for second in second {
        for &rounding in &roundings {
            for is_saturated in [false, true] {
                if !is_saturated || has("{sat}") {
                    let literals = first.into_iter().chain(second).collect();
                    found.push(OwnedChoice { literals, is_saturated, rounding });
                }
            }
        }
    }
    found
}
