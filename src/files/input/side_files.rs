//! Files that agents and exports put beside conversations and that hold none: their names are known,
//! so that a directory of an agent is read without an error.

use std::ffi::OsStr;
use std::path::Path;

/// Files of an export of Claude.ai, beside its conversations.
const EXPORT: &str = "conversations.json";
const BESIDE_EXPORT: [&str; 4] =
    ["users.json", "memories.json", "projects.json", "design_chats.json"];

/// Returns true if a file below a named directory is known to hold no conversation. `has_sibling`
/// tells whether another file is in its directory.
pub(super) fn is_side_file(path: &Path, has_sibling: impl Fn(&str) -> bool) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let mut folders = path.iter().rev().skip(1).filter_map(OsStr::to_str);
    let folder = folders.next().unwrap_or_default();
    match name {
        // Claude Code: what a sub-agent is, and the state of a workflow.
        _ if name.ends_with(".meta.json") => true,
        "journal.jsonl" => folder.starts_with("wf_"),
        _ if folder == "workflows" => name.starts_with("wf_") && name.ends_with(".json"),
        _ => BESIDE_EXPORT.contains(&name) && has_sibling(EXPORT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_beside_conversations_are_told_by_their_names() {
        let side = |path: &str, exported| is_side_file(Path::new(path), |_| exported);
        for path in [
            "p/s/subagents/agent-1.meta.json",
            "p/s/workflows/wf_1.json",
            "p/s/subagents/workflows/wf_1/journal.jsonl",
        ] {
            assert!(side(path, false), "{path}");
        }
        for path in ["p/s.jsonl", "p/wf_1.json", "logs/journal.jsonl", "users.json"] {
            assert!(!side(path, false), "{path}");
        }
        assert!(side("export/users.json", true) && !side("export/conversations.json", true));
    }
}
