//! Syntax of arguments. The help of `grus run` contains the grammar.

use std::path::PathBuf;

use super::types::Number;
use crate::problem::{Result, input};

/// Content of a buffer or an image.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    Zeros,
    Ones,
    /// Start and step of a sequence.
    Iota(Number, Number),
    /// Random numbers of a range, or of the type's default range.
    Random(Option<(Number, Number)>),
    /// List of numbers, which is repeated.
    List(Vec<Number>),
    File(PathBuf),
}

/// Description of a buffer or an image.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    pub content: Content,
    /// Number of elements, or of texels in each dimension.
    pub size: Option<Vec<usize>>,
    /// Texel format: `rgba8`.
    pub format: Option<String>,
}

/// Parses `CONTENT[:SIZE][:FORMAT]`.
///
/// # Errors
/// If a part is not understood.
pub fn parse(text: &str) -> Result<Spec> {
    if let Some(path) = text.strip_prefix('@') {
        return file(path);
    }
    let mut parts = text.split(':');
    let content = content(parts.next().unwrap_or_default())?;
    let mut spec = Spec { content, size: None, format: None };
    for part in parts {
        if let (Some(size), None) = (size(part), &spec.size) {
            spec.size = Some(size);
        } else if is_format(part) && spec.format.is_none() {
            spec.format = Some(part.to_owned());
        } else {
            return input(format!("{text:?}: {part:?} is neither a number of elements nor a format"));
        }
    }
    Ok(spec)
}

/// Parses a file content. A file's name may contain colons, so that only a valid size or format is removed from its
/// end.
fn file(path: &str) -> Result<Spec> {
    let mut spec = Spec { content: Content::Zeros, size: None, format: None };
    let mut path = path;
    while let Some((rest, last)) = path.rsplit_once(':') {
        if PathBuf::from(path).exists() {
            break;
        }
        match size(last) {
            Some(size) if spec.size.is_none() => spec.size = Some(size),
            None if spec.format.is_none() && is_format(last) => spec.format = Some(last.to_owned()),
            _ => break,
        }
        path = rest;
    }
    if path.is_empty() {
        return input("@ must be followed by a file's name");
    }
    spec.content = Content::File(path.into());
    Ok(spec)
}

fn content(text: &str) -> Result<Content> {
    let (word, rest) = match text.split_once('=') {
        Some((word, rest)) => (word, Some(rest)),
        None => (text, None),
    };
    let number = |text: &str| Number::parse(text);
    match (word, rest) {
        ("zeros", None) => Ok(Content::Zeros),
        ("ones", None) => Ok(Content::Ones),
        ("iota", None) => Ok(Content::Iota(Number::Int(0), Number::Int(1))),
        ("iota", Some(rest)) => {
            let (start, step) = rest.split_once(',').unwrap_or((rest, "1"));
            match (number(start), number(step)) {
                (Some(start), Some(step)) => Ok(Content::Iota(start, step)),
                _ => input(format!("{text:?}: iota takes a start and a step, as in iota=1,2")),
            }
        }
        ("random", None) => Ok(Content::Random(None)),
        ("random", Some(rest)) => {
            match rest.split_once("..").map(|(low, high)| (number(low), number(high))) {
                Some((Some(low), Some(high))) if low.float() <= high.float() => {
                    Ok(Content::Random(Some((low, high))))
                }
                _ => input(format!("{text:?}: random takes a range, as in random=-1..1")),
            }
        }
        _ => match text.split(',').map(Number::parse).collect() {
            Some(numbers) => Ok(Content::List(numbers)),
            None => input(format!(
                "{text:?} is no content: it can be zeros, ones, iota, random, numbers as in 1,2,3, or a file as in @x.npy"
            )),
        },
    }
}

/// Parses a size: `1024`, `64K`, `640x480`.
pub fn size(text: &str) -> Option<Vec<usize>> {
    text.split('x').map(count).collect()
}

/// Parses a number with an optional factor of 1024 (K), 1024² (M) or 1024³ (G).
pub fn count(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(['K', 'M', 'G']);
    let shift = match &text[digits.len()..] {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return None,
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse::<usize>().ok()?.checked_mul(1 << shift)
}

/// Checks whether a text looks like a texel format.
fn is_format(text: &str) -> bool {
    super::texels::Format::parse(text).is_some()
}

/// Parses a range of work-items: `1024`, `640x480` or `640,480`, one to three dimensions.
///
/// # Errors
/// If the text is not understood.
pub fn dimensions(option: &str, text: &str, zero: bool) -> Result<Vec<usize>> {
    let found: Option<Vec<usize>> = text.split(['x', ',']).map(count).collect();
    match found.filter(|sizes| sizes.len() <= 3 && (zero || sizes.iter().all(|&size| size > 0))) {
        Some(sizes) => Ok(sizes),
        None => {
            input(format!("{option} {text}: it takes one to three numbers above 0, as in {option} 640x480"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content_of(text: &str) -> Content {
        parse(text).expect(text).content
    }

    #[test]
    fn contents() {
        assert_eq!(content_of("zeros"), Content::Zeros);
        assert_eq!(content_of("iota=5,-1"), Content::Iota(Number::Int(5), Number::Int(-1)));
        assert_eq!(content_of("random=-1..1"), Content::Random(Some((Number::Int(-1), Number::Int(1)))));
        assert_eq!(content_of("1,2.5"), Content::List(vec![Number::Int(1), Number::Float(2.5)]));
        assert_eq!(content_of("@a:b.npy"), Content::File("a:b.npy".into()));
        for bad in
            ["", "zeroes", "random=1", "random=2..1", "iota=x", "1,,2", "ones=1", "@", "zeros:x", "1:2:3"]
        {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_and_formats() {
        let spec = parse("random:640x480:rgba8").expect("an image");
        assert_eq!((spec.size, spec.format.as_deref()), (Some(vec![640, 480]), Some("rgba8")));
        assert_eq!(parse("@x.raw:16:r32f").expect("a file").size, Some(vec![16]));
        assert_eq!(count("3K"), Some(3072));
        assert!(["", "K", "1k", "-1", "1KM", "0x10"].iter().all(|text| count(text).is_none()));
        assert_eq!(dimensions("-g", "4,5x6", false).expect("three"), [4, 5, 6]);
        assert!(["", "0", "1,2,3,4", "a"].iter().all(|text| dimensions("-g", text, false).is_err()));
    }
}
