//! Texts as lines of words and strings.

use std::fmt;

/// Word or string of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    Word(String),
    /// String, without quotation marks and escapes.
    Text(String),
}

impl Token {
    pub fn word(&self) -> Option<&str> {
        match self {
            Token::Word(word) => Some(word),
            Token::Text(_) => None,
        }
    }

    pub fn string(&self) -> Option<&str> {
        match self {
            Token::Word(_) => None,
            Token::Text(text) => Some(text),
        }
    }

    /// Returns the name of an id.
    pub fn id(&self) -> Option<&str> {
        self.word()?.strip_prefix('%').filter(|name| !name.is_empty())
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(word) => write!(f, "`{word}`"),
            Token::Text(text) => write!(f, "{text:?}"),
        }
    }
}

/// Instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Number, from 1.
    pub number: usize,
    pub result: Option<Token>,
    /// Name of the instruction, and its operands.
    pub tokens: Vec<Token>,
}

/// Words of the header that comments say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    pub minor: Option<u32>,
    pub bound: Option<u32>,
}

/// Reads the comments at the beginning of a text.
pub fn header(source: &str) -> Header {
    let mut header = Header::default();
    for line in source.lines().take_while(|line| line.starts_with(';') || line.trim().is_empty()) {
        let line = line.trim_start_matches(';').trim();
        if let Some(version) = line.strip_prefix("Version: 1.") {
            header.minor = version.parse().ok();
        }
        if let Some(bound) = line.strip_prefix("Bound: ") {
            header.bound = bound.parse().ok();
        }
    }
    header
}

/// Splits a text into instructions.
///
/// # Errors
/// If a string has no end, or a result no instruction: the line, and what is wrong.
pub fn lines(source: &str) -> Result<Vec<Line>, (usize, String)> {
    let mut lines = Vec::new();
    let mut tokens = Vec::new();
    let (mut number, mut begin) = (1, 1);
    let mut letters = source.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\n' => {
                finish(&mut lines, &mut tokens, begin)?;
                number += 1;
                begin = number;
            }
            ';' => while letters.next_if(|&letter| letter != '\n').is_some() {},
            '"' => {
                let mut text = String::new();
                loop {
                    match letters.next() {
                        None => return Err((begin, "a string has no end".into())),
                        Some('"') => break,
                        Some('\\') => text.extend(letters.next()),
                        Some(letter) => {
                            number += usize::from(letter == '\n');
                            text.push(letter);
                        }
                    }
                }
                tokens.push(Token::Text(text));
            }
            _ if letter.is_whitespace() => {}
            _ => {
                let mut word = String::from(letter);
                while let Some(letter) = letters.next_if(|&c| !c.is_whitespace() && c != ';' && c != '"') {
                    word.push(letter);
                }
                tokens.push(Token::Word(word));
            }
        }
    }
    finish(&mut lines, &mut tokens, begin)?;
    Ok(lines)
}

/// Adds the line of the tokens, unless there are none.
fn finish(lines: &mut Vec<Line>, tokens: &mut Vec<Token>, number: usize) -> Result<(), (usize, String)> {
    let mut tokens = std::mem::take(tokens);
    let has_result = tokens.get(1).and_then(Token::word) == Some("=");
    let result = has_result.then(|| tokens.drain(..2).next()).flatten();
    if result.is_some() && tokens.is_empty() {
        return Err((number, "an instruction is wanted".into()));
    }
    if !tokens.is_empty() {
        lines.push(Line { number, result, tokens });
    }
    Ok(())
}
