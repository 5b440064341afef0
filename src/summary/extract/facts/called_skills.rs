//! Reads the skills and commands that a user called: a harness writes them into the message, a skill with
//! all of its text.

use super::user_messages::is_setting_command;

/// The opening of a skill in a message of pi, and its end.
const SKILL_OPENING: &str = "<skill name=\"";
const SKILL_END: &str = "</skill>";
/// The opening of the tags of a command of Claude Code, of that of its name, with the slash before the name, and
/// of that of its arguments.
const TAGS: &str = "<command-";
const COMMAND_TAG: &str = "<command-name>/";
const ARGUMENTS_TAG: &str = "<command-args>";
const ARGUMENTS_END: &str = "</command-args>";

/// A skill or a command that a user called.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct CalledSkill<'t> {
    name: &'t str,
    /// What the user wrote behind its name. May be empty.
    pub(super) words: &'t str,
}

impl<'t> CalledSkill<'t> {
    /// Reads the call that a message is. Returns `None` for any other message.
    pub(super) fn from_message(text: &'t str) -> Option<Self> {
        let text = text.trim();
        Self::from_skill(text).or_else(|| Self::from_command(text))
    }

    fn from_skill(text: &'t str) -> Option<Self> {
        let (name, rest) = text.strip_prefix(SKILL_OPENING)?.split_once('"')?;
        let (_, words) = rest.rsplit_once(SKILL_END)?;
        Self::new(name, words)
    }

    fn from_command(text: &'t str) -> Option<Self> {
        // Around the tags of a command stands nothing that the user wrote.
        let tags = text
            .strip_suffix(ARGUMENTS_END)
            .filter(|text| text.starts_with(TAGS))?;
        let (name, _) = tags.split_once(COMMAND_TAG)?.1.split_once('<')?;
        let (_, words) = tags.split_once(ARGUMENTS_TAG)?;
        let calls = !words.trim().is_empty() && !is_setting_command(name);
        calls.then(|| Self::new(name, words)).flatten()
    }

    fn new(name: &'t str, words: &'t str) -> Option<Self> {
        let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
        is_name.then(|| Self {
            name,
            words: words.trim(),
        })
    }

    /// Returns the call as the user typed it.
    pub(super) fn request(&self) -> String {
        format!("/{} {}", self.name, self.words)
            .trim_end()
            .to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_called_skill_is_the_request_and_not_its_text() {
        for (text, request) in [
            (
                "<skill name=\"commit\" location=\"/srv/commit.md\">\nNever push.\n</skill>",
                Some("/commit"),
            ),
            (
                "<skill name=\"commit\" location=\"/srv/commit.md\">\nNever push.\n</skill>\n\nonly the docs",
                Some("/commit only the docs"),
            ),
            (
                "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>src/main.rs</command-args>",
                Some("/review src/main.rs"),
            ),
            (
                "<command-name>/model</command-name>\n<command-args>opus</command-args>",
                None,
            ),
            (
                "<command-name>/clear</command-name>\n<command-args></command-args>",
                None,
            ),
            (
                "<command-name>/review</command-name>\n<command-args>a.rs</command-args>\nand never push",
                None,
            ),
            ("Write a <skill name=\"commit\"> for me", None),
            ("<skill name=\"commit\"> is what I want", None),
        ] {
            let called = CalledSkill::from_message(text);
            assert_eq!(
                called.map(|skill| skill.request()).as_deref(),
                request,
                "{text}"
            );
        }
    }
}
