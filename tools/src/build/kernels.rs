//! What a program's kernels are called with, and what they take.

use comfy_table::{Table, presets};
use serde::Serialize;

use crate::cl::{KernelResources, Parameter, Program, Space};
use crate::problem::Result;

/// A kernel.
#[derive(Debug, Serialize)]
pub struct Described {
    pub name: String,
    pub parameters: Vec<Parameter>,
    pub attributes: String,
    #[serde(flatten)]
    pub resources: KernelResources,
}

/// The kernels of a program that is built.
///
/// # Errors
/// If the vendor does not say.
pub fn describe(program: &Program<'_>) -> Result<Vec<Described>> {
    let names = program.kernel_names()?;
    names
        .into_iter()
        .map(|name| {
            let kernel = program.kernel(&name)?;
            Ok(Described {
                // A binary may have been built without names of arguments.
                parameters: kernel.parameters().unwrap_or_default(),
                attributes: kernel.attributes(),
                resources: kernel.resources()?,
                name,
            })
        })
        .collect()
}

/// A parameter as it would be declared.
pub fn declaration(parameter: &Parameter) -> String {
    let mut words: Vec<&str> = Vec::new();
    words.extend(parameter.access);
    let is_pointer = parameter.type_name.ends_with('*');
    match parameter.space {
        _ if !is_pointer => {}
        Space::Global => words.push("global"),
        Space::Constant => words.push("constant"),
        Space::Local => words.push("local"),
        Space::Private => {}
    }
    let of_target = |word: &&&str| **word != "restrict";
    // What a pointer in constant memory points to is constant as it is.
    let implied = |word: &&&str| parameter.space == Space::Constant && **word == "const";
    words.extend(parameter.qualifiers.iter().filter(of_target).filter(|word| !implied(word)));
    words.push(&parameter.type_name);
    if parameter.qualifiers.contains(&"restrict") {
        words.push("restrict");
    }
    words.join(" ")
}

/// The kernels as tables.
pub fn table(kernels: &[Described]) -> String {
    let mut text = String::new();
    let mut resources = plain();
    resources.set_header(["kernel", "arguments", "group ≤", "multiple", "private", "local", "attributes"]);
    for kernel in kernels {
        let of = &kernel.resources;
        resources.add_row([
            kernel.name.clone(),
            kernel.parameters.len().to_string(),
            of.work_group_size.to_string(),
            of.preferred_multiple.to_string(),
            format!("{} B", of.private_memory),
            format!("{} B", of.local_memory),
            kernel.attributes.clone(),
        ]);
    }
    text += &lines(&resources);
    for kernel in kernels.iter().filter(|kernel| !kernel.parameters.is_empty()) {
        let mut parameters = plain();
        for (index, parameter) in kernel.parameters.iter().enumerate() {
            parameters.add_row([format!("  {index}"), declaration(parameter), parameter.name.clone()]);
        }
        text += &format!("\n{}\n{}", kernel.name, lines(&parameters));
    }
    text
}

fn plain() -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table
}

/// The table without blanks at the ends of lines, or in front of them all.
fn lines(table: &Table) -> String {
    table.lines().map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(&line).trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(type_name: &str, space: Space, qualifiers: &[&'static str]) -> Parameter {
        let (name, access) = ("x".into(), None);
        Parameter { name, type_name: type_name.into(), space, access, qualifiers: qualifiers.to_vec() }
    }

    #[test]
    fn declarations() {
        let declared = |p: &Parameter| declaration(p);
        assert_eq!(
            declared(&parameter("float4*", Space::Global, &["const", "restrict"])),
            "global const float4* restrict"
        );
        assert_eq!(declared(&parameter("int*", Space::Constant, &["const"])), "constant int*");
        assert_eq!(declared(&parameter("uint", Space::Private, &[])), "uint");
        let image = Parameter { access: Some("read_only"), ..parameter("image2d_t", Space::Global, &[]) };
        assert_eq!(declared(&image), "read_only image2d_t");
    }
}
