//! Conversion of the user's words to argument values, before any vendor is involved, so that all vendors receive
//! the same.

use super::content::{Random, Target, generate, load};
use super::spec::{self, Content, Spec};
use super::texels::Format;
use super::types::{Element, Number, Scalar};
use crate::build::declaration;
use crate::cl::*;
use crate::problem::{Problem, Result, input};

/// Value of an argument.
#[derive(Clone, Debug)]
pub enum Planned {
    Buffer {
        element: Element,
        size: Vec<usize>,
        bytes: Vec<u8>,
    },
    Image {
        format: Format,
        desc: ImageDesc,
        size: Vec<usize>,
        bytes: Vec<u8>,
    },
    Sampler {
        normalized: bool,
        addressing: u32,
        filter: u32,
    },
    Value(Vec<u8>),
    /// Local memory, in bytes.
    Local(usize),
    Null,
}

/// Facts that the conversion needs besides the arguments.
pub struct Facts<'a> {
    pub range: &'a Range,
    pub seed: u64,
    /// Types that the user gives, by names of parameters.
    pub types: &'a [(String, Element)],
}

/// Returns the arguments of a kernel.
///
/// # Errors
/// If an argument is missing, is not understood, or does not fit; the text names it.
pub fn plan(parameters: &[Parameter], words: &[String], facts: &Facts<'_>) -> Result<Vec<Planned>> {
    if let Some((name, _)) = facts.types.iter().find(|(name, _)| !parameters.iter().any(|p| p.name == *name))
    {
        return input(format!("--type {name}: {}", no_such(name, parameters)));
    }
    let words = assign(parameters, words)?;
    let pairs = parameters.iter().zip(words).enumerate();
    pairs
        .map(|(index, (parameter, word))| {
            one(index, parameter, word.as_deref(), facts).map_err(|problem| {
                problem.of(format!("argument {index}, `{} {}`", declaration(parameter), parameter.name))
            })
        })
        .collect()
}

/// Returns the message for an unknown parameter.
pub fn no_such(name: &str, parameters: &[Parameter]) -> String {
    let names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    format!(
        "the kernel has no argument {name:?}, but {}",
        if names.is_empty() { "none".into() } else { names.join(", ") }
    )
}

/// Assigns words to parameters: named ones first, the others in order. `_` and a missing word become `None`.
fn assign(parameters: &[Parameter], words: &[String]) -> Result<Vec<Option<String>>> {
    let mut assigned: Vec<Option<String>> = vec![None; parameters.len()];
    let mut positional = Vec::new();
    for word in words {
        let named = word.split_once('=');
        match named.and_then(|(name, value)| Some((parameters.iter().position(|p| p.name == name)?, value))) {
            Some((index, _)) if assigned[index].is_some() => {
                return input(format!("{:?} is given twice", parameters[index].name));
            }
            Some((index, value)) => assigned[index] = Some(value.to_owned()),
            None => match named {
                Some((name, _)) if is_name(name) && !matches!(name, "iota" | "random") => {
                    return input(no_such(name, parameters));
                }
                _ => positional.push(word),
            },
        }
    }
    let mut free =
        (0..parameters.len()).filter(|&index| assigned[index].is_none()).collect::<Vec<_>>().into_iter();
    for word in positional {
        let Some(index) = free.next() else {
            return input(format!(
                "{word:?} is one argument too many: the kernel takes {}",
                parameters.len()
            ));
        };
        assigned[index] = Some(word.clone());
    }
    Ok(assigned.into_iter().map(|word| word.filter(|word| word != "_")).collect())
}

fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn one(index: usize, parameter: &Parameter, word: Option<&str>, facts: &Facts<'_>) -> Result<Planned> {
    let name = parameter.type_name.as_str();
    let random = &mut Random::new(facts.seed, index);
    let of_user = facts.types.iter().find(|(name, _)| *name == parameter.name).map(|(_, element)| *element);
    if parameter.qualifiers.contains(&"pipe") || name == "queue_t" {
        return input("pipes and queues cannot be given here");
    }
    if name == "sampler_t" {
        return sampler(word.unwrap_or(""));
    }
    if name.starts_with("image") {
        let word = word.ok_or_else(|| missing("an image, as in @photo.png or zeros:640x480:rgba8"))?;
        return image(name, word, facts, random);
    }
    let Some(target) = name.strip_suffix('*') else {
        let word = word.ok_or_else(|| missing("a value, as in 42 or 1,2,3,4"))?;
        return value(word, of_user.or_else(|| Element::named(name)), name);
    };
    let element = of_user.or_else(|| Element::named(target));
    if parameter.space == Space::Local {
        return local(word, element, target, facts.range);
    }
    let word = word.ok_or_else(|| missing("a buffer, as in zeros, random:1024 or @numbers.npy"))?;
    if word == "null" {
        return Ok(Planned::Null);
    }
    // Elements of unknown type are counted in bytes.
    let element = element.unwrap_or(Element { scalar: Scalar::U8, lanes: 1 });
    buffer(&spec::parse(word)?, element, facts, random)
}

fn missing(example: &str) -> Problem {
    Problem::Input(format!("it is missing: give {example} (grus run --help has more)"))
}

/// Returns a buffer with a content. Without a size, it has as many elements as the content or, for generated
/// contents, as the range has work-items.
///
/// # Errors
/// If a file or a number does not fit.
pub fn buffer(spec: &Spec, element: Element, facts: &Facts<'_>, random: &mut Random) -> Result<Planned> {
    if spec.format.is_some() {
        return input("a format is for images");
    }
    let target = Target::Elements(element);
    let count = spec.size.as_ref().map(|size| product(size)).transpose()?;
    if let Content::File(path) = &spec.content {
        let loaded = load(path, &target)?;
        let found = loaded.bytes.len() / element.size();
        if count.is_some_and(|count| count != found) {
            return input(format!("the file has {found} elements of {}", element.name()));
        }
        let size = spec.size.clone().or(loaded.size).unwrap_or_else(|| vec![found]);
        return Ok(Planned::Buffer { element, size, bytes: loaded.bytes });
    }
    let own = match &spec.content {
        Content::List(numbers) => vec![numbers.len().div_ceil(element.lanes)],
        _ => facts.range.global.clone(),
    };
    let size = spec.size.clone().unwrap_or(own);
    let bytes = generate(&spec.content, &target, product(&size)?, random)?;
    Ok(Planned::Buffer { element, size, bytes })
}

fn product(sizes: &[usize]) -> Result<usize> {
    let product = sizes.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
    product.ok_or_else(|| Problem::Input("there are too many elements".into()))
}

/// Converts a word to a scalar, a vector, or raw bytes of another type.
fn value(word: &str, element: Option<Element>, name: &str) -> Result<Planned> {
    if let Some(path) = word.strip_prefix('@') {
        let bytes = Target::Elements(Element { scalar: Scalar::U8, lanes: 1 });
        return Ok(Planned::Value(load(path.as_ref(), &bytes)?.bytes));
    }
    let Some(element) = element else {
        return input(format!(
            "what {name} is cannot be known here: give its bytes as @FILE, or --type NAME=TYPE"
        ));
    };
    let numbers: Option<Vec<Number>> = word.split(',').map(Number::parse).collect();
    let Some(numbers) = numbers else { return input(format!("{word:?} is no {}", element.name())) };
    if numbers.len() != 1 && numbers.len() != element.lanes {
        return input(format!(
            "{word:?} has {} numbers, {} has {}",
            numbers.len(),
            element.name(),
            element.lanes
        ));
    }
    let mut bytes = Vec::new();
    for lane in 0..element.lanes {
        element.scalar.encode(numbers[lane % numbers.len()], &mut bytes)?;
    }
    bytes.resize(element.size(), 0);
    Ok(Planned::Value(bytes))
}

