//! How the vendor library is linked.

fn main() {
    // An ICD loader exports functions of the same names: ours must never be replaced by them.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    // Threads of ours outlive a dlclose.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rerun-if-changed=build.rs");
}
