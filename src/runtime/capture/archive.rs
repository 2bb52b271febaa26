//! File of a captured launch: an archive in the format of `tar` (POSIX.1-2017, pax, ustar), so that common tools
//! can read it. Entries are written one after the other and can be read back while the file grows.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Size of a header in bytes; contents are padded to multiples of it.
// Source: POSIX.1-2017, pax, ustar interchange format.
const BLOCK: usize = 512;

/// Size of the write buffer in bytes.
// Arbitrary.
const BUFFER: usize = 1 << 20;

/// Size of an entry from which on the 11 octal digits of a header do not suffice.
// Source: POSIX.1-2017, pax, ustar interchange format.
const LARGE: u64 = 1 << 33;

/// Archive under construction. Its file has a temporary name until the archive is finished.
pub(super) struct Archive {
    file: File,
    /// Path of the finished file.
    path: PathBuf,
    end: u64,
}

/// Extension of the file name while the archive is not finished.
const PART: &str = "part";

fn part(path: &Path) -> PathBuf {
    path.with_added_extension(PART)
}

impl Archive {
    /// Creates the file.
    pub fn create(path: PathBuf) -> io::Result<Archive> {
        let file = OpenOptions::new().create_new(true).read(true).write(true).open(part(&path))?;
        Ok(Archive { file, path, end: 0 })
    }

    /// Adds an entry with a text.
    pub fn text(&mut self, name: &str, text: &[u8]) -> io::Result<()> {
        self.entry(name, text.len() as u64, |to| to.write_all(text)).map(|_| ())
    }

    /// Adds an entry with the bytes that `fill` writes, which must be `size` bytes. Returns their offset in the
    /// file.
    pub fn entry(
        &mut self,
        name: &str,
        size: u64,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<u64> {
        let mut to = BufWriter::with_capacity(BUFFER, &self.file);
        to.write_all(&header(name, size).ok_or(io::ErrorKind::InvalidFilename)?)?;
        fill(&mut to)?;
        let start = self.end + BLOCK as u64;
        let rest = size.next_multiple_of(BLOCK as u64) - size;
        to.write_all(&[0; BLOCK][..rest as usize])?;
        to.flush()?;
        self.end = start + size + rest;
        Ok(start)
    }

    /// Reads bytes of the file from offset `place` on.
    pub fn read(&self, place: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.file.read_exact_at(bytes, place)
    }

    /// Finishes the archive and gives the file its final name.
    pub fn finish(mut self) -> io::Result<()> {
        self.file.write_all(&[0; 2 * BLOCK])?;
        fs::rename(part(&self.path), &self.path)
    }

    /// Deletes the file.
    pub fn give_up(self) {
        let _ = fs::remove_file(part(&self.path));
    }
}

/// Returns the header of a plain file; none if the name is too long.
fn header(name: &str, size: u64) -> Option<[u8; BLOCK]> {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
    if name.len() >= 100 {
        return None;
    }
    put(0, name.as_bytes());
    put(100, b"0000644\0");
    // User, group and time are not used.
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    if size < LARGE {
        put(124, format!("{size:011o}\0").as_bytes());
    } else {
        // GNU tar's base-256 encoding of large sizes.
        put(124, &[0x80, 0, 0, 0]);
        put(128, &size.to_be_bytes());
    }
    put(136, b"00000000000\0");
    put(148, b"        ");
    // The type is a plain file; the magic is that of ustar with its version.
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Some(block)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_a_sum_and_any_size() {
        for size in [0, 1, 511, LARGE - 1, LARGE, 1 << 40] {
            let block = header("memory/0-before.bin", size).expect("a short name");
            let text = |range: std::ops::Range<usize>| String::from_utf8_lossy(&block[range]).into_owned();
            let said = u32::from_str_radix(&text(148..154), 8).expect("digits");
            let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
            let digits: u32 = block[148..156].iter().map(|&byte| u32::from(byte)).sum();
            assert_eq!(said, sum - digits + 8 * u32::from(b' '));
            let found = if block[124] == 0x80 {
                block[128..136].iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
            } else {
                u64::from_str_radix(&text(124..135), 8).expect("digits")
            };
            assert_eq!(found, size);
        }
        assert!(header(&"x".repeat(100), 0).is_none());
    }

    #[test]
    fn entries_are_read_again_and_the_name_comes_last() {
        let path = std::env::temp_dir().join(format!("grus-archive-{}.tar", std::process::id()));
        let mut archive = Archive::create(path.clone()).expect("a file");
        archive.text("a", b"first").expect("written");
        let place = archive.entry("b", 6, |to| to.write_all(b"second")).expect("written");
        let mut bytes = [0; 6];
        archive.read(place, &mut bytes).expect("read");
        assert_eq!((&bytes, place), (b"second", 3 * BLOCK as u64));
        assert!(part(&path).exists() && !path.exists());
        archive.finish().expect("finished");
        let whole = fs::read(&path).expect("the file");
        assert_eq!(whole.len(), 6 * BLOCK);
        assert!(!part(&path).exists());
        fs::remove_file(&path).expect("removed");
        Archive::create(path.clone()).expect("a file").give_up();
        assert!(!part(&path).exists() && !path.exists());
    }
}
