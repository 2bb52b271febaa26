//! Source files and lines that instructions come from.

use serde::{Deserialize, Serialize};

/// Source position of an instruction: an index into the module's [`LineTable`] counted from 1, or 0 for none.
/// Between lowering and the end of compilation it is a byte offset in the source map instead.
pub type Loc = u32;

/// Source lines that the instructions of a module come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineTable {
    files: Vec<String>,
    /// Index into `files`, and line.
    lines: Vec<(u32, u32)>,
}

impl LineTable {
    /// Returns the file and line of a position.
    pub fn get(&self, loc: Loc) -> Option<(&str, u32)> {
        let (file, line) = *self.lines.get(loc.checked_sub(1)? as usize)?;
        Some((self.files.get(file as usize)?, line))
    }

    /// Appends a line and returns its position. Consecutive lines of one file share the file's entry.
    pub fn add(&mut self, file: &str, line: u32) -> Loc {
        if self.files.last().is_none_or(|last| last != file) {
            self.files.push(file.to_owned());
        }
        self.lines.push((self.files.len() as u32 - 1, line));
        self.lines.len() as Loc
    }

    /// Appends the lines of another module; returns the number to add to that module's positions.
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
