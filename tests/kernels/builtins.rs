//! Walks `tests/builtins.tsv`: every function of the library, for every element type, number of
//! lanes and address space, is built, run by the interpreter and as machine code, and where it
//! works lane by lane, compared with its scalar form.
//!
//! What a row asks for is a signature in the words of `docs/builtins.md`, or statements over
//! `E` (the element), `V` (E with any number of lanes), `Q` (an address space), `P` (a pointer to
//! E in that space), `p_global` and its like, `x` (an E), `o` (where results go), `$order`, `$scope`
//! and so on (memory orders and scopes, all of them in turn). Kinds:
//!
//! - `call`: signatures; every vector lane gives what the scalar function gives, and what `reference` says if that
//!   knows the function,
//! - `lanes`: the same, but vectors and scalars are defined differently,
//! - `expr`: result type and an expression of x, y,
//! - `whole`: a signature and its numbers of lanes; the lanes work together,
//! - `code`, `group`: statements for one item (work-item functions: for a range), a group of four,
//! - `any`, `shared`, `readable`: statements for each space that the word stands for,
//! - `convert`, `as`: all functions of that type; `shuffle`: all pairs of lanes,
//! - `number`: true in `#if` and in code; `true`: true in code; `optional`: a macro that is 1 or is not.

mod program;
mod reference;

use std::fmt::Write;

use crate::harness::directive::{self, Fixture};
use crate::harness::{self, Section};
use grus_core::compile::{self, Source};

/// A row of the table.
pub struct Row<'t> {
    pub section: &'t str,
    pub name: &'t str,
    pub elements: Vec<&'t str>,
    pub kind: &'t str,
    pub what: &'t str,
}

fn rows(table: &str) -> Vec<Row<'_>> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [section, name, _since, elements, kind, what] = fields[..] else {
                panic!("a row of {} fields: {line}", fields.len())
            };
            Row { section, name, elements: elements.split(' ').collect(), kind, what }
        })
        .collect()
}

/// Builds and runs one program of a row.
fn check(text: &str) -> Result<(), String> {
    let fixture: Fixture = directive::parse(text, "//")?;
    let source = Source { name: "row.cl".into(), text: text.into() };
    let built = compile::build(&source, &[], &fixture.options);
    let artifact = built.result.map_err(|_| built.log)?;
    let oracle = compile::lower_only(&source, &fixture.options)?;
    harness::check_sections(&fixture, &oracle, &artifact, &Section::of(text))
}

fn walk(part: usize, parts: usize) {
    let table = include_str!("../builtins.tsv");
    let rows = rows(table);
    assert!(rows.len() > 420, "rows are missing");
    let mut failed = String::new();
    for row in rows.iter().skip(part).step_by(parts) {
        for &element in &row.elements {
            let text = program::write(row, element);
            if let Err(message) = check(&text) {
                let _ = writeln!(failed, "{} ({element}): {message}", row.name);
                if std::env::var_os("GRUS_PRINT_ROW").is_some() {
                    let _ = writeln!(failed, "{text}");
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

#[test]
fn every_row_of_the_table_first_half() {
    walk(0, 2);
}

#[test]
fn every_row_of_the_table_second_half() {
    walk(1, 2);
}
