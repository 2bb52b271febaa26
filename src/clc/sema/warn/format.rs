//! A format against what is printed (s6.13.13.2). Signedness never matters; sizes do,
//! since nothing converts a variadic argument.

use super::Finding;
use crate::clc::session::Session;
use crate::clc::tree::{Expr, ExprKind, LvalueKind};
use crate::clc::types::{Scalar, Type};

/// One conversion of a format.
#[derive(Debug, PartialEq)]
struct Conversion {
    /// As written, from `%`.
    text: String,
    /// `vN`.
    lanes: Option<u8>,
    /// `hh`, `h`, `hl`, `l` or another compiler's.
    length: String,
    letter: char,
    has_star: bool,
}

/// Checks a call whose last fixed argument is a format; only such functions are variadic.
pub(super) fn check(session: &Session<'_>, args: &[Expr], out: &mut Vec<Finding>) {
    let Some((at, text)) = args.iter().enumerate().find_map(|(i, a)| Some((i, literal(session, a)?))) else {
        return;
    };
    let format = &args[at];
    let mut rest = args[at + 1..].iter();
    for conversion in conversions(&text) {
        if let Some(problem) = unusable(&conversion) {
            out.push(Finding::new(format.span, problem));
            // What this one takes, and so what is left for others, is not known.
            return;
        }
        let Some(arg) = rest.next() else {
            let message = format!("'{}' in the format has no argument", conversion.text);
            out.push(Finding::new(format.span, message));
            return;
        };
        if let Some(wanted) = mismatch(session, &conversion, arg) {
            let given = session.type_text(written(session, arg).ty);
            let message = format!("the format has '{}' for {wanted}, but this is '{given}'", conversion.text);
            out.push(Finding::new(arg.span, message).also(format.span));
        }
    }
    if let Some(extra) = rest.next() {
        let message = "the format does not use this argument";
        out.push(Finding::new(extra.span, message).also(format.span));
    }
}

/// The text of a string literal.
fn literal(session: &Session<'_>, expr: &Expr) -> Option<String> {
    let ExprKind::AddressOf(place) = &expr.kind else {
        return None;
    };
    let LvalueKind::Global(id) = place.kind else {
        return None;
    };
    let global = &session.globals[id];
    let bytes = &global.init.as_ref().filter(|_| global.name.is_empty())?.bytes;
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
}

/// `%` flags width `.` precision `v`lanes length letter
fn conversions(text: &str) -> Vec<Conversion> {
    let mut found = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            continue;
        }
        let mut made = Conversion {
            text: "%".into(),
            lanes: None,
            length: String::new(),
            letter: '\0',
            has_star: false,
        };
        let mut digits = None;
        for c in chars.by_ref() {
            made.text.push(c);
            match c {
                '-' | '+' | ' ' | '#' | '.' => {}
                '*' => made.has_star = true,
                '0'..='9' => {
                    if let Some(lanes) = &mut digits {
                        *lanes = u32::saturating_add(u32::saturating_mul(*lanes, 10), c as u32 - '0' as u32);
                    }
                }
                'v' if digits.is_none() => digits = Some(0),
                'h' | 'l' | 'j' | 'z' | 't' | 'L' | 'q' => made.length.push(c),
                letter => {
                    made.letter = letter;
                    break;
                }
            }
            if made.text.len() > 64 {
                break;
            }
        }
        made.lanes = digits.map(|n| n.min(255) as u8);
        if made.letter != '%' {
            found.push(made);
        }
    }
    found
}

/// What is wrong with a conversion whatever it is given.
fn unusable(c: &Conversion) -> Option<String> {
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

/// What `arg` should be, if it is not.
fn mismatch(session: &Session<'_>, c: &Conversion, arg: &Expr) -> Option<String> {
    match c.letter {
        's' => (!is_literal(session, arg)).then(|| "a string literal".into()),
        'p' => session.pointee(arg.ty).is_none().then(|| "a pointer".into()),
        _ => {
            let is_float = !"diouxXc".contains(c.letter);
            let (scalar, lanes) = wanted(session, c, is_float);
            let fits = match session.number(arg.ty) {
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

/// Element and lanes that a conversion of numbers prints.
fn wanted(session: &Session<'_>, c: &Conversion, is_float: bool) -> (Scalar, u8) {
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
        (None, _, true) if session.facts.fp64 => (Scalar::Double, 1),
        (None, _, true) => (Scalar::Float, 1),
    }
}

/// A string literal, or a choice of them.
fn is_literal(session: &Session<'_>, arg: &Expr) -> bool {
    match &arg.kind {
        ExprKind::Convert(inner) => is_literal(session, inner),
        ExprKind::Conditional(_, yes, no) => is_literal(session, yes) && is_literal(session, no),
        _ => literal(session, arg).is_some(),
    }
}

/// What was there before the default promotions.
fn written<'e>(session: &Session<'_>, arg: &'e Expr) -> &'e Expr {
    match &arg.kind {
        ExprKind::Convert(inner) if inner.span == arg.span && session.number(inner.ty).is_some() => inner,
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
        assert!(unusable(&found[2]).is_some());
        assert!(conversions(&"%9".repeat(1000)).len() <= 1000);
    }
}
