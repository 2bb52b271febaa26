//! The source map: files in one space of positions, with lines, `#line` directives and macro uses.

use std::cell::OnceCell;
use std::sync::Arc;

use super::Span;
use crate::FastMap;

/// Text of a source file: of the program, or built into the library.
#[derive(Clone, Debug)]
pub enum Text {
    Static(&'static str),
    Shared(Arc<str>),
}

impl Text {
    /// Returns the text.
    pub fn as_str(&self) -> &str {
        match self {
            Text::Static(text) => text,
            Text::Shared(text) => text,
        }
    }
}

/// Position in the form that diagnostics print, after `#line` directives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location<'a> {
    pub file: &'a str,
    /// Line number, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

#[derive(Debug)]
struct File {
    name: String,
    text: Text,
    /// Position of the first byte.
    base: u32,
    /// Position of the `#include` of this file; 0 for the main file.
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

    /// Returns the physical line (from 0) that contains `offset`.
    fn line_index(&self, offset: u32) -> usize {
        self.line_starts().partition_point(|&start| start <= offset) - 1
    }

    /// Returns the bytes of a physical line without its line ending.
    fn line_range(&self, index: usize) -> (u32, u32) {
        let starts = self.line_starts();
        let end = starts.get(index + 1).map_or(self.len(), |next| next - 1);
        let text = &self.text.as_str()[starts[index] as usize..end as usize];
        (starts[index], starts[index] + text.trim_end_matches('\r').len() as u32)
    }

    /// Returns the file name and line number of `offset`, which is in physical line `index`.
    fn numbered(&self, offset: u32, index: usize) -> (&str, u32) {
        let (mut name, mut line) = (self.name.as_str(), index as u32 + 1);
        let seen = self.renumbered.partition_point(|r| r.0 <= offset);
        if let Some((at, number, renamed)) = self.renumbered[..seen].last() {
            line = number.saturating_add((index - self.line_index(*at)) as u32);
            name = renamed.as_deref().unwrap_or(name);
        }
        (name, line)
    }
}

/// Consecutive lines of one file, with spans on them.
pub(super) struct Lines<'a> {
    /// Text of the file.
    pub text: &'a str,
    /// Position of the first byte of the file.
    pub base: u32,
    /// Number of the first line.
    pub number: u32,
    /// Ranges of the lines.
    pub ranges: Vec<Span>,
    /// Spans cut to the lines; `None` for spans that are elsewhere.
    pub cut: Vec<Option<Span>>,
}

/// Line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineAt<'a> {
    /// File name, after `#line` directives.
    pub file: &'a str,
    /// Line number, after `#line` directives.
    pub number: u32,
    /// First position on the line.
    pub from: u32,
    /// Position after the last one on the line.
    pub to: u32,
    /// True if the line belongs to the builtin library.
    pub in_library: bool,
}

/// All source text of a build.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<File>,
    /// Positions of macro uses, with the positions of the macros' definitions.
    expansions: FastMap<u32, u32>,
}

impl SourceMap {
    /// Creates an empty map.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file and returns the position of its first byte, or `None` if the space of positions is exhausted (4
    /// GiB of source).
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

    /// Records a `#line` directive: the line that starts at `pos` is line `line` of `file`.
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

    /// Records that the macro whose definition is at `definition` was used at `pos`.
    pub fn expanded(&mut self, pos: u32, definition: u32) {
        self.expansions.entry(pos).or_insert(definition);
    }

    /// Returns the definition of the macro that was used at `pos`.
    pub fn macro_at(&self, pos: u32) -> Option<u32> {
        self.expansions.get(&pos).copied()
    }

    fn file_index(&self, pos: u32) -> Option<usize> {
        let index = self.files.partition_point(|f| f.base <= pos).checked_sub(1)?;
        (pos - self.files[index].base <= self.files[index].len()).then_some(index)
    }

