//! Tables of requests: `extended.tsv` and `core.tsv` as Rust. See `request.rs` for what they are for.
//!
//! A row of `extended.tsv` is number, name, function, domain, result, parameters; one of `core.tsv` name, condition,
//! function, domain, result, parameters, or `builtin`, name, function, result. The words for types are `word` below.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Grammar, Result, number, table};

/// Returns the tables as Rust.
pub(super) fn tables(root: &Path, grammar: &Grammar) -> String {
    let mut out = String::new();
    let mut extended = Vec::new();
    each_row(root, "extended.tsv", |columns| {
        let [instruction, name, function, rest @ ..] = columns else { return Err("too few columns".into()) };
        let known = grammar.extended("OpenCL.std", number(instruction)?);
        if known != Some(*name) {
            return Err(format!("`{name}` is not the name of {instruction}"));
        }
        extended.push((number(instruction)?, row(instruction, "Always", function, rest)?));
        Ok(())
    });
    let count = grammar.extended_count("OpenCL.std");
    let numbers: BTreeSet<u32> = extended.iter().map(|(number, _)| *number).collect();
    assert!(numbers.len() == count, "src/spirv/extended.tsv: there are {count} instructions in OpenCL.std");
    let (mut core, mut built_ins) = (Vec::new(), Vec::new());
    each_row(root, "core.tsv", |columns| match columns {
        ["builtin", name, function, result] => {
            let value = grammar.enumerant("BuiltIn", name).ok_or("no such built-in variable")?;
            built_ins.push((value, row(&value.to_string(), "Always", function, &["-", result, "-"])?));
            Ok(())
        }
        [name, condition, function, rest @ ..] => {
            let opcode = name.strip_prefix("Op").and_then(|name| grammar.opcode(name));
            let opcode = opcode.ok_or("no such instruction")?;
            core.push((opcode, row(&opcode.to_string(), when(condition)?, function, rest)?));
            Ok(())
        }
        _ => Err("too few columns".into()),
    });
    for (name, mut rows) in [("EXTENDED", extended), ("CORE", core), ("BUILT_INS", built_ins)] {
        // Rows of one instruction keep their order.
        rows.sort_by_key(|(number, _)| *number);
        let rows: Vec<String> = rows.into_iter().map(|(_, row)| row).collect();
        table(&mut out, name, "Row", &rows);
    }
    // `request.rs` reads them.
    out.replace("\nstatic ", "\npub(super) static ")
}

/// Calls `read` for the columns of each row.
fn each_row(root: &Path, file: &str, mut read: impl FnMut(&[&str]) -> Result<()>) {
    println!("cargo::rerun-if-changed={file}");
    let text = std::fs::read_to_string(root.join(file)).expect("a readable table");
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        if let Err(problem) = read(&columns) {
            panic!("src/spirv/{file}:{}: {problem}", number + 1);
        }
    }
}

fn when(condition: &str) -> Result<&'static str> {
    Ok(match condition {
        "-" => "Always",
        "device" => "Device",
        "work_group" => "WorkGroup",
        "sub_group" => "SubGroup",
        "packed" => "Packed",
        "vectors" => "NoLiteral",
        _ => return Err(format!("`{condition}` is no condition")),
    })
}

fn row(of: &str, when: &str, function: &str, rest: &[&str]) -> Result<String> {
    let [domain_text, result, params] = rest else { return Err("a row has other columns".into()) };
    let function = if function == "-" { "" } else { function };
    let pieces = function.split('{').skip(1).map(|piece| piece.split_once('}').map(|(name, _)| name));
    for piece in pieces {
        let known = ["n", "N", "t", "sat", "r", "op", "set", "all", "d", "k"];
        if !piece.is_some_and(|piece| known.contains(&piece)) {
            return Err(format!("`{function}` has an unknown placeholder"));
        }
    }
    let kept = params.split(' ').take_while(|word| *word != "drop").count();
    if params.split(' ').skip(kept).any(|word| word != "drop") {
        return Err("only the last operands may be dropped".into());
    }
    let words: Result<Vec<String>> = params.split(' ').filter(|word| *word != "-").map(word).collect();
    Ok(format!(
        "Row {{ number: {of}, when: When::{when}, function: {function:?}, domain: {}, result: {}, params: &[{}] }}",
        domain(domain_text)?,
        word(result)?,
        words?.join(", ")
    ))
}

