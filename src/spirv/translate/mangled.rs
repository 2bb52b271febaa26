//! Names of functions of OpenCL C as clang mangles them, by the rules of the Itanium C++ ABI: `_Z`, the length of the
//! name, the name, and the types of the parameters.

/// Maximum number of types in a name.
// Arbitrary: more than functions of OpenCL C have.
const MAX_TYPES: usize = 64;

/// Returns name and parameter types in OpenCL C, or `None` if the name is not mangled, or has types of other languages.
pub(super) fn demangle(mangled: &str) -> Option<(String, Vec<String>)> {
    let mut reader = Reader { rest: mangled.strip_prefix("_Z")?, known: Vec::new() };
    let name = reader.source_name()?.to_owned();
    let mut params = Vec::new();
    while !reader.rest.is_empty() {
        params.push(reader.parameter()?);
        if params.len() > MAX_TYPES {
            return None;
        }
    }
    if params == ["void"] {
        params.clear();
    }
    Some((name, params))
}

struct Reader<'n> {
    rest: &'n str,
    /// Types that later ones may refer to.
    known: Vec<String>,
}

impl<'n> Reader<'n> {
    fn take(&mut self, prefix: &str) -> bool {
        match self.rest.strip_prefix(prefix) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn number(&mut self) -> Option<usize> {
        let end = self.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        digits.parse().ok()
    }

    fn source_name(&mut self) -> Option<&'n str> {
        let length = self.number()?;
        let name = self.rest.get(..length)?;
        self.rest = &self.rest[length..];
        Some(name)
    }

    /// Reads a type. Pointers to pointers are none of OpenCL C's library.
    fn parameter(&mut self) -> Option<String> {
        if !self.take("P") {
            return self.plain();
        }
        let start = self.rest;
        let mut qualifiers = Vec::new();
        let mut space = "private";
        loop {
            if self.take("U3AS") {
                space =
                    *["private", "global", "constant", "local", "generic"].get(self.number_of_space()?)?;
            } else if self.take("U7_Atomic") {
                qualifiers.push("_Atomic");
            } else if self.take("V") {
                qualifiers.push("volatile");
            } else if self.take("K") {
                qualifiers.push("const");
            } else if self.take("r") {
                qualifiers.push("restrict");
            } else {
                break;
            }
        }
        let to = self.plain()?;
        let is_qualified =
            start.len() - self.rest.len() > 0 && (!qualifiers.is_empty() || space != "private");
        let to = match qualifiers.contains(&"_Atomic") {
            true => format!("atomic_{to}"),
            false => to,
        };
        let words: Vec<&str> = qualifiers.into_iter().filter(|word| *word != "_Atomic").collect();
        let pointee = [words.as_slice(), &[space, &to]].concat().join(" ");
        if is_qualified {
            self.known.push(pointee.clone());
        }
        let pointer = format!("{pointee} *");
        self.known.push(pointer.clone());
        Some(pointer)
    }

    /// Reads the digit of an address space.
    fn number_of_space(&mut self) -> Option<usize> {
        let digit = self.rest.chars().next()?.to_digit(10)?;
        self.rest = &self.rest[1..];
        Some(digit as usize)
    }

    fn plain(&mut self) -> Option<String> {
        if self.take("Dv") {
            let lanes = self.number()?;
            if !self.take("_") {
                return None;
            }
            let vector = format!("{}{lanes}", self.scalar()?);
            self.known.push(vector.clone());
            return Some(vector);
        }
        if self.take("S") {
            let index = if self.take("_") { 0 } else { 1 + self.sequence()? };
            return self.known.get(index).cloned();
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            let name = opaque(self.source_name()?)?;
            self.known.push(name.clone());
            return Some(name);
        }
        self.scalar().map(str::to_owned)
    }

    /// Reads a number in base 36 and the underscore behind.
    fn sequence(&mut self) -> Option<usize> {
        let (digits, rest) = self.rest.split_once('_')?;
        self.rest = rest;
        usize::from_str_radix(digits, 36).ok()
    }

    fn scalar(&mut self) -> Option<&'static str> {
        const SCALARS: [(&str, &str); 15] = [
            ("Dh", "half"),
            ("DF16_", "half"),
            ("v", "void"),
            ("b", "bool"),
            ("c", "char"),
            ("a", "char"),
            ("h", "uchar"),
            ("s", "short"),
            ("t", "ushort"),
            ("i", "int"),
            ("j", "uint"),
            ("l", "long"),
            ("m", "ulong"),
            ("f", "float"),
            ("d", "double"),
        ];
        SCALARS.into_iter().find_map(|(letters, name)| self.take(letters).then_some(name))
    }
}

/// Returns the type of OpenCL C for a name of clang.
fn opaque(name: &str) -> Option<String> {
    if let Some(image) = name.strip_prefix("ocl_image") {
        let (dims, access) = image.rsplit_once('_')?;
        let access = match access {
            "ro" => "read_only",
            "wo" => "write_only",
            "rw" => "read_write",
            _ => return None,
        };
        return Some(format!("{access} image{dims}_t"));
    }
    let name = match name {
        "memory_order" => "memory_order",
        "memory_scope" => "memory_scope",
        "ocl_sampler" => "sampler_t",
        "ocl_event" => "event_t",
        "ocl_clkevent" => "clk_event_t",
        "ocl_queue" => "queue_t",
        "ocl_reserveid" => "reserve_id_t",
        _ => return None,
    };
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::demangle;

    fn text(mangled: &str) -> Option<String> {
        demangle(mangled).map(|(name, params)| format!("{name}({})", params.join(", ")))
    }

    #[test]
    fn names_of_clang() {
        assert_eq!(text("_Z10atomic_incPU3AS1Vi").as_deref(), Some("atomic_inc(volatile global int *)"));
        assert_eq!(
            text("_Z11atomic_xchgPU3AS3Vjj").as_deref(),
            Some("atomic_xchg(volatile local uint *, uint)")
        );
        assert_eq!(text("_Z5clampDv4_fS_S_").as_deref(), Some("clamp(float4, float4, float4)"));
        assert_eq!(
            text("_Z16atomic_fetch_minPU3AS4VU7_Atomicii").as_deref(),
            Some("atomic_fetch_min(volatile generic atomic_int *, int)")
        );
        assert_eq!(
            text("_Z17sub_group_barrierj12memory_scope").as_deref(),
            Some("sub_group_barrier(uint, memory_scope)")
        );
        assert_eq!(text("_Z13get_global_idj").as_deref(), Some("get_global_id(uint)"));
        assert_eq!(text("_Z12get_work_dimv").as_deref(), Some("get_work_dim()"));
        assert_eq!(text("_Z14convert_half16Dv16_t").as_deref(), Some("convert_half16(ushort16)"));
    }

    #[test]
    fn other_names_are_refused() {
        for name in [
            "",
            "_Z",
            "_Z3ab",
            "atomic_inc",
            "_Z3abcP",
            "_Z3abcS_",
            "_Z3abcDv",
            "_Z1a3xyz",
            "_Z99999999999999999999a",
        ] {
            assert_eq!(text(name), None, "{name}");
        }
    }
}
