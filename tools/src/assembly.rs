//! Assembly of kernels: the library writes machine code into a file for profilers (GRUS_JITDUMP, perf's jitdump
//! format), from which this module disassembles it.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, IntelFormatter};

use crate::folder::Folder;
use crate::icd;
use crate::problem::{Problem, Result, failed, input};

const VARIABLE: &str = "GRUS_JITDUMP";
const MAGIC: u32 = 0x4a69_5444;
const CODE_LOAD: u32 = 0;
const CODE_DEBUG_INFO: u32 = 2;
/// ELF machine number of x86-64.
const X86_64: u32 = 62;

/// Folder of the jitdump file.
pub struct Dump {
    path: PathBuf,
    /// Temporary folder; `None` if the user has named one.
    _own: Option<Folder>,
    /// Number of bytes of the file that have been read.
    read: Cell<usize>,
}

impl Dump {
    /// Requests the file by setting the library's environment variable, which must happen before the library is
    /// loaded, since it reads its variables once.
    ///
    /// # Errors
    /// If the machine is not x86-64, or the folder cannot be created.
    pub fn request() -> Result<Dump> {
        if !cfg!(target_arch = "x86_64") {
            return input("assembly is shown on x86-64 only");
        }
        if let Some(folder) = env::var_os(VARIABLE) {
            return Ok(Dump { path: folder.into(), _own: None, read: Cell::default() });
        }
        let own = Folder::new("asm")?;
        // SAFETY: this process has no other thread yet.
        unsafe { env::set_var(VARIABLE, &own.0) };
        Ok(Dump { path: own.0.clone(), _own: Some(own), read: Cell::default() })
    }

    /// Returns the assembly of the code that was generated since the last call.
    ///
    /// # Errors
    /// If the library has not written a readable file.
    pub fn latest(&self) -> Result<String> {
        let file = self.path.join(format!("jit-{}.dump", std::process::id()));
        let bytes = match fs::read(&file) {
            // The file is created with the first code.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            read => read,
        };
        let bytes =
            bytes.map_err(|error| Problem::Failed(format!("{}: {}", file.display(), icd::plain(&error))))?;
        let read = self.read.replace(bytes.len());
        listing(&bytes, read)
    }
}

/// Writes assembly to a file; `-` is standard output.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: &Path, text: &str) -> Result<()> {
    if path.as_os_str() == "-" {
        crate::out::text(format_args!("{text}"));
        return Ok(());
    }
    fs::write(path, text)
        .map_err(|error| Problem::Failed(format!("{}: {}", path.display(), icd::plain(&error))))
}

/// Reader of numbers and texts from the front of a byte slice.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take(4)?.try_into().ok().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_le_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let end = self.0.iter().position(|&byte| byte == 0)?;
        let text = self.take(end + 1)?;
        Some(String::from_utf8_lossy(&text[..end]).into_owned())
    }
}

/// Returns the assembly of the functions of a dump, except those in its first `read` bytes.
fn listing(bytes: &[u8], read: usize) -> Result<String> {
    if read == bytes.len() {
        return failed("no code was made: is there no kernel?");
    }
    let mut reader = Reader(bytes);
    let header = [reader.u32(), reader.u32(), reader.u32(), reader.u32()];
    if header[0] != Some(MAGIC) || header[3] != Some(X86_64) {
        return failed("the library's dump of its code is of no kind that is known here");
    }
    let start = read.max(header[2].unwrap_or(0) as usize);
    let mut reader = Reader(bytes.get(start..).unwrap_or_default());
    let mut text = String::new();
    let mut lines = BTreeMap::new();
    while let Some((kind, body)) = record(&mut reader) {
        match kind {
            CODE_DEBUG_INFO => lines = debug_info(body).unwrap_or_default(),
            CODE_LOAD => text += &function(body, &std::mem::take(&mut lines)).unwrap_or_default(),
            _ => {}
        }
    }
    if text.is_empty() { failed("the library has told of no code") } else { Ok(text) }
}

