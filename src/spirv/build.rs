//! Generator of the tables of SPIR-V. The script reads `grammar.tsv` and writes the enums, constants and static
//! tables that `grammar.rs` includes. A row that the script does not understand stops the build with its line.

#[path = "build/requests.rs"]
mod requests;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=grammar.tsv");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let text = fs::read_to_string(root.join("grammar.tsv")).expect("a readable table");
    let mut grammar = Grammar::default();
    // Rows refer to kinds, capabilities and extensions that other rows declare: these come first.
    for pass in [Grammar::declare, Grammar::define] {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            let columns: Vec<&str> = line.split('\t').collect();
            if let Err(problem) = pass(&mut grammar, &columns) {
                panic!("src/spirv/grammar.tsv:{}: {problem}", number + 1);
            }
        }
    }
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("requests.rs"), requests::tables(&root, &grammar)).expect("a writable OUT_DIR");
    fs::write(out.join("grammar.rs"), grammar.print()).expect("a writable OUT_DIR");
}

type Result<T> = std::result::Result<T, String>;

/// Rows of the tables as Rust expressions, and what they refer to.
#[derive(Default)]
struct Grammar {
    /// All names, one behind the other, and the position of each.
    names: String,
    name_places: BTreeMap<String, usize>,
    kinds: Vec<Kind>,
    capabilities: BTreeMap<String, u32>,
    extensions: Vec<String>,
    sets: Vec<Set>,
    opcodes: BTreeMap<u32, String>,
    instructions: Vec<String>,
    operands: Vec<String>,
    numbers: Vec<u32>,
    aliases: Vec<String>,
}

/// Operand kind.
struct Kind {
    name: String,
    category: &'static str,
    /// Expression of the range of its parts.
    parts: String,
    enumerants: BTreeMap<u32, (String, String)>,
}

/// Extended instruction set.
struct Set {
    name: String,
    instructions: BTreeMap<u32, (String, String)>,
}

impl Grammar {
    /// Reads a row if it declares something that others refer to.
    fn declare(&mut self, columns: &[&str]) -> Result<()> {
        match *columns {
            ["kind", name, category, _] => {
                let category = match category {
                    "value" => "Value",
                    "mask" => "Mask",
                    "id" => "Id",
                    "literal" => "Literal",
                    "pair" => "Pair",
                    _ => return Err(format!("`{category}` is no category")),
                };
                if self.kinds.iter().any(|kind| kind.name == name) {
                    return Err(format!("the kind `{name}` is declared twice"));
                }
                let name = name.to_owned();
                self.kinds.push(Kind { name, category, parts: String::new(), enumerants: BTreeMap::new() });
            }
            ["enumerant", "Capability", value, names, ..] => {
                for name in names.split(',') {
                    self.capabilities.insert(name.to_owned(), number(value)?);
                }
            }
            ["extension", name] => self.extensions.push(name.to_owned()),
            ["set", name] => self.sets.push(Set { name: name.to_owned(), instructions: BTreeMap::new() }),
            _ => {}
        }
        Ok(())
    }

