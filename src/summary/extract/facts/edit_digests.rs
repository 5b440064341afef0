//! Tells what edits added to files since the newest request: what is done of it stands in no other place.

use super::call_form::CallForm;
use super::definition_lines::defined_name;
use super::edited_lines::{
    EditedLine, lines_between, lines_of_patch, lines_taken, lines_taken_by_patch,
};
use super::exchanges::Exchange;
use super::fact::{Fact, FactKind};
use super::file_changes::FileChange;
use super::inline_commands::split_tagged_call;
use super::passages::TaskWords;
use super::patch_files::split_patch;
use super::path_ends::{distinct_name, file_name, is_scratch};
use super::shell_lines::PATCH_OPENING;
use super::touched_files::TouchedFiles;
use crate::summary::extract::lex::argument_leaves::visit_leaves;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::frame::has_frame_tag;
use crate::summary::extract::lexicon::argument_names::{NEW_TEXT_KEYS, OLD_TEXT_KEYS, PATCH_KEYS};
use crate::summary::extract::lexicon::code_words::{SIGNATURE_MODIFIERS, TEXT_ENDINGS};
use hashbrown::HashSet;
use std::cmp::Reverse;

/// Maximum number of edits that are read, the newest, and of bytes of the text of each.
const MOST_EDITS: usize = 80;
const LONGEST_EDIT: usize = 16 * 1024;
/// Maximum number of lines that are read of an edit.
const MOST_LINES: usize = 60;
/// Maximum length in bytes of a line of code, of a digest, and of its longer form.
const LONGEST_LINE: usize = 116;
const LONGEST_DIGEST: usize = 180;
const LONGEST_WIDE_DIGEST: usize = 480;
/// The least and the most bytes of a line that tells by its length.
const TELLING_LENGTHS: std::ops::RangeInclusive<usize> = 18..=110;
/// The worth of a digest, and what the newest one is worth more.
const DIGEST_WORTH: i32 = 1300;
const RECENCY_WORTH: i32 = 900;
/// What that of a file of data or prose is worth less.
const DATA_LOSS: i32 = 400;
/// What that of a script that only tries something out is worth less.
const SCRATCH_LOSS: i32 = 1300;
/// Between the lines.
const LINE_END: &str = " ⏎ ";
/// Before the lines, behind the name of the file.
const ADDED: &str = ": + ";

/// What edits since the newest request added.
#[derive(Default)]
pub(crate) struct EditDigests {
    pub(crate) facts: Vec<Fact>,
    /// The names of the files that they tell of.
    pub(crate) files: HashSet<String>,
}

/// What digests are written with.
pub(crate) struct DigestScope<'s, 'r> {
    pub(crate) exchanges: &'s [Exchange<'r>],
    pub(crate) files: &'s TouchedFiles<'r>,
    /// The words of the requests.
    pub(crate) words: &'s TaskWords,
    pub(crate) message_count: usize,
    /// Index of the message that begins the work for the newest request.
    pub(crate) phase: usize,
    /// Maximum number of files.
    pub(crate) most: usize,
}

impl EditDigests {
    /// Reads the edits since the newest request. The newest edit stands with the calls.
    pub(crate) fn collect(scope: &DigestScope<'_, '_>) -> Self {
        let mut edited = EditedFiles::default();
        let worked = scope.exchanges.iter().rev();
        let worked = worked.filter(|call| !call.failed && call.result.is_some());
        // What was taken back, or of another branch, is there no more.
        let since = worked.take_while(|call| call.message >= scope.phase && !takes_back(call));
        let mut is_newest = true;
        for exchange in since.take(MOST_EDITS) {
            for edit in edits_of(exchange.call) {
                // The newest edit stands with the calls, but for a patch.
                let is_told = is_newest && edit.patch.is_empty();
                edited.observe(&edit, exchange.message, is_told);
                is_newest = false;
            }
            if let Some(change) = FileChange::of(exchange.call).filter(|change| change.is_whole) {
                edited.rewritten.insert(change.path);
            }
        }
        let mut digests = Self::default();
        let paths = edited.paths();
        for file in edited.all.into_iter().take(scope.most) {
            if scope.files.is_gone(file_name(&file.path)) {
                continue;
            }
            if let Some(fact) = file.digest(scope, &paths) {
                digests.files.insert(file_name(&file.path).to_owned());
                digests.facts.push(fact);
            }
        }
        digests
    }
}

/// Returns true if a call took back changes, or went to another branch.
fn takes_back(exchange: &Exchange<'_>) -> bool {
    exchange.runs_any(&TAKING_BACK)
}

/// Commands that take back changes or go to another branch.
pub(super) const TAKING_BACK: [&str; 5] = [
    "git checkout",
    "git restore",
    "git reset",
    "git stash",
    "git switch",
];

