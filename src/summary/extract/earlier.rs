//! An earlier summary in the range: read back into the facts it was written
//! from, so that the new summary holds them once and needs no nested frame.

use super::files::{Files, Touch};
use super::groups::NO_KEY;
use super::identifiers;
use super::kinds;
use super::references::{ASSISTANT, References};
use super::values::Key;

const OPENING: &str = "Here is a summary of the conversation to date:";

/// Labels under which this summarizer writes what is no reference.
pub(super) const USER_QUOTE: &str = "> ";
/// What was done, by tool.
pub(super) const DONE: &str = "Done: ";
/// Prose of an earlier summary.
pub(super) const EARLIER: &str = "Earlier: ";

/// What an earlier summary holds besides references and files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Earlier {
    /// Its SESSION INTENT.
    pub(super) goal: Option<String>,
    /// The user's words it quotes, newest first.
    pub(super) words: Vec<String>,
    /// Tools and how often they were called.
    pub(super) tools: Vec<(String, usize)>,
    /// Error lines.
    pub(super) errors: Vec<String>,
    /// Prose that is none of these.
    pub(super) prose: Vec<String>,
    /// Its next steps.
    pub(super) steps: Vec<String>,
}

/// Reads a summary that stands in message `turn`.
pub(super) fn read(text: &str, turn: usize, references: &mut References, files: &mut Files) -> Earlier {
    let mut earlier = Earlier::default();
    let mut section = String::new();
    let mut intent: Vec<&str> = Vec::new();
    for line in body(text).lines() {
        let line = line.trim();
        if let Some(heading) = line.strip_prefix('#') {
            section = heading.trim_matches(['#', ' ', ':']).to_ascii_uppercase();
            continue;
        }
        let plain = line.trim_start_matches(['-', '*', '•']).trim_start();
        if plain.is_empty() || matches!(plain.trim_end_matches('.'), "None" | "none" | "N/A") {
            continue;
        }
        if matches!(section.as_str(), "SESSION INTENT" | "OBJECTIVE") {
            intent.push(plain);
            identifiers::scan(plain, &mut |identifier, kinds| references.add(identifier, kinds, turn, ASSISTANT, Key::NONE));
        } else if matches!(section.as_str(), "ARTIFACTS" | "RELEVANT FILES") {
            artifacts(plain, turn, files, references);
        } else if matches!(section.as_str(), "NEXT STEPS" | "NEXT MOVE") {
            step(plain, &mut earlier);
            identifiers::scan(plain, &mut |identifier, kinds| references.add(identifier, kinds, turn, ASSISTANT, Key::NONE));
        } else {
            fact(line, plain, turn, &mut earlier, references);
        }
    }
    earlier.goal = (!intent.is_empty()).then(|| intent.join(" "));
    earlier
}

/// The summary without the frame around it.
fn body(text: &str) -> &str {
    if let Some((_, rest)) = text.split_once("<summary>") {
        return rest.rsplit_once("</summary>").map_or(rest, |(inside, _)| inside);
    }
    text.split_once(OPENING).map_or(text, |(_, rest)| rest)
}

/// A line of the SUMMARY section, or of a summary without sections.
fn fact(line: &str, plain: &str, turn: usize, earlier: &mut Earlier, references: &mut References) {
    if let Some(words) = line.strip_prefix(USER_QUOTE) {
        earlier.words.push(words.to_owned());
    } else if let Some(done) = line.strip_prefix(DONE) {
        earlier.tools.extend(done.split(", ").filter_map(tool));
    } else if let Some(error) = line.strip_prefix("Error").filter(|rest| rest.starts_with(": ") || rest.starts_with(" (x")) {
        earlier.errors.extend(error.split_once(": ").map(|(_, error)| error.to_owned()));
    } else if let Some((key, values)) = group(plain) {
        let name = if key == NO_KEY { "" } else { key };
        values.for_each(|value| references.add(value, kinds::kinds(value).unwrap_or(kinds::OTHER), turn, ASSISTANT, Key { name, parent: "" }));
        return;
    } else {
        earlier.prose.push(line.strip_prefix(EARLIER).unwrap_or(plain).to_owned());
    }
    identifiers::scan(plain, &mut |identifier, kinds| references.add(identifier, kinds, turn, ASSISTANT, Key::NONE));
}

fn tool(entry: &str) -> Option<(String, usize)> {
    let (name, times) = entry.trim_end_matches([' ', '…']).rsplit_once(" x")?;
    Some((name.to_owned(), times.parse().ok()?))
}

