//! The files of a memory, as the section of the system prompt shows them.

use super::python_text::is_python_space;
use super::sources::SourceFiles;
use crate::deciding::policy::SectionsVersion;
use anyhow::Result;

/// Shown in place of the files if there are none.
const NOTHING: &str = "(No memory loaded)";

/// Returns the text that fills the template of the memory section.
pub(super) fn memory_text(
    files: &SourceFiles,
    paths: &[String],
    version: SectionsVersion,
) -> Result<String> {
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
