//! What a program was made of, so that it can be made again elsewhere.

use std::io;

use super::archive::Archive;
use super::json::Json;
use crate::compile::Source;
use crate::runtime::device::Device;
use crate::runtime::object::Object;
use crate::runtime::program::Program;

/// Where a program comes from.
#[derive(Clone, Debug)]
pub(in crate::runtime) enum Origin {
    Source(Text),
    /// What clCreateProgramWithBinary was given, or the program's binary if nobody knows what else it was made of.
    Binary {
        binary: Vec<u8>,
        options: String,
    },
    /// clLinkProgram.
    Linked {
        units: Vec<Origin>,
        options: String,
    },
}

/// A source, and what clBuildProgram or clCompileProgram made of it.
#[derive(Clone, Debug)]
pub(in crate::runtime) struct Text {
    /// It needs no file but `headers`.
    text: String,
    /// As the application gave it, if that needs files: then `text` is what there is after preprocessing.
    given: Option<String>,
    /// Those files.
    files: Vec<String>,
    headers: Vec<Source>,
    options: String,
}

impl Origin {
    /// That of a program for a device.
    pub fn of(program: &Program, device: &Object<Device>) -> Origin {
        if let Some(linked) = program.linked_from() {
            return linked.clone();
        }
        let Ok(build) = program.build_for(device) else {
            return Origin::Binary { binary: Vec::new(), options: String::new() };
        };
        let options = build.options.clone();
        if !program.has_source() {
            let binary = build.binary().map(|binary| binary.to_vec()).unwrap_or_default();
            return Origin::Binary { binary, options };
        }
        let text = program.source().to_owned();
        let headers = build.headers().to_vec();
        let read = program.preprocessed(&build).ok().flatten().filter(|read| !read.files.is_empty());
        Origin::Source(match read {
            // The files may change, and are not there elsewhere.
            Some(read) => {
                let headers = Vec::new();
                Text { text: read.text, given: Some(text), files: read.files, headers, options }
            }
            None => Text { text, given: None, files: Vec::new(), headers, options },
        })
    }

    /// Adds its files to the archive, and says in `json` which they are. `name` is where they are put.
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
