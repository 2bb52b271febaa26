//! Lexer: splits text into preprocessing tokens (C99 s6.4, translation phases 2 and 3).
//!
//! Line splices are removed from the text before it is scanned. A list of their offsets maps positions back to the
//! original text. Trigraphs are not supported, on purpose.

use super::names::{Names, Symbol, punctuator};
use super::token::{AFTER_SPACE, AT_LINE_START, PUNCTUATORS, Token, TokenKind};
use grus_support::diag::{Diagnostics, Span, Text};

/// Lexer of one file.
#[derive(Debug)]
pub struct Lexer {
    text: Text,
    /// Position of the first byte in the source map.
    base: u32,
    state: LexerState,
    /// Line splices: the offset in `text` of each, and the number of bytes removed up to and including it.
    splices: Vec<(u32, u32)>,
}

/// Position of the lexer, saved in order to unread a token.
#[derive(Clone, Copy, Debug)]
struct LexerState {
    at: usize,
    line_start: bool,
    /// Number of splices before `at`.
    splice: usize,
}

impl Lexer {
    /// Returns a lexer of `text`, whose first byte has position `base` in the source map.
    pub fn new(text: Text, base: u32) -> Self {
        let (text, splices) = match remove_splices(text.as_str()) {
            Some((text, splices)) => (Text::Shared(text.into()), splices),
            None => (text, Vec::new()),
        };
        Self { text, base, state: LexerState { at: 0, line_start: true, splice: 0 }, splices }
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_str().as_bytes().get(at).copied().unwrap_or(0)
    }

    fn position(&mut self, at: usize) -> u32 {
        let at = at as u32;
        while let Some((offset, _)) = self.splices.get(self.state.splice)
            && *offset <= at
        {
            self.state.splice += 1;
        }
        let removed = self.state.splice.checked_sub(1).map_or(0, |i| self.splices[i].1);
        self.base + at + removed
    }

    fn span(&mut self, start: usize, len: usize) -> Span {
        let lo = self.position(start);
        Span { lo, hi: lo + len as u32 }
    }

    /// Returns the next token, even if it is on a later line.
    pub fn next(&mut self, names: &mut Names, diags: &mut Diagnostics) -> Token {
        let mut flags = self.skip_whitespace(diags);
        if self.state.line_start {
            flags |= AT_LINE_START;
            self.state.line_start = false;
        }
        let start = self.state.at;
        let (kind, symbol) = self.scan(names, diags);
        let len = self.state.at - start;
        Token {
            kind,
            flags,
            len: u16::try_from(len).unwrap_or(u16::MAX),
            symbol,
            lo: self.position(start),
            hide: 0,
        }
    }

    /// Returns the next token of the current line, or `None` at its end.
    pub fn next_in_line(&mut self, names: &mut Names, diags: &mut Diagnostics) -> Option<Token> {
        let before = self.state;
        let token = self.next(names, diags);
        if token.at_line_start() || token.kind == TokenKind::Eof {
            self.state = before;
            return None;
        }
        Some(token)
    }

    /// Reads `<name>` or `"name"` if the rest of the line begins with a header name. Returns the name, and true if
    /// it was quoted.
    pub fn header_name(&mut self, diags: &mut Diagnostics) -> Option<(String, bool)> {
        self.skip_whitespace(diags);
        let close = match self.byte(self.state.at) {
            b'<' => '>',
            b'"' => '"',
            _ => return None,
        };
        let rest = &self.text.as_str()[self.state.at + 1..];
        let line = rest.split('\n').next().unwrap_or("");
        let end = line.find(close)?;
        let name = line[..end].to_owned();
        self.state.at += end + 2;
        Some((name, close == '"'))
    }

    /// Returns the position of the next unread byte.
    pub fn current_position(&mut self) -> u32 {
        self.position(self.state.at)
    }

    /// Returns the position of the start of the next line.
    pub fn next_line(&mut self) -> u32 {
        let rest = &self.text.as_str()[self.state.at..];
        let end = rest.find('\n').map_or(self.text.as_str().len(), |n| self.state.at + n + 1);
        let before = self.state;
        let position = self.position(end);
        self.state = before;
        position
    }

