//! Source positions, diagnostics, and the text of the build log.
//!
//! `map.rs` has the source text and its positions, `render.rs` writes the log.
//!
//! All files of a build share one space of `u32` positions, so a [`Span`] is two numbers wherever it is stored.
//! Lines, columns and file names are computed only when something is printed. `#line` changes what is reported, not
//! the positions.

mod map;
mod render;

pub use self::map::{LineAt, Location, SourceMap, Text};

/// Byte range in the source map. `lo == hi == 0` means "no position".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// Position of the first byte.
    pub lo: u32,
    /// Position after the last byte.
    pub hi: u32,
}

impl Span {
    /// Returns the smallest range that covers both; a missing position is ignored.
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

/// Severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Warning,
    Error,
}

/// Diagnostic message about the program.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    pub span: Span,
    pub message: String,
    /// Further ranges that are underlined with `span`, and their labels.
    pub labels: Vec<(Span, String)>,
    /// Further positions that explain the message.
    pub notes: Vec<(Span, String)>,
}

impl Diagnostic {
    /// Underlines a further range.
    pub fn label(&mut self, span: Span, text: impl Into<String>) -> &mut Self {
        self.labels.push((span, text.into()));
        self
    }

    /// Adds a note at a position that explains the message.
    pub fn note(&mut self, span: Span, message: impl Into<String>) -> &mut Self {
        self.notes.push((span, message.into()));
        self
    }
}

/// Maximum number of messages that are kept; later ones are only counted.
// Arbitrary.
const MAX_KEPT: usize = 100;
/// Number of errors after which compilation stops.
// Arbitrary.
const MAX_ERRORS: u32 = 50;

/// Diagnostics of a build.
#[derive(Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: u32,
    /// True if warnings are dropped (`-w`).
    pub no_warnings: bool,
    /// True if warnings are errors (`-Werror`).
    pub warnings_are_errors: bool,
    /// Last message that was not kept, so that notes can be added to it.
    overflow: Option<Box<Diagnostic>>,
}

impl Diagnostics {
    /// Reports an error; notes can be added to the returned diagnostic.
    pub fn error(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        let message = message.into();
        if !self.is_echo(span, &message) {
            self.errors += 1;
        }
        self.push(Severity::Error, span, message)
    }

    /// Reports a warning.
    pub fn warning(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        if self.warnings_are_errors && !self.no_warnings {
            return self.error(span, message);
        }
        self.push(Severity::Warning, span, message.into())
    }

    /// Checks whether an error follows from one reported before: it is identical, or it is a syntax error at the
    /// position of another error.
    fn is_echo(&self, span: Span, message: &str) -> bool {
        let earlier = |d: &Diagnostic| d.severity == Severity::Error && d.span.lo == span.lo;
        let misses = message.starts_with("expected ") || message.starts_with("unexpected ");
        self.errors <= MAX_ERRORS
            && self.list.iter().any(|d| earlier(d) && (misses || d.span == span && d.message == message))
    }

    /// Checks whether there is an error at `span` whose message begins with `text`.
    pub fn has_error(&self, span: Option<Span>, text: &str) -> bool {
        let there = |d: &Diagnostic| span.is_none_or(|s| s.lo == d.span.lo);
        self.list.iter().any(|d| d.severity == Severity::Error && there(d) && d.message.starts_with(text))
    }

    /// Returns the last message, to add a note, if there is one.
    pub fn last_mut(&mut self) -> Option<&mut Diagnostic> {
        if self.overflow.is_some() { self.overflow.as_deref_mut() } else { self.list.last_mut() }
    }

    fn push(&mut self, severity: Severity, span: Span, message: String) -> &mut Diagnostic {
        let same = |d: &Diagnostic| d.span == span && d.message == message;
        let is_echo = severity == Severity::Error && self.is_echo(span, &message);
        let is_warning = severity == Severity::Warning;
        let dropped = is_warning && (self.no_warnings || self.list.len() >= MAX_KEPT)
            || self.errors > MAX_ERRORS
            || is_echo
            || self.list.iter().any(same);
        let new = Diagnostic { severity, span, message, labels: Vec::new(), notes: Vec::new() };
        if dropped {
            return self.overflow.insert(Box::new(new));
        }
        self.overflow = None;
        self.list.push(new);
        self.list.last_mut().expect("just pushed")
    }

    /// Returns the number of errors so far.
    pub fn error_count(&self) -> u32 {
        self.errors
    }

    /// Checks whether the limit of errors is reached.
    pub fn too_many(&self) -> bool {
        self.errors >= MAX_ERRORS
    }

    /// Returns the kept messages, in order.
    pub fn list(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Returns the build log.
    pub fn render(&self, map: &SourceMap) -> String {
        render::log(self, map)
    }
}
