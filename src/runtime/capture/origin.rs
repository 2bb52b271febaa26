//! Origin of a program: everything that is needed to create it again elsewhere.

use std::io;

use super::archive::Archive;
use super::json::Json;
use crate::compile::{Source, SpecValues};
use crate::runtime::device::Device;
use crate::runtime::object::Object;
use crate::runtime::program::Program;

/// Origin of a program.
#[derive(Clone, Debug)]
pub(in crate::runtime) enum Origin {
    Source(Text),
    /// Module in SPIR-V, as the application passed it, with the values of specialization constants.
    Il {
        module: Vec<u8>,
        spec: SpecValues,
        options: String,
    },
    /// Binary given to clCreateProgramWithBinary, or the program's own binary if its origin is unknown.
    Binary {
        binary: Vec<u8>,
        options: String,
    },
    /// Result of clLinkProgram.
    Linked {
        units: Vec<Origin>,
        options: String,
    },
}

/// Source with the options and headers of clBuildProgram or clCompileProgram.
#[derive(Clone, Debug)]
pub(in crate::runtime) struct Text {
    /// Text that needs no files except `headers`.
    text: String,
    /// Text as the application passed it, if that includes other files; `text` is then the preprocessed text.
    given: Option<String>,
    /// Names of those files.
    files: Vec<String>,
    headers: Vec<Source>,
    options: String,
}

impl Origin {
    /// Returns the origin of a program for a device.
    pub fn of(program: &Program, device: &Object<Device>) -> Origin {
        if let Some(linked) = program.linked_from() {
            return linked.clone();
        }
        let Ok(build) = program.build_for(device) else {
            return Origin::Binary { binary: Vec::new(), options: String::new() };
        };
        let options = build.options.clone();
        if let Ok(Some(module)) = program.il() {
            return Origin::Il { module, spec: build.spec(), options };
        }
        if !program.has_source() {
            let binary = build.binary().map(|binary| binary.to_vec()).unwrap_or_default();
            return Origin::Binary { binary, options };
        }
        let text = program.source().to_owned();
        let headers = build.headers().to_vec();
        let read = program.preprocessed(&build).ok().flatten().filter(|read| !read.files.is_empty());
        Origin::Source(match read {
            // Included files may change and do not exist on other machines.
            Some(read) => {
                let headers = Vec::new();
                Text { text: read.text, given: Some(text), files: read.files, headers, options }
            }
            None => Text { text, given: None, files: Vec::new(), headers, options },
        })
    }

    /// Adds the origin's files to the archive under names that begin with `name`, and describes them in `json`.
    pub(super) fn write(&self, name: &str, archive: &mut Archive, json: &mut Json) -> io::Result<()> {
        match self {
            Origin::Source(text) => text.write(name, archive, json),
            Origin::Binary { binary, options } => {
                let file = format!("{name}.bin");
                json.text("kind", "binary");
                json.text("options", options);
                json.text("file", &file);
                archive.text(&file, binary)
            }
            Origin::Il { module, spec, options } => {
                let file = format!("{name}.spv");
                json.text("kind", "il");
                json.text("options", options);
                json.text("file", &file);
                json.objects("constants", spec.iter(), |json, (spec_id, value)| {
                    json.number("id", spec_id);
                    json.number("value", value);
                });
                archive.text(&file, module)
            }
            Origin::Linked { units, options } => {
                json.text("kind", "linked");
                json.text("options", options);
                let mut result = Ok(());
                json.objects("units", units.iter().enumerate(), |json, (index, unit)| {
                    if result.is_ok() {
                        result = unit.write(&format!("{name}-{index}"), archive, json);
                    }
                });
                result
            }
        }
    }
}

impl Text {
    fn write(&self, name: &str, archive: &mut Archive, json: &mut Json) -> io::Result<()> {
        let file = format!("{name}.cl");
        json.text("kind", "source");
        json.text("options", &self.options);
        json.text("file", &file);
        archive.text(&file, self.text.as_bytes())?;
        if let Some(given) = &self.given {
            let file = format!("{name}-given.cl");
            json.text("given", &file);
            json.texts("included", self.files.iter().map(String::as_str));
            archive.text(&file, given.as_bytes())?;
        }
        let files = || (0..self.headers.len()).map(|index| format!("{name}-header-{index}.h"));
        for (header, file) in self.headers.iter().zip(files()) {
            archive.text(&file, header.text.as_bytes())?;
        }
        json.objects("headers", self.headers.iter().zip(files()), |json, (header, file)| {
            json.text("name", &header.name);
            json.text("file", &file);
        });
        Ok(())
    }
}