    /// Reads a row that refers to others.
    fn define(&mut self, columns: &[&str]) -> Result<()> {
        match *columns {
            ["kind", name, _, parts] => {
                let index = self.kind(name)?;
                self.kinds[index].parts = self.operand_range(parts)?;
                Ok(())
            }
            ["extension", _] | ["set", _] => Ok(()),
            ["instruction", opcode, names, section, operands, capabilities, versions, extensions] => {
                let opcode = number(opcode)?;
                let last = self.opcodes.last_key_value().map(|(last, _)| *last);
                if last.is_some_and(|last| last >= opcode) {
                    return Err("opcodes do not rise".into());
                }
                let (name, aliases) = self.row_names(names)?;
                let variant = names.split(',').next().unwrap_or_default();
                let variant = variant.strip_prefix("Op").ok_or("the name does not begin with `Op`")?;
                let shape = shape(operands);
                let operands = self.operand_range(operands)?;
                let conditions = self.conditions(capabilities, versions, extensions)?;
                let section = section_name(section)?;
                self.opcodes.insert(opcode, variant.to_owned());
                self.instructions.push(format!(
                    "Instruction {{ opcode: Opcode::{variant}, name: {name}, section: Section::{section}, \
                     {shape}, operands: {operands}, conditions: {conditions} }}"
                ));
                self.aliases.extend(aliases.iter().map(|alias| {
                    format!("Alias {{ of: AliasOf::Opcode(Opcode::{variant}), name: {alias} }}")
                }));
                Ok(())
            }
            ["enumerant", kind, value, names, parameters, capabilities, versions, extensions] => {
                let value = number(value)?;
                let is_foreign = capabilities == "foreign";
                let capabilities = if is_foreign { "-" } else { capabilities };
                let (name, aliases) = self.row_names(names)?;
                let parameters = self.operand_range(parameters)?;
                let conditions = self.conditions(capabilities, versions, extensions)?;
                let index = self.kind(kind)?;
                let row = format!(
                    "Enumerant {{ value: {value}, name: {name}, is_foreign: {is_foreign}, parameters: \
                     {parameters}, conditions: {conditions} }}"
                );
                self.aliases.extend(aliases.iter().map(|alias| {
                    format!("Alias {{ of: AliasOf::Enumerant(OperandKind::{kind}, {value}), name: {alias} }}")
                }));
                let constant = names.split(',').next().unwrap_or_default().to_owned();
                if self.kinds[index].enumerants.insert(value, (constant, row)).is_some() {
                    return Err(format!("the value {value} of `{kind}` is there twice"));
                }
                Ok(())
            }
            ["extended", set, value, name, operands] => {
                let value = number(value)?;
                let (place, _) = self.row_names(name)?;
                let operands = self.operand_range(operands)?;
                let row = format!("Extended {{ number: {value}, name: {place}, operands: {operands} }}");
                let set = self.sets.iter_mut().find(|other| other.name == set);
                let set = set.ok_or("the set is not declared")?;
                if set.instructions.insert(value, (name.to_owned(), row)).is_some() {
                    return Err(format!("the instruction {value} is there twice"));
                }
                Ok(())
            }
            _ => Err("no row of a known form".into()),
        }
    }

    /// Returns the number of an instruction by its name without `Op`.
    fn opcode(&self, name: &str) -> Option<u32> {
        self.opcodes.iter().find(|(_, variant)| *variant == name).map(|(opcode, _)| *opcode)
    }

    /// Returns the value of an enumerant.
    fn enumerant(&self, kind: &str, name: &str) -> Option<u32> {
        let index = self.kind(kind).ok()?;
        let found = self.kinds[index].enumerants.iter().find(|(_, (known, _))| known == name);
        found.map(|(value, _)| *value)
    }

    /// Returns the name of an instruction of an extended set.
    fn extended(&self, set: &str, number: u32) -> Option<&str> {
        let set = self.sets.iter().find(|other| other.name == set)?;
        set.instructions.get(&number).map(|(name, _)| name.as_str())
    }

    /// Returns the number of instructions of an extended set.
    fn extended_count(&self, set: &str) -> usize {
        self.sets.iter().find(|other| other.name == set).map_or(0, |set| set.instructions.len())
    }

    fn kind(&self, name: &str) -> Result<usize> {
        let found = self.kinds.iter().position(|kind| kind.name == name);
        found.ok_or_else(|| format!("`{name}` is no operand kind"))
    }

    /// Returns the expression of a name.
    fn name(&mut self, name: &str) -> String {
        let names = &mut self.names;
        let place = *self.name_places.entry(name.to_owned()).or_insert_with(|| {
            names.push_str(name);
            names.len() - name.len()
        });
        assert!(place <= usize::from(u16::MAX), "the names take more than 64 KiB");
        format!("Name {{ at: {place}, length: {} }}", name.len())
    }

    /// Returns the expressions of the first name and of its aliases.
    fn row_names(&mut self, names: &str) -> Result<(String, Vec<String>)> {
        let is_name =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if let Some(wrong) = names.split(',').find(|name| !is_name(name)) {
            return Err(format!("`{wrong}` is no name"));
        }
        let mut places: Vec<String> = names.split(',').map(|name| self.name(name)).collect();
        let aliases = places.split_off(1);
        Ok((places.remove(0), aliases))
    }

