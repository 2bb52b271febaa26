//! The build log. A message is a headline for programs and people, `file:line:column: error: text`, followed by the
//! source lines, drawn by annotate-snippets.
//!
//! The program may be hostile. Only a window around the marked range of each line is printed, only the first lines
//! of a range, only the beginning of a message, and the log ends at [`MAX_LOG`].

use std::fmt::Write;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use super::map::Lines;
use super::{Diagnostic, Diagnostics, Severity, SourceMap, Span};

/// Maximum number of source lines shown with a message.
// Arbitrary.
const MAX_LINES: usize = 4;
/// Maximum number of bytes of a line that are shown.
// Arbitrary.
const WINDOW: u32 = 160;
/// Number of these bytes that precede the first mark.
// Arbitrary.
const BEFORE: u32 = 60;
/// Maximum length of a message or label in characters.
// Arbitrary.
const MAX_TEXT: usize = 600;
/// Approximate maximum size of a log in bytes.
// Arbitrary.
const MAX_LOG: usize = 256 << 10;
/// Number of columns that annotate-snippets may use: more than a window has, so that it never trims.
const WIDTH: usize = 400;
/// Maximum number of `#include` notes for one message.
// Arbitrary.
const MAX_INCLUDES: usize = 20;

/// Returns the log of all kept messages.
pub(super) fn log(diags: &Diagnostics, map: &SourceMap) -> String {
    let mut log = Log { map, out: String::new(), included_at: None };
    for diagnostic in in_order(diags) {
        if log.out.len() > MAX_LOG {
            log.out.push_str("further messages are left out\n");
            break;
        }
        log.diagnostic(diagnostic);
    }
    let mut out = log.out;
    match diags.error_count() {
        0 => {}
        1 => out.push_str("1 error\n"),
        n if diags.too_many() => {
            let _ = writeln!(out, "{n} errors; giving up");
        }
        n => {
            let _ = writeln!(out, "{n} errors");
        }
    }
    out
}

/// Sorts messages for the log. Errors stay in the order in which they were found, since later ones may follow from
/// earlier ones. If there are only warnings, they are sorted by position, since the checks run one after the other.
fn in_order(diags: &Diagnostics) -> Vec<&Diagnostic> {
    let mut list: Vec<&Diagnostic> = diags.list().iter().collect();
    if diags.error_count() == 0 {
        list.sort_by_key(|d| d.span.lo);
    }
    list
}

struct Log<'a> {
    map: &'a SourceMap,
    out: String,
    /// `#include` that was explained last.
    included_at: Option<u32>,
}

impl Log<'_> {
    fn diagnostic(&mut self, d: &Diagnostic) {
        let word = match d.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        self.message(word, d.span, &d.message, &d.labels);
        self.context(d.span);
        // Notes in the library are not printed, since its text is not part of the program.
        for (span, note) in d.notes.iter().filter(|n| !self.map.in_library(n.0.lo)) {
            self.message("note", *span, note, &[]);
        }
    }

    /// Writes a headline and the source lines.
    fn message(&mut self, word: &'static str, span: Span, text: &str, labels: &[(Span, String)]) {
        let text = clean(text);
        let headline = match self.map.location(span.lo) {
            Some(l) => format!("{}:{}:{}: {word}", clean(l.file), l.line, l.column),
            None => word.to_owned(),
        };
        let level = match word {
            "error" => Level::ERROR,
            "warning" => Level::WARNING,
            _ => Level::NOTE,
        };
        let title = level.with_name(headline).primary_title(text);
        let mut spans = vec![span];
        spans.extend(labels.iter().map(|l| l.0));
        let group = match self.map.lines(&spans, MAX_LINES) {
            Some(lines) => title.element(snippet(&lines, labels)),
            None => annotate_snippets::Group::with_title(title),
        };
        self.out.push_str(&Renderer::plain().term_width(WIDTH).render(&[group]));
        self.out.push('\n');
    }

    /// Writes the notes that explain a position: the macro and the includes.
    fn context(&mut self, span: Span) {
        if let Some(definition) = self.map.macro_at(span.lo)
            && self.map.location(definition).is_some()
        {
            let place = self.map.word_at(definition);
            self.message("note", place, "expanded from this macro", &[]);
        }
        let first = self.map.included_at(span.lo);
        if first == std::mem::replace(&mut self.included_at, first) {
            return;
        }
        let chain = std::iter::successors(first, |at| self.map.included_at(*at));
        for at in chain.take(MAX_INCLUDES) {
            if let Some(l) = self.map.location(at) {
                let _ = writeln!(self.out, "{}:{}: note: included from here", clean(l.file), l.line);
            }
        }
    }
}

/// Returns the lines with marks: the first span belongs to the message, further ones have labels.
fn snippet<'s>(
    lines: &Lines<'_>,
    labels: &[(Span, String)],
) -> Snippet<'s, annotate_snippets::Annotation<'s>> {
    let cut = Windows::new(lines);
    let marks = lines.cut.iter().enumerate().filter_map(|(i, span)| {
        let range = cut.range((*span)?)?;
        Some(match i.checked_sub(1) {
            None => AnnotationKind::Primary.span(range),
            Some(label) => {
                let text = clean(&labels[label].1);
                AnnotationKind::Context.span(range).label((!text.is_empty()).then_some(text))
            }
        })
    });
    let marks: Vec<_> = marks.collect();
    Snippet::source(cut.text).line_start(lines.number as usize).fold(false).annotations(marks)
}

/// Lines cut to windows, as one text, and the positions of the bytes in it.
struct Windows {
    text: String,
    /// Position of the first byte shown of each line, position after the last one, and offset of the first one in
    /// `text`.
    parts: Vec<(u32, u32, usize)>,
}