/// The files that were edited, those with the newest edits first.
#[derive(Default)]
struct EditedFiles {
    all: Vec<EditedFile>,
    /// The files that newer calls wrote as a whole.
    rewritten: HashSet<String>,
}

impl EditedFiles {
    /// Adds the lines of an edit to those of its file, but for those that newer edits took away. `is_told` is
    /// true if another place tells what it added.
    fn observe(&mut self, edit: &FileEdit, message: usize, is_told: bool) {
        let path = edit.path.trim();
        let name = file_name(path);
        let is_shown =
            !name.is_empty() && !name.contains(char::is_whitespace) && !has_frame_tag(name);
        if !is_shown || self.rewritten.contains(path) {
            return;
        }
        let at = match self.all.iter().position(|file| file.path == path) {
            Some(at) => at,
            None => {
                self.all.push(EditedFile {
                    path: path.to_owned(),
                    message,
                    lines: Vec::new(),
                    removed: HashSet::new(),
                });
                self.all.len() - 1
            }
        };
        let file = &mut self.all[at];
        if !is_told {
            let lines = edit
                .added()
                .into_iter()
                .filter(|line| !file.removed.contains(*line));
            let lines: Vec<String> = lines.map(str::to_owned).collect();
            file.lines.extend(lines);
        }
        file.removed.extend(edit.removed());
    }

    /// Returns the paths of the files.
    fn paths(&self) -> Vec<String> {
        self.all.iter().map(|file| file.path.clone()).collect()
    }
}

/// A file that was edited.
struct EditedFile {
    path: String,
    /// Index of the message with the newest edit.
    message: usize,
    /// The lines that the edits added, those of the newest edit first.
    lines: Vec<String>,
    /// The lines that the edits took away.
    removed: HashSet<String>,
}

impl EditedFile {
    /// Returns the lines that tell most of what was added. Returns `None` if none does. `paths` are those of
    /// all files that were edited.
    fn digest(&self, scope: &DigestScope<'_, '_>, paths: &[String]) -> Option<Fact> {
        let name = distinct_name(&self.path, paths.iter().map(String::as_str));
        let mut seen = HashSet::new();
        let mut telling: Vec<(i32, usize)> = (self.lines.iter().enumerate())
            .filter(|(_, line)| seen.insert(line.as_str()))
            .map(|(at, line)| (worth_of(line, scope.words), at))
            .filter(|(worth, _)| *worth > 0)
            .collect();
        telling.sort_by_key(|&(worth, at)| (Reverse(worth), at));
        let text = self.shown(name, &telling, LONGEST_DIGEST)?;
        let longer = self.shown(name, &telling, LONGEST_WIDE_DIGEST)?;
        let recency = (self.message + 1) * RECENCY_WORTH as usize / scope.message_count.max(1);
        Some(Fact {
            kind: FactKind::Definition,
            worth: DIGEST_WORTH + i32::try_from(recency).unwrap_or(0)
                - if is_data(name) { DATA_LOSS } else { 0 }
                - if is_scratch(name) { SCRATCH_LOSS } else { 0 },
            longer: (longer.len() > text.len()).then_some(longer),
            text,
            order: self.message,
            heading: None,
            is_pinned: false,
        })
    }

    /// Writes the best lines in at most `most` bytes, in the order in which they were added.
    fn shown(&self, name: &str, telling: &[(i32, usize)], most: usize) -> Option<String> {
        let mut chosen = Vec::new();
        let mut length = name.len() + ADDED.len();
        for &(_, at) in telling {
            let line = fold_line(plain_code(&self.lines[at]), LONGEST_LINE).into_owned();
            let start = &line[..line.floor_char_boundary(LIKE_LENGTH)];
            if chosen
                .iter()
                .any(|(_, other): &(usize, String)| other.starts_with(start))
            {
                continue;
            }
            let cost = line.len() + LINE_END.len();
            if has_frame_tag(&line) || length + cost > most {
                continue;
            }
            length += cost;
            chosen.push((at, line));
        }
        chosen.sort_by_key(|(at, _)| *at);
        let lines: Vec<String> = chosen.into_iter().map(|(_, line)| line).collect();
        (!lines.is_empty()).then(|| format!("{name}{ADDED}{}", lines.join(LINE_END)))
    }
}

/// Number of bytes at the start of a line by which another one like it is known.
const LIKE_LENGTH: usize = 16;

/// Returns a line of code without what only says who may use it, and without the opening of its body.
fn plain_code(line: &str) -> &str {
    let mut line = line.trim_end_matches(['{', ' ', ';']);
    while let Some((word, rest)) = line.split_once(' ')
        && SIGNATURE_MODIFIERS.contains(&word)
    {
        line = rest;
    }
    line
}

