//! Source positions, diagnostics, and the text of the build log.
//!
//! All files of a build share one space of `u32` positions, so a [`Span`] is two
//! numbers wherever it is stored. Lines, columns and file names are worked out only
//! when something is printed. `#line` changes what is reported, not where it is.

use std::cell::OnceCell;
use std::fmt::Write;
use std::sync::Arc;

/// A byte range in the source map. `lo == hi == 0` means "no position".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

impl Span {
    /// The smallest range that covers both; a missing position counts as nothing.
    pub fn to(self, end: Span) -> Span {
        if self == Span::default() {
            return end;
        }
        if end == Span::default() {
            return self;
        }
        Span { lo: self.lo.min(end.lo), hi: self.hi.max(end.hi) }
    }
}

/// Text of a source file: of the program, or built into the library.
#[derive(Clone, Debug)]
pub enum Text {
    Static(&'static str),
    Shared(Arc<str>),
}

impl Text {
    /// The characters.
    pub fn as_str(&self) -> &str {
        match self {
            Text::Static(text) => text,
            Text::Shared(text) => text,
        }
    }
}

/// Where a position is, for people: after `#line` has had its say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location<'a> {
    pub file: &'a str,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

#[derive(Debug)]
struct File {
    name: String,
    text: Text,
    /// Position of the first byte.
    base: u32,
    /// Position of the `#include` that brought the file in; 0 for the main file.
    included_at: u32,
    line_starts: OnceCell<Vec<u32>>,
    /// `#line` directives in order: offset of the next line, its number, its file name.
    renumbered: Vec<(u32, u32, Option<String>)>,
}

impl File {
    fn len(&self) -> u32 {
        u32::try_from(self.text.as_str().len()).expect("checked when the file was added")
    }

    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let mut starts = vec![0];
            for (i, byte) in self.text.as_str().bytes().enumerate() {
                if byte == b'\n' {
                    starts.push(u32::try_from(i + 1).expect("checked when the file was added"));
                }
            }
            starts
        })
    }

    /// Physical line (from 0) that holds `offset`.
    fn line_index(&self, offset: u32) -> usize {
        self.line_starts().partition_point(|&start| start <= offset) - 1
    }

    fn line_text(&self, index: usize) -> &str {
        let text = self.text.as_str();
        let start = self.line_starts()[index] as usize;
        let end = text[start..].find('\n').map_or(text.len(), |n| start + n);
        text[start..end].trim_end_matches('\r')
    }
}

/// All source text of a build.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<File>,
    /// Uses of macros: where, and where the macro is defined.
    expansions: Vec<(u32, u32)>,
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file and returns the position of its first byte, or `None` when the
    /// positions are used up (4 GiB of source).
    pub fn add(&mut self, name: &str, text: Text, included_at: u32) -> Option<u32> {
        let base = self.files.last().map_or(1, |f| f.base.saturating_add(f.len() + 1));
        let len = u32::try_from(text.as_str().len()).ok()?;
        base.checked_add(len)?.checked_add(2)?;
        self.files.push(File {
            name: name.to_owned(),
            text,
            base,
            included_at,
            line_starts: OnceCell::new(),
            renumbered: Vec::new(),
        });
        Some(base)
    }

    /// Notes `#line`: the line that starts at `pos` is line `line` of `file`.
    pub fn renumber(&mut self, pos: u32, line: u32, file: Option<String>) {
        let Some(index) = self.file_index(pos) else {
            return;
        };
        let target = &mut self.files[index];
        let keep = || target.renumbered.last().and_then(|r| r.2.clone());
        let file = file.or_else(keep);
        let entry = (pos - target.base, line, file);
        target.renumbered.push(entry);
    }

    /// Notes that the macro whose definition is at `definition` was used at `pos`.
    pub fn expanded(&mut self, pos: u32, definition: u32) {
        self.expansions.push((pos, definition));
    }

    fn file_index(&self, pos: u32) -> Option<usize> {
        let index = self.files.partition_point(|f| f.base <= pos).checked_sub(1)?;
        (pos - self.files[index].base <= self.files[index].len()).then_some(index)
    }

    /// File, line and column of a position.
    pub fn location(&self, pos: u32) -> Option<Location<'_>> {
        let file = &self.files[self.file_index(pos)?];
        let offset = pos - file.base;
        let index = file.line_index(offset);
        let start = file.line_starts()[index] as usize;
        let column = file.text.as_str().as_bytes()[start..offset as usize]
            .iter()
            .filter(|b| (**b & 0xc0) != 0x80)
            .count();
        let (mut name, mut line) = (file.name.as_str(), index as u32 + 1);
        let seen = file.renumbered.partition_point(|r| r.0 <= offset);
        if let Some((at, number, renamed)) = file.renumbered[..seen].last() {
            line = number.saturating_add((index - file.line_index(*at)) as u32);
            name = renamed.as_deref().unwrap_or(name);
        }
        Some(Location { file: name, line, column: column as u32 + 1 })
    }

    /// The line number of a position; 0 if there is none.
    pub fn line_of(&self, pos: u32) -> u32 {
        self.location(pos).map_or(0, |l| l.line)
    }

    /// The bytes of a range, if it lies in one file.
    pub fn text_of(&self, span: Span) -> Option<&str> {
        let file = &self.files[self.file_index(span.lo)?];
        let (lo, hi) = (span.lo - file.base, span.hi.checked_sub(file.base)?);
        file.text.as_str().get(lo as usize..hi as usize)
    }

    /// The physical line around `span` with marks under it.
    fn excerpt(&self, span: Span, out: &mut String) {
        let Some(index) = self.file_index(span.lo) else {
            return;
        };
        let file = &self.files[index];
        let offset = span.lo - file.base;
        let line = file.line_index(offset);
        let text = file.line_text(line);
        let start = (offset - file.line_starts()[line]) as usize;
        let Some(before) = text.get(..start.min(text.len())) else {
            return;
        };
        let end = (start + span.hi.saturating_sub(span.lo) as usize).min(text.len());
        let marked = text.get(start..end).unwrap_or("");
        let tildes = marked.chars().count().saturating_sub(1);
        let padding: String = before.chars().map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let _ = writeln!(out, "{text}\n{padding}^{}", "~".repeat(tildes));
    }

    fn write_message(&self, span: Span, label: &str, message: &str, out: &mut String) {
        if let Some(l) = self.location(span.lo) {
            let _ = write!(out, "{}:{}:{}: ", l.file, l.line, l.column);
        }
        let _ = writeln!(out, "{label}: {message}");
        self.excerpt(span, out);
    }

    /// Notes that follow from where a span is: the macro it came from, the includes.
    fn write_context(&self, span: Span, out: &mut String) {
        if let Some(&(_, definition)) = self.expansions.iter().find(|e| e.0 == span.lo)
            && self.location(definition).is_some()
        {
            let place = Span { lo: definition, hi: definition };
            self.write_message(place, "note", "expanded from this macro", out);
        }
        let mut at = span.lo;
        while let Some(index) = self.file_index(at) {
            at = self.files[index].included_at;
            if let Some(l) = self.location(at) {
                let _ = writeln!(out, "{}:{}: note: included from here", l.file, l.line);
            }
        }
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Warning,
    Error,
}

