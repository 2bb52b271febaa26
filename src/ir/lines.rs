//! Files and lines that instructions come from.

use serde::{Deserialize, Serialize};

/// Position in the source: an entry of the module's [`LineTable`] counted from 1, 0 for none. Between lowering and the end
/// of compilation, a byte of the source map instead.
pub type Loc = u32;

/// The lines that the instructions of a module come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineTable {
    files: Vec<String>,
    /// File and line.
    lines: Vec<(u32, u32)>,
}

impl LineTable {
    /// File and line of a position.
    pub fn get(&self, loc: Loc) -> Option<(&str, u32)> {
        let (file, line) = *self.lines.get(loc.checked_sub(1)? as usize)?;
        Some((self.files.get(file as usize)?, line))
    }

    /// A further line; of the file named last if `file` is that.
    pub fn add(&mut self, file: &str, line: u32) -> Loc {
        if self.files.last().is_none_or(|last| last != file) {
            self.files.push(file.to_owned());
        }
        self.lines.push((self.files.len() as u32 - 1, line));
        self.lines.len() as Loc
    }

    /// Takes over the lines of another module; returns what is to be added to its positions.
    pub fn append(&mut self, other: &LineTable) -> u32 {
        let (files, lines) = (self.files.len() as u32, self.lines.len() as u32);
        self.files.extend_from_slice(&other.files);
        self.lines.extend(other.lines.iter().map(|&(file, line)| (file + files, line)));
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_files_when_modules_are_joined() {
        let (mut first, mut second) = (LineTable::default(), LineTable::default());
        assert_eq!((first.add("a.cl", 3), first.add("a.cl", 5)), (1, 2));
        assert_eq!(second.add("b.cl", 7), 1);
        let moved = first.append(&second);
        assert_eq!(first.get(2), Some(("a.cl", 5)));
        assert_eq!(first.get(1 + moved), Some(("b.cl", 7)));
        assert_eq!((first.get(0), first.get(4)), (None, None));
    }
}
