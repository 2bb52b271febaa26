//! Tokens. A token has 16 bytes: it refers to its spelling by symbol and to its source by position in the source
//! map.

use super::names::Symbol;
use grus_support::diag::Span;

/// Kind of a token. Each punctuator has its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum TokenKind {
    /// End of the file or token list.
    Eof,
    /// Identifier or keyword.
    Ident,
    /// Preprocessing number, which becomes a constant when its spelling is evaluated.
    Number,
    /// `'c'` with its quotes.
    Char,
    /// `"text"` with its quotes.
    Str,
    /// `<file>`, or a character that begins no token.
    Unknown,
    /// Empty macro argument next to `##`.
    Placemarker,
    Hash,
    HashHash,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Dot,
    Ellipsis,
    Arrow,
    Inc,
    Dec,
    Amp,
    Star,
    Plus,
    Minus,
    Tilde,
    Not,
    Slash,
    Percent,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    EqEq,
    Ne,
    Caret,
    Pipe,
    AndAnd,
    OrOr,
    Question,
    Colon,
    Semi,
    Comma,
    Assign,
    StarAssign,
    SlashAssign,
    PercentAssign,
    PlusAssign,
    MinusAssign,
    ShlAssign,
    ShrAssign,
    AmpAssign,
    CaretAssign,
    PipeAssign,
}

/// Flag of the first token of a line.
pub const AT_LINE_START: u8 = 1;
/// Flag of a token that follows white space.
pub const AFTER_SPACE: u8 = 2;

/// Flag of a token that follows `#pragma OPENCL FP_CONTRACT ON` (or `DEFAULT`).
pub const CONTRACT_ON: u8 = 4;
/// Flag of a token that follows `#pragma OPENCL FP_CONTRACT OFF`.
pub const CONTRACT_OFF: u8 = 8;

/// Flag of a token that follows `#pragma pack`: see [`super::pp::PackPragma`].
pub const PACKED: u8 = 16;

/// Flag of a token that follows `#pragma unroll`: see [`super::pp::UnrollPragma`].
pub const UNROLL: u8 = 32;

/// Preprocessing token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub flags: u8,
    /// Length in bytes in the source, saturated. Diagnostics underline only the beginning of longer tokens.
    pub len: u16,
    /// Spelling.
    pub symbol: Symbol,
    /// Position in the source map. A token of a macro's replacement list has the position of the macro's use.
    pub lo: u32,
    /// Hide set: id in [`super::pp`] of the set of macros that must not be expanded at this token.
    pub hide: u32,
}

impl Token {
    /// Returns the source range.
    pub fn span(&self) -> Span {
        Span { lo: self.lo, hi: self.lo + u32::from(self.len) }
    }
    /// Checks whether the token is the first of its line.
    pub fn at_line_start(&self) -> bool {
        self.flags & AT_LINE_START != 0
    }
    /// Checks whether white space (or a new line) precedes the token.
    pub fn after_space(&self) -> bool {
        self.flags & (AFTER_SPACE | AT_LINE_START) != 0
    }
}

/// Spellings of punctuators. Those with the same first character are sorted by decreasing length.
pub const PUNCTUATORS: &[(&str, TokenKind)] = &[
    ("##", TokenKind::HashHash),
    ("#", TokenKind::Hash),
    ("(", TokenKind::LParen),
    (")", TokenKind::RParen),
    ("[", TokenKind::LBracket),
    ("]", TokenKind::RBracket),
    ("{", TokenKind::LBrace),
    ("}", TokenKind::RBrace),
    ("...", TokenKind::Ellipsis),
    (".", TokenKind::Dot),
    ("->", TokenKind::Arrow),
    ("--", TokenKind::Dec),
    ("-=", TokenKind::MinusAssign),
    ("-", TokenKind::Minus),
    ("++", TokenKind::Inc),
    ("+=", TokenKind::PlusAssign),
    ("+", TokenKind::Plus),
    ("&&", TokenKind::AndAnd),
    ("&=", TokenKind::AmpAssign),
    ("&", TokenKind::Amp),
    ("*=", TokenKind::StarAssign),
    ("*", TokenKind::Star),
    ("~", TokenKind::Tilde),
    ("!=", TokenKind::Ne),
    ("!", TokenKind::Not),
    ("/=", TokenKind::SlashAssign),
    ("/", TokenKind::Slash),
    ("%:%:", TokenKind::HashHash),
    ("%:", TokenKind::Hash),
    ("%=", TokenKind::PercentAssign),
    ("%>", TokenKind::RBrace),
    ("%", TokenKind::Percent),
    ("<<=", TokenKind::ShlAssign),
    ("<<", TokenKind::Shl),
    ("<=", TokenKind::Le),
    ("<:", TokenKind::LBracket),
    ("<%", TokenKind::LBrace),
    ("<", TokenKind::Lt),
    (">>=", TokenKind::ShrAssign),
    (">>", TokenKind::Shr),
    (">=", TokenKind::Ge),
    (">", TokenKind::Gt),
    ("==", TokenKind::EqEq),
    ("=", TokenKind::Assign),
    ("^=", TokenKind::CaretAssign),
    ("^", TokenKind::Caret),
    ("||", TokenKind::OrOr),
    ("|=", TokenKind::PipeAssign),
    ("|", TokenKind::Pipe),
    ("?", TokenKind::Question),
    (":>", TokenKind::RBracket),
    (":", TokenKind::Colon),
    (";", TokenKind::Semi),
    (",", TokenKind::Comma),
];
