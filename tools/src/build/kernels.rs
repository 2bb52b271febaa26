//! Parameters and resources of a program's kernels.

use comfy_table::{Table, presets};
use serde::Serialize;

use crate::cl::{Kernel, KernelResources, Parameter, Program, Space};
use crate::problem::{Problem, Result};

/// Description of a kernel.
#[derive(Debug, Serialize)]
pub struct KernelDescription {
    pub name: String,
    pub parameters: Vec<Parameter>,
    pub attributes: String,
    #[serde(flatten)]
    pub resources: KernelResources,
    /// Machine code, if requested and if the vendor describes it.
    pub code: Option<Code>,
}

/// Description of a kernel's machine code.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Code {
    /// Work-group size for which the code was generated.
    pub local: Vec<usize>,
    /// Maximum number of work-items per vector.
    pub lanes: u64,
    pub backend: String,
    pub bytes: u64,
}

/// Query of Grus for the description of a kernel's code (docs/grus.md).
const CODE: u32 = 0x4752_0004;

/// Default number of work-items of the work-groups for which code is generated.
const LOCAL: usize = 64;

impl Code {
    /// Returns the code for work-groups of this size, or of the size that the kernel requires.
    fn of(kernel: &Kernel<'_>, resources: &KernelResources, local: Option<&[usize]>) -> Result<Code> {
        let required = resources.required_size.map(|size| size.map(|n| n as usize));
        let required = required.as_ref().map(|size| &size[..]);
        let local = required.or(local).unwrap_or(&[LOCAL]);
        let description = kernel.sub_group_info(CODE, local)?;
        Ok(Code { local: local.to_vec(), ..Code::read(&String::from_utf8_lossy(&description)) })
    }

    /// Parses the description: one fact per line, with its name first. Unknown facts are those of a later version.
    fn read(text: &str) -> Code {
        let mut code = Code::default();
        for (name, value) in text.trim_end_matches('\0').lines().filter_map(|line| line.split_once(' ')) {
            match name {
                "lanes" => code.lanes = value.parse().unwrap_or_default(),
                "backend" => value.clone_into(&mut code.backend),
                "bytes" => code.bytes = value.parse().unwrap_or_default(),
                _ => {}
            }
        }
        code
    }
}

/// Request for machine code, with the size of work-groups.
#[derive(Clone, Copy, Debug)]
pub enum CodeRequest<'o> {
    None,
    Code(Option<&'o [usize]>),
}

/// Describes the kernels of a built program.
///
/// # Errors
/// If a query of the vendor fails.
pub fn describe(program: &Program<'_>, request: CodeRequest<'_>) -> Result<Vec<KernelDescription>> {
    let names = program.kernel_names()?;
    names
        .into_iter()
        .map(|name| {
            let kernel = program.kernel(&name)?;
            let resources = kernel.resources()?;
            let code = match request {
                CodeRequest::None => None,
                CodeRequest::Code(local) => {
                    let of = Code::of(&kernel, &resources, local);
                    Some(of.map_err(|problem: Problem| problem.of(&name))?)
                }
            };
            Ok(KernelDescription {
                // A binary may have been built without the names of arguments.
                parameters: kernel.parameters().unwrap_or_default(),
                attributes: kernel.attributes(),
                resources,
                code,
                name,
            })
        })
        .collect()
}

/// Returns a parameter's declaration.
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
    // The target of a pointer to constant memory is constant anyway.
    let implied = |word: &&&str| parameter.space == Space::Constant && **word == "const";
    words.extend(parameter.qualifiers.iter().filter(of_target).filter(|word| !implied(word)));
    words.push(&parameter.type_name);
    if parameter.qualifiers.contains(&"restrict") {
        words.push("restrict");
    }
    words.join(" ")
}

/// Formats the kernels as tables.
pub fn table(kernels: &[KernelDescription]) -> String {
    let mut text = String::new();
    let mut resources = plain();
    let has_code = kernels.iter().any(|kernel| kernel.code.is_some());
    let mut header = vec!["kernel", "arguments", "group ≤", "multiple", "private", "local"];
    header.extend(if has_code { &["lanes", "code"][..] } else { &[] });
    header.push("attributes");
    resources.set_header(header);
    for kernel in kernels {
        let of = &kernel.resources;
        let mut row = vec![
            kernel.name.clone(),
            kernel.parameters.len().to_string(),
            of.work_group_size.to_string(),
            of.preferred_multiple.to_string(),
            format!("{} B", of.private_memory),
            format!("{} B", of.local_memory),
        ];
        if let Some(code) = &kernel.code {
            row.extend([code.lanes.to_string(), format!("{} B {}", code.bytes, code.backend)]);
        }
        row.push(kernel.attributes.clone());
        resources.add_row(row);
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

/// Formats the table without trailing blanks and without the common indentation.
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
    fn facts_of_code() {
        let code = Code::read("lanes 16\nbackend avx512\nbytes 420\nlater 1\n\0");
        let expected = Code { local: Vec::new(), lanes: 16, backend: "avx512".into(), bytes: 420 };
        assert_eq!(code, expected);
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