    /// Returns the file, line and column of a position.
    pub fn location(&self, pos: u32) -> Option<Location<'_>> {
        let file = &self.files[self.file_index(pos)?];
        let offset = pos - file.base;
        let index = file.line_index(offset);
        let (name, line) = file.numbered(offset, index);
        let start = file.line_starts()[index] as usize;
        let column = file.text.as_str().as_bytes()[start..offset as usize]
            .iter()
            .filter(|b| (**b & 0xc0) != 0x80)
            .count();
        Some(Location { file: name, line, column: column as u32 + 1 })
    }

    /// Returns the line number of a position; 0 if there is none. Cheaper than [`SourceMap::location`], since
    /// computing a column reads the line.
    pub fn line_of(&self, pos: u32) -> u32 {
        let Some(index) = self.file_index(pos) else {
            return 0;
        };
        let file = &self.files[index];
        let offset = pos - file.base;
        file.numbered(offset, file.line_index(offset)).1
    }

    /// Returns the line of a position; `None` if there is no text.
    pub fn line_at(&self, pos: u32) -> Option<LineAt<'_>> {
        let file = &self.files[self.file_index(pos)?];
        let index = file.line_index(pos - file.base);
        let starts = file.line_starts();
        let (name, number) = file.numbered(starts[index], index);
        let end = starts.get(index + 1).map_or(file.len() + 1, |&next| next);
        let in_library = matches!(file.text, Text::Static(_));
        Some(LineAt { file: name, number, from: file.base + starts[index], to: file.base + end, in_library })
    }

    /// Returns the `#include` of the file of `pos`.
    pub fn included_at(&self, pos: u32) -> Option<u32> {
        let at = self.files[self.file_index(pos)?].included_at;
        (at != 0).then_some(at)
    }

    /// Returns the names of the included files, once for each inclusion.
    pub fn included_files(&self) -> impl Iterator<Item = &str> {
        let included = |file: &&File| file.included_at != 0 && matches!(file.text, Text::Shared(_));
        self.files.iter().filter(included).map(|file| file.name.as_str())
    }

    /// Checks whether `pos` is in text of the builtin library.
    pub fn in_library(&self, pos: u32) -> bool {
        self.file_index(pos).is_some_and(|i| matches!(self.files[i].text, Text::Static(_)))
    }

    /// Checks whether `pos` is in the program's own text, not in a file that it includes.
    pub fn in_main_file(&self, pos: u32) -> bool {
        self.file_index(pos).is_some_and(|i| {
            let file = &self.files[i];
            file.included_at == 0 && matches!(file.text, Text::Shared(_))
        })
    }

    /// Returns the physical lines of `spans` as ranges of positions, with the spans cut to these lines: at most
    /// `max` lines, including that of the first span. A span that is elsewhere becomes `None`.
    pub(super) fn lines(&self, spans: &[Span], max: usize) -> Option<Lines<'_>> {
        let index = self.file_index(spans.first()?.lo)?;
        let file = &self.files[index];
        let line_of = |pos: u32| file.line_index((pos - file.base).min(file.len()));
        let inside = |s: &Span| self.file_index(s.lo) == Some(index);
        let home = line_of(spans[0].lo);
        let near = |line: usize| line.abs_diff(home) < max;
        let first = spans.iter().filter(|s| inside(s)).map(|s| line_of(s.lo)).filter(|l| near(*l)).min()?;
        let mut last = home;
        let mut cut = Vec::with_capacity(spans.len());
        for span in spans {
            let line = if inside(span) { line_of(span.lo) } else { usize::MAX };
            if line < first || line >= first + max {
                cut.push(None);
                continue;
            }
            let mut end = line_of(span.hi.max(span.lo + 1) - 1).max(line);
            let mut hi = span.hi.max(span.lo);
            if end >= first + max {
                end = line;
                hi = file.base + file.line_range(line).1;
            }
            last = last.max(end);
            cut.push(Some(Span { lo: span.lo, hi: hi.max(span.lo) }));
        }
        let ranges = (first..=last).map(|line| {
            let (lo, hi) = file.line_range(line);
            Span { lo: file.base + lo, hi: file.base + hi }
        });
        let number = file.numbered(file.line_starts()[first], first).1;
        Some(Lines { text: file.text.as_str(), base: file.base, number, ranges: ranges.collect(), cut })
    }

    /// Returns the span of the identifier that begins at `pos`.
    pub(super) fn word_at(&self, pos: u32) -> Span {
        let Some(index) = self.file_index(pos) else {
            return Span { lo: pos, hi: pos };
        };
        let file = &self.files[index];
        let rest = &file.text.as_str().as_bytes()[(pos - file.base) as usize..];
        let len = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
        Span { lo: pos, hi: pos + len as u32 }
    }

    /// Returns the text of a range, if it is in one file.
    pub fn text_of(&self, span: Span) -> Option<&str> {
        let file = &self.files[self.file_index(span.lo)?];
        let (lo, hi) = (span.lo - file.base, span.hi.checked_sub(file.base)?);
        file.text.as_str().get(lo as usize..hi as usize)
    }
}
