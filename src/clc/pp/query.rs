//! Queries of the compiler in Clang's syntax: `__has_builtin(name)` and similar. Each is a macro that is always
//! defined. A call in a directive or in program text is replaced by the answer. Answers describe this compiler, not
//! Clang.

use super::{Preprocessor, Token, TokenKind};
use crate::attributes::{c_attribute_version, is_supported};
use crate::names::{Keyword, keyword};

/// Query of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    Attribute,
    /// `__has_c_attribute`, for attributes in `[[...]]`
    StandardAttribute,
    Builtin,
    Extension,
    Feature,
    Identifier,
    Include,
    Warning,
}

/// Queries by name.
pub const QUERIES: &[(&str, Query)] = &[
    ("__has_attribute", Query::Attribute),
    ("__has_c_attribute", Query::StandardAttribute),
    ("__has_builtin", Query::Builtin),
    ("__has_extension", Query::Extension),
    ("__has_feature", Query::Feature),
    ("__is_identifier", Query::Identifier),
    ("__has_include", Query::Include),
    ("__has_warning", Query::Warning),
];

/// Supported features of the base language, under their Clang names.
const FEATURES: &[&str] = &[
    "attribute_deprecated_with_message",
    "attribute_ext_vector_type",
    "attribute_overloadable",
    "enumerator_attributes",
];

/// Supported features that are not in the base language, under their Clang names.
const EXTENSION_FEATURES: &[&str] = &[
    "c_alignas",
    "c_alignof",
    "c_generic_selections",
    "c_static_assert",
    "overloadable_unmarked",
    "statement_attributes_with_gnu_syntax",
];

impl Preprocessor<'_> {
    /// Replaces a call of the query `name`. The arguments are not expanded.
    pub(super) fn expand_query(&mut self, name: Token, query: Query) -> bool {
        let answer =
            self.query_argument(name).and_then(|argument| self.evaluate_query(name, query, argument));
        let text = answer.unwrap_or(0).to_string();
        self.push_spelled(name, TokenKind::Number, &text);
        true
    }

    /// Returns the tokens between the parentheses of a query.
    fn query_argument(&mut self, name: Token) -> Option<Vec<Token>> {
        let text = self.names.text(name.symbol).to_owned();
        let open = self.fetch();
        if open.kind != TokenKind::LParen {
            self.diags.error(name.span(), format!("missing '(' after '{text}'"));
            self.pending.push(open);
            return None;
        }
        let mut depth = 0u32;
        let mut argument = Vec::new();
        loop {
            let token = self.fetch();
            match token.kind {
                TokenKind::Eof => {
                    self.diags.error(name.span(), format!("missing ')' after '{text}'"));
                    self.pending.push(token);
                    return None;
                }
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 0 => return Some(argument),
                TokenKind::RParen => depth -= 1,
                _ => {}
            }
            argument.push(token);
        }
    }

    fn evaluate_query(&mut self, name: Token, query: Query, argument: Vec<Token>) -> Option<u32> {
        match query {
            Query::Include => return self.has_include(name, argument).map(u32::from),
            // This compiler has no names for warning groups.
            Query::Warning => return Some(0),
            _ => {}
        }
        let text = self.names.text(name.symbol).to_owned();
        let kinds: Vec<TokenKind> = argument.iter().map(|t| t.kind).collect();
        let (scope, asked) = match kinds.as_slice() {
            [TokenKind::Ident] => (None, argument[0]),
            [TokenKind::Ident, TokenKind::Colon, TokenKind::Colon, TokenKind::Ident] => {
                (Some(argument[0]), argument[3])
            }
            _ => {
                self.diags.error(name.span(), format!("'{text}' takes one name"));
                return None;
            }
        };
        let scope = scope.map(|token| self.names.text(token.symbol));
        let word = self.names.text(asked.symbol);
        Some(match query {
            Query::Attribute => u32::from(scope.is_none() && is_supported(word)),
            Query::StandardAttribute => c_attribute_version(scope, word),
            Query::Builtin => u32::from(self.has_builtin(asked)),
            Query::Feature => u32::from(self.has_feature(word)),
            Query::Extension => {
                let word = word.strip_prefix("__").and_then(|w| w.strip_suffix("__")).unwrap_or(word);
                u32::from(self.has_feature(word) || EXTENSION_FEATURES.contains(&word))
            }
            Query::Identifier => u32::from(keyword(asked.symbol, self.options.std).is_none()),
            Query::Include | Query::Warning => unreachable!("answered above"),
        })
    }

    fn has_feature(&self, word: &str) -> bool {
        let word = word.strip_prefix("__").and_then(|w| w.strip_suffix("__")).unwrap_or(word);
        FEATURES.contains(&word) || word == "blocks" && self.options.std >= 200
    }

    /// Checks whether a program can call the function without declaring it. This includes the built-in functions of
    /// OpenCL C, but not internal helpers of the library.
    fn has_builtin(&self, name: Token) -> bool {
        if let Some(Keyword::Builtin(_)) = keyword(name.symbol, self.options.std) {
            return true;
        }
        let text = self.names.text(name.symbol);
        let is_helper = text.starts_with("__") && !text.starts_with("__builtin_");
        !is_helper && self.library.has_function(text)
    }

    /// Answers `__has_include("file")` and `__has_include(<file>)`. Other arguments are macro-expanded first.
    fn has_include(&mut self, name: Token, argument: Vec<Token>) -> Option<bool> {
        let begins_name = |t: &Token| matches!(t.kind, TokenKind::Str | TokenKind::Lt);
        let argument =
            if argument.first().is_some_and(begins_name) { argument } else { self.expand_list(argument) };
        let Some((file, quoted)) = self.header_of_tokens(&argument) else {
            let message = "expected \"file\" or <file> in '__has_include'";
            self.diags.error(name.span(), message);
            return None;
        };
        if !self.count_include(name) {
            return None;
        }
        Some(self.find_header(&file, quoted).is_some())
    }
}