    /// Adds operands, and returns the expression of their range.
    fn operand_range(&mut self, text: &str) -> Result<String> {
        let mut found = Vec::new();
        for word in text.split(' ').filter(|word| *word != "-") {
            let (kind, quantifier) = match word.strip_suffix('?') {
                Some(kind) => (kind, "Optional"),
                None => word.strip_suffix('*').map_or((word, "One"), |kind| (kind, "Any")),
            };
            let category = self.kinds[self.kind(kind)?].category;
            found.push(format!(
                "Operand {{ kind: OperandKind::{kind}, category: Category::{category}, quantifier: \
                 Quantifier::{quantifier} }}"
            ));
        }
        Ok(range_in(&mut self.operands, &found))
    }

    fn conditions(&mut self, capabilities: &str, versions: &str, extensions: &str) -> Result<String> {
        let mut numbers = Vec::new();
        for name in capabilities.split(',').filter(|name| *name != "-") {
            let known = self.capabilities.get(name);
            numbers.push(*known.ok_or_else(|| format!("`{name}` is no capability"))?);
        }
        let capabilities = range_in(&mut self.numbers, &numbers);
        let mut numbers = Vec::new();
        for name in extensions.split(',').filter(|name| *name != "-") {
            let known = self.extensions.iter().position(|other| other == name);
            numbers.push(known.ok_or_else(|| format!("`{name}` is no extension"))? as u32);
        }
        let extensions = range_in(&mut self.numbers, &numbers);
        let (since, until) = match versions {
            "-" => ("", ""),
            _ => versions.split_once('-').unwrap_or((versions, "")),
        };
        let minor = |version: &str| match version {
            "" => Ok("NO_VERSION".to_owned()),
            _ => match version.strip_prefix("1.") {
                Some(minor) if minor.parse::<u8>().is_ok() => Ok(minor.to_owned()),
                _ => Err(format!("`{version}` is no version")),
            },
        };
        let (since, until) = (minor(since)?, minor(until)?);
        Ok(format!(
            "Conditions {{ capabilities: {capabilities}, extensions: {extensions}, since: {since}, until: {until} }}"
        ))
    }

    /// Writes the tables as Rust.
    fn print(mut self) -> String {
        let mut out = String::new();
        out.push_str("/// Instruction of the core grammar or of an extension.\n");
        out.push_str("#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]\n#[repr(u16)]\n");
        out.push_str("#[rustfmt::skip]\npub enum Opcode {\n");
        for (opcode, variant) in &self.opcodes {
            let _ = writeln!(out, "    {variant} = {opcode},");
        }
        out.push_str("}\n\n/// Kind of an operand, by its name in the grammar.\n");
        out.push_str("#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]\n#[repr(u8)]\n");
        out.push_str("pub enum OperandKind {\n");
        for kind in &self.kinds {
            let _ = writeln!(out, "    {},", kind.name);
        }
        out.push_str("}\n\n");
        let kinds = std::mem::take(&mut self.kinds);
        let mut rows = Vec::new();
        let mut enumerants = Vec::new();
        for kind in &kinds {
            let own: Vec<String> = kind.enumerants.values().map(|(_, row)| row.clone()).collect();
            let range = range_in(&mut enumerants, &own);
            let (name, category, parts) = (self.name(&kind.name), kind.category, &kind.parts);
            rows.push(format!(
                "Kind {{ name: {name}, category: Category::{category}, enumerants: {range}, parts: {parts} }}"
            ));
            constants(&mut out, &kind.name, kind.enumerants.iter().map(|(value, (name, _))| (name, *value)));
        }
        let mut sets = Vec::new();
        let mut extended = Vec::new();
        for set in std::mem::take(&mut self.sets) {
            let own: Vec<String> = set.instructions.values().map(|(_, row)| row.clone()).collect();
            let range = range_in(&mut extended, &own);
            let name = self.name(&set.name);
            sets.push(format!("Set {{ name: {name}, instructions: {range} }}"));
            let module: Vec<&str> = set.name.split('.').filter(|part| *part != "NonSemantic").collect();
            constants(
                &mut out,
                &module.join("_"),
                set.instructions.iter().map(|(value, (name, _))| (name, *value)),
            );
        }
        let extensions: Vec<String> = self.extensions.clone().iter().map(|name| self.name(name)).collect();
        let numbers: Vec<String> = self.numbers.iter().map(ToString::to_string).collect();
        table(&mut out, "INSTRUCTIONS", "Instruction", &self.instructions);
        table(&mut out, "OPERANDS", "Operand", &self.operands);
        table(&mut out, "NUMBERS", "u16", &numbers);
        table(&mut out, "ENUMERANTS", "Enumerant", &enumerants);
        table(&mut out, "KINDS", "Kind", &rows);
        table(&mut out, "EXTENDED", "Extended", &extended);
        table(&mut out, "SETS", "Set", &sets);
        table(&mut out, "EXTENSIONS", "Name", &extensions);
        table(&mut out, "ALIASES", "Alias", &self.aliases);
        let _ = writeln!(out, "static NAMES: &str = \"{}\";", self.names);
        out
    }
}

