//! Macro definitions and the macro table.

use std::rc::Rc;

use super::Preprocessor;
use super::query::Query;
use crate::names::Symbol;
use crate::token::{AFTER_SPACE, AT_LINE_START, Token, TokenKind};

/// Kind of a macro's replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacroKind {
    Object,
    /// Function-like macro. If `variadic` is true, the last parameter takes all further arguments.
    Function {
        params: u16,
        variadic: bool,
    },
    Line,
    File,
    Counter,
    FileName,
    BaseFile,
    IncludeLevel,
    Query(Query),
}

/// Token of a replacement list.
#[derive(Clone, Copy, Debug)]
pub struct BodyToken {
    pub token: Token,
    /// Index of the parameter that the token names, if it names one.
    pub param: Option<u16>,
}

/// Macro definition.
#[derive(Debug)]
pub struct Macro {
    pub kind: MacroKind,
    pub body: Box<[BodyToken]>,
    /// Position of the macro's name in its definition.
    pub defined_at: u32,
    /// True for a library macro, which the program may redefine.
    pub is_library: bool,
}

#[derive(Clone, Debug, Default)]
enum MacroSlot {
    /// Name that has not been looked up in the library yet.
    #[default]
    Unknown,
    None,
    Some(Rc<Macro>),
}

/// Macro table, indexed by symbol.
#[derive(Debug, Default)]
pub struct MacroTable {
    slots: Vec<MacroSlot>,
}

impl MacroTable {
    fn slot(&mut self, symbol: Symbol) -> &mut MacroSlot {
        let index = symbol.0 as usize;
        if index >= self.slots.len() {
            self.slots.resize(index + 64, MacroSlot::Unknown);
        }
        &mut self.slots[index]
    }

    /// Defines `symbol` as a macro, or undefines it.
    pub fn set(&mut self, symbol: Symbol, value: Option<Rc<Macro>>) {
        *self.slot(symbol) = value.map_or(MacroSlot::None, MacroSlot::Some);
    }
}