impl Windows {
    fn new(lines: &Lines<'_>) -> Self {
        let mut made = Windows { text: String::new(), parts: Vec::new() };
        for line in &lines.ranges {
            let marks = lines.cut.iter().flatten();
            let first = marks.filter(|s| s.lo >= line.lo && s.lo <= line.hi).map(|s| s.lo).min();
            made.line(lines, *line, first);
        }
        made
    }

    fn line(&mut self, lines: &Lines<'_>, line: Span, mark: Option<u32>) {
        let at = |pos: u32| boundary(lines.text, (pos - lines.base) as usize);
        let (mut lo, mut hi) = (line.lo, line.hi);
        if hi - lo > WINDOW + BEFORE {
            let mark = mark.unwrap_or(lo);
            lo = mark.saturating_sub(BEFORE).max(lo);
            hi = (lo + WINDOW).min(hi);
        }
        let (start, end) = (at(lo), at(hi));
        if lo > line.lo {
            self.text.push_str("...");
        }
        let first = lines.base + start as u32;
        self.parts.push((first, lines.base + end as u32, self.text.len()));
        self.text.push_str(&lines.text[start..end]);
        if hi < line.hi {
            self.text.push_str("...");
        }
        self.text.push('\n');
    }

    /// Returns the range of `span` in the text.
    fn range(&self, span: Span) -> Option<Range<usize>> {
        let place = |pos: u32| {
            let part = self.parts.iter().rev().find(|p| p.0 <= pos).or(self.parts.first())?;
            let within = (pos.clamp(part.0, part.1) - part.0) as usize;
            Some(boundary(&self.text, part.2 + within))
        };
        let (lo, hi) = (place(span.lo)?, place(span.hi)?);
        Some(lo..hi.max(lo))
    }
}

/// Returns the beginning of the character at `at`.
fn boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

/// Returns a text of limited length without control characters.
fn clean(text: &str) -> String {
    let mut out: String = text.chars().take(MAX_TEXT).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.len() > out.len() && text.chars().nth(MAX_TEXT).is_some() {
        out.push_str("...");
    }
    out
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Text;
    use super::*;

    fn shared(text: &str) -> Text {
        Text::Shared(Arc::from(text))
    }

    #[test]
    fn positions_survive_several_files_and_line_directives() {
        let mut map = SourceMap::new();
        let a = map.add("a.cl", shared("x\n\tyy = 1;\nz"), 0).unwrap();
        let b = map.add("b.h", shared(""), a).unwrap();
        let l = map.location(a + 3).unwrap();
        assert_eq!((l.file, l.line, l.column), ("a.cl", 2, 2));
        assert_eq!(map.location(b).unwrap().file, "b.h");
        map.renumber(a + 11, 70, Some("gen.cl".into()));
        let l = map.location(a + 11).unwrap();
        assert_eq!((l.file, l.line, l.column), ("gen.cl", 70, 1));
        assert_eq!(map.line_of(a + 11), 70);
        assert_eq!(map.location(0), None);
    }

    #[test]
    fn the_log_has_the_line_and_marks_under_it() {
        let mut map = SourceMap::new();
        let a = map.add("a.cl", shared("\tint x = yy;\n"), 0).unwrap();
        let mut d = Diagnostics::default();
        let span = Span { lo: a + 9, hi: a + 11 };
        d.error(span, "no yy");
        let expected = "a.cl:1:10: error: no yy\n  |\n1 |     int x = yy;\n  |             ^^\n1 error\n";
        assert_eq!(d.render(&map), expected);
    }

    /// The log is small and nothing panics, whatever the text and the spans are.
    #[test]
    fn any_text_and_any_spans_are_drawn() {
        let pieces =
            ["a", "\t", "\r\n", "\n", "\0", "é", "中", "\u{202e}", "👩‍👩‍👧", "\u{1b}[31m", "\u{7f}", "{{"];
        let mut seed = 7u64;
        let mut next = |n: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % n
        };
        for round in 0..3000 {
            let len = if round % 100 == 0 { 4000 } else { next(120) };
            let text: String = (0..len).map(|_| pieces[next(pieces.len())]).collect();
            let mut map = SourceMap::new();
            let a = map.add("a\u{1b}.cl", shared(&text), 0).unwrap();
            let b = map.add("b.h", shared(&text), a).unwrap();
            let end = b + text.len() as u32 + 2;
            let mut d = Diagnostics::default();
            for _ in 0..3 {
                let mut span = || {
                    let lo = next(end as usize) as u32;
                    Span { lo, hi: (lo + next(40) as u32).min(end) }
                };
                let (first, second, third) = (span(), span(), span());
                d.error(first, text.clone()).label(second, text.clone()).note(third, text.clone());
                d.error(Span { lo: a, hi: end }, "everything").label(first, "");
            }
            let log = d.render(&map);
            assert!(log.len() < 40_000, "{}", log.len());
            assert!(!log.contains('\u{1b}') && !log.contains('\0'), "{log:?}");
        }
    }

    #[test]
    fn a_line_of_a_megabyte_is_shown_in_part() {
        let mut map = SourceMap::new();
        let text = "x = 1; ".repeat(1 << 18);
        let a = map.add("a.cl", shared(&text), 0).unwrap();
        let mut d = Diagnostics::default();
        let start = std::time::Instant::now();
        for i in 0..40 {
            let lo = a + 7 * 6000 * i;
            d.error(Span { lo, hi: lo + 1_000_000 }, "here");
        }
        let log = d.render(&map);
        assert!(log.len() < 40 * 1000 && log.contains("..."), "{}", log.len());
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    }
}
