//! Source positions and diagnostics.

/// A byte range in the source map. `lo == hi == 0` means "no position".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}
