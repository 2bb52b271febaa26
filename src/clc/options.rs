//! Build options (API s5.8.6), and the properties of the target that the front end needs.
//!
//! The caller decides whether an option is legal for its API call (build, compile or link). An options string is
//! either accepted as a whole or rejected.

use std::fmt;

use super::sema::suggestion;

/// Properties of the device that a program may rely on.
#[derive(Clone, Debug)]
pub struct TargetInfo {
    /// True if `double` is supported.
    pub fp64: bool,
    /// True if `half` is an arithmetic type (cl_khr_fp16).
    pub fp16: bool,
    /// True if images are supported (`__IMAGE_SUPPORT__`).
    pub images: bool,
    /// True if a fused multiply-add costs no more than a multiplication. Products are then contracted into sums if
    /// the program permits it.
    pub fma: bool,
    /// True if a fused multiply-add of `half` costs no more than a multiplication.
    pub half_fma: bool,
    /// True if pipes can be read and written (s6.13.16).
    pub pipes: bool,
    /// True if kernels can enqueue blocks (s6.13.17).
    pub device_enqueue: bool,
    /// CL_DEVICE_OPENCL_C_VERSION in the form of `__OPENCL_VERSION__`, e.g. 200.
    pub version: u32,
    /// Names of the supported extensions. A macro is predefined for each.
    pub extensions: Vec<String>,
}

/// Language extensions of this device. Each is advertised by the device and predefined as a macro.
pub const EXTENSIONS: &[&str] = &[
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_byte_addressable_store",
    "cl_khr_fp64",
    "cl_khr_fp16",
    "cl_khr_3d_image_writes",
    "cl_khr_depth_images",
    "cl_khr_image2d_from_buffer",
    "cl_khr_srgb_image_writes",
    "cl_khr_extended_async_copies",
    "cl_khr_work_group_uniform_arithmetic",
    "cl_khr_kernel_clock",
    "cl_khr_subgroups",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_rotate",
    "cl_intel_required_subgroup_size",
    "cl_intel_subgroups",
    "cl_intel_subgroups_char",
    "cl_intel_subgroups_short",
    "cl_intel_subgroups_long",
    "cl_ext_float_atomics",
];

impl Default for TargetInfo {
    fn default() -> Self {
        Self {
            fp64: true,
            fp16: true,
            images: true,
            fma: false,
            half_fma: false,
            pipes: true,
            device_enqueue: true,
            version: 200,
            extensions: EXTENSIONS.iter().map(|&e| e.into()).collect(),
        }
    }
}

impl TargetInfo {
    /// Returns the supported optional features of the language, by the names that `__ext(...)` in the library uses
    /// for them.
    pub fn optional_features(&self) -> impl Iterator<Item = &'static str> {
        let features = [
            (self.images, "images"),
            (self.pipes, "pipes"),
            (self.device_enqueue, "device_enqueue"),
            (self.fma, "fma"),
            (!self.fma, "no_fma"),
            (self.half_fma, "half_fma"),
            (!self.half_fma, "no_half_fma"),
        ];
        features.into_iter().filter_map(|(has, name)| has.then_some(name))
    }

    /// Checks whether the extension `name` is supported.
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.iter().any(|e| e == name)
    }
}

/// Options of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Language version: 100, 110, 120, 200, or 300 if the device supports it.
    pub std: u32,
    /// `-D` options in order: the name (possibly with parameters) and the definition.
    pub defines: Vec<(String, String)>,
    /// `-I` options in order.
    pub include_dirs: Vec<String>,
    pub no_warnings: bool,
    pub warnings_are_errors: bool,
    /// `-Wall`, as in other compilers: enables warnings about code that is often intended.
    pub all_warnings: bool,
    pub opt_disable: bool,
    pub single_precision_constant: bool,
    pub denorms_are_zero: bool,
    pub correctly_rounded_divide_sqrt: bool,
    pub mad_enable: bool,
    pub no_signed_zeros: bool,
    pub unsafe_math: bool,
    pub finite_math_only: bool,
    /// `-cl-fast-relaxed-math`; the options that it implies are set too.
    pub fast_relaxed_math: bool,
    pub uniform_work_group_size: bool,
    pub strict_aliasing: bool,
    pub kernel_arg_info: bool,
    pub debug: bool,
    pub create_library: bool,
    pub enable_link_options: bool,
    /// True if undefined names may be resolved by a later link (clCompileProgram). The caller sets this field; no
    /// option in the string does.
    pub allow_unresolved: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            std: 120,
            defines: Vec::new(),
            include_dirs: Vec::new(),
            no_warnings: false,
            warnings_are_errors: false,
            all_warnings: false,
            opt_disable: false,
            single_precision_constant: false,
            denorms_are_zero: false,
            correctly_rounded_divide_sqrt: false,
            mad_enable: false,
            no_signed_zeros: false,
            unsafe_math: false,
            finite_math_only: false,
            fast_relaxed_math: false,
            uniform_work_group_size: false,
            strict_aliasing: false,
            kernel_arg_info: false,
            debug: false,
            create_library: false,
            enable_link_options: false,
            allow_unresolved: false,
        }
    }
}

