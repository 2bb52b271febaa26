//! Generator of the index of the builtin library. The script reads every file of `kernels/`, finds the
//! declarations, parses their signatures, and writes the tables that `library/index.rs` includes.
//! docs/builtins.md describes the syntax. A mistake in a library file stops the build with its file and line.

#[path = "library/generic_types.rs"]
mod generic_types;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=../../kernels");
    println!("cargo::rerun-if-changed=library/generic_types.rs");
    println!("cargo::rerun-if-changed=build.rs");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let root = root.join("../..").canonicalize().expect("the root of the workspace");
    let mut paths = Vec::new();
    every_file(&root.join("kernels"), &mut paths);
    paths.retain(|path| path.extension().is_some_and(|e| e == "cl" || e == "h"));
    paths.sort();
    let mut index = Index::default();
    for path in &paths {
        let text = fs::read_to_string(path).expect("a readable library file");
        let name = path.strip_prefix(&root).expect("below the root");
        let name = name.to_str().expect("ASCII names").replace('\\', "/");
        index.files.push((name.clone(), path.clone()));
        let file = (index.files.len() - 1) as u16;
        let mut scanner = Scanner::new(&name, &text);
        if name.ends_with(".h") {
            read_macros(&mut scanner, file, &mut index);
        } else {
            read_declarations(&mut scanner, file, &mut index);
        }
    }
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("library.rs"), index.print()).expect("a writable OUT_DIR");
}

fn every_file(dir: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { every_file(&path, paths) } else { paths.push(path) }
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Kind {
    Name,
    Number,
    Text,
    Mark,
    End,
}

/// Token: kind, spelling, byte range.
#[derive(Clone, Copy, Debug)]
struct Token<'t> {
    kind: Kind,
    text: &'t str,
    lo: usize,
    hi: usize,
}

/// Scanner that knows just enough of C to find declarations.
struct Scanner<'t> {
    file: &'t str,
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    fn new(file: &'t str, text: &'t str) -> Self {
        Self { file, text, at: 0 }
    }

    fn fail(&self, at: usize, message: &str) -> ! {
        let line = 1 + self.text[..at].matches('\n').count();
        panic!("{}:{line}: {message}", self.file);
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let end = rest.find("*/").map(|n| n + 2);
                self.at += end.unwrap_or_else(|| self.fail(self.at, "unterminated comment"));
            } else if rest.starts_with(|c: char| c.is_ascii_whitespace()) {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    fn peek(&mut self) -> Token<'t> {
        let before = self.at;
        let token = self.next();
        self.at = before;
        token
    }

    fn next(&mut self) -> Token<'t> {
        self.skip_blanks();
        let lo = self.at;
        let rest = &self.text[lo..];
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (kind, len) = match rest.chars().next() {
            None => (Kind::End, 0),
            Some(c) if c.is_ascii_digit() => {
                let more = |c: char| !is_name(c) && c != '.';
                (Kind::Number, rest.find(more).unwrap_or(rest.len()))
            }
            Some(c) if is_name(c) => (Kind::Name, rest.find(|c| !is_name(c)).unwrap_or(rest.len())),
            Some(q @ ('"' | '\'')) => {
                let end = rest[1..].find(q).map(|n| n + 2);
                let end = end.unwrap_or_else(|| self.fail(lo, "unterminated literal"));
                (Kind::Text, end)
            }
            Some('#') if rest.starts_with("##") => (Kind::Mark, 2),
            Some('.') if rest.starts_with("...") => (Kind::Mark, 3),
            Some(c) => (Kind::Mark, c.len_utf8()),
        };
        self.at += len;
        Token { kind, text: &rest[..len], lo, hi: self.at }
    }

    fn expect(&mut self, text: &str) -> Token<'t> {
        let token = self.next();
        if token.text != text {
            self.fail(token.lo, &format!("expected '{text}', found '{}'", token.text));
        }
        token
    }

    /// Skips from an opening bracket to behind the matching closing one.
    fn skip_balanced(&mut self) -> usize {
        let mut depth = 0;
        loop {
            let token = self.next();
            match token.text {
                "(" | "{" | "[" if token.kind == Kind::Mark => depth += 1,
                ")" | "}" | "]" if token.kind == Kind::Mark => depth -= 1,
                _ if token.kind == Kind::End => self.fail(token.lo, "unbalanced brackets"),
                _ => {}
            }
            if depth == 0 {
                return token.hi;
            }
        }
    }
}