/// One message about the program.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    pub span: Span,
    pub message: String,
    /// Further places that explain the message.
    pub notes: Vec<(Span, String)>,
}

impl Diagnostic {
    /// Adds a place that explains the message.
    pub fn note(&mut self, span: Span, message: impl Into<String>) -> &mut Self {
        self.notes.push((span, message.into()));
        self
    }
}

/// Messages kept; later ones are only counted.
const MAX_KEPT: usize = 100;
/// Errors after which it is no use going on.
const MAX_ERRORS: u32 = 50;

/// The messages of a build.
#[derive(Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: u32,
    /// Drop warnings (`-w`).
    pub no_warnings: bool,
    /// Treat warnings as errors (`-Werror`).
    pub warnings_are_errors: bool,
    /// Takes what is not kept.
    overflow: Option<Box<Diagnostic>>,
}

impl Diagnostics {
    /// Reports an error; notes can be added to what is returned.
    pub fn error(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.errors += 1;
        self.push(Severity::Error, span, message.into())
    }

    /// Reports a warning.
    pub fn warning(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        if self.warnings_are_errors && !self.no_warnings {
            return self.error(span, message);
        }
        self.push(Severity::Warning, span, message.into())
    }

    fn push(&mut self, severity: Severity, span: Span, message: String) -> &mut Diagnostic {
        let same = |d: &Diagnostic| d.span == span && d.message == message;
        let is_warning = severity == Severity::Warning;
        let dropped = is_warning && (self.no_warnings || self.list.len() >= MAX_KEPT)
            || self.errors > MAX_ERRORS
            || self.list.iter().any(same);
        let new = Diagnostic { severity, span, message, notes: Vec::new() };
        if dropped {
            return self.overflow.insert(Box::new(new));
        }
        self.list.push(new);
        self.list.last_mut().expect("just pushed")
    }

    /// Number of errors so far.
    pub fn error_count(&self) -> u32 {
        self.errors
    }

    /// Whether it is time to give up.
    pub fn too_many(&self) -> bool {
        self.errors >= MAX_ERRORS
    }

    /// The messages kept, in order.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// The build log.
    pub fn render(&self, map: &SourceMap) -> String {
        let mut out = String::new();
        for d in &self.list {
            let label = match d.severity {
                Severity::Warning => "warning",
                Severity::Error => "error",
            };
            map.write_message(d.span, label, &d.message, &mut out);
            map.write_context(d.span, &mut out);
            for (span, note) in &d.notes {
                map.write_message(*span, "note", note, &mut out);
            }
        }
        match self.errors {
            0 => {}
            1 => out.push_str("1 error\n"),
            n if self.too_many() => {
                let _ = writeln!(out, "{n} errors; giving up");
            }
            n => {
                let _ = writeln!(out, "{n} errors");
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(map.location(0), None);
    }

    #[test]
    fn the_log_has_the_line_and_marks_under_it() {
        let mut map = SourceMap::new();
        let a = map.add("a.cl", shared("\tint x = yy;\n"), 0).unwrap();
        let mut d = Diagnostics::default();
        let span = Span { lo: a + 9, hi: a + 11 };
        d.error(span, "no yy");
        assert_eq!(d.render(&map), "a.cl:1:10: error: no yy\n\tint x = yy;\n\t        ^~\n1 error\n");
    }
}
