//! Position of the parser in a list of preprocessed tokens.

use std::ops::Range;

use crate::token::Token;

/// Token list, which ends with `Eof`, and the index of the current token.
#[derive(Debug, Default)]
pub struct Cursor {
    tokens: Vec<Token>,
    position: usize,
}

impl Cursor {
    /// Returns a cursor at the first of `tokens`.
    pub fn new(tokens: Vec<Token>) -> Self {
        Self { tokens, position: 0 }
    }

    /// Returns the current token.
    pub fn peek(&self) -> Token {
        self.tokens[self.position]
    }

    /// Returns the token `n` positions after the current one, or the last token.
    pub fn peek_at(&self, n: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[(self.position + n).min(last)]
    }

    /// Returns the token `n` positions before the current one.
    pub fn lookbehind(&self, n: usize) -> Option<Token> {
        self.position.checked_sub(n).map(|index| self.tokens[index])
    }

    /// Consumes and returns the current token. The cursor stays at the last token.
    pub fn bump(&mut self) -> Token {
        let token = self.peek();
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
        token
    }

    /// Returns the index of the current token.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Moves to the token with index `position`. Returns the previous position.
    pub fn seek(&mut self, position: usize) -> usize {
        std::mem::replace(&mut self.position, position)
    }

    /// Moves to the last token.
    pub fn seek_end(&mut self) {
        self.position = self.tokens.len() - 1;
    }

    /// Returns the tokens with these indices.
    pub fn tokens(&self, range: Range<usize>) -> &[Token] {
        &self.tokens[range]
    }
}
