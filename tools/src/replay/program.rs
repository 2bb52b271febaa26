//! Program of a captured launch, built again.
//!
//! Only a program's kernels can access its variables. If a program has variables and one source, two kernels that
//! write and read them are therefore added to the source.

use std::io::Write;

use crate::build::{log, shown_log};
use crate::capture::file::Capture;
use crate::capture::manifest::{Object, Unit};
use crate::cl::{Program, Range, Session};
use crate::problem::{Problem, Result, failed, input};

/// Replacements of parts of the captured program.
pub struct Changes {
    /// Replacements of its sources, in their order.
    pub sources: Vec<String>,
    /// Replacement of its build options.
    pub options: Option<String>,
}

/// Program that has been built.
pub struct BuiltProgram<'s> {
    pub program: Program<'s>,
    /// Variables that can be written and read: object index, offset in the concatenation of all variables, size.
    variables: Vec<(usize, usize, usize)>,
}

/// Returns the file names of the sources of a program in their order.
pub fn source_files(unit: &Unit) -> Vec<&str> {
    match unit {
        Unit::Source { file, .. } => vec![file],
        Unit::Il { .. } | Unit::Binary { .. } => Vec::new(),
        Unit::Linked { units, .. } => units.iter().flat_map(source_files).collect(),
    }
}

/// State for building a program.
struct ProgramBuilder<'s, 'c> {
    session: &'s Session,
    capture: &'c Capture,
    changes: &'c Changes,
}

/// Builds the program.
///
/// # Errors
/// If the program does not build; the log is printed on standard error.
pub fn build<'s>(session: &'s Session, capture: &Capture, changes: &Changes) -> Result<BuiltProgram<'s>> {
    let builder = ProgramBuilder { session, capture, changes };
    let variables = builder.variables();
    if !variables.is_empty()
        && let Unit::Source { options, headers, .. } = &capture.manifest.program
        && headers.is_empty()
    {
        let text = builder.texts()?.concat() + &accessors(capture, &variables);
        let program = session.source(&text)?;
        if program.build(changes.options.as_ref().unwrap_or(options))?.error.is_none() {
            return Ok(BuiltProgram { program, variables });
        }
    }
    let program = builder.build_captured()?;
    Ok(BuiltProgram { program, variables: Vec::new() })
}

