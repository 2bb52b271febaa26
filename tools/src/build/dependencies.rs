//! Dependency files for make and ninja: the files from which a result was built.

use std::path::Path;

/// Returns the text of a dependency file: one rule, and an empty rule for each header, so that make continues if a
/// header has been deleted.
pub fn rule(target: &Path, source: &Path, headers: &[String]) -> String {
    let mut text =
        format!("{}: {}", escaped(&target.display().to_string()), escaped(&source.display().to_string()));
    for header in headers {
        text += &format!(" \\\n  {}", escaped(header));
    }
    text.push('\n');
    for header in headers {
        text += &format!("\n{}:\n", escaped(header));
    }
    text
}

/// Escapes a file's name for make.
fn escaped(name: &str) -> String {
    let mut text = String::new();
    for character in name.chars() {
        match character {
            ' ' | '#' => text.push('\\'),
            '$' => text.push('$'),
            _ => {}
        }
        text.push(character);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules() {
        let text = rule(Path::new("out/a b.clbin"), Path::new("a.cl"), &["x.h".into(), "$y#.h".into()]);
        assert_eq!(text, "out/a\\ b.clbin: a.cl \\\n  x.h \\\n  $$y\\#.h\n\nx.h:\n\n$$y\\#.h:\n");
    }
}
