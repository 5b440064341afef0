//! The front matter of a `SKILL.md`.

use super::python_text::{is_python_space, python_str};
use super::yaml::{YamlValue, parse_yaml};
use crate::base::text::first_chars;
use crate::deciding::policy::SectionsVersion;
use regex::Regex;
use std::sync::LazyLock;

/// The longest file, in code points.
const MAX_FILE_CHARS: usize = 10 * 1024 * 1024;
/// The longest name, in code points.
const MAX_NAME_CHARS: usize = 64;
/// The longest description, in code points.
const MAX_DESCRIPTION_CHARS: usize = 1024;
/// The longest statement of compatibility, in code points.
const MAX_COMPATIBILITY_CHARS: usize = 500;

/// The marks around the front matter. White space is Python's.
#[expect(clippy::expect_used, reason = "a test reads it")]
static FRONT_MATTER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\A---[\s\x1c-\x1f]*\n((?s:.*?))\n---[\s\x1c-\x1f]*\n").expect("a pattern")
});

/// A skill as the model sees it in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Skill {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) license: Option<String>,
    pub(super) compatibility: Option<String>,
    pub(super) allowed_tools: Vec<String>,
    /// The path of its file as the model sees it.
    pub(super) path: String,
}

/// Reads the front matter of a skill in the directory `directory`. Adds to `notes` what is odd about it.
/// Fails with the reason why it is left out.
pub(super) fn read_skill(
    text: &str,
    path: &str,
    directory: &str,
    version: SectionsVersion,
    notes: &mut Vec<String>,
) -> Result<Skill, String> {
    if text.chars().count() > MAX_FILE_CHARS {
        return Err(format!("longer than {MAX_FILE_CHARS} characters"));
    }
    let front = FRONT_MATTER
        .captures(text)
        .and_then(|found| found.get(1))
        .ok_or("no front matter between lines ---")?;
    let yaml = parse_yaml(front.as_str())
        .map_err(|error| format!("its front matter is not YAML: {error}"))?;
    let YamlValue::Map(entries) = yaml else {
        return Err("its front matter is not a mapping".to_owned());
    };
    let value = |key: &str| {
        entries
            .iter()
            .find(|(name, _)| *name == YamlValue::Text(key.to_owned()))
            .map(|(_, value)| value)
    };
    let text_of = |key: &str| {
        let text = value(key).map(python_str).unwrap_or_default();
        text.trim_matches(is_python_space).to_owned()
    };
    let (name, description) = (text_of("name"), text_of("description"));
    if name.is_empty() || description.is_empty() {
        let missing = if name.is_empty() { "name" } else { "description" };
        return Err(format!("it has no {missing}"));
    }
    if let Some(problem) = name_problem(&name, directory) {
        notes.push(format!("{path}: listed as {name:?}, but {problem}"));
    }
    let mut limit = |key: &str, text: String, most: usize| {
        let chars = text.chars().count();
        if chars <= most {
            return text;
        }
        notes.push(format!("{path}: its {key} of {chars} characters is cut to {most}"));
        first_chars(&text, most).to_owned()
    };
    let description = limit("description", description, MAX_DESCRIPTION_CHARS);
    let compatibility = limit("compatibility", text_of("compatibility"), MAX_COMPATIBILITY_CHARS);
    let not_empty = |text: String| Some(text).filter(|text| !text.is_empty());
    Ok(Skill {
        name,
        description,
        license: not_empty(text_of("license")),
        compatibility: not_empty(compatibility),
        allowed_tools: allowed_tools(value("allowed-tools"), path, version, notes),
        path: path.to_owned(),
    })
}