/// Returns true for the name of a file that holds no code.
fn is_data(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    TEXT_ENDINGS.contains(&ending)
}

/// Returns how much a line of code says of what was added.
fn worth_of(line: &str, words: &TaskWords) -> i32 {
    let letters = line.chars().filter(|c| c.is_alphanumeric()).count();
    if letters < LEAST_LETTERS {
        return 0;
    }
    let is_text = line.contains(['"', '\'', '`']) && letters * 2 > line.len();
    1 + 4 * i32::from(defined_name(line, "").is_some())
        + 2 * i32::from(is_text)
        + i32::from(line.contains([':', '=']))
        + 2 * i32::from(line.contains("://"))
        + i32::from(TELLING_LENGTHS.contains(&line.len()))
        + words.shared_with(line).min(MOST_SHARED)
        - 2 * i32::from(line.starts_with(['<', '}', ')', '#']))
        - 3 * i32::from(
            FLOW_OPENINGS
                .iter()
                .any(|opening| line.starts_with(opening)),
        )
}

/// The openings of lines that only lead on to others.
const FLOW_OPENINGS: [&str; 9] = [
    "if ", "if(", "} else", "else", "elif ", "for ", "return", "while ", "try",
];
/// Minimum number of letters and digits of a line, and the most words of the requests that count.
const LEAST_LETTERS: usize = 8;
const MOST_SHARED: i32 = 3;

/// An edit of a single file.
struct FileEdit {
    path: String,
    old: String,
    new: String,
    patch: String,
}

impl FileEdit {
    /// Returns the lines that the edit added.
    fn added(&self) -> Vec<&str> {
        let lines = if self.patch.is_empty() {
            lines_between(&self.old, &self.new, MOST_LINES)
        } else {
            lines_of_patch(&self.patch, MOST_LINES)
        };
        let added = lines.into_iter().filter(EditedLine::is_added);
        added.map(|line| line.text).collect()
    }
}

impl FileEdit {
    /// Returns the lines that the edit took away.
    fn removed(&self) -> Vec<String> {
        let lines = if self.patch.is_empty() {
            lines_taken(self.old.lines(), self.new.lines(), MOST_LINES)
        } else {
            lines_taken_by_patch(&self.patch, MOST_LINES)
        };
        lines.into_iter().map(str::to_owned).collect()
    }
}

/// Returns the edits that a call makes: none if it writes whole files or runs a command.
fn edits_of(call: CallForm<'_>) -> Vec<FileEdit> {
    if call.text().trim_start().starts_with(PATCH_OPENING) {
        return edits_of_patch(call.text());
    }
    let Some(change) = FileChange::of(call).filter(|change| !change.is_whole) else {
        return patch_in(call).map_or_else(Vec::new, |patch| edits_of_patch(&patch));
    };
    let mut edit = FileEdit {
        path: change.path,
        old: String::new(),
        new: String::new(),
        patch: String::new(),
    };
    let mut observe = |key: &str, value: &str| {
        let part = if OLD_TEXT_KEYS.contains(&key) {
            &mut edit.old
        } else if NEW_TEXT_KEYS.contains(&key) {
            &mut edit.new
        } else if PATCH_KEYS.contains(&key) {
            &mut edit.patch
        } else {
            return;
        };
        part.push_str(value);
        part.push('\n');
    };
    match call {
        CallForm::Tool(tool) => visit_leaves(tool.arguments, &mut |key, leaf| {
            if let Some(value) = leaf.decode_start(LONGEST_EDIT) {
                observe(key.name, &value);
            }
        }),
        CallForm::Command(command) => {
            for (key, value) in split_tagged_call(command).map_or_else(Vec::new, |call| call.1) {
                observe(key, value);
            }
        }
        CallForm::Heading(_) => {}
    }
    vec![edit]
}

/// Returns the patch that an argument of a call holds.
fn patch_in(call: CallForm<'_>) -> Option<String> {
    let CallForm::Tool(tool) = call else {
        return None;
    };
    let mut patch = None;
    visit_leaves(tool.arguments, &mut |_, leaf| {
        if patch.is_none()
            && let Some(value) = leaf.decode_start(LONGEST_EDIT)
            && let Some(at) = value.find(PATCH_OPENING)
        {
            patch = Some(value[at..].to_owned());
        }
    });
    patch
}