    /// Reads the rest of the line as text.
    pub fn rest_of_line(&mut self) -> String {
        let rest = &self.text.as_str()[self.state.at..];
        let line = rest.split('\n').next().unwrap_or("");
        let text = line.trim().to_owned();
        self.state.at += line.len();
        text
    }

    /// Skips to the end of the line without creating tokens. A block comment may continue the line on later ones.
    pub fn skip_line_text(&mut self) {
        loop {
            let rest = &self.text.as_str().as_bytes()[self.state.at..];
            let stop = |b: &u8| matches!(b, b'\n' | b'/' | b'"' | b'\'');
            self.state.at += rest.iter().position(stop).unwrap_or(rest.len());
            match (self.byte(self.state.at), self.byte(self.state.at + 1)) {
                (b'/', b'*') => self.skip_comment(&mut Diagnostics::default()),
                (b'/', b'/') | (b'\n', _) => return,
                (quote @ (b'"' | b'\''), _) => {
                    self.skip_quoted(quote);
                }
                _ if self.state.at >= self.text.as_str().len() => return,
                _ => self.state.at += 1,
            }
        }
    }

    /// Skips to the next line that begins with `#`, and past that `#`. Returns false at the end of the file.
    pub fn skip_to_directive(&mut self, diags: &mut Diagnostics) -> bool {
        loop {
            self.skip_whitespace(diags);
            match self.byte(self.state.at) {
                0 if self.state.at >= self.text.as_str().len() => return false,
                b'#' if self.state.line_start => {
                    self.state.at += 1;
                    self.state.line_start = false;
                    return true;
                }
                b'%' if self.state.line_start && self.byte(self.state.at + 1) == b':' => {
                    self.state.at += 2;
                    self.state.line_start = false;
                    return true;
                }
                quote @ (b'"' | b'\'') => {
                    self.skip_quoted(quote);
                }
                _ => self.skip_to_special_byte(),
            }
            self.state.line_start = false;
        }
    }

    fn skip_to_special_byte(&mut self) {
        let bytes = self.text.as_str().as_bytes();
        let stop = |b: &u8| matches!(b, b'\n' | b'"' | b'\'' | b'/');
        let rest = &bytes[self.state.at + 1..];
        self.state.at += 1 + rest.iter().position(stop).unwrap_or(rest.len());
    }

    /// Skips past the closing quote. Returns false if the line ends first.
    fn skip_quoted(&mut self, quote: u8) -> bool {
        self.state.at += 1;
        loop {
            match self.byte(self.state.at) {
                b if b == quote => {
                    self.state.at += 1;
                    return true;
                }
                b'\n' => return false,
                0 if self.state.at >= self.text.as_str().len() => return false,
                b'\\' if self.byte(self.state.at + 1) != b'\n' => {
                    self.state.at = (self.state.at + 2).min(self.text.as_str().len());
                }
                _ => self.state.at += 1,
            }
        }
    }

    /// Skips white space and comments. Returns [`AFTER_SPACE`] if there were any, else 0.
    fn skip_whitespace(&mut self, diags: &mut Diagnostics) -> u8 {
        let mut flags = 0;
        loop {
            match self.byte(self.state.at) {
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.state.at += 1,
                b'\n' => {
                    self.state.at += 1;
                    self.state.line_start = true;
                }
                b'/' if self.byte(self.state.at + 1) == b'/' => {
                    let rest = &self.text.as_str().as_bytes()[self.state.at..];
                    let len = rest.iter().position(|b| *b == b'\n');
                    self.state.at += len.unwrap_or(rest.len());
                }
                b'/' if self.byte(self.state.at + 1) == b'*' => self.skip_comment(diags),
                _ => return flags,
            }
            flags = AFTER_SPACE;
        }
    }

    fn skip_comment(&mut self, diags: &mut Diagnostics) {
        let start = self.state.at;
        match self.text.as_str()[start + 2..].find("*/") {
            Some(len) => self.state.at = start + len + 4,
            None => {
                self.state.at = self.text.as_str().len();
                diags.error(self.span(start, 2), "unterminated comment");
            }
        }
    }

