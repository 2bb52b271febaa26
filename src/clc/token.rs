//! Tokens: sixteen bytes each, spelled by a symbol, placed by a global position.

use super::names::Symbol;
use crate::diag::Span;

/// What a token is. Punctuators have a kind each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum TokenKind {
    /// End of the file or list.
    Eof,
    /// Identifier or keyword.
    Name,
    /// Preprocessing number: a constant once its spelling is read.
    Number,
    /// `'c'` with its quotes.
    Char,
    /// `"text"` with its quotes.
    Text,
    /// `<file>` or a character that is no token.
    Other,
    /// Stands for an empty macro argument next to `##`.
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

/// First on its line.
pub const AT_LINE_START: u8 = 1;
/// Blanks before it.
pub const AFTER_SPACE: u8 = 2;

/// `#pragma OPENCL FP_CONTRACT ON` (or `DEFAULT`) before it.
pub const CONTRACT_ON: u8 = 4;
/// `#pragma OPENCL FP_CONTRACT OFF` before it.
pub const CONTRACT_OFF: u8 = 8;

/// `#pragma pack` before it: see [`super::pp::Packing`].
pub const PACKED: u8 = 16;

/// `#pragma unroll` before it: see [`super::pp::Unrolling`].
pub const UNROLL: u8 = 32;

/// A token.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub flags: u8,
    /// Bytes in the source, at most; longer tokens are marked in part.
    pub len: u16,
    /// The spelling.
    pub symbol: Symbol,
    /// Where it is; for what a macro made, where the macro was used.
    pub lo: u32,
    /// Macros it must not become again: an id of [`super::pp`]'s hide sets.
    pub hide: u32,
}

impl Token {
    /// Its range.
    pub fn span(&self) -> Span {
        Span { lo: self.lo, hi: self.lo + u32::from(self.len) }
    }
    /// Whether it is the first of its line.
    pub fn at_line_start(&self) -> bool {
        self.flags & AT_LINE_START != 0
    }
    /// Whether blanks (or a new line) are before it.
    pub fn after_space(&self) -> bool {
        self.flags & (AFTER_SPACE | AT_LINE_START) != 0
    }
}

/// Punctuators, longest first for each first character.
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
