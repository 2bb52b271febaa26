//! Macro expansion (C99 s6.10.3) with Dave Prosser's algorithm: `expand` tests a name, `substitute` builds its
//! replacement, and the replacement is scanned again.

use smallvec::SmallVec;

use super::{BodyToken, MAX_TOKENS, Macro, MacroKind, Preprocessor, Token, TokenKind};
use crate::lex::{Lexer, is_identifier_byte};
use crate::token::{AFTER_SPACE, AT_LINE_START};
use grus_support::diag::{Diagnostics, Text};

/// Maximum depth of nested macro arguments. The limit prevents a stack overflow.
// Arbitrary.
const MAX_ARGUMENT_NESTING: u32 = 400;

/// Arguments of a macro call, concatenated.
#[derive(Default)]
struct MacroArgs {
    tokens: Vec<Token>,
    ends: SmallVec<[usize; 8]>,
}

impl MacroArgs {
    fn get(&self, index: usize) -> &[Token] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.tokens[start..self.ends[index]]
    }
    fn len(&self) -> usize {
        self.ends.len()
    }
}

impl Preprocessor<'_> {
    /// Expands `token` if it is a macro, and queues its replacement as the next input. Returns false if it is not
    /// expanded.
    pub(super) fn expand(&mut self, token: Token) -> bool {
        if token.symbol == self.special_names.pragma {
            return self.pragma_operator(token);
        }
        let Some(definition) = self.find_macro(token.symbol) else {
            return false;
        };
        if self.hide_sets.contains(token.hide, token.symbol) {
            return false;
        }
        match definition.kind {
            MacroKind::Object => {
                let hide = self.hide_sets.add(token.hide, token.symbol);
                let out = self.substitute(&definition, &MacroArgs::default(), &token);
                self.replace(token, &definition, out, hide);
                true
            }
            MacroKind::Function { .. } => self.expand_call(token, &definition),
            MacroKind::Line => {
                let line = self.map.line_of(token.lo).to_string();
                self.push_spelled(token, TokenKind::Number, &line);
                true
            }
            MacroKind::File => {
                let file = self.map.location(token.lo).map_or("", |l| l.file);
                let quoted = quote(file);
                self.push_spelled(token, TokenKind::Str, &quoted);
                true
            }
            MacroKind::FileName => {
                let file = self.map.location(token.lo).map_or("", |l| l.file);
                let quoted = quote(file.rsplit('/').next().unwrap_or(file));
                self.push_spelled(token, TokenKind::Str, &quoted);
                true
            }
            MacroKind::BaseFile => {
                let quoted = quote(&self.base_file);
                self.push_spelled(token, TokenKind::Str, &quoted);
                true
            }
            MacroKind::IncludeLevel => {
                let level = self.files.len().saturating_sub(1).to_string();
                self.push_spelled(token, TokenKind::Number, &level);
                true
            }
            MacroKind::Query(query) => self.expand_query(token, query),
            MacroKind::Counter => {
                let text = self.counter.to_string();
                self.counter += 1;
                self.push_spelled(token, TokenKind::Number, &text);
                true
            }
        }
    }

    pub(super) fn push_spelled(&mut self, like: Token, kind: TokenKind, text: &str) {
        let symbol = self.names.intern(text);
        let token = Token { kind, symbol, ..like };
        self.pending.push(token);
    }

    fn expand_call(&mut self, name: Token, definition: &Macro) -> bool {
        let open = self.fetch();
        if open.kind != TokenKind::LParen {
            self.pending.push(open);
            return false;
        }
        let Some((args, close)) = self.arguments(name, definition) else {
            // Push a token as the value of the failed call; without one, the parser would report a follow-up error.
            self.push_spelled(name, TokenKind::Number, "0");
            return true;
        };
        let common = self.hide_sets.intersection(name.hide, close.hide);
        let hide = self.hide_sets.add(common, name.symbol);
        let out = self.substitute(definition, &args, &name);
        self.replace(name, definition, out, hide);
        true
    }

    /// Queues the replacement of `name`.
    fn replace(&mut self, name: Token, definition: &Macro, mut out: Vec<Token>, hide: u32) {
        self.expanded_tokens = self.expanded_tokens.saturating_add(out.len() + 1);
        if self.expanded_tokens > MAX_TOKENS {
            self.abort(name, "macro expansion makes too many tokens");
            return;
        }
        if name.hide == 0 && !definition.is_library {
            self.map.expanded(name.lo, definition.defined_at);
        }
        out.retain(|t| t.kind != TokenKind::Placemarker);
        if let Some(first) = out.first_mut() {
            let whitespace = AT_LINE_START | AFTER_SPACE;
            first.flags = first.flags & !whitespace | name.flags & whitespace;
        }
        for token in out.iter_mut().rev() {
            token.hide = self.hide_sets.union(token.hide, hide);
            self.pending.push(*token);
        }
    }

    /// Collects the arguments of a call up to the closing parenthesis.
    fn arguments(&mut self, name: Token, definition: &Macro) -> Option<(MacroArgs, Token)> {
        let MacroKind::Function { params, variadic } = definition.kind else {
            return None;
        };
        let params = usize::from(params);
        let mut args = MacroArgs::default();
        let mut depth = 0;
        let close = loop {
            let token = self.fetch();
            match token.kind {
                TokenKind::Eof => {
                    let message = format!("unterminated call of macro '{}'", self.spelling(name));
                    self.diags.error(name.span(), message);
                    self.pending.push(token);
                    return None;
                }
                TokenKind::LParen => depth += 1,
                TokenKind::RParen if depth == 0 => break token,
                TokenKind::RParen => depth -= 1,
                TokenKind::Comma if depth == 0 && !(variadic && args.len() + 1 == params) => {
                    args.ends.push(args.tokens.len());
                    continue;
                }
                _ => {}
            }
            args.tokens.push(token);
            self.expanded_tokens = self.expanded_tokens.saturating_add(1);
            if self.expanded_tokens > MAX_TOKENS {
                self.abort(name, "macro expansion makes too many tokens");
                return None;
            }
        };
        if params > 0 || !args.tokens.is_empty() || args.len() > 0 {
            args.ends.push(args.tokens.len());
        }
        self.check_count(name, params, variadic, &mut args)?;
        Some((args, close))
    }

    fn check_count(
        &mut self,
        name: Token,
        params: usize,
        variadic: bool,
        args: &mut MacroArgs,
    ) -> Option<()> {
        if variadic && args.len() + 1 == params {
            // The variable arguments are omitted, which counts as one empty argument.
            args.ends.push(args.tokens.len());
        }
        if args.len() == params {
            return Some(());
        }
        let few_or_many = if args.len() < params { "few" } else { "many" };
        let text = self.spelling(name);
        let message =
            format!("too {few_or_many} arguments to macro '{text}': {} given, {params} wanted", args.len());
        self.diags.error(name.span(), message);
        None
    }

    fn spelling(&self, token: Token) -> &str {
        self.names.text(token.symbol)
    }

    /// Substitutes the arguments in the replacement list (Prosser's `subst`).
    fn substitute(&mut self, definition: &Macro, args: &MacroArgs, name: &Token) -> Vec<Token> {
        let body = &definition.body;
        let is_call = definition.kind != MacroKind::Object;
        let mut expanded: SmallVec<[Option<Vec<Token>>; 8]> = SmallVec::new();
        expanded.resize(args.len(), None);
        let mut out: Vec<Token> = Vec::with_capacity(body.len());
        let mut i = 0;
        while i < body.len() {
            let pastes_next = body.get(i + 1).is_some_and(|n| n.token.kind == TokenKind::HashHash);
            if body[i].token.kind == TokenKind::HashHash && i > 0 {
                let (rhs, used) = self.raw_item(&body[i + 1..], args, name, is_call);
                let comma_rule = matches!(definition.kind, MacroKind::Function { variadic: true, params }
                    if body[i + 1].param == Some(params - 1));
                self.paste_onto(&mut out, rhs, comma_rule);
                i += 1 + used;
            } else if pastes_next || body[i].param.is_none() {
                let (raw, used) = self.raw_item(&body[i..], args, name, is_call);
                out.extend(raw);
                i += used;
            } else {
                let index = usize::from(body[i].param.expect("checked above"));
                if expanded[index].is_none() {
                    expanded[index] = Some(self.expand_list(args.get(index).to_vec()));
                }
                let start = out.len();
                out.extend(expanded[index].iter().flatten());
                copy_whitespace_flags(&mut out[start..], body[i].token);
                i += 1;
            }
        }
        out
    }

    /// Returns one item of a replacement list without expansion: a token with the position of the macro's use, an
    /// argument as written, or a string made by `#`. Returns the number of consumed body tokens too.
    fn raw_item(
        &mut self,
        body: &[BodyToken],
        args: &MacroArgs,
        name: &Token,
        is_call: bool,
    ) -> (Vec<Token>, usize) {
        let item = body[0];
        let here = Token { lo: name.lo, len: name.len, ..item.token };
        if is_call && item.token.kind == TokenKind::Hash {
            let param = body.get(1).and_then(|n| n.param);
            let index = usize::from(param.expect("checked when the macro was defined"));
            let symbol = self.stringify(args.get(index));
            let text = Token { kind: TokenKind::Str, symbol, ..here };
            return (vec![text], 2);
        }
        let Some(param) = item.param else {
            return (vec![here], 1);
        };
        let mut raw = args.get(usize::from(param)).to_vec();
        if raw.is_empty() {
            let kind = TokenKind::Placemarker;
            raw.push(Token { kind, ..here });
        }
        copy_whitespace_flags(&mut raw, item.token);
        (raw, 1)
    }

    /// Pastes `out ## rhs`. `, ## __VA_ARGS__` drops the comma if there are no variable arguments (GNU).
    fn paste_onto(&mut self, out: &mut Vec<Token>, rhs: Vec<Token>, comma_rule: bool) {
        let mut rhs = rhs.into_iter();
        let (Some(left), Some(right)) = (out.pop(), rhs.next()) else {
            return;
        };
        if comma_rule && left.kind == TokenKind::Comma {
            if right.kind != TokenKind::Placemarker {
                out.push(left);
                out.push(right);
            }
        } else if right.kind == TokenKind::Placemarker {
            out.push(left);
        } else if left.kind == TokenKind::Placemarker {
            out.push(right);
        } else {
            self.paste(out, left, right);
        }
        out.extend(rhs);
    }

    fn paste(&mut self, out: &mut Vec<Token>, left: Token, right: Token) {
        let text = format!("{}{}", self.spelling(left), self.spelling(right));
        let hide = self.hide_sets.intersection(left.hide, right.hide);
        match self.lex_one(left.kind, &text) {
            Some(kind) => {
                let symbol = self.names.intern(&text);
                out.push(Token { kind, symbol, hide, ..left });
            }
            None => {
                let message = format!("pasting makes '{text}', which is not a token");
                self.diags.error(left.span(), message);
                out.push(left);
                out.push(right);
            }
        }
    }

    /// Returns the kind of `text` if it is exactly one token.
    fn lex_one(&mut self, left: TokenKind, text: &str) -> Option<TokenKind> {
        if left == TokenKind::Ident && text.bytes().all(is_identifier_byte) {
            return Some(TokenKind::Ident);
        }
        if text.starts_with("//") || text.starts_with("/*") {
            return None;
        }
        let mut quiet = Diagnostics::default();
        let mut lexer = Lexer::new(Text::Shared(text.into()), 0);
        let first = lexer.next(self.names, &mut quiet);
        let second = lexer.next(self.names, &mut quiet);
        let is_one_token = second.kind == TokenKind::Eof && quiet.error_count() == 0;
        (is_one_token && first.kind != TokenKind::Unknown).then_some(first.kind)
    }

    /// Stringizes an argument (`# argument`): its spelling with single blanks, in quotes.
    fn stringify(&mut self, arg: &[Token]) -> crate::names::Symbol {
        let mut text = String::from("\"");
        for (i, token) in arg.iter().enumerate() {
            if i > 0 && token.after_space() {
                text.push(' ');
            }
            let spelling = self.names.text(token.symbol);
            if matches!(token.kind, TokenKind::Str | TokenKind::Char) {
                text.extend(spelling.chars().flat_map(escaped));
            } else {
                text.push_str(spelling);
            }
        }
        text.push('"');
        self.names.intern(&text)
    }

    /// Expands `tokens` as if they were the rest of the file.
    pub(super) fn expand_list(&mut self, mut tokens: Vec<Token>) -> Vec<Token> {
        let may_expand = |pp: &mut Self, t: &Token| {
            t.kind == TokenKind::Ident
                && (pp.find_macro(t.symbol).is_some()
                    || t.symbol == pp.special_names.pragma
                    || pp.in_condition && t.symbol == pp.special_names.defined)
        };
        if !tokens.iter().any(|t| may_expand(self, t)) {
            return tokens;
        }
        if self.nesting >= MAX_ARGUMENT_NESTING {
            let at = tokens[0];
            self.abort(at, "macro calls are nested too deeply");
            return Vec::new();
        }
        self.nesting += 1;
        tokens.reverse();
        let saved = std::mem::replace(&mut self.pending, tokens);
        let was_only_pending = std::mem::replace(&mut self.only_pending, true);
        let mut out = Vec::new();
        loop {
            let token = self.fetch();
            match token.kind {
                TokenKind::Eof => break,
                TokenKind::Ident if self.in_condition && token.symbol == self.special_names.defined => {
                    let value = self.evaluate_defined(token);
                    out.push(value);
                }
                TokenKind::Ident if self.expand(token) => {}
                _ => out.push(token),
            }
        }
        self.only_pending = was_only_pending;
        self.nesting -= 1;
        self.pending = if self.expanded_tokens == usize::MAX { Vec::new() } else { saved };
        out
    }

    /// Executes `_Pragma("text")`.
    fn pragma_operator(&mut self, token: Token) -> bool {
        let open = self.fetch();
        let text = self.fetch();
        let close = self.fetch();
        let kinds = (open.kind, text.kind, close.kind);
        if kinds != (TokenKind::LParen, TokenKind::Str, TokenKind::RParen) {
            let message = "_Pragma takes one string literal in parentheses";
            self.diags.error(token.span(), message);
            for unread in [close, text, open] {
                self.pending.push(unread);
            }
            return true;
        }
        let spelling = self.spelling(text);
        let inner = spelling[1..spelling.len() - 1].replace("\\\"", "\"").replace("\\\\", "\\");
        let mut lexer = Lexer::new(Text::Shared(inner.into()), 0);
        let mut line = Vec::new();
        loop {
            let mut part = lexer.next(self.names, self.diags);
            if part.kind == TokenKind::Eof {
                break;
            }
            (part.lo, part.len) = (token.lo, token.len);
            line.push(part);
        }
        self.pragma(token, &line);
        true
    }
}

/// Gives the first of `tokens` the preceding white space of `like`.
fn copy_whitespace_flags(tokens: &mut [Token], like: Token) {
    if let Some(first) = tokens.first_mut() {
        let whitespace = AT_LINE_START | AFTER_SPACE;
        first.flags = first.flags & !whitespace | like.flags & whitespace;
    }
    for token in tokens.iter_mut().skip(1) {
        if token.at_line_start() {
            token.flags = token.flags & !AT_LINE_START | AFTER_SPACE;
        }
    }
}

fn escaped(c: char) -> impl Iterator<Item = char> {
    let backslash = matches!(c, '"' | '\\').then_some('\\');
    backslash.into_iter().chain([c])
}

/// Returns `text` as a string literal.
pub(super) fn quote(text: &str) -> String {
    let inner: String = text.chars().flat_map(escaped).collect();
    format!("\"{inner}\"")
}
