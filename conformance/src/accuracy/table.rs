//! Output of results: a line for a terminal, and the table of `docs/accuracy.md`.

use std::fmt::{Display, Formatter, Result, Write};

use super::Measurement;
use super::functions::{self, Bound};
use super::geometric;
use super::number::Type;

/// Returns a number as hexadecimal bits and in decimal.
pub fn number(x: f64, ty: Type) -> String {
    let digits = ty.size() * 2;
    format!("{x:e} ({:#0width$x})", ty.bits(x), width = digits + 2)
}

pub fn point(arguments: usize, point: &[f64; 3], ty: Type) -> String {
    let list: Vec<String> = point[..arguments].iter().map(|&x| number(x, ty)).collect();
    list.join(", ")
}

/// Returns an error with two digits after the decimal point.
fn error(size: f64) -> String {
    let size = size.abs();
    if size == 0.0 {
        "0".into()
    } else if !(0.01..1e6).contains(&size) {
        format!("{size:.1e}")
    } else {
        format!("{:.2}", (size * 100.0).ceil() / 100.0)
    }
}

impl Display for Measurement {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let verdict = if self.passes() { "pass" } else { "FAIL" };
        let worst = self.worst.as_ref();
        write!(
            f,
            "{verdict} {:14} {:6} bound {:8} worst {:8} of {} points",
            self.function,
            self.ty.name(),
            self.bound.to_string(),
            error(worst.map_or(0.0, |case| case.verdict.error)),
            self.points,
        )?;
        if let Some(case) = worst {
            let shown = |x| case.ty.map_or(format!("{x}"), |ty| number(x, ty));
            let which = if case.output == 0 { "" } else { " second result" };
            write!(f, ", at {}:{which} got {}, want {}", case.at, shown(case.got), shown(case.verdict.want))?;
        }
        if self.failures > 0 {
            write!(f, "; {} failures", self.failures)?;
        }
        match &self.lanes {
            Some(lanes) => write!(f, "; {lanes}"),
            None => Ok(()),
        }
    }
}

/// Returns a Markdown table with a row for each function and two columns for each type.
pub fn markdown(results: &[Measurement]) -> String {
    let mut text = String::from("| function |");
    let mut rule = String::from("|---|");
    for ty in Type::ALL {
        let _ = write!(text, " {0}: bound | {0}: worst |", ty.name());
        rule.push_str("---|---|");
    }
    let _ = writeln!(text, "\n{rule}");
    let all = functions::all();
    let mut names: Vec<&str> = Vec::new();
    for measured in results {
        if !names.contains(&measured.function.as_str()) {
            names.push(&measured.function);
        }
    }
    for name in names {
        let function = all.iter().find(|function| function.name == name);
        let _ = write!(text, "| {name} |");
        for ty in Type::ALL {
            let of = results.iter().find(|m| m.function == name && m.ty == ty);
            let usual = function.map_or_else(|| geometric::bound(name, ty), |function| function.bound(ty));
            let bound = of.map_or(usual, |m| m.bound);
            let worst = match of {
                _ if bound == Bound::Missing => "-".to_owned(),
                None => String::new(),
                Some(m) => {
                    let size = error(m.worst.as_ref().map_or(0.0, |case| case.verdict.error));
                    if m.passes() { size } else { format!("**{size}**") }
                }
            };
            let _ = write!(text, " {bound} | {worst} |");
        }
        text.push('\n');
    }
    text
}
