//! `#include` (C99 s6.10.2). Files are searched in this order: embedded headers (clCompileProgram's
//! `input_headers`), the directory of the including file, then the `-I` directories.

use std::path::{Path, PathBuf};

use super::{Lexer, Preprocessor, Text, Token, TokenKind};

/// Maximum depth of nested includes.
// Arbitrary.
const MAX_INCLUDE_DEPTH: usize = 64;
/// Maximum number of file lookups in a translation unit, by `#include` and `__has_include`.
// Arbitrary.
const MAX_INCLUDE_LOOKUPS: u32 = 100_000;

/// Result of a file search.
pub(super) struct FoundFile {
    name: String,
    text: String,
    dir: Option<PathBuf>,
    identity: String,
    header_dir: String,
}

impl Preprocessor<'_> {
    /// Executes `#include`.
    pub(super) fn include(&mut self, directive: Token) {
        let Some((name, quoted)) = self.include_name(directive) else {
            self.line_tokens();
            return;
        };
        if let Some(extra) = self.line_tokens().first() {
            self.diags.warning(extra.span(), "extra tokens after '#include'");
        }
        if !self.count_include(directive) {
            return;
        }
        match self.find_header(&name, quoted) {
            None => {
                let message = format!("include file '{name}' not found");
                self.diags.error(directive.span(), message);
            }
            Some(found) if self.once_files.contains(&found.identity) => {}
            Some(found) => self.enter_include(directive, found),
        }
    }

    /// Counts a file lookup. If a limit is exceeded, reports an error and returns false.
    pub(super) fn count_include(&mut self, at: Token) -> bool {
        if self.files.len() > MAX_INCLUDE_DEPTH {
            self.abort(at, "includes are nested too deeply");
            return false;
        }
        if self.include_lookups >= MAX_INCLUDE_LOOKUPS {
            let message = format!("more than {MAX_INCLUDE_LOOKUPS} uses of '#include' and '__has_include'");
            self.abort(at, &message);
            return false;
        }
        self.include_lookups += 1;
        true
    }

    fn enter_include(&mut self, directive: Token, found: FoundFile) {
        let text = found.text.strip_prefix('\u{feff}').unwrap_or(&found.text);
        let text = Text::Shared(text.into());
        let Some(base) = self.map.add(&found.name, text.clone(), directive.lo) else {
            self.abort(directive, "the program text is too long");
            return;
        };
        self.enter(Lexer::new(text, base), found.dir, Some(found.identity));
        let file = self.files.last_mut().expect("just entered");
        file.header_dir = found.header_dir;
    }

    /// Returns the file name, as written or after macro expansion of the line, and true if it is quoted.
    fn include_name(&mut self, directive: Token) -> Option<(String, bool)> {
        let file = self.files.last_mut()?;
        if let Some(found) = file.lexer.header_name(self.diags) {
            return Some(found);
        }
        let line = self.line_tokens();
        let line = self.expand_list(line);
        let found = self.header_of_tokens(&line);
        if found.is_none() {
            let message = "expected \"file\" or <file> after '#include'";
            self.diags.error(directive.span(), message);
        }
        found
    }

    /// Returns the file name that `line` contains, and true if it is quoted.
    pub(super) fn header_of_tokens(&self, line: &[Token]) -> Option<(String, bool)> {
        let first = line.first();
        if let Some(text) = first.filter(|t| t.kind == TokenKind::Str) {
            let text = self.names.text(text.symbol);
            return Some((text[1..text.len() - 1].to_owned(), true));
        }
        if first.is_some_and(|t| t.kind == TokenKind::Lt)
            && let Some(end) = line.iter().position(|t| t.kind == TokenKind::Gt)
        {
            let mut name = String::new();
            for (i, token) in line[1..end].iter().enumerate() {
                if i > 0 && token.after_space() {
                    name.push(' ');
                }
                name.push_str(self.names.text(token.symbol));
            }
            return Some((name, false));
        }
        None
    }

    pub(super) fn find_header(&self, name: &str, quoted: bool) -> Option<FoundFile> {
        let current = self.files.last()?;
        let in_same_dir = format!("{}{name}", current.header_dir);
        for path in [name, &in_same_dir] {
            if let Some((found, text)) = self.headers.iter().find(|h| h.0 == path) {
                let dir_end = found.rfind('/').map_or(0, |n| n + 1);
                return Some(FoundFile {
                    name: (*found).to_owned(),
                    text: (*text).to_owned(),
                    dir: None,
                    identity: format!("embedded:{found}"),
                    header_dir: found[..dir_end].to_owned(),
                });
            }
        }
        let same_dir = quoted.then(|| current.dir.clone().unwrap_or_default());
        let dirs = self.options.include_dirs.iter().map(PathBuf::from);
        same_dir.into_iter().chain(dirs).find_map(|dir| read(&dir.join(name)))
    }
}

fn read(path: &Path) -> Option<FoundFile> {
    if !path.is_file() {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    let identity = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    Some(FoundFile {
        name: path.display().to_string(),
        text: String::from_utf8_lossy(&bytes).into_owned(),
        dir: path.parent().map(Path::to_owned),
        identity: identity.display().to_string(),
        header_dir: String::new(),
    })
}
