//! Strips from a request what the form of an issue tracker or a log adds to it: boxes to tick,
//! comments of the form, lists of versions, and the middle of tracebacks.

use crate::summary::extract::ablation::SummaryRule;
use crate::summary::extract::lexicon::wish_words::CONSTRAINT_WORDS;
use std::borrow::Cow;

/// The marks of an empty field, and of comments that only the author of an issue sees.
const EMPTY_FIELD: &str = "_No response_";
const COMMENT_OPEN: &str = "<!--";
const COMMENT_CLOSE: &str = "-->";
/// The openings of a line that confirms something about the issue, not about the software.
const CONFIRMATIONS: [&str; 4] = ["i ", "i've ", "i'm ", "my "];
/// Number of lines of a list of versions from which on it is left out.
const LEAST_VERSIONS: usize = 5;
/// Maximum length in bytes of a line in a list of versions.
const LONGEST_VERSION: usize = 60;
/// The same of a line whose columns a colon between blanks divides: `Version : #44 SMP`.
const LONGEST_COLUMN: usize = 120;
/// Number of places of a traceback that stay, those where the error came from.
const KEPT_PLACES: usize = 2;
/// Before a place in a traceback of Python, and behind its line number in one of pytest.
const PLACE_OPENING: &str = "File \"";
const PLACE_IN: &str = ": in ";
/// Words of a heading above what the author's machine is.
const MACHINE_HEADINGS: [&str; 4] = ["version", "environment", "system info", "platform"];
/// Number of words of a line from which on it is prose.
const LEAST_PROSE: usize = 12;
/// Between the columns of a list of versions.
const COLUMN: &str = " : ";
/// Number of names with values from which on a section says what a machine is.
const LEAST_VALUES: usize = 3;
/// The mark around code, and what it is made of.
const FENCE: &str = "```";
const FENCE_MARK: char = '`';

/// Returns a request without what a form adds.
pub(super) fn strip_form(text: &str) -> Cow<'_, str> {
    let may_hold_form = [
        "- [",
        "* [",
        COMMENT_OPEN,
        EMPTY_FIELD,
        PLACE_OPENING,
        PLACE_IN,
    ]
    .iter()
    .any(|mark| memchr::memmem::find(text.as_bytes(), mark.as_bytes()).is_some());
    if !may_hold_form || SummaryRule::IssueForms.is_off() {
        return Cow::Borrowed(text);
    }
    let text = strip_comments(text);
    let lines: Vec<&str> = text.lines().collect();
    let mut is_kept: Vec<bool> = lines.iter().map(|line| !is_of_form(line)).collect();
    drop_machine(&lines, &mut is_kept);
    drop_versions(&lines, &mut is_kept);
    drop_places(&lines, &mut is_kept);
    drop_empty_headings(&lines, &mut is_kept);
    let kept: Vec<&str> = lines
        .into_iter()
        .zip(is_kept)
        .filter_map(|(line, is_kept)| is_kept.then_some(line))
        .collect();
    Cow::Owned(kept.join("\n").trim().to_owned())
}

fn strip_comments(text: &str) -> Cow<'_, str> {
    let mut stripped = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(COMMENT_OPEN)
        && let Some((_, after)) = after.split_once(COMMENT_CLOSE)
    {
        stripped.push_str(before);
        rest = after;
    }
    if stripped.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    stripped.push_str(rest);
    Cow::Owned(stripped)
}

/// Returns true for a ticked box or an empty field.
fn is_of_form(line: &str) -> bool {
    let line = line.trim();
    if line == EMPTY_FIELD {
        return true;
    }
    let Some(rest) = line
        .strip_prefix("- [")
        .or_else(|| line.strip_prefix("* ["))
    else {
        return false;
    };
    rest.split_once("] ").is_some_and(|(tick, words)| {
        tick.len() <= 1
            && CONFIRMATIONS.iter().any(|opening| {
                words
                    .get(..opening.len())
                    .is_some_and(|start| start.eq_ignore_ascii_case(opening))
            })
    })
}

