//! Conversion of numbers and files to the bytes of buffers and images.

use std::fs;
use std::path::Path;

use super::npy;
use super::picture::Picture;
use super::spec::Content;
use super::texels::{Format, of_byte};
use super::types::{Element, Number, Scalar};
use crate::icd;
use crate::problem::{Problem, Result, input};

/// Pseudo-random numbers, the same on every machine (SplitMix64, Steele et al. 2014).
pub struct Random(u64);

impl Random {
    /// Returns a sequence of its own for each seed and argument.
    pub fn new(seed: u64, index: usize) -> Random {
        let mut random = Random(seed ^ (index as u64).wrapping_mul(0xa076_1d64_78bd_642f));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// Returns a number from 0 up to 1 that a float represents exactly.
    fn unit(&mut self) -> f64 {
        (self.next() >> 40) as f64 / (1u64 << 24) as f64
    }

    /// Returns a number of the type within `range`; by default floats are from 0 to 1, and integers have any value.
    fn number(&mut self, scalar: Scalar, range: Option<(Number, Number)>) -> Number {
        if scalar.is_float() {
            let (low, high) = range.map_or((0.0, 1.0), |(low, high)| (low.float(), high.float()));
            return Number::Float(low + (high - low) * self.unit());
        }
        let (low, high) = match range {
            Some((low, high)) => (low.float().ceil() as i128, high.float().floor() as i128),
            None => scalar.limits(),
        };
        let count = (high - low + 1).max(1) as u128;
        Number::Int(low + ((u128::from(self.next()) * count) >> 64) as i128)
    }
}

/// Memory that is filled.
pub enum Target<'f> {
    /// Buffer of elements of this type.
    Elements(Element),
    /// Image of this format.
    Texels(&'f Format),
}

impl Target<'_> {
    fn element(&self) -> Element {
        match self {
            Target::Elements(element) => *element,
            Target::Texels(format) => format.element(),
        }
    }

    /// Converts a number to its representation in memory.
    fn stored(&self, number: Number) -> Number {
        match self {
            Target::Elements(_) => number,
            Target::Texels(format) => format.stored(number),
        }
    }

    fn is_image(&self) -> bool {
        matches!(self, Target::Texels(_))
    }

    /// Returns the size of an element in bytes. No texel has three channels.
    pub fn size(&self) -> usize {
        match self {
            Target::Elements(element) => element.size(),
            Target::Texels(format) => format.size(),
        }
    }
}

/// Generates `count` elements.
///
/// # Errors
/// If a number does not fit the type. Files are read by [`load`].
pub fn generate(
    content: &Content,
    target: &Target<'_>,
    count: usize,
    random: &mut Random,
) -> Result<Vec<u8>> {
    let element = target.element();
    let size = count.checked_mul(target.size()).filter(|size| *size <= isize::MAX as usize);
    let size = size.ok_or_else(|| Problem::Input(format!("{count} elements are too many")))?;
    if let Content::Random(Some((low, high))) = content
        && matches!(target, Target::Elements(element) if !element.scalar.is_float())
        && low.float().ceil() > high.float().floor()
    {
        return input(format!("there is no {} from {low} to {high}", element.scalar.name()));
    }
    let mut bytes = Vec::new();
    let room = bytes.try_reserve_exact(size);
    room.map_err(|_| Problem::Failed(format!("there is no memory for {size} bytes")))?;
    if *content == Content::Zeros {
        bytes.resize(size, 0);
        return Ok(bytes);
    }
    let mut index = 0;
    for _ in 0..count {
        let end = bytes.len() + target.size();
        for _ in 0..element.lanes {
            let number = number(content, target, element.scalar, index, random);
            element.scalar.encode(number, &mut bytes)?;
            index += 1;
        }
        // The fourth lane of a three-element vector is zero.
        bytes.resize(end, 0);
    }
    Ok(bytes)
}

/// Returns the number at position `index`.
fn number(
    content: &Content,
    target: &Target<'_>,
    scalar: Scalar,
    index: usize,
    random: &mut Random,
) -> Number {
    match content {
        Content::Zeros | Content::File(_) => Number::Int(0),
        Content::Ones => target.stored(Number::Int(1)),
        Content::Iota(start, step) => wrapped(scalar, start, step, index),
        // Normalized formats get any value of their integer type.
        Content::Random(None) => random.number(scalar, None),
        Content::Random(range) if target.is_image() => target.stored(random.number(Scalar::F64, *range)),
        Content::Random(range) => random.number(scalar, *range),
        Content::List(numbers) => target.stored(numbers[index % numbers.len()]),
    }
}

/// Returns `start + index * step`; integers wrap around in their type.
fn wrapped(scalar: Scalar, start: &Number, step: &Number, index: usize) -> Number {
    match (start, step) {
        (Number::Int(start), Number::Int(step)) if !scalar.is_float() => {
            let (low, high) = scalar.limits();
            let count = high - low + 1;
            Number::Int(low + (start + step * index as i128 - low).rem_euclid(count))
        }
        _ => Number::Float(start.float() + step.float() * index as f64),
    }
}

/// File that was read: bytes, and its dimensions if the file has some (width first).
pub struct Loaded {
    pub bytes: Vec<u8>,
    pub size: Option<Vec<usize>>,
}