/// Converts a word to a local memory size: elements, or bytes with a B; without a word, one element per work-item
/// of the work-group.
fn local(word: Option<&str>, element: Option<Element>, name: &str, range: &Range) -> Result<Planned> {
    let size = element.map(Element::size);
    if let Some(bytes) = word.and_then(|word| word.strip_suffix('B')) {
        return match spec::count(bytes).filter(|&bytes| bytes > 0) {
            Some(bytes) => Ok(Planned::Local(bytes)),
            None => input(format!("{bytes:?} is no number of bytes")),
        };
    }
    let count = match (word, &range.local) {
        (Some(word), _) => spec::count(word).filter(|&count| count > 0),
        (None, Some(local)) => Some(product(local)?),
        (None, None) => {
            return Err(missing(
                "a number of elements as in 256, or of bytes as in 1024B, or the size of groups with -l",
            ));
        }
    };
    let Some(count) = count else {
        return input(format!(
            "{:?} is no size of local memory, which is as 256 elements or 1024B",
            word.unwrap_or_default()
        ));
    };
    let Some(size) = size else {
        return input(format!("how large {name} is cannot be known here: give bytes as in 1024B"));
    };
    count.checked_mul(size).map(Planned::Local).ok_or_else(|| Problem::Input("it is too large".into()))
}

fn sampler(word: &str) -> Result<Planned> {
    let (mut normalized, mut addressing, mut filter) = (false, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST);
    for word in word.split(',').filter(|word| !word.is_empty()) {
        match word {
            "nearest" => filter = CL_FILTER_NEAREST,
            "linear" => filter = CL_FILTER_LINEAR,
            "none" => addressing = CL_ADDRESS_NONE,
            "edge" => addressing = CL_ADDRESS_CLAMP_TO_EDGE,
            "clamp" => addressing = CL_ADDRESS_CLAMP,
            "repeat" => addressing = CL_ADDRESS_REPEAT,
            "mirror" => addressing = CL_ADDRESS_MIRRORED_REPEAT,
            "normalized" => normalized = true,
            "pixels" => normalized = false,
            _ => {
                return input(format!(
                    "{word:?} is not of a sampler: nearest, linear; none, edge, clamp, repeat, mirror; normalized, pixels"
                ));
            }
        }
    }
    if !normalized && matches!(addressing, CL_ADDRESS_REPEAT | CL_ADDRESS_MIRRORED_REPEAT) {
        return input("repeat and mirror need normalized coordinates: linear,repeat,normalized");
    }
    Ok(Planned::Sampler { normalized, addressing, filter })
}

