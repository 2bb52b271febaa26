//! Strings by which translators describe the parameters of kernels, since OpenCL C says more of them than SPIR-V:
//! `kernel_arg_type.NAME.int*,float4,` has the types of a kernel's parameters, `kernel_arg_type_qual.NAME.const,,` their
//! qualifiers. They are sorted once, so that each kernel looks at its own only.

use crate::grammar::Opcode;
use crate::module::{HEADER, Module, text};

/// Strings of a module that describe parameters.
#[derive(Debug)]
pub(crate) struct ArgStrings {
    types: Sorted,
    qualifiers: Sorted,
}

/// Strings of one kind in the order of their texts.
#[derive(Debug, Default)]
struct Sorted(Vec<Row>);

/// String of a kind.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    /// Text behind the name of the kind: a kernel's name, a dot, and the list.
    text: String,
    /// Number of strings in front of it.
    order: usize,
    commas: usize,
}

impl ArgStrings {
    pub(crate) fn of(module: &Module) -> ArgStrings {
        let (mut types, mut qualifiers) = (Sorted::default(), Sorted::default());
        let end = module.functions().first().map_or(module.words().len() as u32, |function| function.start);
        let words = module.instructions(HEADER as u32, end).map(|place| module.raw(place as usize));
        for words in words.filter(|words| words[0] as u16 == Opcode::String as u16) {
            let text = text(&words[2..]);
            if let Some(rest) = text.strip_prefix("kernel_arg_type.") {
                types.add(rest);
            } else if let Some(rest) = text.strip_prefix("kernel_arg_type_qual.") {
                qualifiers.add(rest);
            }
        }
        types.0.sort_unstable();
        qualifiers.0.sort_unstable();
        ArgStrings { types, qualifiers }
    }

    /// Returns the types of a kernel's parameters, of which there are `count`, or nothing if no string has so many.
    pub(crate) fn types(&self, kernel: &str, count: usize) -> Vec<&str> {
        self.types.list(kernel, count)
    }

    /// Returns the qualifiers of a kernel's parameters, words between spaces, or nothing if no string has so many.
    pub(crate) fn qualifiers(&self, kernel: &str, count: usize) -> Vec<&str> {
        self.qualifiers.list(kernel, count)
    }
}

impl Sorted {
    fn add(&mut self, text: &str) {
        let commas = text.matches(',').count();
        self.0.push(Row { text: text.to_owned(), order: self.0.len(), commas });
    }

    /// Returns the strings that begin with a kernel's name and a dot, given as `prefix`. Those of a kernel `a.b` are
    /// also strings of a kernel `a`.
    fn of_kernel(&self, prefix: &str) -> &[Row] {
        let start = self.0.partition_point(|row| row.text.as_str() < prefix);
        let count = self.0[start..].partition_point(|row| row.text.starts_with(prefix));
        &self.0[start..start + count]
    }

    /// Returns the list of the module's last string that has `count` entries for a kernel, or more.
    fn list(&self, kernel: &str, count: usize) -> Vec<&str> {
        let prefix = format!("{kernel}.");
        let wanted = count + prefix.matches(',').count();
        let rows = self.of_kernel(&prefix).iter().filter(|row| row.commas + 1 >= wanted);
        let last = rows.max_by_key(|row| row.order);
        last.map_or_else(Vec::new, |row| row.text[prefix.len()..].split(',').take(count).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(texts: &[&str]) -> Sorted {
        let mut all = Sorted::default();
        texts.iter().for_each(|text| all.add(text));
        all.0.sort_unstable();
        all
    }

    #[test]
    fn the_last_string_with_enough_entries_counts() {
        let all = sorted(&["k.int,float", "k.a,b,c", "k.only", "kk.x,y", "k.b.int,int", "k", "k."]);
        assert_eq!(all.list("k", 1), [""]);
        assert_eq!(all.list("k", 2), ["b.int", "int"]);
        assert_eq!(all.list("k", 3), ["a", "b", "c"]);
        assert_eq!(all.list("k.b", 2), ["int", "int"]);
        assert_eq!(all.list("kk", 2), ["x", "y"]);
        assert_eq!(sorted(&["a,b.int,float"]).list("a,b", 2), ["int", "float"]);
        for (kernel, count) in [("k", 4), ("k", 0), ("", 1), ("kk", 3), ("l", 1)] {
            assert!(all.list(kernel, count).is_empty(), "{kernel} {count}");
        }
    }

    /// Counts the strings that kernels look at.
    #[test]
    fn kernels_look_at_their_own_strings() {
        let names: Vec<String> = (0..20_000).map(|at| format!("k{at}")).collect();
        let texts: Vec<String> = names.iter().map(|name| format!("{name}.int*,float")).collect();
        let all = sorted(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let looks: usize = names.iter().map(|name| all.of_kernel(&format!("{name}.")).len()).sum();
        assert_eq!(looks, names.len());
    }
}