/// Returns the edits of a patch, one for each file.
fn edits_of_patch(patch: &str) -> Vec<FileEdit> {
    let parts = split_patch(patch).into_iter();
    let edits = parts.map(|(path, patch)| FileEdit {
        path: path.to_owned(),
        old: String::new(),
        new: String::new(),
        patch: patch.to_owned(),
    });
    edits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary::extract::facts::call_form::CalledTool;
    use crate::summary::extract::facts::exchanges::Exchanges;

    fn digests_of(calls: &[(&str, &str)], phase: usize) -> Vec<String> {
        let mut exchanges = Exchanges::default();
        for (message, (name, arguments)) in calls.iter().enumerate() {
            let call = match *name {
                "apply_patch" => CallForm::Command(arguments),
                _ => CallForm::Tool(CalledTool { name, arguments }),
            };
            let index = exchanges.push_call(message, call);
            exchanges.set_result(index, "ok", false);
        }
        let digests = EditDigests::collect(&DigestScope {
            exchanges: &exchanges.all,
            files: &TouchedFiles::default(),
            words: &TaskWords::default(),
            message_count: calls.len(),
            phase,
            most: 9,
        });
        digests.facts.into_iter().map(|fact| fact.text).collect()
    }

    #[test]
    fn an_import_that_a_later_edit_took_away_is_not_told() {
        let first = r#"{"path": "src/mill.py", "old_string": "x", "new_string": "from mill import mock_pump_of_old"}"#;
        let second = r#"{"path": "src/mill.py", "old_string": "from mill import mock_pump_of_old\n@mock_pump_of_old", "new_string": "from mill import mock_all\n@mock_all"}"#;
        let third =
            r#"{"path": "src/door.py", "old_string": "x", "new_string": "door_width = 40 + 2"}"#;
        let digests = digests_of(&[("edit", first), ("edit", second), ("edit", third)], 0);
        assert!(
            !digests
                .iter()
                .any(|digest| digest.contains("mock_pump_of_old")),
            "{digests:?}"
        );
        let alone = digests_of(&[("edit", first), ("edit", third)], 0);
        assert!(alone[0].contains("mock_pump_of_old"), "{alone:?}");
    }

    #[test]
    fn what_edits_added_stands_with_their_file() {
        let first = r#"{"path": "src/pump.rs", "old_string": "let speed = 1;", "new_string": "let speed = 1;\npub fn stop(pump: &Pump) {\n    halt(\"the wheel is wet\");\n}"}"#;
        let second = r#"{"path": "src/pump.rs", "old_string": "x", "new_string": "const LEAST_SPEED: u32 = 40;"}"#;
        let both = [("edit", first), ("edit", second)];
        assert_eq!(
            digests_of(&both, 0),
            ["pump.rs: + fn stop(pump: &Pump) ⏎ halt(\"the wheel is wet\")"],
            "the newest edit stands with the calls"
        );
        assert!(
            digests_of(&both, 1).is_empty(),
            "the other was for an older request"
        );
        let whole = r#"{"path": "a.rs", "content": "pub fn stop(pump: &Pump) {}"}"#;
        assert!(digests_of(&[("write", whole)], 0).is_empty());
    }

    #[test]
    fn what_is_there_no_more_was_not_added() {
        let add = r#"{"path": "a/pump.rs", "old_string": "x", "new_string": "x\npub fn stop(pump: &Pump) {}"}"#;
        let undo = r#"{"path": "a/pump.rs", "old_string": "x\npub fn stop(pump: &Pump) {}", "new_string": "x"}"#;
        let whole = r#"{"path": "a/pump.rs", "content": "pub fn run(pump: &Pump) {}"}"#;
        let back = r#"{"command": "git checkout -- a/pump.rs"}"#;
        let other = r#"{"path": "b/pump.rs", "old_string": "x", "new_string": "let valve_is_open = true;"}"#;
        let last = r#"{"path": "c.rs", "old_string": "x", "new_string": "let hose = 1;"}"#;
        for later in [("edit", undo), ("write", whole), ("bash", back)] {
            let digests = digests_of(&[("edit", add), later, ("edit", last)], 0);
            assert!(digests.is_empty(), "{digests:?}");
        }
        assert_eq!(
            digests_of(&[("edit", add), ("edit", other), ("edit", last)], 0),
            [
                "b/pump.rs: + let valve_is_open = true",
                "a/pump.rs: + fn stop(pump: &Pump) {}"
            ]
        );
    }

    #[test]
    fn a_patch_of_several_files_is_told_file_by_file() {
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-let x = 1;\n+let speed_of_wheel = 2;\n*** Update File: src/b.rs\n@@\n+let valve_is_open = true;\n*** End Patch";
        assert_eq!(
            digests_of(&[("apply_patch", patch)], 0),
            [
                "a.rs: + let speed_of_wheel = 2",
                "b.rs: + let valve_is_open = true"
            ]
        );
    }
}
