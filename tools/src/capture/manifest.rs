//! Manifest of a captured launch (`docs/capture.md`), and its validation. Afterwards callers may rely on these
//! facts: indices refer to existing objects, sub-buffers and views lie within their parents, sizes do not overflow.

use serde::Deserialize;

/// Version of the format that this tool supports.
pub const FORMAT: u32 = 1;

/// Description of a captured launch.
#[derive(Clone, Debug, Deserialize)]
pub struct Manifest {
    pub format: u32,
    /// Version of the library.
    pub library: String,
    /// Captured program and its arguments.
    pub command: Vec<String>,
    pub kernel: String,
    /// Number of the launch among those that were counted, from 1.
    pub launch: u64,
    pub dimensions: usize,
    pub global: [usize; 3],
    pub local: [usize; 3],
    pub offset: [usize; 3],
    /// True if the application chose `local`.
    pub has_local: bool,
    /// Size of the default on-device queue, if there is one.
    pub default_queue: Option<u32>,
    pub program: Unit,
    pub arguments: Vec<Argument>,
    pub objects: Vec<Object>,
}

/// Program, or one of the programs of which it was linked.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Unit {
    Source {
        options: String,
        file: String,
        /// File with the application's source, if `file` is the preprocessed source.
        given: Option<String>,
        headers: Vec<Header>,
    },
    /// Module in SPIR-V.
    Il {
        options: String,
        file: String,
        /// Specialization constants that were set.
        constants: Vec<Constant>,
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

/// Header that was passed to clCompileProgram.
#[derive(Clone, Debug, Deserialize)]
pub struct Header {
    pub name: String,
    pub file: String,
}

/// Value of a specialization constant.
#[derive(Clone, Debug, Deserialize)]
pub struct Constant {
    pub id: u32,
    pub value: u64,
}

/// Kernel argument.
#[derive(Clone, Debug, Deserialize)]
pub struct Argument {
    pub name: String,
    #[serde(rename = "type")]
    pub type_name: String,
    pub is_read_only: bool,
    #[serde(flatten)]
    pub value: ArgumentValue,
}

/// Value of an argument.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ArgumentValue {
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
    /// Pointer to memory of unknown size.
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

/// Memory object.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Object {
    Buffer {
        size: usize,
    },
    /// Sub-buffer.
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
    /// Shared virtual memory at this address of the application.
    Shared {
        address: u64,
        size: usize,
    },
    /// Program-scope variable.
    Variable {
        name: String,
        size: usize,
        has_pointers: bool,
    },
}

/// Image, described by the constants of the API.
#[derive(Clone, Debug, Deserialize)]
pub struct Image {
    /// Index of the object of which the image is a view.
    pub of: Option<usize>,
    #[serde(rename = "type")]
    pub image_type: u32,
    pub order: u32,
    pub channel_type: u32,
    /// Size of a texel in bytes.
    pub texel: usize,
    pub width: usize,
    pub height: usize,
    pub depth: usize,
    pub array_size: usize,
    pub row_pitch: usize,
    pub flags: u64,
}

impl Image {
    /// Returns the size of all texels in bytes.
    pub fn size(&self) -> Option<usize> {
        let sizes = [self.width, self.height.max(1), self.depth.max(1), self.array_size.max(1)];
        sizes.iter().try_fold(self.texel, |product, &size| product.checked_mul(size))
    }
}

impl Object {
    /// Returns the size of the contents in bytes, or `None` if the object has none of its own. For a pipe it is the
    /// maximum.
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

    /// Returns the index of the object of which this is a sub-buffer or a view.
    pub fn of(&self) -> Option<usize> {
        match self {
            Object::Part { of, .. } => Some(*of),
            Object::Image(image) => image.of,
            _ => None,
        }
    }
}

/// Checks whether a name is a relative path of two components without special characters.
fn is_plain(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    name.len() < 100 && name.split('/').count() == 2 && name.split('/').all(part)
}

