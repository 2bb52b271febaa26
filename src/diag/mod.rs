//! Source positions, diagnostics, and the text of the build log.
//!
//! `map.rs` knows where text is, `render.rs` makes the log.
//!
//! All files of a build share one space of `u32` positions, so a [`Span`] is two
//! numbers wherever it is stored. Lines, columns and file names are worked out only
//! when something is printed. `#line` changes what is reported, not where it is.

mod map;
mod render;

pub use self::map::{LineAt, Location, SourceMap, Text};

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
    /// Places beside `span` that are underlined with it, and what is said of them.
    pub labels: Vec<(Span, String)>,
    /// Further places that explain the message.
    pub notes: Vec<(Span, String)>,
}

impl Diagnostic {
    /// Underlines a place together with that of the message.
    pub fn label(&mut self, span: Span, text: impl Into<String>) -> &mut Self {
        self.labels.push((span, text.into()));
        self
    }

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

    /// Whether an error follows from one reported before: it is the same, or misses
    /// something where something is wrong already.
    fn is_echo(&self, span: Span, message: &str) -> bool {
        let earlier = |d: &Diagnostic| d.severity == Severity::Error && d.span.lo == span.lo;
        let misses = message.starts_with("expected ") || message.starts_with("unexpected ");
        self.errors <= MAX_ERRORS
            && self.list.iter().any(|d| earlier(d) && (misses || d.span == span && d.message == message))
    }

    /// Whether an error at `span` begins with `text`.
    pub fn has_error(&self, span: Option<Span>, text: &str) -> bool {
        let there = |d: &Diagnostic| span.is_none_or(|s| s.lo == d.span.lo);
        self.list.iter().any(|d| d.severity == Severity::Error && there(d) && d.message.starts_with(text))
    }

    /// The message reported last, if it was kept: to add a note.
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
        render::log(self, map)
    }
}