/// Error in an options string. The text is a sentence for the build log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// `-cl-std=` with a language version that the device does not support.
    UnsupportedStd {
        version: u32,
    },
    /// `-cl-std=` with a name that is not a language version.
    UnknownStd {
        name: String,
    },
    /// `-enable-link-options` without `-create-library`.
    MissingCreateLibrary,
    UnknownOption {
        option: String,
        suggestion: String,
    },
    UnknownLinkerOption {
        option: String,
    },
    /// Option of clLinkProgram in the options of another call.
    LinkerOnly {
        option: &'static str,
    },
    /// `-D` with a definition that does not begin with an identifier.
    InvalidMacroName {
        definition: String,
    },
    MissingOperand {
        option: &'static str,
    },
    UnterminatedQuote,
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnsupportedStd { version } => {
                let (major, minor) = (version / 100, version / 10 % 10);
                write!(f, "'-cl-std=CL{major}.{minor}' is not supported by this device")
            }
            Self::UnknownStd { name } => write!(f, "'-cl-std={name}' is not a supported language version"),
            Self::MissingCreateLibrary => f.write_str("'-enable-link-options' needs '-create-library'"),
            Self::UnknownOption { option, suggestion } => {
                write!(f, "unknown build option '{option}'{suggestion}")
            }
            Self::UnknownLinkerOption { option } => write!(f, "unknown linker option '{option}'"),
            Self::LinkerOnly { option } => write!(f, "'{option}' is an option of the linker"),
            Self::InvalidMacroName { definition } => write!(f, "'-D {definition}' does not name a macro"),
            Self::MissingOperand { option } => write!(f, "'{option}' needs an operand"),
            Self::UnterminatedQuote => f.write_str("a quote in the build options is not closed"),
        }
    }
}

impl std::error::Error for OptionError {}

/// Options without an operand, for spelling suggestions.
const FLAGS: &[&str] = &[
    "-Werror",
    "-Wall",
    "-cl-opt-disable",
    "-cl-single-precision-constant",
    "-cl-denorms-are-zero",
    "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-mad-enable",
    "-cl-no-signed-zeros",
    "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",
    "-cl-fast-relaxed-math",
    "-cl-uniform-work-group-size",
    "-cl-strict-aliasing",
    "-cl-kernel-arg-info",
];

impl Options {
    /// Parses an options string for the default device.
    pub fn parse(text: &str) -> Result<Options, OptionError> {
        Self::parse_for(text, &TargetInfo::default())
    }

    /// Parses an options string for the device that `facts` describes.
    pub fn parse_for(text: &str, target: &TargetInfo) -> Result<Options, OptionError> {
        let mut options = Options::default();
        let words = split_words(text)?;
        let mut rest = words.iter().map(String::as_str);
        while let Some(word) = rest.next() {
            options.parse_option(word, &mut rest)?;
        }
        if options.std > target.version {
            return Err(OptionError::UnsupportedStd { version: options.std });
        }
        if options.enable_link_options && !options.create_library {
            return Err(OptionError::MissingCreateLibrary);
        }
        Ok(options)
    }

    /// Parses the options of a link (API s5.8.7): library options and some of the math options.
    pub fn parse_link(text: &str) -> Result<Options, OptionError> {
        const ALLOWED: [&str; 8] = [
            "-create-library",
            "-enable-link-options",
            "-cl-denorms-are-zero",
            "-cl-no-signed-zeros",
            "-cl-unsafe-math-optimizations",
            "-cl-finite-math-only",
            "-cl-fast-relaxed-math",
            "-cl-no-subgroup-ifp",
        ];
        match split_words(text)?.iter().find(|word| !ALLOWED.contains(&word.as_str())) {
            Some(word) => Err(OptionError::UnknownLinkerOption { option: word.clone() }),
            None => Options::parse(text),
        }
    }

