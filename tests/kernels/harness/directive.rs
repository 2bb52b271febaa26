//! Reads the directives of a fixture.

use grus_core::image::{ChannelType, Format, Order};
use grus_core::ir::abi;
use grus_core::support::f16;

/// What a fixture asks for.
#[derive(Default)]
pub struct Fixture {
    pub options: String,
    pub runs: Vec<Run>,
}

/// One launch.
pub struct Run {
    pub line: usize,
    pub kernel: String,
    pub work_dim: u32,
    pub global: [u64; 3],
    pub local: [u64; 3],
    pub offset: [u64; 3],
    pub args: Vec<Arg>,
    /// On the memory of the run before.
    pub continues: bool,
    pub expects: Vec<Expectation>,
}

/// What an argument holds after a launch: `N = values` or `N within T = values`.
pub struct Expectation {
    pub line: usize,
    pub argument: usize,
    /// How far numbers may be off: absolutely if they are below 1, else relatively.
    pub tolerance: f64,
    /// `_` is anything.
    pub values: String,
}

impl Expectation {
    fn parse(line: usize, text: &str) -> Option<Expectation> {
        let (head, values) = text.split_once('=')?;
        let (argument, tolerance) = match head.split_once("within") {
            Some((argument, tolerance)) => (argument, tolerance.trim().parse().ok()?),
            None => (head, 0.0),
        };
        let argument = argument.trim().parse().ok()?;
        Some(Expectation { line, argument, tolerance, values: values.trim().to_owned() })
    }

    /// What the memory of an argument is not as it should be in, in words.
    pub fn failure(&self, elem: Elem, found: &[u8]) -> Result<Option<String>, String> {
        let is_open = |at: usize| self.values.split_whitespace().nth(at) == Some("_");
        let texts: Vec<&str> =
            self.values.split_whitespace().map(|word| if word == "_" { "0" } else { word }).collect();
        let expected = elem.values(&texts.join(" "), Some(found.len() / elem.size()))?;
        let pairs = expected.chunks(elem.size()).zip(found.chunks(elem.size())).enumerate();
        for (at, (wanted, found)) in pairs {
            let is_nan = elem.is_nan(wanted) && elem.is_nan(found);
            if wanted != found && !is_nan && !self.is_near(elem, wanted, found) && !is_open(at) {
                let (found, wanted) = (elem.show(found), elem.show(wanted));
                return Ok(Some(format!("element {at} is {found}, expected {wanted}")));
            }
        }
        Ok(None)
    }

    fn is_near(&self, elem: Elem, wanted: &[u8], found: &[u8]) -> bool {
        let (Some(wanted), Some(found)) = (elem.float(wanted), elem.float(found)) else { return false };
        self.tolerance > 0.0 && (wanted - found).abs() <= self.tolerance * wanted.abs().max(1.0)
    }
}

/// An argument.
#[derive(Clone)]
pub enum Arg {
    Buffer(Elem, Vec<u8>),
    Value(Vec<u8>),
    Local(u64),
    Image(Image),
    /// The memory of an empty pipe, which is not compared.
    Pipe(Vec<u8>),
    Null,
}

/// An image argument.
#[derive(Clone)]
pub struct Image {
    /// What channels are shown as.
    pub elem: Elem,
    pub format: Format,
    /// Width, height, depth or layers.
    pub size: [u32; 3],
    pub row_pitch: usize,
    pub slice_pitch: usize,
    pub bytes: Vec<u8>,
}

impl Arg {
    /// What the memory of a buffer or image is shown as.
    pub fn elem(&self) -> Option<Elem> {
        match self {
            Arg::Buffer(elem, _) => Some(*elem),
            Arg::Image(image) => Some(image.elem),
            _ => None,
        }
    }
}

fn half(bytes: &[u8]) -> f32 {
    f16::to_f32(u16::from_le_bytes(bytes[..2].try_into().expect("two")))
}

/// Element types, by their size and class.
#[derive(Clone, Copy, PartialEq)]
pub enum Elem {
    Int(usize),
    Half,
    Float,
    Double,
}

impl Elem {
    fn parse(name: &str) -> Option<(Elem, usize)> {
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let lanes = if base.len() == name.len() { 1 } else { name[base.len()..].parse().ok()? };
        let elem = match base.strip_prefix('u').unwrap_or(base) {
            "char" => Elem::Int(1),
            "short" => Elem::Int(2),
            "int" => Elem::Int(4),
            "long" => Elem::Int(8),
            "half" => Elem::Half,
            "float" => Elem::Float,
            "double" => Elem::Double,
            _ => return None,
        };
        // Three lanes take the room of four.
        Some((elem, if lanes == 3 { 4 } else { lanes }))
    }