/// Returns the expression of a domain: letters of elements, `:`, numbers of lanes, and what the subject is if it is
/// not the first operand.
fn domain(text: &str) -> Result<String> {
    if text == "-" {
        return Ok("Domain { subject: Subject::None, elements: 0, lanes: 0 }".into());
    }
    let (text, subject) = text.split_once('@').unwrap_or((text, "1"));
    let subject = match subject {
        "r" => "Subject::Result".to_owned(),
        _ => format!("Subject::Operand({})", number(subject)?.checked_sub(1).ok_or("operands begin with 1")?),
    };
    let (letters, lanes) = text.split_once(':').ok_or("a domain is elements, `:`, lanes")?;
    let mut elements = 0u8;
    for letter in letters.chars() {
        let bit = "bsilhfdo".find(letter).ok_or_else(|| format!("`{letter}` is no element"))?;
        elements |= 1 << bit;
    }
    let lanes: u8 = match lanes {
        "*" => 0b11_1111,
        "v" => 0b11_1110,
        _ => lanes.split(',').try_fold(0, |mask, lanes| {
            let bit = ["1", "2", "3", "4", "8", "16"].iter().position(|known| *known == lanes);
            bit.map(|bit| mask | 1 << bit).ok_or_else(|| format!("`{lanes}` is no number of lanes"))
        })?,
    };
    Ok(format!("Domain {{ subject: {subject}, elements: {elements}, lanes: {lanes} }}"))
}

/// Returns the expression of a word for a type.
fn word(text: &str) -> Result<String> {
    if let Some((qualifiers, to)) = text.split_once('*') {
        return pointer(qualifiers, to);
    }
    let fixed = match text {
        "void" => "Void",
        // A parameter that is dropped, since `-` alone is an empty list.
        "drop" => "Dropped",
        "x" => "Subject(Sign::Unsigned)",
        "s" => "Int(Sign::Signed)",
        "u" => "Int(Sign::Unsigned)",
        "f" => "Float",
        "e" => "Element(Sign::Unsigned)",
        "xm" => "AnyLanes(Sign::Unsigned)",
        "i" => "Lanes(CScalar::Int)",
        "u16" => "Lanes(CScalar::UShort)",
        "f32" => "Lanes(CScalar::Float)",
        "ss" => "Double(Sign::Signed)",
        "uu" => "Double(Sign::Unsigned)",
        "ns" => "AnyInt(Sign::Signed)",
        "nu" => "AnyInt(Sign::Unsigned)",
        "ws" => "AnyWidth(Sign::Signed)",
        "wu" => "AnyWidth(Sign::Unsigned)",
        "wf" => "AnyFloat",
        "size" => "ImageSize",
        "ci" => "Coordinate(CScalar::Int)",
        "cf" => "Coordinate(CScalar::Float)",
        "image" => "Image(ImageUse::Any)",
        "rimage" => "Image(ImageUse::Reads)",
        "wimage" => "Image(ImageUse::Writes)",
        "rplane" => "Image(ImageUse::ReadsPlane)",
        "wplane" => "Image(ImageUse::WritesPlane)",
        "simage" => "Image(ImageUse::Samples)",
        "pipe" => "Pipe(None)",
        "rpipe" => "Pipe(Some(Access::ReadOnly))",
        "wpipe" => "Pipe(Some(Access::WriteOnly))",
        "sampler" => "Opaque(COpaque::Sampler)",
        "event" => "Opaque(COpaque::Event)",
        "clk" => "Opaque(COpaque::ClkEvent)",
        "queue" => "Opaque(COpaque::Queue)",
        "reserve" => "Opaque(COpaque::ReserveId)",
        "ndrange" => "Opaque(COpaque::NdRange)",
        _ => return scalar(text),
    };
    Ok(format!("Word::{fixed}"))
}

/// Returns the expression of a pointer: letters of address spaces, and `c` for a pointer that is only read, which then
/// may point into constant memory, or `k` if it may not.
fn pointer(qualifiers: &str, to: &str) -> Result<String> {
    let (mut spaces, mut is_const, mut has_constant) = (0, false, false);
    for letter in qualifiers.chars() {
        match letter {
            'p' => spaces |= 1,
            'g' => spaces |= 2,
            'l' => spaces |= 4,
            'c' => (is_const, has_constant) = (true, true),
            'k' => is_const = true,
            _ => return Err(format!("`{letter}` qualifies no pointer")),
        }
    }
    if spaces == 0 {
        spaces = if has_constant { 0b1_1111 } else { 0b1111 };
    }
    Ok(format!("Word::Pointer {{ spaces: {spaces}, is_const: {is_const}, to: &{} }}", word(to)?))
}

fn scalar(text: &str) -> Result<String> {
    const SCALARS: [(&str, &str); 12] = [
        ("bool", "Bool"),
        ("char", "Char"),
        ("uchar", "UChar"),
        ("short", "Short"),
        ("ushort", "UShort"),
        ("int", "Int"),
        ("uint", "UInt"),
        ("long", "Long"),
        ("ulong", "ULong"),
        ("half", "Half"),
        ("float", "Float"),
        ("double", "Double"),
    ];
    let name = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = if name.len() == text.len() { 1 } else { number(&text[name.len()..])? };
    let known = SCALARS.iter().find(|(known, _)| *known == name);
    let (_, variant) = known.ok_or_else(|| format!("`{text}` is no word for a type"))?;
    Ok(format!("Word::Fixed(CScalar::{variant}, {lanes})"))
}