/// `key: A1 B2 C3`, if each of the values is an identifier; prose has plain words.
fn group(line: &str) -> Option<(&str, impl Iterator<Item = &str>)> {
    let (key, values) = line.split_once(": ")?;
    let short = key.chars().count() <= 60 && key.split_whitespace().count() <= 3;
    let mut all = values.split_whitespace().filter(|value| *value != "…").peekable();
    let identified = |value: &str| kinds::kinds(value).is_some() || value.contains(['-', '_', '.']);
    (short && all.peek().is_some() && all.clone().all(identified)).then_some((key, all))
}

fn artifacts(line: &str, turn: usize, files: &mut Files, references: &mut References) {
    let labels = [("written: ", Touch::Written), ("read: ", Touch::Read), ("named: ", Touch::Named)];
    for (label, touch) in labels {
        if let Some(paths) = line.strip_prefix(label) {
            // Newest first, as written: the last one noted is the newest again.
            let paths: Vec<&str> = paths.split_whitespace().filter(|path| *path != "…").collect();
            paths.into_iter().rev().for_each(|path| files.touch(path, touch));
            return;
        }
    }
    identifiers::scan(line, &mut |identifier, kinds| {
        if kinds & kinds::PATH == 0 {
            references.add(identifier, kinds, turn, ASSISTANT, Key::NONE);
        } else {
            files.touch(identifier, Touch::Named);
        }
    });
}

/// Next steps that are still steps: what was the last action is none any more.
fn step(line: &str, earlier: &mut Earlier) {
    if let Some(open) = line.strip_prefix("Open: ") {
        earlier.steps.extend(open.trim_end_matches([' ', '…']).split("; ").map(str::to_owned));
    } else if !["Last action: ", "Last reply: ", "Not answered yet: "].iter().any(|label| line.starts_with(label)) {
        earlier.steps.push(line.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "You are in the middle of it.\n\n<summary>\n## SESSION INTENT\nFix bug_77\n\n## SUMMARY\n> use tabs\nDone: read x3, edit x1\n\
        Error (x2): no such file a.c\nflight_number: HAT175 HAT084\nWe chose the second plan.\n\n## ARTIFACTS\nwritten: a.c b.c\n- made /x/y.md\n\n\
        ## NEXT STEPS\nOpen: test it; ship it\nLast action: bash()\n</summary>";

    #[test]
    fn a_summary_is_read_back() {
        let (mut references, mut files) = (References::new(2), Files::default());
        let earlier = read(TEXT, 0, &mut references, &mut files);
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!(earlier.goal.as_deref(), Some("Fix bug_77"));
        assert_eq!(earlier.words, owned(&["use tabs"]));
        assert_eq!(earlier.tools, [("read".to_owned(), 3), ("edit".to_owned(), 1)]);
        assert_eq!(earlier.errors, owned(&["no such file a.c"]));
        assert_eq!(earlier.prose, owned(&["We chose the second plan."]));
        assert_eq!(earlier.steps, owned(&["test it", "ship it"]));
        let quarter = |text: &str| text.len().div_ceil(4);
        assert_eq!(files.write(100, &quarter), ["written: a.c b.c", "named: /x/y.md"]);
        assert!(references.candidates(100).write(100, "", &quarter).contains("flight_number: HAT175 HAT084"));
    }

    #[test]
    fn sections_of_the_other_template_are_read_back() {
        let text = "## Objective\nFix bug_77\n\n## Important Details\n> use tabs\nflight_number: HAT175\n\n## Work State\n### Completed\nDone: read x3\n\
            ### Active\nNone\n### Blocked\nError: no such file a.c\n\n## Next Move\nOpen: test it\n\n## Relevant Files\nwritten: src/a.c";
        let (mut references, mut files) = (References::new(1), Files::default());
        let earlier = read(text, 0, &mut references, &mut files);
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        assert_eq!((earlier.goal.as_deref(), &earlier.words), (Some("Fix bug_77"), &owned(&["use tabs"])));
        assert_eq!((&earlier.errors, &earlier.steps, &earlier.prose), (&owned(&["no such file a.c"]), &owned(&["test it"]), &owned(&[])));
        assert_eq!(earlier.tools, [("read".to_owned(), 3)]);
        let quarter = |text: &str| text.len().div_ceil(4);
        assert_eq!(files.write(100, &quarter), ["written: src/a.c"]);
        assert!(references.candidates(100).write(100, "", &quarter).contains("flight_number: HAT175"));
    }

    #[test]
    fn the_other_frame_and_no_sections() {
        let (mut references, mut files) = (References::new(1), Files::default());
        let earlier = read("Here is a summary of the conversation to date:\n\nThe user wants order_99.", 0, &mut references, &mut files);
        assert_eq!(earlier.prose, ["The user wants order_99."]);
        assert_eq!(references.candidates(20).write(20, "", &|text: &str| text.len().div_ceil(4)), "also: order_99");
    }
}