#[derive(Default)]
struct Index {
    files: Vec<(String, PathBuf)>,
    macros: BTreeMap<String, String>,
    functions: Vec<String>,
    texts: Vec<String>,
    /// Functions (by index) or a text (by index) of each name.
    names: BTreeMap<String, Entry>,
    /// Indices of functions with a type in their name.
    typed_names: Vec<usize>,
}

enum Entry {
    Functions(Vec<usize>),
    Type(usize),
    Text(usize),
}

impl Index {
    fn print(&self) -> String {
        let mut out = String::from("// Made by build.rs from kernels/.\n");
        out.push_str("#[allow(unused_imports, reason = \"depends on what the library uses\")]\n");
        out.push_str("use super::generic_types::{Elem, Lanes};\n");
        let files = self.files.iter().map(|(name, path)| {
            let path = path.to_str().expect("a path that is text");
            format!("LibraryFile {{ name: {name:?}, text: include_str!({path:?}) }}")
        });
        table(&mut out, "FILES", "LibraryFile", files);
        table(&mut out, "MACROS", "LibraryMacro", self.macros.values().cloned());
        table(&mut out, "FUNCTIONS", "FunctionDecl", self.functions.iter().cloned());
        table(&mut out, "TEXTS", "TextDecl", self.texts.iter().cloned());
        let names = self.names.iter().map(|(name, entry)| match entry {
            Entry::Functions(list) => format!("({name:?}, NameEntry::Functions(&{list:?}))"),
            Entry::Type(index) => format!("({name:?}, NameEntry::Type({index}))"),
            Entry::Text(index) => format!("({name:?}, NameEntry::Text({index}))"),
        });
        table(&mut out, "NAMES", "(&str, NameEntry)", names);
        let typed_names = self.typed_names.iter().map(|i| i.to_string());
        table(&mut out, "TYPED_NAMES", "u16", typed_names);
        out
    }
}

fn table(out: &mut String, name: &str, ty: &str, rows: impl Iterator<Item = String>) {
    let _ = writeln!(out, "/// See the build script.\npub static {name}: &[{ty}] = &[");
    for row in rows {
        let _ = writeln!(out, "    {row},");
    }
    out.push_str("];\n");
}

fn needs_text(since: u16, extension: &str) -> String {
    format!("Requirements {{ since: {since}, extension: {extension:?} }}")
}

/// Reads a header: `#define` lines, possibly inside `#if __OPENCL_C_VERSION__ >= n` or `#ifdef extension`.
fn read_macros(scanner: &mut Scanner, file: u16, index: &mut Index) {
    let (mut since, mut extension) = (Vec::new(), Vec::new());
    let mut open = Vec::new();
    let text = scanner.text;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let mut end = start + line.trim_end().len();
        if line.trim_end().ends_with('\\') {
            scanner.fail(start, "continued lines are not supported here");
        }
        if let Some(comment) = line.find("//") {
            end = start + line[..comment].trim_end().len();
        }
        let words: Vec<&str> = line[..end - start].split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            ["#define", ..] => {
                let skip = line.find("#define").expect("first word") + 7;
                let skip = skip + line[skip..].len() - line[skip..].trim_start().len();
                let lo = start + skip;
                let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let name: String = text[lo..].chars().take_while(|c| is_name(*c)).collect();
                let needs = needs_text(since.last().copied().unwrap_or(0), &extension.join("+"));
                let entry = format!(
                    "LibraryMacro {{ name: {name:?}, requires: {needs}, range: {} }}",
                    range_text(file, lo, end)
                );
                if index.macros.insert(name, entry).is_some() {
                    scanner.fail(start, "a macro is defined twice");
                }
            }
            ["#if", "__OPENCL_C_VERSION__", ">=", number] => {
                since.push(number.parse::<u16>().expect("a version"));
                open.push(true);
            }
            ["#ifdef", name] => {
                extension.push(*name);
                open.push(false);
            }
            ["#endif"] => match open.pop() {
                Some(true) => drop(since.pop()),
                Some(false) => drop(extension.pop()),
                None => scanner.fail(start, "#endif without #if"),
            },
            _ => scanner.fail(start, "not understood in a library header"),
        }
    }
}

fn range_text(file: u16, lo: usize, hi: usize) -> String {
    format!("FileRange {{ file: {file}, lo: {lo}, hi: {hi} }}")
}