/// Leaves out sections that say what the author's machine is: below a heading of versions or of the
/// environment, with nothing but names and values. What else stands there may be a wish.
fn drop_machine(lines: &[&str], is_kept: &mut [bool]) {
    let mut at = 0;
    while at < lines.len() {
        let start = at;
        at += 1;
        if !is_machine_heading(lines[start]) {
            continue;
        }
        let mut in_fence = false;
        while at < lines.len() && (in_fence || !is_heading(lines[at])) {
            in_fence ^= lines[at].trim_start().starts_with(FENCE);
            at += 1;
        }
        let section = lines[start + 1..at]
            .iter()
            .map(|line| MachineLine::of(line));
        let said: Vec<MachineLine> = section.collect();
        let values = said
            .iter()
            .filter(|line| **line == MachineLine::Value)
            .count();
        if values >= LEAST_VALUES && !said.contains(&MachineLine::Other) {
            is_kept[start..at].fill(false);
        }
    }
}

/// What a line below a heading of versions says.
#[derive(PartialEq, Eq)]
enum MachineLine {
    /// A name and a value.
    Value,
    /// A mark, a comment in code or the heading again.
    Nothing,
    /// Something else, perhaps a wish.
    Other,
}

impl MachineLine {
    fn of(line: &str) -> Self {
        let line = line.trim();
        let lower = line.to_lowercase();
        if CONSTRAINT_WORDS.iter().any(|word| lower.contains(word)) {
            return Self::Other;
        }
        let is_heading_again = !line.chars().any(char::is_lowercase)
            && MACHINE_HEADINGS.iter().any(|word| lower.contains(word));
        let is_mark = line.starts_with([FENCE_MARK, '#'])
            || line.starts_with('<') && line.ends_with('>')
            || !line.chars().any(char::is_alphanumeric);
        let has_name = line.contains(": ") && line.split_whitespace().count() < LEAST_PROSE;
        if is_heading_again || is_mark || line.ends_with(':') {
            Self::Nothing
        } else if is_version(line) || line.contains(COLUMN) || has_name {
            Self::Value
        } else {
            Self::Other
        }
    }
}

fn is_machine_heading(line: &str) -> bool {
    let lower = line.to_lowercase();
    is_heading(line) && MACHINE_HEADINGS.iter().any(|word| lower.contains(word))
}

/// Returns true for a heading of Markdown.
fn is_heading(line: &str) -> bool {
    line.trim_start().starts_with('#') && line.contains("# ")
}

/// Leaves out runs of lines like `xarray : 2023.4.2` and `qtpy : None`.
fn drop_versions(lines: &[&str], is_kept: &mut [bool]) {
    let mut start = 0;
    for at in 0..=lines.len() {
        if at < lines.len() && is_version(lines[at]) {
            continue;
        }
        if at - start >= LEAST_VERSIONS {
            is_kept[start..at].fill(false);
        }
        start = at + 1;
    }
}

/// Returns true for a name and a version, or a name and nothing that says more.
fn is_version(line: &str) -> bool {
    let line = line.trim();
    if line.len() <= LONGEST_COLUMN
        && let Some((name, _)) = line.split_once(COLUMN)
    {
        return !name.trim_end().contains(char::is_whitespace);
    }
    let parts = line
        .split_once(": ")
        .or_else(|| line.split_once("=="))
        .or_else(|| line.split_once(' '));
    line.len() <= LONGEST_VERSION
        && parts.is_some_and(|(name, value)| {
            let (name, value) = (name.trim(), value.trim());
            let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
            !name.is_empty()
                && !name.contains(char::is_whitespace)
                && !value.contains(char::is_whitespace)
                && (value == "None" || has_digit)
        })
}

/// Leaves out the places of a traceback but the last ones.
fn drop_places(lines: &[&str], is_kept: &mut [bool]) {
    // A place is followed by a line of its code and perhaps marks below, then by another place or
    // the error.
    let is_mark = |line: &str| {
        let mut marks = line.trim().bytes();
        marks.len() > 0 && marks.all(|byte| matches!(byte, b'^' | b'~' | b'_' | b' '))
    };
    let mut places = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        if is_place(line) {
            places.push(at);
        }
        let ends = places.last().is_some_and(|last| {
            at == lines.len() - 1 || at > last + 1 && !is_place(line) && !is_mark(line)
        });
        if ends {
            let dropped = places.len().saturating_sub(KEPT_PLACES);
            for pair in places.windows(2).take(dropped) {
                is_kept[pair[0]..pair[1]].fill(false);
            }
            places.clear();
        }
    }
}

