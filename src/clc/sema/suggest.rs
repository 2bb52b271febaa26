//! Suggestions ("did you mean"): the known name nearest to a misspelt one. A program may have a hundred thousand
//! names and dozens of mistakes, so names are filtered by length and letters before a distance is computed, and the
//! number of distances is bounded.

use crate::clc::names::{self, Symbol};
use crate::clc::scope::Entity;
use crate::clc::session::Session;
use crate::diag::Span;

/// Length of the longest name for which there are suggestions.
// Arbitrary.
const MAX_NAME: usize = 64;
/// Maximum number of distances computed for one misspelt name.
// Arbitrary.
const MAX_TRIED: usize = 2000;
/// Maximum number of names compared by length and letters for one misspelt name.
// Arbitrary.
const MAX_SIFTED: usize = 200_000;

/// Suggestion for a misspelt name.
#[derive(Debug, Default)]
pub struct Guess {
    /// `; did you mean 'x'?`, or empty.
    pub hint: String,
    /// Declaration of the suggested name.
    pub declared: Option<Span>,
}

impl Session<'_> {
    /// Suggests a name for an undeclared identifier.
    pub fn suggest(&self, symbol: Symbol) -> Guess {
        let name = self.names.text(symbol);
        let in_scope = self.scopes.names().map(|s| self.names.text(s));
        let known = in_scope
            .chain(self.builtins.library.names().map(shorter))
            .chain(names::words(self.options.std).map(shorter));
        self.guess(closest(name, known))
    }

    /// Suggests a type, qualifier or specifier for an unknown type name.
    pub fn suggest_type(&self, symbol: Symbol) -> Guess {
        let name = self.names.text(symbol);
        let is_type = |s: &Symbol| matches!(self.scopes.find(*s).map(|b| b.what), Some(Entity::Typedef(_)));
        let in_scope = self.scopes.names().filter(is_type).map(|s| self.names.text(s));
        self.guess(closest(name, in_scope.chain(names::words(self.options.std).map(shorter))))
    }

    fn guess(&self, found: Option<&str>) -> Guess {
        let Some(found) = found else {
            return Guess::default();
        };
        let symbol = self.names.find(found);
        let bound = symbol.and_then(|s| self.scopes.find(s));
        Guess { hint: hint(found), declared: bound.map(|b| b.span) }
    }
}

/// Shortens the lifetime of a name, so that static names and names of the program form one iterator.
fn shorter<'n>(name: &'static str) -> &'n str {
    name
}

/// Returns the text of a suggestion.
fn hint(found: &str) -> String {
    format!("; did you mean '{found}'?")
}

/// Returns `; did you mean 'x'?` with the nearest of `known`, or an empty string.
pub fn suggestion<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    closest(name, known).map(hint).unwrap_or_default()
}

/// Returns the nearest name; of several, the alphabetically first.
fn closest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = match name.len() {
        0..=2 => return None,
        3..=5 => 1,
        6..=8 => 2,
        9..=MAX_NAME => 3,
        _ => return None,
    };
    let letters = letters(name);
    let mut best: Option<(usize, &str)> = None;
    let mut tried = 0;
    for other in known.take(MAX_SIFTED) {
        let differ = (letters ^ self::letters(other)).count_ones() as usize;
        let hidden = other.starts_with("__") && !name.starts_with("__");
        // Short names are within the distance of too many names.
        let too_short = name.len() == 3 && other.len() <= 3 && differ > 0;
        let far = other.len().abs_diff(name.len()) > limit || differ > 2 * limit;
        if far || other == name || hidden || too_short {
            continue;
        }
        let distance = if other.eq_ignore_ascii_case(name) { 1 } else { strsim::osa_distance(name, other) };
        if distance <= limit && best.is_none_or(|b| (distance, other) < b) {
            best = Some((distance, other));
        }
        tried += 1;
        if tried > MAX_TRIED {
            break;
        }
    }
    best.map(|b| b.1)
}

/// Returns a set with one bit for each letter that occurs, regardless of case.
fn letters(name: &str) -> u32 {
    name.bytes().fold(0, |bits, byte| bits | 1 << (byte & 31))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let known = ["float4", "float", "int", "make_global_mark", "retval", "return"];
        let nearest = |name| closest(name, known.into_iter());
        assert_eq!(nearest("flaot4"), Some("float4"));
        assert_eq!(nearest("retrun"), Some("return"));
        assert_eq!(nearest("make_gloabl_marks"), Some("make_global_mark"));
        assert_eq!(nearest("MAKE_GLOBAL_MARK"), Some("make_global_mark"));
        assert_eq!(nearest("it"), None);
        assert_eq!(nearest("banana"), None);
    }

    #[test]
    fn hostile_tables_are_bounded() {
        let names: Vec<String> = (0..200_000).map(|i| format!("variable_{i:06}")).collect();
        let start = std::time::Instant::now();
        for i in 0..50 {
            closest(&format!("variable_x{i:05}"), names.iter().map(String::as_str));
        }
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    }
}