/// Annotations in front of a declaration.
struct Annotations {
    since: u16,
    extension: String,
    kind: Option<String>,
    is_outlined: bool,
    is_deferred: bool,
    is_end: bool,
    varies: bool,
    gathers: bool,
    takes_long: bool,
    elems: u16,
    lanes: u8,
}

fn read_declarations(scanner: &mut Scanner, file: u16, index: &mut Index) {
    while scanner.peek().kind != Kind::End {
        let annotations = read_annotations(scanner);
        let first = scanner.peek();
        let is_text = matches!(first.text, "typedef" | "enum" | "struct" | "union" | "constant");
        if is_text && !is_function_ahead(scanner) {
            read_text(scanner, file, &annotations, index);
        } else {
            read_function(scanner, file, annotations, index);
        }
    }
}

fn read_annotations(scanner: &mut Scanner) -> Annotations {
    let mut annotations = Annotations {
        since: 0,
        extension: String::new(),
        kind: None,
        is_outlined: false,
        is_deferred: false,
        is_end: false,
        varies: false,
        gathers: false,
        takes_long: false,
        elems: generic_types::ALL_SCALARS,
        lanes: generic_types::ANY_LANES,
    };
    loop {
        let token = scanner.peek();
        match token.text {
            "__each" => {
                scanner.next();
                annotations.kind = Some("BodyKind::Each".into());
            }
            "__outlined" => {
                scanner.next();
                annotations.is_outlined = true;
            }
            "__deferred" => {
                scanner.next();
                annotations.is_deferred = true;
            }
            "__end" => {
                scanner.next();
                annotations.is_end = true;
            }
            "__varies" => {
                scanner.next();
                annotations.varies = true;
            }
            "__gathers" => {
                scanner.next();
                annotations.gathers = true;
            }
            "__wide" => {
                scanner.next();
                annotations.takes_long = true;
            }
            "__bitcast" => {
                scanner.next();
                annotations.kind = Some("BodyKind::Bitcast".into());
            }
            "__op" | "__since" | "__ext" | "__elems" | "__lanes" => {
                scanner.next();
                scanner.expect("(");
                read_annotation(scanner, token.text, &mut annotations);
                scanner.expect(")");
            }
            _ => return annotations,
        }
    }
}

fn read_annotation(scanner: &mut Scanner, annotation: &str, annotations: &mut Annotations) {
    if matches!(annotation, "__elems" | "__lanes") {
        return read_sets(scanner, annotation, annotations);
    }
    let value = scanner.next();
    if annotation == "__ext" {
        // If the declaration needs several extensions, their names are kept in one string, joined by '+'.
        if !annotations.extension.is_empty() {
            scanner.fail(value.lo, "one __ext names all that is needed");
        }
        annotations.extension = value.text.to_owned();
        while scanner.peek().text == "," {
            scanner.next();
            annotations.extension += "+";
            annotations.extension += scanner.next().text;
        }
        return;
    }
    match annotation {
        "__op" => {
            // Further words after the name are kept with it, since the textual IR has them.
            let mut text = value.text.to_owned();
            while scanner.peek().text == "," {
                scanner.next();
                text += " ";
                text += scanner.next().text;
            }
            annotations.kind = Some(format!("BodyKind::Op({text:?})"));
        }
        _ => annotations.since = value.text.parse().expect("a version"),
    }
}

fn read_sets(scanner: &mut Scanner, annotation: &str, annotations: &mut Annotations) {
    let (mut elems, mut lanes) = (0u16, 0u8);
    loop {
        let value = scanner.next();
        if annotation == "__elems" {
            let scalar = generic_types::scalar(value.text);
            elems |= 1 << scalar.unwrap_or_else(|| scanner.fail(value.lo, "no scalar type"));
        } else {
            let number = value.text.parse::<u8>().ok();
            let bit = generic_types::LANES.iter().position(|n| Some(*n) == number);
            lanes |= 1 << bit.unwrap_or_else(|| scanner.fail(value.lo, "no number of lanes"));
        }
        if scanner.peek().text != "," {
            break;
        }
        scanner.next();
    }
    if annotation == "__elems" {
        annotations.elems = elems;
    } else {
        annotations.lanes = lanes;
    }
}

