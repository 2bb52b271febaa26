//! Statistics of a kernel's run times.

/// Formats the statistics of times in nanoseconds, with the rates of work-items and bytes.
pub fn shown(times: &[u64], items: usize, bytes: usize) -> String {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let (Some(&least), Some(&middle)) = (sorted.first(), sorted.get(sorted.len() / 2)) else {
        return String::new();
    };
    // The median of an even number of runs is the mean of the two middle ones.
    let other = sorted[(sorted.len() - 1) / 2];
    let median = (middle as f64 + other as f64) / 2.0;
    let rate = |count: usize, unit: &str| {
        if median == 0.0 {
            String::new()
        } else {
            format!(", {}{unit}/s", scaled(count as f64 / median * 1e9))
        }
    };
    let runs = if times.len() == 1 { "1 run".to_owned() } else { format!("{} runs", times.len()) };
    format!(
        "median {}, minimum {} of {runs}{}{}",
        time(median),
        time(least as f64),
        rate(items, "items"),
        rate(bytes, "B")
    )
}

/// Formats a time in nanoseconds.
pub fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        ns if ns < 1e3 => format!("{ns:.0} ns"),
        ns if ns < 1e6 => format!("{:.2} µs", ns / 1e3),
        ns if ns < 1e9 => format!("{:.3} ms", ns / 1e6),
        ns => format!("{:.3} s", ns / 1e9),
    }
}

/// Formats a number with an SI prefix.
fn scaled(number: f64) -> String {
    let prefixes = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    let found = prefixes.iter().find(|(size, _)| number >= *size);
    found.map_or_else(|| format!("{number:.3} "), |(size, prefix)| format!("{:.3} {prefix}", number / size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_rates() {
        let text = shown(&[4000, 1000, 2000, 3000], 5, 5000);
        assert_eq!(text, "median 2.50 µs, minimum 1.00 µs of 4 runs, 2.000 Mitems/s, 2.000 GB/s");
        assert_eq!(shown(&[], 1, 1), "");
        assert_eq!(time(1.5e9), "1.500 s");
    }
}
