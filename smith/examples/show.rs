//! Prints the program of a seed: `cargo run -p grus-smith --example show -- SEED`.

fn main() {
    let seed = std::env::args().nth(1).and_then(|seed| seed.parse().ok()).unwrap_or(1);
    print!("{}", grus_smith::program(grus_smith::Options::of_seed(seed)));
}