    fn scan(&mut self, names: &mut Names, diags: &mut Diagnostics) -> (TokenKind, Symbol) {
        let start = self.state.at;
        let kind = match self.byte(start) {
            0 if start >= self.text.as_str().len() => return (TokenKind::Eof, names.intern("")),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => {
                self.skip_while(is_identifier_byte);
                if self.identifier_char(self.state.at).is_some() {
                    return self.scan_unicode_identifier(start, names);
                }
                TokenKind::Ident
            }
            b'0'..=b'9' => self.scan_number(),
            b'.' if self.byte(start + 1).is_ascii_digit() => self.scan_number(),
            quote @ (b'"' | b'\'') => return self.scan_quoted(quote, names, diags),
            _ if self.identifier_char(start).is_some_and(|(c, _)| unicode_ident::is_xid_start(c)) => {
                return self.scan_unicode_identifier(start, names);
            }
            first => match self.scan_punctuator(first) {
                Some(found) => return found,
                None => self.scan_other(),
            },
        };
        (kind, names.intern(&self.text.as_str()[start..self.state.at]))
    }

    /// Scans an identifier with non-ASCII characters. Universal character names are replaced in its symbol by the
    /// characters that they denote.
    fn scan_unicode_identifier(&mut self, start: usize, names: &mut Names) -> (TokenKind, Symbol) {
        let mut name = String::new();
        self.state.at = start;
        loop {
            let from = self.state.at;
            self.skip_while(is_identifier_byte);
            name.push_str(&self.text.as_str()[from..self.state.at]);
            let Some((identifier_char, len)) = self.identifier_char(self.state.at) else { break };
            name.push(identifier_char);
            self.state.at += len;
        }
        (TokenKind::Ident, names.intern(&name))
    }

    /// Returns the non-ASCII identifier character at `at` and its length in bytes. The character is written
    /// directly or as a universal character name (C99 s6.4.3). The permitted characters are those of C23 s6.4.2.1.
    fn identifier_char(&self, at: usize) -> Option<(char, usize)> {
        let found = match self.byte(at) {
            0x80.. => self.text.as_str()[at..].chars().next().map(|c| (c, c.len_utf8())),
            b'\\' => universal_character(&self.text.as_str()[at + 1..]).map(|(c, len)| (c, 1 + len)),
            _ => None,
        };
        found.filter(|(c, _)| unicode_ident::is_xid_continue(*c))
    }

    fn skip_while(&mut self, predicate: fn(u8) -> bool) {
        let rest = &self.text.as_str().as_bytes()[self.state.at..];
        let len = rest.iter().position(|b| !predicate(*b));
        self.state.at += len.unwrap_or(rest.len());
    }

    /// Scans a pp-number (C99 s6.4.8).
    fn scan_number(&mut self) -> TokenKind {
        loop {
            match self.byte(self.state.at) {
                b'e' | b'E' | b'p' | b'P' if matches!(self.byte(self.state.at + 1), b'+' | b'-') => {
                    self.state.at += 2;
                }
                b'.' => self.state.at += 1,
                b if is_identifier_byte(b) => self.state.at += 1,
                _ => return TokenKind::Number,
            }
        }
    }

    fn scan_quoted(&mut self, quote: u8, names: &mut Names, diags: &mut Diagnostics) -> (TokenKind, Symbol) {
        let start = self.state.at;
        let closed = self.skip_quoted(quote);
        let kind = if quote == b'"' { TokenKind::Str } else { TokenKind::Char };
        let spelling = &self.text.as_str()[start..self.state.at];
        if closed {
            return (kind, names.intern(spelling));
        }
        let spelling = spelling.trim_end_matches(['\r', '\\']);
        let symbol = match kind {
            TokenKind::Str => names.intern(&format!("{spelling}\"")),
            _ => names.intern("' '"),
        };
        let message = format!("missing terminating {} character", quote as char);
        diags.error(self.span(start, 1), message);
        (kind, symbol)
    }

    fn scan_punctuator(&mut self, first: u8) -> Option<(TokenKind, Symbol)> {
        let (from, to) = *PUNCTUATOR_RANGES.get(first as usize)?;
        let rest = &self.text.as_str().as_bytes()[self.state.at..];
        for (index, (text, kind)) in PUNCTUATORS[from as usize..to as usize].iter().enumerate() {
            if rest.starts_with(text.as_bytes()) {
                self.state.at += text.len();
                return Some((*kind, punctuator(from as usize + index)));
            }
        }
        None
    }

