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
        let file = if self.files.last().is_some_and(|last| last == file) {
            self.files.len() as u32 - 1
        } else {
            self.add_file(file.to_owned())
        };
        self.add_of_file(file, line)
    }

    /// Returns the number of files.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Appends a file and returns its number.
    pub fn add_file(&mut self, file: String) -> u32 {
        self.files.push(file);
        self.files.len() as u32 - 1
    }

    /// Appends a line of the file of a number and returns its position.
    pub fn add_of_file(&mut self, file: u32, line: u32) -> Loc {
        self.lines.push((file, line));
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
