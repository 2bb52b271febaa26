//! Results of a kernel: printed, compared, written to files.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::npy;
use super::picture::Picture;
use super::plan::shown_size;
use super::texels::{Format, to_byte};
use super::types::{Element, Number};
use crate::icd;
use crate::problem::{Problem, Result, input};

/// Buffer or image after the kernel has run.
#[derive(Clone, Debug)]
pub struct Output {
    pub name: String,
    pub element: Element,
    /// Format of an image; `None` for a buffer.
    pub format: Option<Format>,
    pub size: Vec<usize>,
    pub bytes: Vec<u8>,
    /// True if the kernel may write it.
    pub is_written: bool,
}

impl Output {
    /// Returns the size of an element or a texel in bytes.
    fn stride(&self) -> usize {
        self.format.map_or(self.element.size(), |format| format.size())
    }

    fn elements(&self) -> std::slice::ChunksExact<'_, u8> {
        self.bytes.chunks_exact(self.stride())
    }

    /// Formats name, type, and the first `max_elements` elements on one line; all elements if `max_elements` is 0.
    pub fn shown(&self, max_elements: usize) -> String {
        let count = self.elements().len();
        let max_elements = if max_elements == 0 { count } else { max_elements };
        let mut line = match self.format {
            None => format!("{}: {}[{count}]", self.name, self.element.name()),
            Some(_) => format!("{}: image {} of {}", self.name, shown_size(&self.size), self.element.name()),
        };
        for element in self.elements().take(max_elements) {
            let _ = write!(line, " {}", self.element.shown(element));
        }
        if count > max_elements {
            line += " …";
        }
        line
    }

    /// Writes the result to a file: `.npy`, `.png`, or raw bytes for other names.
    ///
    /// # Errors
    /// If the file cannot be written, or the elements cannot be converted to a picture.
    pub fn write(&self, path: &Path) -> Result<()> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let bytes = match extension.as_deref() {
            Some("npy") => {
                let shape: Vec<usize> = self.size.iter().rev().copied().collect();
                npy::write(self.element, &shape, &self.bytes)
            }
            Some("png") => self.picture().map_err(|problem| problem.of(&self.name))?.write()?,
            _ => self.bytes.clone(),
        };
        let failed = |error| Problem::Failed(format!("{}: {}", path.display(), icd::plain(&error)));
        fs::write(path, bytes).map_err(failed)
    }

    fn picture(&self) -> Result<Picture> {
        let &[width, height] = self.size.as_slice() else {
            return input(format!(
                "a picture has two sizes, this has {}: give SIZE as 640x480",
                shown_size(&self.size)
            ));
        };
        if self.element.lanes > 4 {
            return input(format!("a picture has no pixels of {}", self.element.name()));
        }
        let pixels = self.elements().map(|element| self.pixel(element)).collect();
        Ok(Picture { width, height, pixels })
    }

    /// Returns red, green, blue, alpha of an element.
    fn pixel(&self, element: &[u8]) -> [u8; 4] {
        let scalar = self.element.scalar;
        let mut channels: Vec<u8> = self
            .element
            .components(element)
            .map(|part| {
                self.format.map_or_else(|| to_byte(scalar.decode(part)), |format| format.byte_of(part))
            })
            .collect();
        if self.format.is_some_and(|format| format.is_swapped()) {
            channels.swap(0, 2);
        }
        match channels[..] {
            [v] => [v, v, v, 255],
            // An image of two channels has no alpha channel.
            [r, g] if self.format.is_some() => [r, g, 0, 255],
            [v, a] => [v, v, v, a],
            [r, g, b] => [r, g, b, 255],
            [r, g, b, a, ..] => [r, g, b, a],
            [] => [0; 4],
        }
    }

    /// Returns the elements that differ from `wanted` by more than `tolerance`, relative to the number or, below 1,
    /// to 1.
    pub fn differences(&self, wanted: &[u8], tolerance: f64) -> Differences {
        let mut found = Differences::default();
        let scalar = self.element.scalar;
        for (index, (mine, theirs)) in self.elements().zip(wanted.chunks_exact(self.stride())).enumerate() {
            let components = self.element.components(mine).zip(self.element.components(theirs));
            for (lane, (mine, theirs)) in components.enumerate() {
                let (found_number, wanted_number) = (scalar.decode(mine), scalar.decode(theirs));
                let error = error(found_number, wanted_number);
                found.worst = found.worst.max(error);
                if error > tolerance {
                    found.count += 1;
                    if found.first.len() < SHOWN {
                        let lane = if self.element.lanes > 1 { format!(".s{lane:x}") } else { String::new() };
                        let text = format!(
                            "{}[{index}]{lane} is {}, not {}",
                            self.name,
                            scalar.shown(mine),
                            scalar.shown(theirs)
                        );
                        found.first.push(text);
                    }
                }
            }
        }
        found
    }
}

/// Maximum number of differences that are listed.
// Arbitrary.
const SHOWN: usize = 5;

/// Differences of two results.
#[derive(Debug, Default)]
pub struct Differences {
    pub count: usize,
    pub first: Vec<String>,
    /// Largest error, including tolerated ones.
    pub worst: f64,
}

/// Returns the difference of two numbers, relative to the second number if that is above 1.
fn error(found: Number, wanted: Number) -> f64 {
    match (found, wanted) {
        (Number::Int(found), Number::Int(wanted)) => {
            found.abs_diff(wanted) as f64 / (wanted.unsigned_abs().max(1) as f64)
        }
        _ => {
            let (found, wanted) = (found.float(), wanted.float());
            if found == wanted || found.is_nan() && wanted.is_nan() {
                return 0.0;
            }
            let error = (found - wanted).abs() / wanted.abs().max(1.0);
            if error.is_nan() { f64::INFINITY } else { error }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(name: &str, bytes: &[u8]) -> Output {
        let element = Element::named(name).expect("a type");
        Output {
            name: "x".into(),
            element,
            format: None,
            size: vec![bytes.len() / element.size()],
            bytes: bytes.into(),
            is_written: true,
        }
    }

    fn floats(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn shown_in_short() {
        assert_eq!(output("float", &floats(&[1.0, 0.1, 3e9])).shown(2), "x: float[3] 1 0.1 …");
        assert_eq!(output("char2", &[1, 255, 2, 254]).shown(0), "x: char2[2] (1, -1) (2, -2)");
    }

    #[test]
    fn differences_are_found() {
        let mine = output("float", &floats(&[1.0, 1000.0, f32::NAN, 5.0]));
        let same = mine.differences(&floats(&[1.0, 1000.01, f32::NAN, 5.0]), 1e-4);
        assert_eq!(same.count, 0);
        assert!(same.worst > 0.0);
        let other = mine.differences(&floats(&[2.0, 1000.0, 0.0, f32::INFINITY]), 0.5);
        assert_eq!(other.count, 2);
        assert_eq!(other.first[0], "x[2] is NaN, not 0");
        let ints = output("int", &[1, 0, 0, 0]).differences(&[2, 0, 0, 0], 0.0);
        assert_eq!(ints.first, ["x[0] is 1, not 2"]);
    }

    #[test]
    fn pictures() {
        let grey = Output { size: vec![2, 1], ..output("float", &floats(&[0.0, 2.0])) };
        assert_eq!(grey.picture().expect("a picture").pixels, [[0, 0, 0, 255], [255; 4]]);
        assert!(output("float", &floats(&[0.0])).picture().is_err());
    }
}
