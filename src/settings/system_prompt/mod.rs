//! The sections that Deep Agents adds to the system prompt: the memory and the list of skills. The
//! texts around them are not copied; their lengths are known. The rules are in
//! `docs/reference/memory-skills.md`.

mod front_matter;
mod python_text;
mod skills;
mod sources;
mod yaml;

use crate::deciding::policy::{SectionsVersion, SystemPolicy};
use anyhow::{Context, Result};
use python_text::is_python_space;
use skills::skills_text;
use sources::SourceFiles;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptSection {
    /// The text that is filled in.
    pub filled: String,
    /// The code points of the text around it.
    pub frame_points: usize,
}

impl PromptSection {
    /// Returns the code points of the section.
    pub(crate) fn points(&self) -> usize {
        self.frame_points + self.filled.chars().count()
    }
}

/// What the live agent would add to the system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PromptSections {
    /// The prompt of logs that have none.
    pub base: Option<String>,
    pub memory: Option<PromptSection>,
    pub skills: Option<PromptSection>,
    /// True if triggers count the sections.
    pub is_counted: bool,
    /// The skills that were left out, with the reasons, and what is odd about others.
    pub notes: Vec<String>,
}

impl PromptSections {
    /// Loads what a policy names. Returns none if it names nothing. Fails if a file can't be used
    /// that Deep Agents would not do without.
    pub(super) fn load(policy: &SystemPolicy) -> Result<Option<Self>> {
        let names_nothing =
            policy.base.is_none() && policy.memory.is_empty() && policy.skills.is_empty();
        if names_nothing {
            return Ok(None);
        }
        let files = SourceFiles { root: policy.root.clone() };
        let base = match &policy.base {
            Some(path) => {
                let named = SourceFiles::default().read_text(path)?;
                Some(named.with_context(|| format!("[system] {path}: there is no such file"))?)
            }
            None => None,
        };
        let (memory_points, skills_points) = frame_points(policy.version);
        let mut sections =
            Self { base, memory: None, skills: None, is_counted: policy.count, notes: Vec::new() };
        if !policy.memory.is_empty() {
            sections.memory = Some(PromptSection {
                filled: memory_text(&files, &policy.memory, policy.version)?,
                frame_points: memory_points,
            });
        }
        if !policy.skills.is_empty() {
            let text = skills_text(&files, &policy.skills, policy.version)?;
            let filled = text.filled;
            sections.skills = Some(PromptSection { filled, frame_points: skills_points });
            sections.notes = text.notes;
        }
        Ok(Some(sections))
    }
}

/// Returns the code points of the templates of memory and skills, without their slots.
fn frame_points(version: SectionsVersion) -> (usize, usize) {
    match version {
        SectionsVersion::V04 => (4452, 1532),
        SectionsVersion::V07 => (5106, 1804),
    }
}

/// Shown in place of the files if there are none.
const NOTHING: &str = "(No memory loaded)";

/// Returns the text that fills the template of the memory section.
fn memory_text(files: &SourceFiles, paths: &[String], version: SectionsVersion) -> Result<String> {
    let mut sections = Vec::new();
    for path in paths {
        let Some(content) = files.read_text(path)? else {
            continue;
        };
        match version {
            SectionsVersion::V04 if content.is_empty() => {}
            SectionsVersion::V04 => sections.push(format!("{path}\n{content}")),
            SectionsVersion::V07 => {
                let content = without_comments(&content);
                let content = content.trim_end_matches(is_python_space);
                if !content.is_empty() {
                    sections.push(format!("{path}\n\n{content}"));
                }
            }
        }
    }
    Ok(if sections.is_empty() { NOTHING.to_owned() } else { sections.join("\n\n") })
}

/// Removes HTML comments. One that does not end stays.
fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("<!--") {
        let behind = start + "<!--".len();
        let Some(length) = rest[behind..].find("-->") else {
            break;
        };
        kept.push_str(&rest[..start]);
        rest = &rest[behind + length + "-->".len()..];
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_end_at_their_first_mark() {
        for (text, left) in [
            ("a<!-- b -->c", "ac"),
            ("a<!-- b\n --> --> c", "a --> c"),
            ("a<!---->b", "ab"),
            ("a<!--->b", "a<!--->b"),
            ("a<!-- b", "a<!-- b"),
        ] {
            assert_eq!(without_comments(text), left);
        }
    }
}