/// Checks whether the next `(` precedes the next `=`, `{` and `;`.
fn is_function_ahead(scanner: &mut Scanner) -> bool {
    let before = scanner.at;
    let found = loop {
        let token = scanner.next();
        match token.text {
            "(" => break true,
            "=" | "{" | ";" => break false,
            _ if token.kind == Kind::End => break false,
            _ => {}
        }
    };
    scanner.at = before;
    found
}

/// Reads a type, enumeration or table. Every name that it declares refers to the whole text.
fn read_text(scanner: &mut Scanner, file: u16, annotations: &Annotations, index: &mut Index) {
    let start = scanner.peek().lo;
    let mut names = Vec::new();
    let mut last_name = None;
    let is_enum = matches!(scanner.peek().text, "typedef" | "enum");
    let end = loop {
        let token = scanner.peek();
        match token.text {
            "{" => {
                let lo = token.hi;
                let hi = scanner.skip_balanced();
                if is_enum {
                    let body = &scanner.text[lo..hi - 1];
                    let part = |p: &str| p.split('=').next().unwrap_or("").trim().to_owned();
                    names.extend(body.split(',').map(part).filter(|n| !n.is_empty()));
                }
            }
            "[" | "=" => {
                names.extend(last_name.take());
                if token.text == "[" {
                    scanner.skip_balanced();
                } else {
                    scanner.next();
                }
            }
            ";" => {
                names.extend(last_name.take());
                break scanner.next().hi;
            }
            _ if token.kind == Kind::End => scanner.fail(token.lo, "expected ';'"),
            _ => {
                scanner.next();
                if token.kind == Kind::Name {
                    last_name = Some(token.text.to_owned());
                }
            }
        }
    };
    let needs = needs_text(annotations.since, &annotations.extension);
    let range = range_text(file, start, end);
    index.texts.push(format!("TextDecl {{ requires: {needs}, range: {range} }}"));
    let is_typedef = scanner.text[start..].starts_with("typedef");
    for (i, name) in names.iter().enumerate() {
        let text = index.texts.len() - 1;
        // The name of a type is the last one, behind the constants of an enumeration.
        let entry = if is_typedef && i + 1 == names.len() { Entry::Type(text) } else { Entry::Text(text) };
        if index.names.insert(name.clone(), entry).is_some() {
            scanner.fail(start, &format!("'{name}' is declared twice"));
        }
    }
}

/// Parsed type of a signature.
struct Pattern {
    text: String,
    elems: u16,
    dst_elems: u16,
    lanes: u8,
}

fn read_function(scanner: &mut Scanner, file: u16, annotations: Annotations, index: &mut Index) {
    let ret = read_pattern(scanner);
    let name = scanner.next();
    let (mut elems, mut lanes) = (annotations.elems & ret.elems, annotations.lanes & ret.lanes);
    let mut dst_elems = ret.dst_elems;
    let mut suffix = "None".to_owned();
    if scanner.peek().text == "##" {
        scanner.next();
        let word = scanner.next();
        if generic_types::generic_type(word.text).is_none_or(|m| m.ty.elem != generic_types::Elem::Dst) {
            scanner.fail(word.lo, "the type in a name must be a 'dst' word");
        }
        let mut end = "";
        if scanner.peek().text == "##" {
            scanner.next();
            end = scanner.next().text;
        }
        suffix = format!("Some({end:?})");
    }
    scanner.expect("(");
    let mut params = Vec::new();
    let mut variadic = false;
    while scanner.peek().text != ")" {
        if scanner.peek().text == "..." {
            scanner.next();
            variadic = true;
            break;
        }
        let pattern = read_pattern(scanner);
        if pattern.text == VOID && scanner.peek().text == ")" {
            break;
        }
        elems &= pattern.elems;
        lanes &= pattern.lanes;
        dst_elems &= pattern.dst_elems;
        let mut param = "";
        if scanner.peek().kind == Kind::Name {
            param = scanner.next().text;
        }
        params.push(format!("LibraryParam {{ name: {param:?}, pattern: {} }}", pattern.text));
        if scanner.peek().text == "," {
            scanner.next();
        }
    }
    scanner.expect(")");
    let kind = annotations.kind.clone().unwrap_or("BodyKind::Plain".into());
    let is_prototype = kind.starts_with("BodyKind::Op")
        || matches!(kind.as_str(), "BodyKind::Bitcast" | "BodyKind::Declared");
    let (lo, hi) = if is_prototype {
        scanner.expect(";");
        (name.lo, name.hi)
    } else {
        let open = scanner.peek();
        if open.text != "{" {
            scanner.fail(open.lo, "a body is missing");
        }
        (open.lo, scanner.skip_balanced())
    };
    let number = index.functions.len();
    index.functions.push(format!(
        "FunctionDecl {{ name: {:?}, suffix: {suffix}, requires: {}, ret: {}, params: &[{}], \
         variadic: {variadic}, kind: {kind}, is_outlined: {}, is_deferred: {}, is_noreturn: {}, is_divergent: {}, is_convergent: {}, takes_long: {}, \
         elems: {elems:#x}, dst_elems: {dst_elems:#x}, lanes: {lanes:#x}, range: {}, name_range: {} }}",
        name.text,
        needs_text(annotations.since, &annotations.extension),
        ret.text,
        params.join(", "),
        annotations.is_outlined,
        annotations.is_deferred,
        annotations.is_end,
        annotations.varies,
        annotations.gathers,
        annotations.takes_long,
        range_text(file, lo, hi),
        range_text(file, name.lo, name.hi),
    ));
    if suffix != "None" {
        index.typed_names.push(number);
        return;
    }
    let entry = index.names.entry(name.text.to_owned()).or_insert_with(|| Entry::Functions(Vec::new()));
    match entry {
        Entry::Functions(list) => list.push(number),
        Entry::Type(_) | Entry::Text(_) => scanner.fail(name.lo, "declared as something else too"),
    }
}