fn number(text: &str) -> Result<u32> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

/// Returns the fields that say which of the first operands are the result's type and id, and how many are ids.
fn shape(operands: &str) -> String {
    let has_type = operands.starts_with("IdResultType ");
    let has_result = operands.split(' ').any(|operand| operand == "IdResult");
    let is_id = |operand: &&str| operand.starts_with("Id") && !operand.ends_with(['?', '*']);
    let ids = operands.split(' ').take_while(is_id).count();
    format!("has_type: {has_type}, has_result: {has_result}, leading_ids: {ids}")
}

fn section_name(section: &str) -> Result<&'static str> {
    Ok(match section {
        "capability" => "Capability",
        "extension" => "Extension",
        "import" => "Import",
        "model" => "Model",
        "entry" => "Entry",
        "mode" => "Mode",
        "debug" => "Debug",
        "annotation" => "Annotation",
        "global" => "Global",
        "function" => "Function",
        "code" => "Code",
        "either" => "Either",
        "any" => "Any",
        _ => return Err(format!("`{section}` is no section")),
    })
}

/// Returns the expression of the range of `items` in `table`, to which they are added unless it has them.
fn range_in<T: Clone + PartialEq>(table: &mut Vec<T>, items: &[T]) -> String {
    let found = (!items.is_empty()).then(|| table.windows(items.len()).position(|window| window == items));
    let at = found.map_or(0, |found| {
        found.unwrap_or_else(|| {
            table.extend_from_slice(items);
            table.len() - items.len()
        })
    });
    assert!(at <= usize::from(u16::MAX), "a table has more than 65,536 rows");
    format!("Span {{ at: {at}, length: {} }}", items.len())
}

fn table(out: &mut String, name: &str, of: &str, rows: &[String]) {
    let _ = writeln!(out, "#[rustfmt::skip]\nstatic {name}: [{of}; {}] = [", rows.len());
    for row in rows {
        let _ = writeln!(out, "    {row},");
    }
    out.push_str("];\n");
}

/// Writes a module of constants.
fn constants<'n>(out: &mut String, of: &str, items: impl Iterator<Item = (&'n String, u32)>) {
    let mut items = items.peekable();
    if items.peek().is_none() {
        return;
    }
    let _ = writeln!(out, "/// Values of `{of}`, named as in the specification.");
    let _ = writeln!(out, "pub mod {} {{", snake(of));
    for (name, value) in items {
        let digit = name.starts_with(|c: char| c.is_ascii_digit());
        let prefix = if digit { of } else { "" };
        let _ = writeln!(out, "    pub const {prefix}{name}: u32 = {value};");
    }
    out.push_str("}\n");
}

/// Returns a name in snake case: `FPRoundingMode` becomes `fp_rounding_mode`.
fn snake(name: &str) -> String {
    let letters: Vec<char> = name.replace("OpenCL", "Opencl").chars().collect();
    let mut out = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let is_start = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_uppercase()
                        && letters.get(at + 1).is_some_and(char::is_ascii_lowercase)
            });
        if is_start {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}
