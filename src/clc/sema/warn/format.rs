//! Checks of printf formats against the arguments (s6.13.13.2). Signedness never matters. Sizes do, since variadic
//! arguments are not converted to what the format names.

use super::PendingWarning;
use crate::session::Session;
use crate::tree::{Expr, ExprKind, FunctionId, GlobalId, Lvalue, LvalueKind};
use crate::types::{Scalar, Space, Type};

/// Conversion specification of a format.
#[derive(Debug, PartialEq)]
struct ConversionSpec {
    /// Text as written, from `%`.
    text: String,
    /// Number of lanes: `vN`.
    lanes: Option<u8>,
    /// Length modifier: `hh`, `h`, `hl`, `l`, or one of another compiler.
    length: String,
    letter: char,
    has_star: bool,
}

/// Checks a call in `user`. Only printf-like functions are variadic, so the last of the `fixed` arguments is the
/// format. If the format is a conditional, each alternative is checked; a format whose text is not known at compile
/// time is not.
pub(super) fn check(
    session: &Session<'_>,
    caller: FunctionId,
    args: &[Expr],
    fixed: usize,
    out: &mut Vec<PendingWarning>,
) {
    let Some(format) = fixed.checked_sub(1).and_then(|last| args.get(last)) else { return };
    let mut texts = Vec::new();
    known_texts(session, format, &mut texts);
    for text in texts {
        check_text(session, caller, format, &text, &args[fixed..], out);
    }
}

/// Checks a format with this text against the arguments after it.
fn check_text(
    session: &Session<'_>,
    caller: FunctionId,
    format: &Expr,
    text: &str,
    args: &[Expr],
    out: &mut Vec<PendingWarning>,
) {
    let mut rest = args.iter();
    for conversion in conversions(text) {
        if let Some(problem) = spec_error(&conversion) {
            out.push(PendingWarning::new(format.span, problem));
            // The number of arguments of this conversion is unknown, so the following ones cannot be matched.
            return;
        }
        let Some(arg) = rest.next() else {
            let message = format!("'{}' in the format has no argument", conversion.text);
            out.push(PendingWarning::new(format.span, message));
            return;
        };
        if let Some(expected) = expected_unless_match(session, caller, &conversion, arg) {
            let found_type = session.type_text(before_promotion(session, arg).ty);
            let message =
                format!("the format has '{}' for {expected}, but this is '{found_type}'", conversion.text);
            out.push(PendingWarning::new(arg.span, message).second_span(format.span));
        }
    }
    if let Some(extra) = rest.next() {
        let message = "the format does not use this argument";
        out.push(PendingWarning::new(extra.span, message).second_span(format.span));
    }
}

/// Adds the texts that a format may have, as far as they are known at compile time: string literals, constant
/// arrays and pointers initialized with them, and conditionals of those.
fn known_texts(session: &Session<'_>, format: &Expr, out: &mut Vec<String>) {
    match &format.kind {
        ExprKind::Convert(of) => known_texts(session, of, out),
        ExprKind::Conditional(_, yes, no) => {
            known_texts(session, yes, out);
            known_texts(session, no, out);
        }
        ExprKind::AddressOf(Lvalue { kind: LvalueKind::Global(id), .. }) => {
            out.extend(text_at(session, *id, 0));
        }
        ExprKind::Load(Lvalue { kind: LvalueKind::Global(id), .. }) => {
            let data = session.unit.globals[*id].init.as_ref();
            let is_constant = session.unit.globals[*id].ty.space == Space::Constant;
            if let Some(reloc) = data.and_then(|data| data.relocs.first()).filter(|_| is_constant) {
                out.extend(text_at(session, reloc.target, reloc.addend));
            }
        }
        _ => {}
    }
}

/// Returns the text in the data of a constant global, from byte `start` up to the NUL.
fn text_at(session: &Session<'_>, id: GlobalId, start: i64) -> Option<String> {
    let global = &session.unit.globals[id];
    let data = global.init.as_ref().filter(|_| global.ty.space == Space::Constant)?;
    let bytes = data.bytes.get(usize::try_from(start).ok()?..)?;
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

/// `%` flags width `.` precision `v`lanes length letter
fn conversions(text: &str) -> Vec<ConversionSpec> {
    let mut found = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            continue;
        }
        let mut spec = ConversionSpec {
            text: "%".into(),
            lanes: None,
            length: String::new(),
            letter: '\0',
            has_star: false,
        };
        let mut digits = None;
        for c in chars.by_ref() {
            spec.text.push(c);
            match c {
                '-' | '+' | ' ' | '#' | '.' => {}
                '*' => spec.has_star = true,
                '0'..='9' => {
                    if let Some(lanes) = &mut digits {
                        *lanes = u32::saturating_add(u32::saturating_mul(*lanes, 10), c as u32 - '0' as u32);
                    }
                }
                'v' if digits.is_none() => digits = Some(0),
                'h' | 'l' | 'j' | 'z' | 't' | 'L' | 'q' => spec.length.push(c),
                letter => {
                    spec.letter = letter;
                    break;
                }
            }
            if spec.text.len() > 64 {
                break;
            }
        }
        spec.lanes = digits.map(|n| n.min(255) as u8);
        if spec.letter != '%' {
            found.push(spec);
        }
    }
    found
}