    fn scan_other(&mut self) -> TokenKind {
        let rest = &self.text.as_str()[self.state.at..];
        self.state.at += rest.chars().next().map_or(1, char::len_utf8);
        TokenKind::Unknown
    }
}

/// Reads a universal character name without its backslash at the start of `text`: `u` and four hexadecimal digits,
/// or `U` and eight. Returns the character and the length in bytes. Characters below U+00A0 are rejected (C99
/// s6.4.3).
pub fn universal_character(text: &str) -> Option<(char, usize)> {
    let digits = match text.as_bytes().first()? {
        b'u' => 4,
        b'U' => 8,
        _ => return None,
    };
    let digits = text.get(1..1 + digits).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let named = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    (named >= '\u{a0}').then_some((named, 1 + digits.len()))
}

/// Checks whether `byte` can continue an identifier. `$` is accepted, as in other compilers.
pub fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$'
}

/// Range of the [`PUNCTUATORS`] that begin with each ASCII character.
static PUNCTUATOR_RANGES: [(u8, u8); 128] = punctuator_ranges();

const fn punctuator_ranges() -> [(u8, u8); 128] {
    let mut table = [(0, 0); 128];
    let mut i = 0;
    while i < PUNCTUATORS.len() {
        let byte = PUNCTUATORS[i].0.as_bytes()[0] as usize;
        if table[byte].1 == 0 {
            table[byte].0 = i as u8;
        }
        table[byte].1 = i as u8 + 1;
        i += 1;
    }
    table
}

/// Removes backslash-newline pairs, between which blanks are tolerated. Returns the text and the list of splices
/// (see [`Lexer`]), or `None` if there are none.
fn remove_splices(text: &str) -> Option<(String, Vec<(u32, u32)>)> {
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut splices = Vec::new();
    let (mut copied, mut removed, mut at) = (0, 0, 0);
    while let Some(found) = text[at..].find('\\') {
        let start = at + found;
        let blanks = bytes[start + 1..].iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count();
        let end = start + 1 + blanks;
        at = start + 1;
        if bytes.get(end) == Some(&b'\n') {
            out.push_str(&text[copied..start]);
            at = end + 1;
            copied = at;
            removed += at - start;
            splices.push((out.len() as u32, removed as u32));
        }
    }
    if splices.is_empty() {
        return None;
    }
    out.push_str(&text[copied..]);
    Some((out, splices))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(text: &str) -> Vec<(TokenKind, String, u32)> {
        let (mut names, mut diags) = (Names::new(), Diagnostics::default());
        let mut lexer = Lexer::new(Text::Shared(text.into()), 1);
        let mut out = Vec::new();
        loop {
            let token = lexer.next(&mut names, &mut diags);
            if token.kind == TokenKind::Eof {
                return out;
            }
            out.push((token.kind, names.text(token.symbol).to_owned(), token.lo - 1));
        }
    }

    #[test]
    fn splices_vanish_and_positions_stay() {
        let tokens = lex("ab\\\ncd &\\\r\n& x");
        let expected = [
            (TokenKind::Ident, "abcd".to_owned(), 0),
            (TokenKind::AndAnd, "&&".to_owned(), 7),
            (TokenKind::Ident, "x".to_owned(), 13),
        ];
        assert_eq!(tokens, expected);
    }

    #[test]
    fn names_have_letters_of_all_languages() {
        let spellings = |text: &str| -> Vec<String> { lex(text).into_iter().map(|t| t.1).collect() };
        assert_eq!(spellings("größe+\\u03b1_1 x\\U000000e9y 数"), ["größe", "+", "α_1", "xéy", "数"]);
        // An ASCII letter, a lone surrogate, a symbol that is no letter, and too few digits.
        assert_eq!(spellings("a\\u0041"), ["a", "\\", "u0041"]);
        assert_eq!(spellings("\\ud800 × \\u12"), ["\\", "ud800", "×", "\\", "u12"]);
    }

    #[test]
    fn the_longest_token_wins() {
        let tokens = lex("a+++b>>=c.5e+3f...->/**/'\\''\"x\\\"\"//z");
        let spellings: Vec<_> = tokens.iter().map(|t| t.1.as_str()).collect();
        assert_eq!(spellings, ["a", "++", "+", "b", ">>=", "c", ".5e+3f...", "->", "'\\''", "\"x\\\"\""]);
    }
}