/// Returns true for a place in a traceback of Python or of pytest.
fn is_place(line: &str) -> bool {
    let line = line.trim();
    line.starts_with(PLACE_OPENING)
        || line.split_once(PLACE_IN).is_some_and(|(place, name)| {
            !place.contains(char::is_whitespace)
                && !name.contains(char::is_whitespace)
                && place
                    .rsplit_once(':')
                    .is_some_and(|(_, number)| number.bytes().all(|byte| byte.is_ascii_digit()))
        })
}

/// Leaves out headings that nothing follows.
fn drop_empty_headings(lines: &[&str], is_kept: &mut [bool]) {
    let is_frame = |line: &str| {
        let line = line.trim();
        line.is_empty() || line.starts_with("<details") || line.starts_with("</details")
    };
    let mut has_body = false;
    for at in (0..lines.len()).rev() {
        if is_heading(lines[at]) {
            is_kept[at] &= has_body;
            has_body = false;
        } else if is_kept[at] && !is_frame(lines[at]) {
            has_body = true;
        } else if is_frame(lines[at]) && !lines[at].trim().is_empty() {
            is_kept[at] = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_an_issue_goes_and_its_words_stay() {
        let text = "Slices lose `freq`\n\n### Checks\n\n- [X] I have checked the tracker.\n\n### Example\n<!-- your code -->\ndf.loc['a']\n\n### Versions\n<details>\npython : 3.11\nxarray : 2023.4\nqtpy : None\nkernel : #44 SMP May 22\npytz : 2023.3\nscipy : None\n</details>";
        assert_eq!(
            strip_form(text),
            "Slices lose `freq`\n\n\n\n### Example\n\ndf.loc['a']"
        );
    }

    #[test]
    fn a_traceback_keeps_its_end() {
        let text = "It breaks:\nTraceback (most recent call last):\n  File \"a.py\", line 1, in a\n    b()\n  File \"b.py\", line 2, in b\n    c()\n  File \"c.py\", line 3, in c\n    raise KeyError('x')\nKeyError: 'x'\nMend it.";
        assert_eq!(
            strip_form(text),
            "It breaks:\nTraceback (most recent call last):\n  File \"b.py\", line 2, in b\n    c()\n  File \"c.py\", line 3, in c\n    raise KeyError('x')\nKeyError: 'x'\nMend it."
        );
    }

    #[test]
    fn a_traceback_with_marks_or_of_pytest_keeps_its_end() {
        let text = "Error:\n  File \"a.py\", line 1, in a\n    b()\n    ^^^\n  File \"b.py\", line 2, in b\n    c()\n  File \"c.py\", line 3, in c\n    d()\n    ~~^\nKeyError: 'x'";
        assert_eq!(
            strip_form(text),
            "Error:\n  File \"b.py\", line 2, in b\n    c()\n  File \"c.py\", line 3, in c\n    d()\n    ~~^\nKeyError: 'x'"
        );
        let text = "../lib/a.py:287: in to_sql\n    return b()\n../lib/b.py:9: in b\n    c()\n../lib/c.py:3: in c\n    d()\n_ _ _ _\nE  ValueError";
        assert_eq!(
            strip_form(text),
            "../lib/b.py:9: in b\n    c()\n../lib/c.py:3: in c\n    d()\n_ _ _ _\nE  ValueError"
        );
    }

    #[test]
    fn what_the_machine_is_goes() {
        let text = "It breaks.\n### OS & Python version\n```\n# x\npython version: 3.11.3 (main) [Clang]\nplatform: macOS\narch: arm\n```\n### Notes\n- [X] I have looked.\nAlso on Linux.";
        assert_eq!(strip_form(text), "It breaks.\n### Notes\nAlso on Linux.");
        let text = "- [X] I have looked.\n## Versions\nIt must work with both of the versions that we ship to all of our users.";
        assert!(strip_form(text).contains("## Versions\nIt must"));
        for wish in [
            "- API_KEY is secret",
            "- ARM",
            "- OS: linux",
            "Key: never log it",
        ] {
            let text = format!("Build it.\n- [ ] a page\n## Environment variables\n{wish}");
            assert_eq!(strip_form(&text), text);
        }
    }

    #[test]
    fn the_lists_of_the_user_stay() {
        for text in [
            "Do this:\n- [ ] Add a page\n- [ ] Test it",
            "Port: 80\nHost: a1\n- [x] Improve it",
            "# One\n- [ ] a\n# Two\n- [ ] b",
            "",
        ] {
            assert_eq!(strip_form(text), text);
        }
    }
}