/// Returns the error of a conversion that is wrong whatever the argument is.
fn spec_error(c: &ConversionSpec) -> Option<String> {
    let text = &c.text;
    if c.has_star {
        return Some(format!("'{text}': '*' is not supported in a format"));
    }
    match c.letter {
        '\0' => return Some(format!("the conversion '{text}' is not complete")),
        'n' => return Some(format!("'{text}': this conversion is reserved")),
        letter if !"diouxXfFeEgGaAcsp".contains(letter) => {
            return Some(format!("'{text}': there is no conversion '{letter}'"));
        }
        _ => {}
    }
    match c.lanes {
        Some(lanes) if !matches!(lanes, 2 | 3 | 4 | 8 | 16) => {
            Some(format!("'{text}': a vector has 2, 3, 4, 8 or 16 components"))
        }
        Some(_) if !matches!(c.length.as_str(), "hh" | "h" | "hl" | "l") => {
            Some(format!("'{text}': a vector needs a length: 'hh', 'h', 'hl' or 'l'"))
        }
        None if c.length == "hl" => Some(format!("'{text}': the length 'hl' is for vectors")),
        _ => None,
    }
}

/// Returns the description of the expected argument if `arg` does not match.
fn expected_unless_match(
    session: &Session<'_>,
    caller: FunctionId,
    c: &ConversionSpec,
    arg: &Expr,
) -> Option<String> {
    match c.letter {
        's' => (!session.is_program_text(arg, Some(caller))).then(|| "a string literal".into()),
        'p' => session.pointee(arg.ty).is_none().then(|| "a pointer".into()),
        _ => {
            let is_float = !"diouxXc".contains(c.letter);
            let (scalar, lanes) = expected(session, c, is_float);
            let fits = match session.elem_and_lanes(arg.ty) {
                Some((s, n)) => n == lanes && s.is_float() == is_float && s.size() == scalar.size(),
                None => session.types.get(arg.ty) == &Type::Error,
            };
            let name = if lanes > 1 {
                format!("'{}{lanes}'", scalar.name())
            } else {
                format!("'{}'", scalar.name())
            };
            (!fits).then_some(name)
        }
    }
}

/// Returns the element type and lanes of a numeric conversion's argument.
fn expected(session: &Session<'_>, c: &ConversionSpec, is_float: bool) -> (Scalar, u8) {
    let signed = "dic".contains(c.letter);
    let pick = |a, b| if signed { a } else { b };
    match (c.lanes, c.length.as_str(), is_float) {
        (Some(n), "hh", false) => (pick(Scalar::Char, Scalar::UChar), n),
        (Some(n), "h", false) => (pick(Scalar::Short, Scalar::UShort), n),
        (Some(n), "hl", false) => (pick(Scalar::Int, Scalar::UInt), n),
        (Some(n), _, false) => (pick(Scalar::Long, Scalar::ULong), n),
        (Some(n), "h" | "hh", true) => (Scalar::Half, n),
        (Some(n), "hl", true) => (Scalar::Float, n),
        (Some(n), _, true) => (Scalar::Double, n),
        // Small integers were promoted.
        (None, "" | "h" | "hh", false) => (pick(Scalar::Int, Scalar::UInt), 1),
        (None, _, false) => (pick(Scalar::Long, Scalar::ULong), 1),
        (None, _, true) if session.target.fp64 => (Scalar::Double, 1),
        (None, _, true) => (Scalar::Float, 1),
    }
}

/// Returns the argument before the default argument promotions.
fn before_promotion<'e>(session: &Session<'_>, arg: &'e Expr) -> &'e Expr {
    match &arg.kind {
        ExprKind::Convert(inner) if inner.span == arg.span && session.elem_and_lanes(inner.ty).is_some() => {
            inner
        }
        _ => arg,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_found() {
        let found = conversions("a%d %% %-5.2v4hlf%");
        let texts: Vec<&str> = found.iter().map(|c| c.text.as_str()).collect();
        assert_eq!(texts, ["%d", "%-5.2v4hlf", "%"]);
        assert_eq!((found[1].lanes, found[1].length.as_str(), found[1].letter), (Some(4), "hl", 'f'));
        assert!(spec_error(&found[2]).is_some());
        assert!(conversions(&"%9".repeat(1000)).len() <= 1000);
    }
}