impl Preprocessor<'_> {
    /// Returns the macro named `symbol`. Library macros are defined at their first use.
    pub(super) fn find_macro(&mut self, symbol: Symbol) -> Option<Rc<Macro>> {
        match self.macros.slot(symbol) {
            MacroSlot::None => None,
            MacroSlot::Some(found) => Some(found.clone()),
            MacroSlot::Unknown => {
                let found = self.library_macro(symbol).map(Rc::new);
                self.macros.set(symbol, found.clone());
                found
            }
        }
    }

    fn library_macro(&mut self, symbol: Symbol) -> Option<Macro> {
        let entry = self.library.find_macro(self.names.text(symbol))?;
        let mut lexer = self.library.lexer(self.map, entry.range)?;
        let name = lexer.next(self.names, self.diags);
        let mut line = Vec::new();
        while let Some(token) = lexer.next_in_line(self.names, self.diags) {
            line.push(token);
        }
        let mut definition = self.parse_macro(name, &line)?;
        definition.is_library = true;
        Some(definition)
    }

    /// Executes `# define name replacement` or `# define name(parameters) replacement`.
    pub(super) fn define(&mut self, hash: Token) {
        let line = self.line_tokens();
        let Some(&name) = line.first() else {
            self.diags.error(hash.span(), "macro name missing");
            return;
        };
        if name.kind != TokenKind::Ident || name.symbol == self.special_names.defined {
            self.diags.error(name.span(), "a macro name must be an identifier");
            return;
        }
        let Some(new) = self.parse_macro(name, &line[1..]) else {
            return;
        };
        if let MacroSlot::Some(old) = self.macros.slot(name.symbol)
            && !old.is_library
            && !same_definition(old, &new)
        {
            let message = format!("macro '{}' redefined", self.names.text(name.symbol));
            self.diags.warning(name.span(), message);
        }
        self.macros.set(name.symbol, Some(Rc::new(new)));
    }

    /// Parses a macro definition that consists of `name` and the rest of the `line`.
    fn parse_macro(&mut self, name: Token, line: &[Token]) -> Option<Macro> {
        let mut kind = MacroKind::Object;
        let mut params = Vec::new();
        let mut body = line;
        if let Some(open) = line.first()
            && open.kind == TokenKind::LParen
            && !open.after_space()
        {
            let (variadic, rest) = self.macro_params(name, &line[1..], &mut params)?;
            body = rest;
            kind = MacroKind::Function { params: params.len() as u16, variadic };
        }
        let body: Box<[BodyToken]> = body
            .iter()
            .map(|&token| BodyToken {
                token: Token { flags: token.flags & !AT_LINE_START, ..token },
                param: param_index(&params, token),
            })
            .collect();
        self.check_body(kind, &body)?;
        Some(Macro { kind, body, defined_at: name.lo, is_library: false })
    }

    /// Parses the parameters up to `)`. Returns true if the last is variadic, and the tokens that follow.
    fn macro_params<'t>(
        &mut self,
        name: Token,
        line: &'t [Token],
        params: &mut Vec<Symbol>,
    ) -> Option<(bool, &'t [Token])> {
        let mut variadic = false;
        let mut rest = line.iter();
        let mut expect_name = false;
        loop {
            let Some(token) = rest.next() else {
                let message = "missing ')' in macro parameter list";
                self.diags.error(name.span(), message);
                return None;
            };
            match token.kind {
                TokenKind::RParen if !expect_name => return Some((variadic, rest.as_slice())),
                TokenKind::Ident if !variadic && (expect_name || params.is_empty()) => {
                    if params.contains(&token.symbol) {
                        self.diags.error(token.span(), "duplicate macro parameter name");
                        return None;
                    }
                    params.push(token.symbol);
                    let next = rest.as_slice();
                    if let Some(dots) = next.first()
                        && dots.kind == TokenKind::Ellipsis
                    {
                        // GNU: `name...` gives the variable arguments a name.
                        variadic = true;
                        rest = next[1..].iter();
                    }
                }
                TokenKind::Ellipsis if !variadic && (expect_name || params.is_empty()) => {
                    variadic = true;
                    params.push(self.special_names.va_args);
                }
                _ => {
                    self.diags.error(token.span(), "invalid token in macro parameter list");
                    return None;
                }
            }
            expect_name = rest.as_slice().first().map(|t| t.kind) == Some(TokenKind::Comma);
            if expect_name {
                rest.next();
            }
        }
    }

    fn check_body(&mut self, kind: MacroKind, body: &[BodyToken]) -> Option<()> {
        let ends = [body.first(), body.last()];
        for end in ends.into_iter().flatten() {
            if end.token.kind == TokenKind::HashHash {
                let message = "'##' cannot be at either end of a macro expansion";
                self.diags.error(end.token.span(), message);
                return None;
            }
        }
        if kind == MacroKind::Object {
            return Some(());
        }
        for (i, item) in body.iter().enumerate() {
            let next_is_param = body.get(i + 1).is_some_and(|n| n.param.is_some());
            if item.token.kind == TokenKind::Hash && !next_is_param {
                let message = "'#' is not followed by a macro parameter";
                self.diags.error(item.token.span(), message);
                return None;
            }
        }
        Some(())
    }
}

fn param_index(params: &[Symbol], token: Token) -> Option<u16> {
    if token.kind != TokenKind::Ident {
        return None;
    }
    let index = params.iter().position(|p| *p == token.symbol)?;
    Some(index as u16)
}

/// Checks whether two definitions have the same tokens and white space (C99 s6.10.3p1).
fn same_definition(a: &Macro, b: &Macro) -> bool {
    a.kind == b.kind
        && a.body.len() == b.body.len()
        && a.body.iter().zip(&b.body).enumerate().all(|(i, (x, y))| {
            let whitespace = |t: &Token| t.flags & AFTER_SPACE;
            x.token.symbol == y.token.symbol
                && x.param == y.param
                && (i == 0 || whitespace(&x.token) == whitespace(&y.token))
        })
}