impl<'s> ProgramBuilder<'s, '_> {
    fn build_captured(&self) -> Result<Program<'s>> {
        let mut texts = self.texts()?.into_iter();
        let unit = &self.capture.manifest.program;
        let options = self.changes.options.as_deref();
        match unit {
            Unit::Source { headers, .. } if !headers.is_empty() => {
                let part = self.unit(unit, &mut texts, options)?;
                self.linked(&[part], "")
            }
            Unit::Source { options: own, .. } => {
                let program = self.session.source(&texts.next().unwrap_or_default())?;
                self.report(program.build(options.unwrap_or(own))?)?;
                Ok(program)
            }
            Unit::Il { options: own, .. } => {
                let program = self.module(unit)?;
                self.report(program.build(options.unwrap_or(own))?)?;
                Ok(program)
            }
            Unit::Binary { options: own, .. } => {
                let program = self.unit(unit, &mut texts, None)?;
                self.report(program.build(options.unwrap_or(own))?)?;
                Ok(program)
            }
            Unit::Linked { .. } => self.unit(unit, &mut texts, options),
        }
    }

    /// Compiles a unit for linking; a unit that was linked is linked again.
    fn unit(
        &self,
        unit: &Unit,
        texts: &mut impl Iterator<Item = String>,
        changed: Option<&str>,
    ) -> Result<Program<'s>> {
        match unit {
            Unit::Source { options, headers, .. } => {
                let headers: Vec<(String, Program<'_>)> = headers
                    .iter()
                    .map(|header| Ok((header.name.clone(), self.session.source(&self.text(&header.file))?)))
                    .collect::<Result<_>>()?;
                let program = self.session.source(&texts.next().unwrap_or_default())?;
                self.report(program.compile_with(changed.unwrap_or(options), &headers)?)?;
                Ok(program)
            }
            Unit::Il { options, .. } => {
                let program = self.module(unit)?;
                self.report(program.compile(changed.unwrap_or(options))?)?;
                Ok(program)
            }
            Unit::Binary { file, .. } => {
                let binary = self.capture.files.get(file).map(Vec::as_slice).unwrap_or_default();
                self.session.binary(binary).map_err(|problem| {
                    let version = &self.capture.manifest.library;
                    Problem::Input(format!(
                        "the application made this program of a binary, which only Grus {version} can read: {problem}"
                    ))
                })
            }
            Unit::Linked { options, units } => {
                let parts: Vec<Program<'s>> =
                    units.iter().map(|unit| self.unit(unit, texts, None)).collect::<Result<_>>()?;
                self.linked(&parts, changed.unwrap_or(options))
            }
        }
    }

    /// Creates the program of a module, with its specialization constants. It is not built.
    fn module(&self, unit: &Unit) -> Result<Program<'s>> {
        let Unit::Il { file, constants, .. } = unit else { return failed("no module") };
        let program = self.session.il(self.capture.files.get(file).map_or(&[], Vec::as_slice))?;
        for constant in constants {
            program.set_constant(constant.id, constant.value)?;
        }
        Ok(program)
    }

    fn linked(&self, parts: &[Program<'s>], options: &str) -> Result<Program<'s>> {
        let (program, built) = Program::link(parts, options)?;
        self.report(built)?;
        program.ok_or_else(|| Problem::Failed("nothing came of the link".into()))
    }

    /// Returns the texts of all sources, or their replacements.
    fn texts(&self) -> Result<Vec<String>> {
        let files = source_files(&self.capture.manifest.program);
        let (sources, expected) = (self.changes.sources.len(), files.len());
        match sources {
            0 => Ok(files.iter().map(|file| self.text(file)).collect()),
            _ if expected == 0 => {
                input("the program was made of a binary or of SPIR-V: it has no source that could be another")
            }
            _ if sources == expected => Ok(self.changes.sources.clone()),
            _ => input(format!("--source is given {sources} times, the program has {expected} sources")),
        }
    }

    fn text(&self, file: &str) -> String {
        self.capture
            .files
            .get(file)
            .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
            .unwrap_or_default()
    }

    /// Prints the log if there was an error, and returns the error.
    fn report(&self, built: crate::cl::BuildResult) -> Result<()> {
        let Some(error) = built.error else { return Ok(()) };
        let text = shown_log(&log::parse(&built.log), true);
        let _ = anstream::stderr().write_all(text.as_bytes());
        failed(format!("the program does not build: {error}"))
    }

    /// Returns the variables whose contents a kernel can set.
    fn variables(&self) -> Vec<(usize, usize, usize)> {
        let mut variables = Vec::new();
        let mut end = 0;
        for (index, object) in self.capture.manifest.objects.iter().enumerate() {
            // Variables that contain addresses are initialized correctly by the build itself.
            if let Object::Variable { name, size, has_pointers: false } = object
                && name.bytes().all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
            {
                variables.push((index, end, *size));
                end += size;
            }
        }
        variables
    }
}

/// Returns the source of the kernels that write and read the variables.
fn accessors(capture: &Capture, variables: &[(usize, usize, usize)]) -> String {
    let [mut write, mut read] = [String::new(), String::new()];
    for (object, offset, size) in variables {
        let Object::Variable { name, .. } = &capture.manifest.objects[*object] else { continue };
        let each = format!("for (ulong i = 0; i < {size}ul; ++i)");
        write += &format!("{each} ((global uchar *)&{name})[i] = from[{offset}ul + i];\n");
        read += &format!("{each} to[{offset}ul + i] = ((global uchar *)&{name})[i];\n");
    }
    format!(
        "\n#line 1 \"grus replay\"\nkernel void {WRITE}(global const uchar *from) {{\n{write}}}\n\
         kernel void {READ}(global uchar *to) {{\n{read}}}\n"
    )
}

const WRITE: &str = "grus_replay_write_variables";
const READ: &str = "grus_replay_read_variables";

impl BuiltProgram<'_> {
    /// Gives the variables their contents before the launch.
    ///
    /// # Errors
    /// If a command fails.
    pub fn restore(&self, session: &Session, capture: &Capture) -> Result<()> {
        if self.variables.is_empty() {
            return Ok(());
        }
        let found = self.variables.iter().filter_map(|(object, ..)| capture.before.get(object));
        let bytes: Vec<u8> = found.flatten().copied().collect();
        let buffer = session.buffer(bytes.len())?;
        buffer.write(&bytes)?;
        self.run(session, WRITE, &buffer)
    }

    /// Returns the contents of the variables, with their object indices.
    ///
    /// # Errors
    /// If a command fails.
    pub fn read(&self, session: &Session) -> Result<Vec<(usize, Vec<u8>)>> {
        let Some((_, offset, size)) = self.variables.last() else { return Ok(Vec::new()) };
        let buffer = session.buffer(offset + size)?;
        self.run(session, READ, &buffer)?;
        let bytes = buffer.read()?;
        let variables = self.variables.iter();
        Ok(variables
            .map(|(object, offset, size)| (*object, bytes[*offset..offset + size].to_vec()))
            .collect())
    }

    fn run(&self, session: &Session, name: &str, buffer: &crate::cl::Buffer<'_>) -> Result<()> {
        let kernel = self.program.kernel(name)?;
        kernel.set_buffer(0, buffer)?;
        session.run(&kernel, &Range { offset: None, global: vec![1], local: None }).map(|_| ())
    }
}
