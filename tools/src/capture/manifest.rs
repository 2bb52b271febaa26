//! What the manifest of a captured launch says (`docs/capture.md`), and whether it makes sense. Whoever uses it afterwards may rely on
//! that: numbers name objects that there are, parts lie within what they are parts of, sizes do not overflow.

use serde::Deserialize;

/// The version that is understood.
pub const FORMAT: u32 = 1;

/// A launch.
#[derive(Clone, Debug, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// The library's version.
    pub library: String,
    /// The program that was captured, and its arguments.
    pub command: Vec<String>,
    pub kernel: String,
    /// Of those that were counted, from 1.
    pub launch: u64,
    pub dimensions: usize,
    pub global: [usize; 3],
    pub local: [usize; 3],
    pub offset: [usize; 3],
    /// Whether `local` is the application's choice.
    pub has_local: bool,
    /// The size of the default queue on the device, if there is one.
    pub default_queue: Option<u32>,
    pub program: Unit,
    pub arguments: Vec<Argument>,
    pub objects: Vec<Object>,
}

/// A program, or what one was linked of.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Unit {
    Source {
        options: String,
        file: String,
        /// The source as the application gave it, if `file` is what was left of it after preprocessing.
        given: Option<String>,
        headers: Vec<Header>,
    },
    Binary {
        options: String,
        file: String,
    },
    Linked {
        options: String,
        units: Vec<Unit>,
    },
}

/// A header that clCompileProgram was given.
#[derive(Clone, Debug, Deserialize)]
pub struct Header {
    pub name: String,
    pub file: String,
}

/// An argument.
#[derive(Clone, Debug, Deserialize)]
pub struct Argument {
    pub name: String,
    #[serde(rename = "type")]
    pub type_name: String,
    pub is_read_only: bool,
    #[serde(flatten)]
    pub value: Passed,
}

/// What an argument is.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Passed {
    Object {
        object: usize,
    },
    Shared {
        object: usize,
        offset: usize,
    },
    Value {
        bytes: Vec<u8>,
    },
    Null,
    /// A pointer to memory that nobody knows the size of.
    Pointer {
        address: u64,
    },
    Sampler {
        normalized: bool,
        addressing: u32,
        filter: u32,
    },
    Local {
        size: usize,
    },
    Queue {
        size: u32,
    },
}

/// Memory.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Object {
    Buffer {
        size: usize,
    },
    /// A sub-buffer.
    Part {
        of: usize,
        offset: usize,
        size: usize,
    },
    Image(Image),
    Pipe {
        packet_size: u32,
        max_packets: u32,
    },
    /// Shared virtual memory that the application knew at this address.
    Shared {
        address: u64,
        size: usize,
    },
    /// A variable of the program.
    Variable {
        name: String,
        size: usize,
        has_pointers: bool,
    },
}

/// An image, in the numbers of the API.
#[derive(Clone, Debug, Deserialize)]
pub struct Image {
    /// The object that it shows.
    pub of: Option<usize>,
    #[serde(rename = "type")]
    pub image_type: u32,
    pub order: u32,
    pub channel_type: u32,
    /// Bytes of a texel.
    pub texel: usize,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub array_size: usize,
    pub row_pitch: usize,
    pub flags: u64,
}

impl Image {
    /// Bytes of all texels.
    pub fn size(&self) -> Option<usize> {
        let sizes = [self.width, self.height.max(1), self.depth.max(1), self.array_size.max(1)];
        sizes.iter().try_fold(self.texel, |product, &size| product.checked_mul(size))
    }
}

impl Object {
    /// Bytes of its contents; none if it has none of its own. A pipe has as many at most.
    pub fn size(&self) -> Option<usize> {
        match self {
            Object::Buffer { size } | Object::Shared { size, .. } | Object::Variable { size, .. } => {
                Some(*size)
            }
            Object::Image(image) if image.of.is_none() => image.size(),
            Object::Pipe { packet_size, max_packets } => {
                (*packet_size as usize).checked_mul(*max_packets as usize)
            }
            Object::Part { .. } | Object::Image(_) => None,
        }
    }