    fn parse_option<'a>(
        &mut self,
        word: &'a str,
        rest: &mut impl Iterator<Item = &'a str>,
    ) -> Result<(), OptionError> {
        if let Some(joined) = word.strip_prefix("-D") {
            let define = operand("-D", joined, rest)?;
            return self.define(define);
        }
        if let Some(joined) = word.strip_prefix("-I") {
            let dir = operand("-I", joined, rest)?;
            self.include_dirs.push(dir.to_owned());
            return Ok(());
        }
        if let Some(version) = word.strip_prefix("-cl-std=") {
            self.std = standard(version)?;
            return Ok(());
        }
        self.set_flag(word)
    }

    fn define(&mut self, text: &str) -> Result<(), OptionError> {
        let (name, value) = text.split_once('=').unwrap_or((text, "1"));
        let start = name.chars().next();
        if !start.is_some_and(|c| unicode_ident::is_xid_start(c) || matches!(c, '_' | '$' | '\\')) {
            return Err(OptionError::InvalidMacroName { definition: text.to_owned() });
        }
        let value = value.split(['\n', '\r']).next().unwrap_or("");
        self.defines.push((name.to_owned(), value.to_owned()));
        Ok(())
    }

    fn set_flag(&mut self, word: &str) -> Result<(), OptionError> {
        match word {
            "-w" => self.no_warnings = true,
            "-Werror" => self.warnings_are_errors = true,
            "-Wall" => self.all_warnings = true,
            "-g" => self.debug = true,
            "-cl-opt-disable" => self.opt_disable = true,
            "-cl-single-precision-constant" => self.single_precision_constant = true,
            "-cl-denorms-are-zero" => self.denorms_are_zero = true,
            "-cl-fp32-correctly-rounded-divide-sqrt" => self.correctly_rounded_divide_sqrt = true,
            "-cl-mad-enable" => self.mad_enable = true,
            "-cl-no-signed-zeros" => self.no_signed_zeros = true,
            "-cl-unsafe-math-optimizations" => self.set_unsafe_math(),
            "-cl-finite-math-only" => self.finite_math_only = true,
            "-cl-fast-relaxed-math" => {
                self.fast_relaxed_math = true;
                self.finite_math_only = true;
                self.set_unsafe_math();
            }
            "-cl-uniform-work-group-size" => self.uniform_work_group_size = true,
            "-cl-strict-aliasing" => self.strict_aliasing = true,
            "-cl-kernel-arg-info" => self.kernel_arg_info = true,
            "-create-library" => self.create_library = true,
            "-enable-link-options" => self.enable_link_options = true,
            // Optimization levels of other compilers. This compiler has only one level besides `-cl-opt-disable`.
            "-O0" => self.opt_disable = true,
            "-O1" | "-O2" | "-O3" => {}
            "-cl-no-subgroup-ifp" => {}
            _ => {
                let suggestion = suggestion(word, FLAGS.iter().copied());
                return Err(OptionError::UnknownOption { option: word.to_owned(), suggestion });
            }
        }
        Ok(())
    }

    fn set_unsafe_math(&mut self) {
        self.unsafe_math = true;
        self.no_signed_zeros = true;
        self.mad_enable = true;
    }
}

/// Returns the operand of an option, which is joined to the option or is the next word.
fn operand<'a>(
    option: &'static str,
    joined: &'a str,
    rest: &mut impl Iterator<Item = &'a str>,
) -> Result<&'a str, OptionError> {
    let operand = if joined.is_empty() { rest.next().unwrap_or("") } else { joined };
    if operand.is_empty() {
        return Err(OptionError::MissingOperand { option });
    }
    Ok(operand)
}

fn standard(name: &str) -> Result<u32, OptionError> {
    match name {
        "CL1.0" => Ok(100),
        "CL1.1" => Ok(110),
        "CL1.2" => Ok(120),
        "CL2.0" => Ok(200),
        "CL3.0" => Ok(300),
        _ => Err(OptionError::UnknownStd { name: name.to_owned() }),
    }
}

/// Splits a string at blanks. Single and double quotes protect blanks; a backslash escapes a quote, a backslash or
/// a blank.
fn split_words(text: &str) -> Result<Vec<String>, OptionError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, quote) {
            ('"' | '\'', None) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, Some(q)) if c == q => quote = None,
            ('\\', _) if matches!(chars.peek(), Some('"' | '\'' | '\\' | ' ')) => {
                let next = chars.next().expect("peeked");
                word.get_or_insert_default().push(next);
            }
            (c, None) if c.is_ascii_whitespace() => words.extend(word.take()),
            (c, _) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(OptionError::UnterminatedQuote);
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_an_operand() {
        let text = r#"-D A -DB=2 -D "C=x y" -I"/a b" -I /c -cl-std=CL2.0 -DS=\"q\""#;
        let o = Options::parse(text).unwrap();
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
        let expected = [pair("A", "1"), pair("B", "2"), pair("C", "x y"), pair("S", "\"q\"")];
        assert_eq!(o.defines, expected);
        assert_eq!(o.include_dirs, ["/a b", "/c"]);
        assert_eq!(o.std, 200);
    }

    #[test]
    fn fast_relaxed_math_implies_the_others() {
        let o = Options::parse("-cl-fast-relaxed-math").unwrap();
        assert!(o.finite_math_only && o.unsafe_math && o.mad_enable && o.no_signed_zeros);
    }

    #[test]
    fn invalid_options_are_rejected() {
        for bad in [
            "-D",
            "-I",
            "-unknown-flag",
            "-cl-std=CL9.9",
            "-cl-std=CL3.0",
            "-cl-std=CLC++",
            "-x spir",
            "-D 3=4",
            "-D \"a",
            "-enable-link-options",
            "kernel.cl",
        ] {
            assert!(Options::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Options::parse("  "), Ok(Options::default()));
    }

    #[test]
    fn options_of_a_link() {
        let library = Options::parse_link("-create-library -enable-link-options -cl-denorms-are-zero");
        assert!(library.is_ok_and(|o| o.create_library && o.enable_link_options && o.denorms_are_zero));
        for bad in ["-enable-link-options", "-D X=1", "-g", "-create-library x"] {
            assert!(Options::parse_link(bad).is_err(), "{bad}");
        }
    }
}