/// Returns what is wrong with a name. Such a skill is listed all the same.
fn name_problem(name: &str, directory: &str) -> Option<String> {
    let is_digit =
        |c: char| c.is_ascii_digit() || (!c.is_ascii() && c.is_numeric() && !c.is_alphabetic());
    let is_allowed = |c: char| c == '-' || (c.is_alphabetic() && c.is_lowercase()) || is_digit(c);
    if name.chars().count() > MAX_NAME_CHARS {
        return Some(format!("a name has at most {MAX_NAME_CHARS} characters"));
    }
    let is_wrong = name.starts_with('-')
        || name.ends_with('-')
        || name.contains("--")
        || !name.chars().all(is_allowed);
    if is_wrong {
        return Some("a name is lower-case letters and digits with single hyphens".to_owned());
    }
    (name != directory).then(|| format!("its directory is {directory:?}"))
}

fn allowed_tools(
    value: Option<&YamlValue>,
    path: &str,
    version: SectionsVersion,
    notes: &mut Vec<String>,
) -> Vec<String> {
    let strip = |text: &str| text.trim_matches(is_python_space).to_owned();
    let tools: Vec<String> = match (value, version) {
        (None | Some(YamlValue::Null), _) => Vec::new(),
        (Some(YamlValue::Text(text)), SectionsVersion::V04) => {
            text.split(is_python_space).map(|part| part.trim_matches(',').to_owned()).collect()
        }
        (Some(YamlValue::Text(text)), SectionsVersion::V07) => {
            text.split(|c| is_python_space(c) || c == ',').map(str::to_owned).collect()
        }
        (Some(YamlValue::List(items)), SectionsVersion::V07) => items
            .iter()
            .filter_map(|item| match item {
                YamlValue::Text(text) => Some(strip(text)),
                _ => None,
            })
            .collect(),
        (Some(_), _) => {
            notes.push(format!("{path}: its allowed-tools have no known form"));
            Vec::new()
        }
    };
    tools.into_iter().filter(|tool| !tool.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, notes: &mut Vec<String>) -> Result<Skill, String> {
        read_skill(text, "/s/x/SKILL.md", "x", SectionsVersion::V07, notes)
    }

    #[test]
    fn the_front_matter_stands_at_the_very_start() {
        for (text, is_skill) in [
            ("---\nname: x\ndescription: y\n---\n", true),
            ("---  \r\nname: x\r\ndescription: y\r\n---\r\n", true),
            ("\n---\nname: x\ndescription: y\n---\n", false),
            ("---\nname: x\ndescription: y\n---", false),
            ("---\n- name\n---\n", false),
            ("---\nname: x\n---\n", false),
            ("---\nname: x\ndescription: a: b\n---\n", false),
        ] {
            assert_eq!(read(text, &mut Vec::new()).is_ok(), is_skill, "{text:?}");
        }
    }

    #[test]
    fn values_are_written_as_python_does_and_cut() {
        let text = format!(
            "---\nname: 123\ndescription:\nlicense:\ncompatibility: {}\nallowed-tools: [a, ' b ', 3]\n---\n",
            "é".repeat(501)
        );
        let mut notes = Vec::new();
        let skill = read(&text, &mut notes).unwrap();
        assert_eq!((skill.name.as_str(), skill.description.as_str()), ("123", "None"));
        assert_eq!(skill.license.as_deref(), Some("None"));
        assert_eq!(skill.compatibility.unwrap().chars().count(), 500);
        assert_eq!(skill.allowed_tools, ["a", "b"]);
        assert_eq!(notes.len(), 2, "{notes:?}");
        let older = read_skill(&text, "/p", "123", SectionsVersion::V04, &mut notes);
        assert!(older.unwrap().allowed_tools.is_empty());
    }

    #[test]
    fn odd_names_are_told() {
        for (name, directory, is_fine) in [
            ("a-b", "a-b", true),
            ("café-1", "café-1", true),
            ("Upper", "Upper", false),
            ("a--b", "a--b", false),
            ("-a", "-a", false),
            ("a", "b", false),
        ] {
            assert_eq!(name_problem(name, directory).is_none(), is_fine, "{name}");
        }
        assert!(name_problem(&"n".repeat(65), "n").is_some());
    }
}
