//! File format of NumPy (NEP 1), versions 1 to 3, restricted to OpenCL's element types in C order. A parser for the
//! three entries of the header suffices; existing crates depend on a parser of all Python literals.

use super::types::{Element, Scalar};
use crate::problem::{Problem, Result, input};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Array.
#[derive(Debug, PartialEq, Eq)]
pub struct Array {
    pub scalar: Scalar,
    pub shape: Vec<usize>,
    pub bytes: Vec<u8>,
}

const TYPES: [(&str, Scalar); 11] = [
    ("i1", Scalar::I8),
    ("u1", Scalar::U8),
    ("i2", Scalar::I16),
    ("u2", Scalar::U16),
    ("i4", Scalar::I32),
    ("u4", Scalar::U32),
    ("i8", Scalar::I64),
    ("u8", Scalar::U64),
    ("f2", Scalar::F16),
    ("f4", Scalar::F32),
    ("f8", Scalar::F64),
];

/// Parses a file.
///
/// # Errors
/// Returns the description of the defect.
pub fn read(file: &[u8]) -> Result<Array> {
    let damaged = || Problem::Input("it is no .npy file, or damaged".into());
    let rest = file.strip_prefix(MAGIC).ok_or_else(damaged)?;
    let major = *rest.first().ok_or_else(damaged)?;
    let (length, start) = match major {
        1 => (
            usize::from(u16::from_le_bytes(
                rest.get(2..4).and_then(|b| b.try_into().ok()).ok_or_else(damaged)?,
            )),
            4,
        ),
        _ => (
            u32::from_le_bytes(rest.get(2..6).and_then(|b| b.try_into().ok()).ok_or_else(damaged)?) as usize,
            6,
        ),
    };
    let header = rest.get(start..).and_then(|rest| rest.get(..length)).ok_or_else(damaged)?;
    let header = String::from_utf8_lossy(header);
    let bytes = rest[start + length..].to_vec();
    let kind = entry(&header, "descr").ok_or_else(damaged)?;
    let kind = kind.trim_matches(['\'', '"']);
    let (order, name) = kind.split_at(kind.len().min(1));
    let name = if name == "b1" { "u1" } else { name };
    let scalar = TYPES.iter().find(|(known, _)| *known == name && matches!(order, "<" | "|" | "="));
    let Some(&(_, scalar)) = scalar else {
        return input(format!("its numbers, {kind:?}, are none of OpenCL C"));
    };
    let shape = entry(&header, "shape").ok_or_else(damaged)?;
    let shape = shape.trim_matches(['(', ')']).split(',').map(str::trim).filter(|size| !size.is_empty());
    let shape: Vec<usize> =
        shape.map(str::parse).collect::<std::result::Result<_, _>>().map_err(|_| damaged())?;
    if entry(&header, "fortran_order").ok_or_else(damaged)? != "False" && shape.len() > 1 {
        return input("its order is Fortran's: save it as np.ascontiguousarray(array)");
    }
    let size = shape.iter().try_fold(scalar.size(), |size, &count| size.checked_mul(count));
    if size != Some(bytes.len()) {
        return Err(damaged());
    }
    Ok(Array { scalar, shape, bytes })
}

/// Returns the value of a key of the header.
fn entry<'h>(header: &'h str, key: &str) -> Option<&'h str> {
    let at = header.find(&format!("'{key}'"))?;
    let value = header[at + key.len() + 2..].trim_start().strip_prefix(':')?.trim_start();
    let end = if value.starts_with('(') { value.find(')')? + 1 } else { value.find([',', '}'])? };
    Some(value[..end].trim())
}

/// Returns a file with these elements; vector lanes become the last dimension.
pub fn write(element: Element, shape: &[usize], bytes: &[u8]) -> Vec<u8> {
    let mut shape = shape.to_vec();
    if element.lanes > 1 {
        shape.push(element.lanes);
    }
    let name = TYPES.iter().find(|(_, scalar)| *scalar == element.scalar).map_or("u1", |(name, _)| *name);
    let order = if element.scalar.size() == 1 { '|' } else { '<' };
    let sizes: String = shape.iter().map(|size| format!("{size}, ")).collect();
    let sizes = if shape.len() > 1 { sizes.trim_end_matches(", ") } else { sizes.trim_end() };
    let mut header = format!("{{'descr': '{order}{name}', 'fortran_order': False, 'shape': ({sizes}), }}");
    // Magic, lengths and header together are a multiple of 64 bytes, and end with a newline.
    let unpadded = MAGIC.len() + 4 + header.len() + 1;
    header += &" ".repeat(unpadded.next_multiple_of(64) - unpadded);
    header.push('\n');
    let mut file = MAGIC.to_vec();
    file.extend([1, 0]);
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    for element_bytes in bytes.chunks_exact(element.size()) {
        element.components(element_bytes).for_each(|part| file.extend(part));
    }
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let element = Element::named("float3").expect("a type");
        let bytes: Vec<u8> = (0..32).collect();
        let file = write(element, &[2], &bytes);
        assert_eq!(file.len() % 64, 24);
        let array = read(&file).expect("a file");
        assert_eq!((array.scalar, array.shape), (Scalar::F32, vec![2, 3]));
        assert_eq!(array.bytes, [&bytes[..12], &bytes[16..28]].concat());
        let one = write(Element::named("int").expect("a type"), &[3], &[0; 12]);
        assert!(String::from_utf8_lossy(&one).contains("'shape': (3,), }"));
        assert_eq!(read(&one).expect("a file").shape, [3]);
    }

    #[test]
    fn damaged_files() {
        let file = write(Element::named("int").expect("a type"), &[3], &[0; 12]);
        for end in 0..file.len() {
            assert!(read(&file[..end]).is_err(), "{end}");
        }
        let with = |from: &str, to: &str| {
            let text: Vec<u8> = file.clone();
            let at = text.windows(from.len()).position(|w| w == from.as_bytes()).expect("there");
            [&text[..at], to.as_bytes(), &text[at + from.len()..]].concat()
        };
        assert!(read(&with("<i4", ">i4")).is_err());
        assert!(read(&with("(3,)", "(4,)")).is_err());
        assert!(read(&with("<i4", "<U1")).is_err());
    }
}
