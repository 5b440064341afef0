//! Calls and what they do.

use super::shell::{ShellReading, is_file, read_command};
use crate::summary::extract::lexicon::{
    COMMAND_ARGUMENTS, DELETING, LOOKING, PATH_ARGUMENTS, PLANNING, READING, SEARCHING, SHELLS,
    WRITING,
};
use crate::summary::extract::prelude::*;

#[derive(Debug)]
pub(crate) struct CallResult<'t> {
    /// The index of the message.
    pub message: usize,
    /// What was printed; of a long text the beginning.
    pub text: Cow<'t, str>,
    /// The end of a long text.
    pub end: Option<&'t str>,
    /// The text as JSON, if it is that.
    pub json: Option<JsonValue<'t>>,
    /// True if the call failed.
    pub failed: bool,
}

#[derive(Debug)]
pub(crate) struct Call<'t> {
    /// The index of the message.
    pub message: usize,
    /// The tool's name.
    pub tool: Cow<'t, str>,
    /// The arguments, an object.
    pub arguments: JsonValue<'t>,
    /// The command, if the call runs one.
    pub command: Option<Cow<'t, str>>,
    pub effect: Effect,
    /// The files that it reads, writes and deletes.
    pub files: Vec<(FileAction, String)>,
    /// The result, if there is one.
    pub result: Option<CallResult<'t>>,
}

impl<'t> Call<'t> {
    pub(crate) fn new(message: usize, tool: Cow<'t, str>, arguments: JsonValue<'t>) -> Self {
        let command = command_of(&tool, &arguments);
        let (effect, files) = match &command {
            Some(command) => owned_files(read_command(command)),
            None => tool_effect(&tool, &arguments),
        };
        Self { message, tool, arguments, command, effect, files, result: None }
    }

    /// Returns true if the call failed.
    pub(crate) fn failed(&self) -> bool {
        self.result.as_ref().is_some_and(|result| result.failed)
    }

    pub(crate) fn members(&self) -> &[(Cow<'t, str>, JsonValue<'t>)] {
        self.arguments.members()
    }
}

fn owned_files(reading: ShellReading<'_>) -> (Effect, Vec<(FileAction, String)>) {
    let files = reading.files.into_iter().map(|(action, path)| (action, path.to_owned()));
    (reading.effect, files.collect())
}

/// Returns the command of a call to a shell.
fn command_of<'t>(tool: &str, arguments: &JsonValue<'t>) -> Option<Cow<'t, str>> {
    let JsonValue::Object(members) = arguments else {
        return None;
    };
    let is_shell = tool.is_empty() || SHELLS.contains(&tool.to_ascii_lowercase().as_str());
    let (_, value) = members.iter().find(|(key, value)| {
        COMMAND_ARGUMENTS.contains(&key.as_ref())
            && (is_shell
                || matches!(value, JsonValue::Text(text) if text.starts_with("*** Begin Patch")))
    })?;
    match value {
        JsonValue::Text(text) => Some(text.clone()),
        JsonValue::List(words) => {
            let words: Vec<&str> = words.iter().filter_map(JsonValue::as_text).collect();
            let is_wrapped = words.len() > 2 && matches!(words[1], "-lc" | "-c");
            let words = if is_wrapped { &words[2..] } else { &words[..] };
            Some(Cow::Owned(words.join(" ")))
        }
        _ => None,
    }
}

/// Returns the words of a tool's name in lower case: `readFile` has two.
fn tool_words(tool: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for c in tool.chars() {
        let starts_word = c.is_uppercase() && was_lower || !c.is_alphanumeric();
        if starts_word && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words
}

/// Returns what a call to another tool than a shell does, by the words of its name. An editor says in
/// its argument `command` what it does.
fn tool_effect(tool: &str, arguments: &JsonValue<'_>) -> (Effect, Vec<(FileAction, String)>) {
    if tool.is_empty() {
        // A result whose call is not in the log: it changed nothing that is known.
        return (Effect::Search, Vec::new());
    }
    let verb = arguments.member("command").and_then(JsonValue::as_text);
    let verb = verb.filter(|verb| verb.len() < 20 && !verb.contains(' '));
    let words = tool_words(verb.unwrap_or(tool));
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    // `mcp__tracker__get_issue` begins with its server.
    let is_verb = |word: &&String| {
        let lists = [LOOKING, WRITING, DELETING];
        lists.iter().any(|list| list.contains(&word.as_str()))
    };
    let verb = words.iter().find(is_verb).or(words.first());
    let first = |list: &[&str]| verb.is_some_and(|word| list.contains(&word.as_str()));
    let mut patch = ["input", "patch", "patchText"].into_iter();
    let patch = patch.find_map(|key| arguments.member(key)?.as_text());
    if let Some(patch) = patch.filter(|patch| patch.contains("*** ")) {
        return owned_files(read_command(patch));
    }
    let action = if first(DELETING) {
        Some(FileAction::Deleted)
    } else if first(WRITING) || !first(LOOKING) && has(&["write", "edit"]) {
        Some(FileAction::Written)
    } else if first(READING)
        || (first(LOOKING) && !first(SEARCHING) && has(&["file", "files", "image"]))
    {
        Some(FileAction::Read)
    } else {
        None
    };
    let effect = if has(PLANNING) || first(SEARCHING) {
        Effect::Search
    } else if first(LOOKING) {
        Effect::Look
    } else {
        Effect::Change
    };
    let paths = action.map(|action| path_arguments(arguments, action));
    (effect, paths.unwrap_or_default())
}

fn path_arguments(arguments: &JsonValue<'_>, action: FileAction) -> Vec<(FileAction, String)> {
    let mut paths = Vec::new();
    arguments.visit_leaves("", &mut |key, value| {
        if PATH_ARGUMENTS.contains(&key) && value.len() <= 200 && is_file(value) {
            paths.push((action, value.to_owned()));
        }
    });
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call<'t>(tool: &'t str, arguments: &'t str) -> Call<'t> {
        Call::new(0, tool.into(), parse_json(arguments).unwrap())
    }

    #[test]
    fn the_name_of_a_tool_tells_what_it_does() {
        #[rustfmt::skip]
        let cases = [
            ("read_file", r#"{"path":"a.rs"}"#, Effect::Look, "Read a.rs"),
            ("str_replace_editor", r#"{"command":"create","path":"/w/b.py"}"#, Effect::Change, "Written /w/b.py"),
            ("str_replace_editor", r#"{"command":"view","path":"/w/b.py"}"#, Effect::Look, "Read /w/b.py"),
            ("Grep", r#"{"path":"a.rs"}"#, Effect::Search, ""),
            ("cancel_reservation", r#"{"id":"X"}"#, Effect::Change, ""),
            ("get_user_details", r#"{"id":"X"}"#, Effect::Look, ""),
            ("mcp__fs__delete_file", r#"{"path":"c.md"}"#, Effect::Change, "Deleted c.md"),
            ("shell", r#"{"command":["bash","-lc","cat d.rs"]}"#, Effect::Look, "Read d.rs"),
        ];
        for (tool, arguments, effect, files) in cases {
            let call = call(tool, arguments);
            let listed = call.files.iter().map(|(action, path)| format!("{action:?} {path}"));
            let listed: Vec<String> = listed.collect();
            assert_eq!((call.effect, listed.join(" ").as_str()), (effect, files), "{tool}");
        }
    }
}
