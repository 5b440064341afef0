//! Finds redirections of a shell into a file.

use crate::deciding::tokens::python;
use crate::reading::json::python_value::PythonValue;
use crate::reading::json::wtf8_to_str;

/// The file that swallows all output.
const NULL_FILE: &str = "/dev/null";

/// Returns true if the arguments of a call hold a redirection into a file (`> FILE`, `>> FILE`).
///
/// The arguments are searched as Python prints them, because the published metric does so: a line
/// end in a string is a backslash and a letter there.
pub(super) fn has_redirect(arguments: &PythonValue<'_>) -> bool {
    let mut printed = Vec::new();
    python::repr(arguments, &mut printed);
    let printed = wtf8_to_str(&printed);
    printed.match_indices('>').any(|(at, _)| is_redirect(&printed, at))
}

/// Returns true if the `>` at byte `at` redirects: it is no arrow, comparison or descriptor, and a
/// file follows.
fn is_redirect(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    if before.is_some_and(|c| c.is_ascii_digit() || "&>=-".contains(c)) {
        return false;
    }
    let behind = &text[at + 1..];
    let target = behind.strip_prefix('>').unwrap_or(behind).trim_start();
    target.chars().next().is_some_and(|first| !"&>=".contains(first))
        && !target.starts_with(NULL_FILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redirections_into_files_are_found() {
        let redirects = |command: &str| {
            has_redirect(&PythonValue::Array(vec![PythonValue::from_text(command)]))
        };
        for command in ["cat > a.txt", "echo x >> log", "cat >\nb", "sort >out"] {
            assert!(redirects(command), "{command}");
        }
        for command in ["ls 2>/dev/null", "ls > /dev/null", "a -> b", "x >= 1", "run >&2", "plain"]
        {
            assert!(!redirects(command), "{command}");
        }
    }
}
