//! Outlines what a file that was read holds: the names that code defines with their lines, the members of JSON,
//! the headings of prose. Who goes on knows by them where to look, and need not read the file again for it.

use super::definition_lines::defined_name;
use crate::summary::extract::lex::blocks::is_fence;
use crate::summary::extract::lex::clip::CLIP_MARK;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::frame::has_frame_tag;
use crate::summary::extract::lex::json_tree::{ResultTree, parse_json_tree};
use crate::summary::extract::lex::printed_prefix::{numbered_lines, without_line_numbers};
use hashbrown::HashSet;

/// Minimum length in bytes of a name that is told.
const LEAST_NAME: usize = 3;
/// Maximum length in bytes of an item, and number of the members of a member.
const LONGEST_ITEM: usize = 60;
const MOST_MEMBERS: usize = 8;
/// Maximum number of bytes of a file that are outlined.
const LONGEST_OUTLINED: usize = 48 * 1024;
/// The endings of prose.
const PROSE_ENDINGS: [&str; 4] = ["md", "mdx", "rst", "markdown"];

/// An item of an outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OutlineItem {
    /// The name that code defines, the heading, or the member with what it holds.
    pub(super) text: String,
    /// The number of the line that defines it, if the lines are numbered.
    pub(super) line: Option<usize>,
}

impl OutlineItem {
    fn new(text: String) -> Option<Self> {
        let tells = text.len() >= LEAST_NAME && !text.ends_with(CLIP_MARK) && !has_frame_tag(&text);
        tells.then_some(Self { text, line: None })
    }
}

/// Returns what a file of the name `file` holds, in its order. `text` is the file, or a part of it, as it was
/// printed.
pub(super) fn outline_of(file: &str, text: &str) -> Vec<OutlineItem> {
    let text = &text[..text.floor_char_boundary(LONGEST_OUTLINED)];
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    if PROSE_ENDINGS.contains(&ending) {
        return headings_in(&without_line_numbers(text));
    }
    if ending == "json" {
        return members_in(&without_line_numbers(text));
    }
    names_in(text)
}

/// Returns the names that code defines.
fn names_in(text: &str) -> Vec<OutlineItem> {
    let (mut items, mut seen) = (Vec::new(), HashSet::new());
    let mut class = "";
    for line in numbered_lines(text) {
        let Some(defined) = defined_name(line.text, class) else {
            continue;
        };
        if defined.is_class {
            class = defined.name;
        }
        if defined.name.len() >= LEAST_NAME && seen.insert(defined.name) {
            items.push(OutlineItem {
                text: defined.name.to_owned(),
                line: line.number,
            });
        }
    }
    items
}

/// Returns the headings of prose.
fn headings_in(text: &str) -> Vec<OutlineItem> {
    let mut is_code = false;
    let prose = text.lines().filter(|line| {
        is_code ^= is_fence(line.trim_start());
        !is_code
    });
    let headings = prose.filter(|line| line.starts_with('#')).map(|line| {
        let heading = line.trim_start_matches('#').trim();
        fold_line(heading, LONGEST_ITEM).into_owned()
    });
    headings.filter_map(OutlineItem::new).collect()
}

/// Returns the members of a document of JSON, each with its value or the names of its own members.
fn members_in(text: &str) -> Vec<OutlineItem> {
    let Some(ResultTree::Object(members)) = parse_json_tree(text) else {
        return Vec::new();
    };
    let shown = members.iter().filter_map(|(key, value)| {
        let value = shown_member(value)?;
        let text = format!("{key} {value}");
        (fold_line(&text, LONGEST_ITEM * 2) == text).then_some(text)
    });
    shown.filter_map(OutlineItem::new).collect()
}

/// Returns a value, or the names of its members. Returns `None` if they say nothing.
fn shown_member(value: &ResultTree<'_>) -> Option<String> {
    let names: Vec<&str> = match value {
        ResultTree::Text(text) => {
            return (!text.is_empty() && text.len() <= LONGEST_ITEM).then(|| text.to_string());
        }
        ResultTree::Word(word) => return Some((*word).to_owned()),
        ResultTree::Object(members) => members.iter().map(|(key, _)| key.as_ref()).collect(),
        ResultTree::List(items) => (items.iter())
            .filter_map(|item| match item {
                ResultTree::Text(text) => Some(text.as_ref()),
                _ => None,
            })
            .collect(),
    };
    let (open, close) = match value {
        ResultTree::List(_) => ('[', ']'),
        _ => ('{', '}'),
    };
    let rest = if names.len() > MOST_MEMBERS {
        " …"
    } else {
        ""
    };
    let names = &names[..names.len().min(MOST_MEMBERS)];
    (!names.is_empty()).then(|| format!("{open}{}{rest}{close}", names.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts_of(file: &str, text: &str) -> Vec<String> {
        let items = outline_of(file, text).into_iter();
        let shown = items.map(|item| match item.line {
            Some(line) => format!("{} L{line}", item.text),
            None => item.text,
        });
        shown.collect()
    }

    #[test]
    fn code_is_outlined_by_what_it_defines() {
        let read = "    12\u{2192}export class Pump {\n    13\u{2192}  run() {\n    14\u{2192}}\n    15\u{2192}function setSpeed(speed) {\n";
        assert_eq!(texts_of("pump.ts", read), ["Pump L12", "setSpeed L15"]);
        assert_eq!(
            texts_of(
                "pump.py",
                "class Pump:\n    def run(self):\n        x = 1\n"
            ),
            ["Pump", "run"]
        );
    }

    #[test]
    fn prose_is_outlined_by_its_headings() {
        let text = "# Pump\n\nIt runs.\n```\n# no heading\n```\n## How to oil it\n";
        assert_eq!(texts_of("pump.md", text), ["Pump", "How to oil it"]);
    }

    #[test]
    fn json_is_outlined_by_its_members() {
        let text = r#"{"name": "pump", "private": true, "scripts": {"test": "vitest", "build": "tsc"}, "files": ["dist"], "long": {}}"#;
        assert_eq!(
            texts_of("package.json", text),
            [
                "name pump",
                "private true",
                "scripts {test build}",
                "files [dist]"
            ]
        );
        assert!(texts_of("a.json", "[1, 2]").is_empty());
    }
}