impl Unit {
    /// Checks whether a unit is a binary, which has no source.
    pub fn has_binary(&self) -> bool {
        match self {
            Unit::Source { .. } | Unit::Il { .. } => false,
            Unit::Binary { .. } => true,
            Unit::Linked { units, .. } => units.iter().any(Unit::has_binary),
        }
    }

    /// Returns the names of all files of the unit.
    pub fn files(&self) -> Vec<&str> {
        match self {
            Unit::Source { file, given, headers, .. } => {
                let headers = headers.iter().map(|header| header.file.as_str());
                given.iter().map(String::as_str).chain([file.as_str()]).chain(headers).collect()
            }
            Unit::Il { file, .. } | Unit::Binary { file, .. } => vec![file],
            Unit::Linked { units, .. } => units.iter().flat_map(Unit::files).collect(),
        }
    }
}

impl Manifest {
    /// Parses and validates a manifest. `memory` limits the total size of the contents in bytes.
    ///
    /// # Errors
    /// Returns the description of the first defect.
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
            // Contents before and after the launch.
            total = total.saturating_add((size as u64).saturating_mul(2));
        }
        if total > memory {
            return Err(format!("its objects take {total} bytes, this machine has {memory}"));
        }
        let wrong = self.arguments.iter().find(|argument| !self.is_argument(&argument.value));
        wrong.map_or(Ok(()), |argument| Err(format!("argument {:?} is nothing that there is", argument.name)))
    }

    /// Checks whether a sub-buffer or view lies within an earlier object; other objects pass.
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

    fn is_argument(&self, value: &ArgumentValue) -> bool {
        match value {
            ArgumentValue::Object { object } => {
                let found = self.objects.get(*object);
                found.is_some_and(|object| !matches!(object, Object::Shared { .. } | Object::Variable { .. }))
            }
            ArgumentValue::Shared { object, offset } => {
                matches!(self.objects.get(*object), Some(Object::Shared { size, .. }) if offset < size)
            }
            _ => true,
        }
    }

    /// Returns the index of the object that holds the contents of an object.
    pub fn root(&self, object: usize) -> usize {
        let mut root = object;
        while let Some(of) = self.objects[root].of() {
            root = of;
        }
        root
    }

    /// Returns the arguments through which the kernel accesses an object's contents.
    pub fn arguments_of(&self, root: usize) -> impl Iterator<Item = &Argument> {
        self.arguments.iter().filter(move |argument| match argument.value {
            ArgumentValue::Object { object } | ArgumentValue::Shared { object, .. } => {
                self.root(object) == root
            }
            _ => false,
        })
    }

    /// Returns an object's name for messages: that of the arguments that refer to it.
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

    /// Returns a manifest in which the given texts are replaced.
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
    fn a_module_with_constants() {
        let il = r#"{"kind": "il", "options": "-g", "file": "program/0.spv", "constants": [
            {"id": 4294967295, "value": 18446744073709551615}, {"id": 0, "value": 1}]}"#;
        let source = r#"{"kind": "source", "options": "", "file": "program/0.cl", "headers": []}"#;
        let manifest = Manifest::parse(text(&[(source, il)]).as_bytes(), 1 << 20).expect("right");
        assert_eq!((manifest.program.files(), manifest.program.has_binary()), (vec!["program/0.spv"], false));
        let Unit::Il { constants, .. } = manifest.program else { panic!("{:?}", manifest.program) };
        let pairs: Vec<(u32, u64)> = constants.iter().map(|constant| (constant.id, constant.value)).collect();
        assert_eq!(pairs, [(u32::MAX, u64::MAX), (0, 1)]);
        for wrong in ["[{\"id\": -1, \"value\": 1}]", "[{\"id\": 1}]", "1"] {
            let il =
                format!("{{\"kind\": \"il\", \"options\": \"\", \"file\": \"a/b\", \"constants\": {wrong}}}");
            assert!(Manifest::parse(text(&[(source, &il)]).as_bytes(), 1 << 20).is_err(), "{wrong}");
        }
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