    /// What it is a part or a view of.
    pub fn of(&self) -> Option<usize> {
        match self {
            Object::Part { of, .. } => Some(*of),
            Object::Image(image) => image.of,
            _ => None,
        }
    }
}

/// Whether a name of a file can be one below any folder.
fn is_plain(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    name.len() < 100 && name.split('/').count() == 2 && name.split('/').all(part)
}

impl Unit {
    /// Whether a part of it has no source.
    pub fn has_binary(&self) -> bool {
        match self {
            Unit::Source { .. } => false,
            Unit::Binary { .. } => true,
            Unit::Linked { units, .. } => units.iter().any(Unit::has_binary),
        }
    }

    /// All files that it names.
    pub fn files(&self) -> Vec<&str> {
        match self {
            Unit::Source { file, given, headers, .. } => {
                let headers = headers.iter().map(|header| header.file.as_str());
                given.iter().map(String::as_str).chain([file.as_str()]).chain(headers).collect()
            }
            Unit::Binary { file, .. } => vec![file],
            Unit::Linked { units, .. } => units.iter().flat_map(Unit::files).collect(),
        }
    }
}

impl Manifest {
    /// Reads it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &[u8], memory: u64) -> Result<Manifest, String> {
        let manifest: Manifest =
            serde_json::from_slice(text).map_err(|error| format!("its manifest makes no sense: {error}"))?;
        if manifest.format != FORMAT {
            return Err(format!(
                "it is of version {}, this grus knows version {FORMAT} (it was made by the library {})",
                manifest.format, manifest.library
            ));
        }
        manifest.check(memory).map_err(|what| format!("its manifest makes no sense: {what}"))?;
        Ok(manifest)
    }

    fn check(&self, memory: u64) -> Result<(), String> {
        let sizes = [self.global, self.local].concat();
        let items = self.global.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
        if !(1..=3).contains(&self.dimensions) || sizes.contains(&0) || items.is_none() {
            return Err("there is no such range".into());
        }
        if let Some(file) = self.program.files().into_iter().find(|file| !is_plain(file)) {
            return Err(format!("no file can be called {file:?}"));
        }
        let mut total = 0u64;
        for (index, object) in self.objects.iter().enumerate() {
            let is_right = self.check_object(index, object);
            let size =
                object.size().filter(|_| is_right).or((is_right && object.of().is_some()).then_some(0));
            let Some(size) = size else { return Err(format!("there is no such object as number {index}")) };
            // Before and after.
            total = total.saturating_add((size as u64).saturating_mul(2));
        }
        if total > memory {
            return Err(format!("its objects take {total} bytes, this machine has {memory}"));
        }
        let wrong = self.arguments.iter().find(|argument| !self.is_argument(&argument.value));
        wrong.map_or(Ok(()), |argument| Err(format!("argument {:?} is nothing that there is", argument.name)))
    }

    /// Whether an object is a part of what comes before it, if it is a part.
    fn check_object(&self, index: usize, object: &Object) -> bool {
        let whole = |of: usize| self.objects.get(of).filter(|_| of < index);
        match object {
            Object::Part { of, offset, size } => {
                let end = offset.checked_add(*size);
                matches!(whole(*of), Some(Object::Buffer { size }) if end.is_some_and(|end| end <= *size))
            }
            Object::Image(image) => {
                let views = |object: &Object| {
                    matches!(object, Object::Buffer { .. } | Object::Part { .. } | Object::Image(_))
                };
                image.size().is_some_and(|size| size > 0)
                    && image.of.is_none_or(|of| whole(of).is_some_and(views))
            }
            Object::Shared { address, size } => address.checked_add(*size as u64).is_some() && *size > 0,
            Object::Buffer { size } | Object::Variable { size, .. } => *size > 0,
            Object::Pipe { packet_size, max_packets } => *packet_size > 0 && *max_packets > 0,
        }
    }

    fn is_argument(&self, value: &Passed) -> bool {
        match value {
            Passed::Object { object } => {
                let found = self.objects.get(*object);
                found.is_some_and(|object| !matches!(object, Object::Shared { .. } | Object::Variable { .. }))
            }
            Passed::Shared { object, offset } => {
                matches!(self.objects.get(*object), Some(Object::Shared { size, .. }) if offset < size)
            }
            _ => true,
        }
    }

    /// The object that has the contents of an object.
    pub fn root(&self, object: usize) -> usize {
        let mut root = object;
        while let Some(of) = self.objects[root].of() {
            root = of;
        }
        root
    }

    /// The arguments through which the kernel reaches an object's contents.
    pub fn arguments_of(&self, root: usize) -> impl Iterator<Item = &Argument> {
        self.arguments.iter().filter(move |argument| match argument.value {
            Passed::Object { object } | Passed::Shared { object, .. } => self.root(object) == root,
            _ => false,
        })
    }

    /// What people call an object: the arguments that lead there.
    pub fn name(&self, root: usize) -> String {
        let names: Vec<&str> = self.arguments_of(root).map(|argument| argument.name.as_str()).collect();
        match (&self.objects[root], names.is_empty()) {
            (_, false) => names.join("+"),
            (Object::Variable { name, .. }, _) => name.clone(),
            (Object::Shared { address, .. }, _) => format!("memory at {address:#x}"),
            _ => format!("object {root}"),
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A manifest, which a test may change in some places.
    pub fn text(changes: &[(&str, &str)]) -> String {
        let text = r#"{"format": 1, "library": "0", "command": ["a"], "kernel": "k", "launch": 1, "dimensions": 1,
            "global": [64, 1, 1], "local": [8, 1, 1], "offset": [0, 0, 0], "has_local": true,
            "program": {"kind": "source", "options": "", "file": "program/0.cl", "headers": []},
            "arguments": [{"name": "a", "type": "float*", "is_read_only": false, "kind": "object", "object": 1, "offset": 0}],
            "objects": [{"kind": "buffer", "size": 256, "flags": 1},
                {"kind": "part", "of": 0, "offset": 128, "size": 128, "flags": 1}]}"#;
        changes.iter().fold(text.to_owned(), |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        })
    }

    #[test]
    fn what_makes_sense() {
        let manifest = Manifest::parse(text(&[]).as_bytes(), 1 << 20).expect("right");
        assert_eq!((manifest.root(1), manifest.name(0)), (0, "a".into()));
        assert_eq!(manifest.objects[0].size(), Some(256));
    }

    #[test]
    fn what_makes_none() {
        let wrong = [
            ("\"format\": 1", "\"format\": 2"),
            ("\"format\": 1, ", ""),
            ("[64, 1, 1]", "[64, 0, 1]"),
            ("[64, 1, 1]", "[4294967296, 4294967296, 4294967296]"),
            ("\"dimensions\": 1", "\"dimensions\": 4"),
            ("program/0.cl", "../0.cl"),
            ("program/0.cl", "/etc/0.cl"),
            ("program/0.cl", "program/.."),
            ("\"of\": 0", "\"of\": 1"),
            ("\"of\": 0", "\"of\": 7"),
            ("\"offset\": 128", "\"offset\": 129"),
            ("\"offset\": 128", "\"offset\": 18446744073709551615"),
            ("\"object\": 1", "\"object\": 2"),
            ("\"size\": 256", "\"size\": 1000000000000"),
            ("\"size\": 256", "\"size\": -1"),
            ("\"kind\": \"part\"", "\"kind\": \"whole\""),
        ];
        for change in wrong {
            assert!(Manifest::parse(text(&[change]).as_bytes(), 1 << 20).is_err(), "{change:?}");
        }
        assert!(Manifest::parse(b"", 1).is_err());
        let nested = "{\"kind\": \"linked\", \"options\": \"\", \"units\": [".repeat(100_000);
        assert!(Manifest::parse(text(&[("{\"kind\": \"source\"", &nested)]).as_bytes(), 1).is_err());
    }
}