/// Returns the kind of the next record, and its contents after size and time.
fn record<'b>(reader: &mut Reader<'b>) -> Option<(u32, &'b [u8])> {
    let (kind, size, _time) = (reader.u32()?, reader.u32()?, reader.u64()?);
    Some((kind, reader.take((size as usize).checked_sub(16)?)?))
}

/// Returns the source line of each address at which a line begins.
fn debug_info(body: &[u8]) -> Option<BTreeMap<u64, String>> {
    let mut reader = Reader(body);
    let (_address, count) = (reader.u64()?, reader.u64()?);
    let mut lines = BTreeMap::new();
    for _ in 0..count {
        let (address, line, _discriminator) = (reader.u64()?, reader.u32()?, reader.u32()?);
        lines.insert(address, format!("{}:{line}", reader.text()?));
    }
    Some(lines)
}

/// Disassembles a function: its name, and its instructions below their source lines. Addresses are relative to its
/// start.
fn function(body: &[u8], lines: &BTreeMap<u64, String>) -> Option<String> {
    let mut reader = Reader(body);
    let (_process, _thread, address) = (reader.u32()?, reader.u32()?, reader.u64()?);
    let (_at, size, _index) = (reader.u64()?, reader.u64()?, reader.u64()?);
    let name = reader.text()?;
    let code = reader.take(usize::try_from(size).ok()?)?;
    let mut text = format!("{name}:\n");
    let mut formatter = IntelFormatter::new();
    formatter.options_mut().set_space_after_operand_separator(true);
    formatter.options_mut().set_branch_leading_zeros(false);
    let mut decoder = Decoder::with_ip(64, code, 0, DecoderOptions::NONE);
    let (mut instruction, mut shown) = (Instruction::default(), String::new());
    let mut line = None;
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        let here = lines.range(..=address + instruction.ip()).next_back().map(|(_, line)| line);
        if here != line {
            text += &here.map_or(String::new(), |line| format!("  ; {line}\n"));
            line = here;
        }
        shown.clear();
        formatter.format(&instruction, &mut shown);
        text += &format!("  {:6x}  {shown}\n", instruction.ip());
    }
    text.push('\n');
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record_of(kind: u32, body: &[u8]) -> Vec<u8> {
        let size = (16 + body.len()) as u32;
        [&kind.to_le_bytes()[..], &size.to_le_bytes(), &[0; 8], body].concat()
    }

    fn dump() -> Vec<u8> {
        let header: Vec<u8> =
            [MAGIC, 1, 40, X86_64, 0, 0, 0, 0, 0, 0].into_iter().flat_map(u32::to_le_bytes).collect();
        let address = 0x1000u64.to_le_bytes();
        let line = [&1u64.to_le_bytes()[..], &0x1001u64.to_le_bytes(), &[7, 0, 0, 0, 0, 0, 0, 0], b"a.cl\0"]
            .concat();
        let sizes: Vec<u8> = [0x1000u64, 2, 0].into_iter().flat_map(u64::to_le_bytes).collect();
        let code = [&[0; 8][..], &address, &sizes, b"twice\0", &[0x90, 0xc3]].concat();
        [header, record_of(CODE_DEBUG_INFO, &[&address[..], &line].concat()), record_of(CODE_LOAD, &code)]
            .concat()
    }

    #[test]
    fn functions_lines_and_instructions() {
        let text = listing(&dump(), 0).expect("a listing");
        assert_eq!(text, "twice:\n       0  nop\n  ; a.cl:7\n       1  ret\n\n");
    }

    #[test]
    fn dumps_that_end_early() {
        let whole = dump();
        for end in 0..whole.len() {
            assert!(listing(&whole[..end], 0).is_err(), "{end}");
        }
        assert!(listing(&whole, whole.len()).is_err());
    }
}