/// Loads a file: `.npy`, `.png`, or raw bytes.
///
/// # Errors
/// If the file cannot be read, or does not fit the target.
pub fn load(path: &Path, target: &Target<'_>) -> Result<Loaded> {
    let shown = path.display().to_string();
    let bytes = fs::read(path).map_err(|error| Problem::Input(format!("{shown}: {}", icd::plain(&error))))?;
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let loaded = match extension.as_deref() {
        Some("npy") => array(&bytes, target),
        Some("png") => picture(&bytes, target),
        _ if bytes.len() % target.size() != 0 => {
            input(format!("{} bytes are no whole number of elements of {}", bytes.len(), target.size()))
        }
        _ => Ok(Loaded { bytes, size: None }),
    };
    loaded.map_err(|problem| problem.of(shown))
}

fn array(bytes: &[u8], target: &Target<'_>) -> Result<Loaded> {
    let array = npy::read(bytes)?;
    let element = target.element();
    if array.scalar != element.scalar {
        return input(format!("it has {}, not {}", array.scalar.name(), element.scalar.name()));
    }
    let row = element.lanes * element.scalar.size();
    if array.bytes.len() % row != 0 {
        return input(format!("its numbers are no whole number of {}", element.name()));
    }
    // Arrays of NumPy have no fourth lane, so one is inserted.
    let bytes = if element.lanes == 3 && !target.is_image() {
        let gap = vec![0; element.scalar.size()];
        array.bytes.chunks_exact(row).flat_map(|row| row.iter().chain(&gap)).copied().collect()
    } else {
        array.bytes
    };
    let mut size: Vec<usize> = array.shape.into_iter().rev().collect();
    if element.lanes > 1 && size.first() == Some(&element.lanes) {
        size.remove(0);
    }
    Ok(Loaded { bytes, size: (!size.is_empty()).then_some(size) })
}

fn picture(bytes: &[u8], target: &Target<'_>) -> Result<Loaded> {
    let picture = Picture::read(bytes)?;
    let mut bytes = Vec::new();
    for pixel in &picture.pixels {
        let end = bytes.len() + target.size();
        let element = target.element();
        let mut channels = picture_channels(*pixel, element.lanes)?;
        match target {
            Target::Elements(element) => {
                for byte in channels {
                    element.scalar.encode(of_byte(element.scalar, byte), &mut bytes)?;
                }
            }
            Target::Texels(format) => {
                if format.is_swapped() {
                    channels.swap(0, 2);
                }
                channels.iter().for_each(|&byte| bytes.extend(format.of_byte(byte)));
            }
        }
        bytes.resize(end, 0);
    }
    Ok(Loaded { bytes, size: Some(vec![picture.width, picture.height]) })
}

/// Converts a color to the number of channels: gray; gray and alpha; red, green, blue; all.
fn picture_channels([r, g, b, a]: [u8; 4], count: usize) -> Result<Vec<u8>> {
    // Luma by Rec. 601, in integers, so that gray stays unchanged.
    let grey = ((u32::from(r) * 299 + u32::from(g) * 587 + u32::from(b) * 114 + 500) / 1000) as u8;
    match count {
        1 => Ok(vec![grey]),
        2 => Ok(vec![grey, a]),
        3 => Ok(vec![r, g, b]),
        4 => Ok(vec![r, g, b, a]),
        _ => input(format!("a picture has no pixels of {count} channels")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(content: &Content, name: &str, count: usize) -> Vec<Number> {
        let element = Element::named(name).expect("a type");
        let mut random = Random::new(1, 0);
        let bytes = generate(content, &Target::Elements(element), count, &mut random).expect("it fits");
        assert_eq!(bytes.len(), count * element.size());
        bytes
            .chunks(element.size())
            .flat_map(|e| element.components(e).map(|c| element.scalar.decode(c)).collect::<Vec<_>>())
            .collect()
    }

    #[test]
    fn generated() {
        let iota = Content::Iota(Number::Int(254), Number::Int(1));
        assert_eq!(numbers(&iota, "uchar", 3), [Number::Int(254), Number::Int(255), Number::Int(0)]);
        assert_eq!(numbers(&Content::Ones, "float3", 2), [Number::Float(1.0); 6]);
        let list = Content::List(vec![Number::Int(1), Number::Int(2)]);
        assert_eq!(numbers(&list, "int", 3), [1, 2, 1].map(Number::Int));
    }

    #[test]
    fn random_numbers_stay_in_range() {
        let range = Content::Random(Some((Number::Int(-3), Number::Int(3))));
        let found = numbers(&range, "int", 1000);
        assert!((-3..=3).all(|wanted| found.contains(&Number::Int(wanted))));
        assert!(found.iter().all(|number| (-3.0..=3.0).contains(&number.float())));
        let floats = numbers(&Content::Random(None), "float", 1000);
        assert!(floats.iter().all(|number| (0.0..1.0).contains(&number.float())));
        let mut random = Random::new(42, 3);
        let again = Random::new(42, 3).next();
        assert_eq!(random.next(), again);
        assert_ne!(again, Random::new(42, 4).next());
    }

    #[test]
    fn pictures_as_channels() {
        assert_eq!(picture_channels([9, 9, 9, 7], 2).expect("two"), [9, 7]);
        assert!(picture_channels([0; 4], 8).is_err());
    }
}
