//! Strips the texts that PowerShell writes from the lines of a command: `@'` … `'@ | Set-Content a.txt`.

use std::borrow::Cow;

/// The ends of the line before such a text, and the openings of the line behind it.
const QUOTES: [(&str, &str); 2] = [("@'", "'@"), ("@\"", "\"@")];

/// Returns true if a command opens such a text.
pub(super) fn opens_here_string(command: &str) -> bool {
    let mut lines = command.lines().map(str::trim_end);
    lines.any(|line| QUOTES.iter().any(|(open, _)| line.ends_with(open)))
}

/// Returns a command without such texts: `Set-Content a.txt`.
pub(super) fn strip_here_strings(command: &str) -> Cow<'_, str> {
    let opens = |line: &str| {
        let line = line.trim_end();
        QUOTES.iter().find(|(open, _)| line.ends_with(open))
    };
    if !command.contains("@'") && !command.contains("@\"") {
        return Cow::Borrowed(command);
    }
    let mut plain = String::new();
    let mut end: Option<&str> = None;
    for line in command.split_inclusive('\n') {
        let mut line = line;
        if let Some(close) = end {
            let Some(rest) = line.strip_prefix(close) else {
                continue;
            };
            // What the text is piped to acts on it.
            line = rest.trim_start_matches([' ', '|']);
        }
        end = opens(line).map(|(_, close)| *close);
        match opens(line) {
            Some((open, _)) => {
                let before = line.trim_end().strip_suffix(open).unwrap_or(line);
                plain.push_str(before);
            }
            None => plain.push_str(line),
        }
    }
    // A text without its end is none.
    if end.is_some() || plain.trim().is_empty() {
        return Cow::Borrowed(command);
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_from_the_lines_of_a_command_is_left_out() {
        let command =
            "@'\nimport os\n'@ | Set-Content app\\pump.py\n\n@\"\nx\n\"@ | Set-Content a.txt";
        assert_eq!(
            strip_here_strings(command),
            "Set-Content app\\pump.py\n\nSet-Content a.txt"
        );
        for other in ["git log '@'", "@'\nno end", "mail a@b.org"] {
            assert_eq!(strip_here_strings(other), other);
        }
    }
}