    pub fn size(self) -> usize {
        match self {
            Elem::Int(size) => size,
            Elem::Half => 2,
            Elem::Float => 4,
            Elem::Double => 8,
        }
    }

    /// The number, of types of floating-point numbers.
    fn float(self, bytes: &[u8]) -> Option<f64> {
        match self {
            Elem::Int(_) => None,
            Elem::Half => Some(half(bytes).into()),
            Elem::Float => Some(f32::from_le_bytes(bytes[..4].try_into().expect("four")).into()),
            Elem::Double => Some(f64::from_le_bytes(bytes[..8].try_into().expect("eight"))),
        }
    }

    pub fn is_nan(self, bytes: &[u8]) -> bool {
        self.float(bytes).is_some_and(f64::is_nan)
    }

    pub fn show(self, bytes: &[u8]) -> String {
        match self {
            Elem::Int(size) => {
                let bits = bytes[..size].iter().rev().fold(0u64, |all, &b| all << 8 | u64::from(b));
                format!("{} ({bits:#x})", (bits << (64 - 8 * size)) as i64 >> (64 - 8 * size))
            }
            Elem::Half => half(bytes).to_string(),
            Elem::Float => f32::from_le_bytes(bytes[..4].try_into().expect("four")).to_string(),
            Elem::Double => f64::from_le_bytes(bytes[..8].try_into().expect("eight")).to_string(),
        }
    }

    fn value(self, text: &str) -> Option<Vec<u8>> {
        Some(match self {
            Elem::Int(size) => {
                let number: i128 = match text.strip_prefix("0x") {
                    Some(hex) => i128::from_str_radix(hex, 16).ok()?,
                    None => text.parse().ok()?,
                };
                number.to_le_bytes()[..size].to_vec()
            }
            Elem::Half => match text.strip_prefix("0x") {
                Some(hex) => u16::from_str_radix(hex, 16).ok()?.to_le_bytes().to_vec(),
                None => f16::from_f64(text.parse().ok()?).to_le_bytes().to_vec(),
            },
            Elem::Float => match text.strip_prefix("0x") {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?.to_le_bytes().to_vec(),
                None => text.parse::<f32>().ok()?.to_le_bytes().to_vec(),
            },
            Elem::Double => match text.strip_prefix("0x") {
                Some(hex) => u64::from_str_radix(hex, 16).ok()?.to_le_bytes().to_vec(),
                None => text.parse::<f64>().ok()?.to_le_bytes().to_vec(),
            },
        })
    }

    /// Bytes of a list of values; with a length, the last one repeats only after `...`
    /// or when it is the only one.
    pub fn values(self, text: &str, len: Option<usize>) -> Result<Vec<u8>, String> {
        let mut words: Vec<&str> = text.split_whitespace().collect();
        if words == ["iota"] {
            let len = len.ok_or("iota needs a length")?;
            let list: Vec<String> = (0..len).map(|i| i.to_string()).collect();
            return self.values(&list.join(" "), Some(len));
        }
        let repeat = words.last() == Some(&"...");
        if repeat {
            words.pop();
        }
        let mut bytes = Vec::new();
        let mut last = vec![0; self.size()];
        for word in &words {
            last = self.value(word).ok_or_else(|| format!("`{word}` is no value"))?;
            bytes.extend(&last);
        }
        if let Some(len) = len.filter(|_| repeat) {
            while bytes.len() < len * self.size() {
                bytes.extend(&last);
            }
        }
        Ok(bytes)
    }
}

/// Reads a fixture; `comment` introduces directives.
pub fn parse(text: &str, comment: &str) -> Result<Fixture, String> {
    let mut fixture = Fixture::default();
    for (i, line) in text.lines().enumerate() {
        let Some(directive) = line.trim_start().strip_prefix(comment) else { continue };
        let Some((word, rest)) = directive.trim().split_once(':') else { continue };
        let say = |e: String| format!("line {}: {e}", i + 1);
        match word {
            "options" => fixture.options = rest.trim().to_owned(),
            "run" | "then" => fixture.runs.push(run(i + 1, word == "then", rest).map_err(say)?),
            "expect" => {
                let expected = Expectation::parse(i + 1, rest);
                let expected = expected.ok_or_else(|| say("expected `N [within T] = values`".into()))?;
                let run = fixture.runs.last_mut().ok_or_else(|| say("expect before run".into()))?;
                run.expects.push(expected);
            }
            _ => {}
        }
    }
    Ok(fixture)
}

