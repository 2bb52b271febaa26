//! Suggestions ("did you mean"): the known name nearest to a misspelt one. A program may have a hundred thousand
//! names and dozens of mistakes, so names are filtered by length and letters before a distance is computed, and the
//! number of distances is bounded.

use crate::names::{self, Symbol};
use crate::scope::Entity;
use crate::session::Session;
use grus_support::diag::Span;

/// Length of the longest name for which there are suggestions.
// Arbitrary.
const MAX_SUGGESTED_LENGTH: usize = 64;
/// Maximum number of distances computed for one misspelt name.
// Arbitrary.
const MAX_DISTANCES: usize = 2000;
/// Maximum number of names compared by length and letters for one misspelt name.
// Arbitrary.
const MAX_COMPARED_NAMES: usize = 200_000;

/// Suggestion for a misspelt name.
#[derive(Debug, Default)]
pub struct NameSuggestion {
    /// `; did you mean 'x'?`, or empty.
    pub hint: String,
    /// Declaration of the suggested name.
    pub declared: Option<Span>,
}

impl Session<'_> {
    /// Suggests a name for an undeclared identifier.
    pub fn suggest(&self, symbol: Symbol) -> NameSuggestion {
        let name = self.names.text(symbol);
        let in_scope = self.scopes.names().map(|s| self.names.text(s));
        let known = in_scope
            .chain(self.builtins.library.names().map(shorten_lifetime))
            .chain(names::words(self.options.std).map(shorten_lifetime));
        self.suggestion_of(closest(name, known))
    }

    /// Suggests a type, qualifier or specifier for an unknown type name.
    pub fn suggest_type(&self, symbol: Symbol) -> NameSuggestion {
        let name = self.names.text(symbol);
        let is_type = |s: &Symbol| matches!(self.scopes.find(*s).map(|b| b.decl), Some(Entity::Typedef(_)));
        let in_scope = self.scopes.names().filter(is_type).map(|s| self.names.text(s));
        self.suggestion_of(closest(
            name,
            in_scope.chain(names::words(self.options.std).map(shorten_lifetime)),
        ))
    }

    fn suggestion_of(&self, found: Option<&str>) -> NameSuggestion {
        let Some(found) = found else {
            return NameSuggestion::default();
        };
        let symbol = self.names.find(found);
        let bound = symbol.and_then(|s| self.scopes.find(s));
        NameSuggestion { hint: hint(found), declared: bound.map(|b| b.span) }
    }
}

/// Shortens the lifetime of a name, so that static names and names of the program form one iterator.
fn shorten_lifetime<'n>(name: &'static str) -> &'n str {
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
        9..=MAX_SUGGESTED_LENGTH => 3,
        _ => return None,
    };
    let letter_set = letter_set(name);
    let mut best: Option<(usize, &str)> = None;
    let mut distance_count = 0;
    for other in known.take(MAX_COMPARED_NAMES) {
        let differ = (letter_set ^ self::letter_set(other)).count_ones() as usize;
        let is_reserved = other.starts_with("__") && !name.starts_with("__");
        // Short names are within the distance of too many names.
        let too_short = name.len() == 3 && other.len() <= 3 && differ > 0;
        let is_too_different = other.len().abs_diff(name.len()) > limit || differ > 2 * limit;
        if is_too_different || other == name || is_reserved || too_short {
            continue;
        }
        let distance = if other.eq_ignore_ascii_case(name) { 1 } else { strsim::osa_distance(name, other) };
        if distance <= limit && best.is_none_or(|b| (distance, other) < b) {
            best = Some((distance, other));
        }
        distance_count += 1;
        if distance_count > MAX_DISTANCES {
            break;
        }
    }
    best.map(|b| b.1)
}

/// Returns a set with one bit for each letter that occurs, regardless of case.
fn letter_set(name: &str) -> u32 {
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
