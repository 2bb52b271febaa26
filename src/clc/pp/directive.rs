//! Directives except `#include` (C99 s6.10, s6.10.4 to s6.10.8; OpenCL C s6.11).

use super::{Condition, Preprocessor, Token, TokenKind};
use crate::sema::suggestion;
use crate::token::{CONTRACT_OFF, CONTRACT_ON, PACKED, UNROLL};
use grus_support::diag::Span;

/// Names of directives, for spelling suggestions.
const DIRECTIVES: &[&str] = &[
    "define", "undef", "include", "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif",
    "error", "warning", "line", "pragma",
];

impl Preprocessor<'_> {
    fn next_in_line(&mut self) -> Option<Token> {
        let file = self.files.last_mut()?;
        file.lexer.next_in_line(self.names, self.diags)
    }

    /// Executes the directive that follows a `#` at the start of a line.
    pub(super) fn directive(&mut self, hash: Token) {
        let Some(name) = self.next_in_line() else {
            return;
        };
        match (name.kind, self.names.text(name.symbol)) {
            (TokenKind::Number, _) => self.line_marker(name),
            (_, "define") => self.define(hash),
            (_, "undef") => self.undef(name),
            (_, "include") => self.include(name),
            (_, "if") => {
                let taken = self.condition(name);
                self.open_condition(name, taken);
            }
            (_, "ifdef") => self.ifdef(name, true),
            (_, "ifndef") => self.ifdef(name, false),
            (_, "elif" | "elifdef" | "elifndef" | "else" | "endif") => self.next_branch(name),
            (_, "error") => self.user_message(name, true),
            (_, "warning") => self.user_message(name, false),
            (_, "line") => self.line(name),
            (_, "pragma") => {
                let line = self.line_tokens();
                self.pragma(name, &line);
            }
            (_, "ident" | "sccs") => {
                self.line_tokens();
            }
            (_, text) => {
                let hint = suggestion(text, DIRECTIVES.iter().copied());
                let message = format!("unknown preprocessing directive '#{text}'{hint}");
                self.diags.error(name.span(), message);
                self.line_tokens();
            }
        }
    }

    fn undef(&mut self, directive: Token) {
        if let Some(name) = self.macro_name(directive) {
            self.macros.set(name.symbol, None);
            self.end_of_line(directive);
        }
    }

    fn macro_name(&mut self, directive: Token) -> Option<Token> {
        let name = self.next_in_line();
        match name {
            Some(token) if token.kind == TokenKind::Ident => Some(token),
            _ => {
                let span = name.unwrap_or(directive).span();
                self.diags.error(span, "macro name missing");
                self.line_tokens();
                None
            }
        }
    }

    fn end_of_line(&mut self, directive: Token) {
        if let Some(extra) = self.line_tokens().first() {
            let text = self.names.text(directive.symbol);
            let message = format!("extra tokens after '#{text}'");
            self.diags.warning(extra.span(), message);
        }
    }

    fn ifdef(&mut self, directive: Token, expected: bool) {
        let taken = self.is_condition_met(directive, expected);
        self.open_condition(directive, taken);
    }

    /// Checks whether the name after `#ifdef`, `#ifndef`, `#elifdef` or `#elifndef` fulfils the condition: it is a
    /// macro if `wanted` is true, and is none otherwise.
    fn is_condition_met(&mut self, directive: Token, expected: bool) -> bool {
        let Some(name) = self.macro_name(directive) else {
            return false;
        };
        let defined = self.find_macro(name.symbol).is_some();
        self.end_of_line(directive);
        defined == expected
    }

    fn open_condition(&mut self, directive: Token, taken: bool) {
        if let Some(file) = self.files.last_mut() {
            file.conditions.push(Condition { span: directive.span(), taken, seen_else: false });
        }
        if !taken {
            self.skip_group();
        }
    }

    /// Handles `#elif`, `#else` or `#endif` after a branch that was taken.
    fn next_branch(&mut self, directive: Token) {
        let text = self.names.text(directive.symbol).to_owned();
        let open = self.files.last_mut().and_then(|f| f.conditions.last_mut());
        let Some(open) = open else {
            let message = format!("'#{text}' without '#if'");
            self.diags.error(directive.span(), message);
            self.line_tokens();
            return;
        };
        if text == "endif" {
            self.files.last_mut().expect("it has a condition").conditions.pop();
            self.end_of_line(directive);
            return;
        }
        if open.seen_else {
            let message = format!("'#{text}' after '#else'");
            self.diags.error(directive.span(), message);
        }
        open.seen_else |= text == "else";
        self.line_tokens();
        self.skip_group();
    }

    /// Skips to the next branch that is taken, or past `#endif`.
    fn skip_group(&mut self) {
        let mut depth = 0;
        loop {
            let Some(file) = self.files.last_mut() else {
                return;
            };
            if !file.lexer.skip_to_directive(self.diags) {
                return;
            }
            let Some(name) = self.next_in_line() else {
                continue;
            };
            let text = self.names.text(name.symbol).to_owned();
            match text.as_str() {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth > 0 => depth -= 1,
                "endif" => {
                    let file = self.files.last_mut().expect("it was there above");
                    file.conditions.pop();
                    self.end_of_line(name);
                    return;
                }
                "else" | "elif" | "elifdef" | "elifndef" if depth == 0 && self.branch_taken(name) => return,
                _ => {}
            }
            self.skip_line();
        }
    }

    fn skip_line(&mut self) {
        // Skipped text may contain unterminated strings and characters, so it is not split into tokens.
        if let Some(file) = self.files.last_mut() {
            file.lexer.skip_line_text();
        }
    }

    /// Checks whether the branch of this `#else` or `#elif` is taken.
    fn branch_taken(&mut self, directive: Token) -> bool {
        let text = self.names.text(directive.symbol).to_owned();
        let is_else = text == "else";
        let open = self.files.last_mut().and_then(|f| f.conditions.last_mut());
        let Some(open) = open else { return true };
        if open.seen_else {
            self.diags.error(directive.span(), format!("'#{text}' after '#else'"));
        }
        open.seen_else |= is_else;
        if open.taken {
            return false;
        }
        let taken = match text.as_str() {
            "else" => true,
            "elif" => self.condition(directive),
            other => self.is_condition_met(directive, other == "elifdef"),
        };
        let open = self.files.last_mut().and_then(|f| f.conditions.last_mut());
        if let Some(open) = open {
            open.taken = taken;
        }
        if is_else {
            self.end_of_line(directive);
        }
        taken
    }

    fn user_message(&mut self, directive: Token, is_error: bool) {
        let Some(file) = self.files.last_mut() else {
            return;
        };
        let text = file.lexer.rest_of_line();
        if is_error {
            self.diags.error(directive.span(), format!("#error {text}"));
        } else {
            self.diags.warning(directive.span(), format!("#warning {text}"));
        }
    }

    /// Executes `#line number "file"` after macro expansion.
    fn line(&mut self, directive: Token) {
        let line = self.line_tokens();
        let line = self.expand_list(line);
        self.set_line(directive, &line);
    }

    /// Executes a line marker `# number "file" flags`, as emitted by other preprocessors.
    fn line_marker(&mut self, number: Token) {
        let mut line = vec![number];
        line.extend(self.line_tokens());
        self.set_line(number, &line);
    }

    fn set_line(&mut self, directive: Token, line: &[Token]) {
        let number = line.first().filter(|t| t.kind == TokenKind::Number);
        let number = number.and_then(|t| self.names.text(t.symbol).parse::<u32>().ok());
        let Some(number) = number else {
            let message = "'#line' needs a positive number";
            self.diags.error(directive.span(), message);
            return;
        };
        let file = match line.get(1) {
            None => None,
            Some(t) if t.kind == TokenKind::Str => {
                let text = self.names.text(t.symbol);
                Some(text[1..text.len() - 1].replace("\\\\", "\\"))
            }
            Some(t) => {
                let message = "the file name of '#line' must be a string";
                self.diags.error(t.span(), message);
                return;
            }
        };
        if let Some(current) = self.files.last_mut() {
            let next = current.lexer.next_line();
            self.map.renumber(next, number, file);
        }
    }

    /// Executes `#pragma` and `_Pragma`. Unknown pragmas are ignored.
    pub(super) fn pragma(&mut self, directive: Token, line: &[Token]) {
        let texts: Vec<&str> = line.iter().map(|t| self.names.text(t.symbol)).collect();
        let span = line.first().map_or(directive.span(), |t| t.span());
        match texts.as_slice() {
            ["once"] => {
                let identity = self.files.last().and_then(|f| f.identity.clone());
                self.once_files.extend(identity);
            }
            ["OPENCL", "EXTENSION", rest @ ..] => {
                let rest: Vec<String> = rest.iter().map(|t| (*t).to_owned()).collect();
                self.extension(span, &rest);
            }
            ["OPENCL" | "STDC", "FP_CONTRACT", "ON" | "DEFAULT"] => self.fp_contract(CONTRACT_ON),
            ["OPENCL" | "STDC", "FP_CONTRACT", "OFF"] => self.fp_contract(CONTRACT_OFF),
            ["clang", "fp", "contract", "(", "fast" | "on", ")"] => self.fp_contract(CONTRACT_ON),
            ["clang", "fp", "contract", "(", "off", ")"] => self.fp_contract(CONTRACT_OFF),
            ["pack", rest @ ..] => {
                let rest: Vec<String> = rest.iter().map(|t| (*t).to_owned()).collect();
                self.pack(span, &rest);
            }
            ["nounroll"] => self.unroll(1),
            ["unroll", rest @ ..] => {
                // An argument other than a plain number requests full unrolling.
                let number = rest.iter().find_map(|text| text.parse().ok());
                self.unroll(number.unwrap_or(0));
            }
            ["OPENCL", "FP_CONTRACT", ..] => {
                let message = "FP_CONTRACT takes ON, OFF or DEFAULT";
                self.diags.warning(span, message);
            }
            _ => {}
        }
    }

    /// Sets the FP_CONTRACT flags of the next token. The last pragma before a token applies.
    fn fp_contract(&mut self, flag: u8) {
        self.next_flags = self.next_flags & !(CONTRACT_ON | CONTRACT_OFF) | flag;
    }

    /// Sets the unroll count of the loop that begins with the next token.
    fn unroll(&mut self, count: u32) {
        self.next_flags |= UNROLL;
        self.unroll_count = count;
    }

    /// Executes `#pragma pack(n)`, `pack()`, `pack(push)`, `pack(push, n)` and `pack(pop)`.
    fn pack(&mut self, span: Span, rest: &[String]) {
        let words: Vec<&str> = rest.iter().map(String::as_str).collect();
        let ["(", inside @ .., ")"] = words.as_slice() else {
            self.diags.warning(span, "expected '(' and ')' around what '#pragma pack' takes");
            return;
        };
        let (pushes, number) = match *inside {
            [] => (false, Some("0")),
            ["pop"] => {
                match self.pack_stack.pop() {
                    Some(align) => self.pack_align = align,
                    None => {
                        self.diags.warning(span, "'#pragma pack(pop)' without a push");
                    }
                }
                self.next_flags |= PACKED;
                return;
            }
            ["push"] => (true, None),
            ["push", ",", number] => (true, Some(number)),
            [number] => (false, Some(number)),
            _ => (false, Some("?")),
        };
        let align = match number {
            None => self.pack_align,
            Some("0" | "1" | "2" | "4" | "8" | "16") => number.and_then(|n| n.parse().ok()).unwrap_or(0),
            Some(_) => {
                self.diags.warning(span, "'#pragma pack' takes 1, 2, 4, 8 or 16, perhaps behind 'push'");
                return;
            }
        };
        if pushes {
            self.pack_stack.push(self.pack_align);
        }
        self.pack_align = align;
        self.next_flags |= PACKED;
    }

    /// Executes `#pragma OPENCL EXTENSION name : behavior` (extension specification s2.1).
    fn extension(&mut self, span: Span, rest: &[String]) {
        let [name, colon, behavior] = rest else {
            let message = "expected 'EXTENSION name : enable' or ': disable'";
            self.diags.warning(span, message);
            return;
        };
        if colon != ":" || !matches!(behavior.as_str(), "enable" | "disable") {
            let message = "expected 'EXTENSION name : enable' or ': disable'";
            self.diags.warning(span, message);
            return;
        }
        if name == "all" {
            if behavior == "enable" {
                self.diags.error(span, "extension 'all' can only be disabled");
            }
            return;
        }
        if !self.target.has_extension(name) {
            // At a larger edit distance the name is another extension: fp16 is not a misspelt fp64.
            let near = |e: &&str| name.len() <= 64 && strsim::osa_distance(e, name) == 1;
            let hint = suggestion(name, self.target.extensions.iter().map(String::as_str).filter(near));
            let message = format!("extension '{name}' is not supported{hint}");
            self.diags.warning(span, message);
        }
    }
}