fn run(line: usize, continues: bool, text: &str) -> Result<Run, String> {
    let (head, args) = text.split_once("args:").unwrap_or((text, ""));
    let mut words = head.split_whitespace();
    let kernel = words.next().ok_or("which kernel?")?.to_owned();
    let mut run = Run {
        line,
        kernel,
        work_dim: 1,
        global: [1; 3],
        local: [1; 3],
        offset: [0; 3],
        args: Vec::new(),
        continues,
        expects: Vec::new(),
    };
    for word in words {
        let (name, sizes) = word.split_once('=').ok_or("expected name=sizes")?;
        let sizes: Vec<u64> =
            sizes.split(',').map(|s| s.parse().map_err(|_| "bad size")).collect::<Result<_, _>>()?;
        let field = match name {
            "global" => {
                run.work_dim = sizes.len() as u32;
                &mut run.global
            }
            "local" => &mut run.local,
            "offset" => &mut run.offset,
            _ => return Err(format!("unknown word `{name}`")),
        };
        field[..sizes.len()].copy_from_slice(&sizes);
    }
    for text in args.split(';').map(str::trim).filter(|t| !t.is_empty()) {
        run.args.push(arg(text)?);
    }
    Ok(run)
}

fn arg(text: &str) -> Result<Arg, String> {
    if text == "null" {
        return Ok(Arg::Null);
    }
    if let Some(size) = text.strip_prefix("local ") {
        return Ok(Arg::Local(size.trim().parse().map_err(|_| "bad size")?));
    }
    if let Some(described) = text.strip_prefix("pipe ") {
        return Ok(Arg::Pipe(pipe(described)?));
    }
    let (ty, values) = text.split_once('=').ok_or("expected `type = values`")?;
    let ty = ty.trim();
    if let Some(described) = ty.strip_prefix("image ") {
        return Ok(Arg::Image(image(described, values)?));
    }
    match ty.split_once('[') {
        Some((name, len)) => {
            let (elem, lanes) = Elem::parse(name).ok_or("unknown type")?;
            let len: usize = len.trim_end_matches(']').parse().map_err(|_| "bad length")?;
            let mut bytes = elem.values(values, Some(len * lanes))?;
            bytes.resize(len * lanes * elem.size(), 0);
            Ok(Arg::Buffer(elem, bytes))
        }
        None => {
            let (elem, lanes) = Elem::parse(ty).ok_or("unknown type")?;
            let mut bytes = elem.values(values, None)?;
            bytes.resize(lanes * elem.size(), 0);
            Ok(Arg::Value(bytes))
        }
    }
}

/// `BYTESxPACKETS`
fn pipe(described: &str) -> Result<Vec<u8>, String> {
    let number = |text: &str| text.trim().parse::<u32>().map_err(|_| "a pipe is BYTESxPACKETS");
    let (packet, packets) = described.split_once('x').ok_or("a pipe is BYTESxPACKETS")?;
    let (packet, packets) = (number(packet)?, number(packets)?);
    let mut bytes = abi::pipe::header(packet, packets).to_vec();
    bytes.resize(abi::pipe::sizes(packet, packets).1 as usize, 0);
    Ok(bytes)
}

/// `ORDER TYPE WxHxD [pitch BYTES]`
fn image(described: &str, values: &str) -> Result<Image, String> {
    let mut words = described.split_whitespace();
    let order = words.next().and_then(Order::from_name).ok_or("unknown channel order")?;
    let ty = words.next().and_then(ChannelType::from_name).ok_or("unknown channel type")?;
    let format = Format::new(order, ty).ok_or("no such format")?;
    let mut size = [1u32; 3];
    let sizes = words.next().ok_or("an image has a size")?;
    for (size, text) in size.iter_mut().zip(sizes.split('x')) {
        *size = text.parse().map_err(|_| "bad size")?;
    }
    let row = size[0] as usize * format.texel_size();
    let row_pitch = match (words.next(), words.next()) {
        (Some("pitch"), Some(pitch)) => pitch.parse().map_err(|_| "bad pitch")?,
        _ => row,
    };
    let slice_pitch = row_pitch * size[1] as usize;
    let elem = match ty {
        ChannelType::FLOAT => Elem::Float,
        ChannelType::HALF_FLOAT => Elem::Half,
        _ => Elem::Int(ty.channel_size()),
    };
    let len = slice_pitch * size[2] as usize;
    let mut bytes = elem.values(values, Some(len / elem.size()))?;
    bytes.resize(len, 0);
    Ok(Image { elem, format, size, row_pitch, slice_pitch, bytes })
}