const VOID: &str = "TypePattern { ty: super::generic_types::SignatureType { elem: Elem::Void, lanes: Lanes::Fixed(1) }, \
                    pointer: None, access: AccessPattern::Any }";

/// Returns the name of the access that a qualifier of a signature requires.
fn needed(word: &str) -> &'static str {
    match word {
        "read_only" => "ReadOnly",
        "write_only" => "WriteOnly",
        "read_write" => "ReadWrite",
        "__reads" => "Reads",
        _ => "Writes",
    }
}

/// qualifiers word ("*" qualifiers)?
fn read_pattern(scanner: &mut Scanner) -> Pattern {
    let (mut is_const, mut is_volatile) = (false, false);
    let mut space = None;
    let mut access = "Any";
    let mut found = None;
    loop {
        let token = scanner.peek();
        let named = match token.text {
            "read_only" | "write_only" | "read_write" | "__reads" | "__writes" => {
                access = needed(token.text);
                None
            }
            "const" => {
                is_const = true;
                None
            }
            "volatile" => {
                is_volatile = true;
                None
            }
            "restrict" => None,
            "global" => Some("SpacePattern::Only(Space::Global)"),
            "local" => Some("SpacePattern::Only(Space::Local)"),
            "constant" => Some("SpacePattern::Only(Space::Constant)"),
            "private" => Some("SpacePattern::Only(Space::Private)"),
            "__generic" => Some("SpacePattern::Only(Space::Generic)"),
            "__any" => Some("SpacePattern::Any"),
            "__readable" => Some("SpacePattern::Readable"),
            "__shared" => Some("SpacePattern::Shared"),
            _ if found.is_none() => {
                found = generic_types::signature_type(token.text);
                if found.is_none() {
                    scanner.fail(token.lo, &format!("'{}' is no type here", token.text));
                }
                None
            }
            _ => break,
        };
        space = named.or(space);
        scanner.next();
    }
    let found = found.expect("the loop ends only then");
    let mut pointer = "None".to_owned();
    if scanner.peek().text == "*" {
        let star = scanner.next();
        let space = space.unwrap_or_else(|| scanner.fail(star.lo, "a pointer must say its space"));
        pointer = format!(
            "Some(PointerPattern {{ spaces: {space}, is_const: {is_const}, is_volatile: {is_volatile} }})"
        );
        while matches!(scanner.peek().text, "const" | "restrict" | "volatile") {
            scanner.next();
        }
    }
    let is_dst = found.ty.elem == generic_types::Elem::Dst;
    Pattern {
        text: format!(
            "TypePattern {{ ty: super::generic_types::SignatureType {{ elem: Elem::{:?}, lanes: Lanes::{:?} }}, \
             pointer: {pointer}, access: AccessPattern::{access} }}",
            found.ty.elem, found.ty.lanes
        ),
        elems: if is_dst { generic_types::ALL_SCALARS } else { found.elems },
        dst_elems: if is_dst { found.elems } else { generic_types::ALL_SCALARS },
        lanes: found.lanes,
    }
}
