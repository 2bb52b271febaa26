//! Guards around machine code; the model has no machine code.

pub(super) fn guard<T>(_helper: &'static str, body: impl FnOnce() -> T) -> T {
    body()
}