/// Image types: name, constant of the API, and number of dimensions including layers.
const IMAGES: [(&str, u32, usize); 7] = [
    ("image1d_t", CL_MEM_OBJECT_IMAGE1D, 1),
    ("image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY, 2),
    ("image2d_t", CL_MEM_OBJECT_IMAGE2D, 2),
    ("image2d_depth_t", CL_MEM_OBJECT_IMAGE2D, 2),
    ("image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, 3),
    ("image2d_array_depth_t", CL_MEM_OBJECT_IMAGE2D_ARRAY, 3),
    ("image3d_t", CL_MEM_OBJECT_IMAGE3D, 3),
];

fn image(name: &str, word: &str, facts: &Facts<'_>, random: &mut Random) -> Result<Planned> {
    let Some(&(_, image_type, dimensions)) = IMAGES.iter().find(|(known, ..)| *known == name) else {
        return input(format!("images of type {name} cannot be given here"));
    };
    let spec = spec::parse(word)?;
    let default = if name.contains("depth") { "d32f" } else { "rgba8" };
    let format = Format::parse(spec.format.as_deref().unwrap_or(default));
    let format = format.ok_or_else(|| Problem::Input("no such format".into()))?;
    let target = Target::Texels(&format);
    let global = || Some(facts.range.global.clone()).filter(|global| global.len() >= dimensions);
    let (size, bytes) = match &spec.content {
        Content::File(path) => {
            let loaded = load(path, &target)?;
            (spec.size.or(loaded.size).or_else(global), Some(loaded.bytes))
        }
        _ => (spec.size.or_else(global), None),
    };
    let Some(mut size) = size else { return input("its size is missing: zeros:640x480") };
    size.truncate(if bytes.is_some() { size.len() } else { dimensions.max(size.len().min(dimensions)) });
    if size.len() != dimensions || size.contains(&0) {
        return input(format!("{name} has {dimensions} sizes above 0, not {}", shown_size(&size)));
    }
    let count = product(&size)?;
    let bytes = bytes.map_or_else(|| generate(&spec.content, &target, count, random), Ok)?;
    if bytes.len() != count * format.size() {
        return input(format!(
            "the file has {} texels, {} are {count}",
            bytes.len() / format.size(),
            shown_size(&size)
        ));
    }
    Ok(Planned::Image { format, desc: desc(image_type, &size), size, bytes })
}

/// Formats a size: `640x480`.
pub fn shown_size(size: &[usize]) -> String {
    size.iter().map(usize::to_string).collect::<Vec<_>>().join("x")
}

fn desc(image_type: u32, size: &[usize]) -> ImageDesc {
    let at = |index: usize| size.get(index).copied().unwrap_or(0);
    let (height, depth, array_size) = match image_type {
        CL_MEM_OBJECT_IMAGE1D_ARRAY => (0, 0, at(1)),
        CL_MEM_OBJECT_IMAGE2D_ARRAY => (at(1), 0, at(2)),
        _ => (at(1), at(2), 0),
    };
    let (row_pitch, slice_pitch, num_mip_levels, num_samples) = (0, 0, 0, 0);
    let buffer = std::ptr::null_mut();
    let width = at(0);
    ImageDesc {
        image_type,
        width,
        height,
        depth,
        array_size,
        row_pitch,
        slice_pitch,
        num_mip_levels,
        num_samples,
        buffer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters() -> Vec<Parameter> {
        let parameter = |name: &str, type_name: &str, space| Parameter {
            name: name.into(),
            type_name: type_name.into(),
            space,
            access: None,
            qualifiers: Vec::new(),
        };
        vec![
            parameter("a", "float*", Space::Global),
            parameter("l", "float4*", Space::Local),
            parameter("s", "sampler_t", Space::Private),
            parameter("n", "int2", Space::Private),
        ]
    }

    fn planned(words: &[&str]) -> Result<Vec<Planned>> {
        let range = Range { global: vec![64], local: Some(vec![8]), offset: None };
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        plan(&parameters(), &words, &Facts { range: &range, seed: 0, types: &[] })
    }

    #[test]
    fn names_order_and_defaults() {
        let plan = planned(&["n=3,4", "ones"]).expect("whole");
        assert!(matches!(&plan[0], Planned::Buffer { bytes, .. } if bytes.len() == 256));
        assert!(matches!(plan[1], Planned::Local(128)));
        assert!(matches!(&plan[3], Planned::Value(bytes) if bytes == &[3, 0, 0, 0, 4, 0, 0, 0]));
        assert!(matches!(planned(&["1,2,3", "64B", "_", "7"]).expect("whole")[1], Planned::Local(64)));
    }

    #[test]
    fn errors_name_the_argument() {
        let error_of = |words: &[&str]| planned(words).expect_err("wrong").to_string();
        assert!(error_of(&["n=1"]).contains("argument 0, `global float* a`: it is missing"));
        assert!(error_of(&["x=1"]).contains("no argument \"x\", but a, l, s, n"));
        assert!(error_of(&["1", "2", "_", "4", "5"]).contains("one argument too many"));
        assert!(error_of(&["a=1", "a=2"]).contains("twice"));
        assert!(error_of(&["1", "2", "_", "1,2,3"]).contains("3 numbers, int2 has 2"));
        assert!(error_of(&["1", "2", "bilinear", "1"]).contains("sampler"));
        assert!(error_of(&["1", "2", "repeat", "1"]).contains("normalized"));
        assert!(error_of(&["1", "0", "_", "1"]).contains("local memory"));
        assert!(error_of(&["zeroes", "1", "_", "1"]).contains("no content"));
    }
}
