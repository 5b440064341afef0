//! Renders the tools that were called.

use crate::summary::extract::facts::file_actions::is_changing_tool;
use crate::summary::extract::facts::tool_uses::ToolUse;
use crate::summary::extract::labels::DONE;
use crate::summary::extract::lex::fold::fold_line;
use crate::summary::extract::lex::frame::has_frame_tag;
use std::cmp::Reverse;

/// In place of tools without room.
const OMISSION: &str = ", …";
/// Maximum length of a tool's name in bytes.
const LONGEST_NAME: usize = 80;
/// Maximum number of calls that is written. A number of three digits could be taken for an
/// identifier.
const MOST_CALLS: usize = 99;

/// Renders `Done: edit_file x3, read_file x12` in at most `room` bytes: tools that changed
/// something first, then the most used.
pub(crate) fn render_tools(tools: &[ToolUse<'_>], room: usize) -> Option<String> {
    let mut order: Vec<&ToolUse<'_>> = tools.iter().collect();
    order.sort_by_cached_key(|tool| (!is_changing_tool(tool.name), Reverse(tool.calls)));
    let mut line = String::new();
    let mut is_cut = false;
    for tool in order
        .into_iter()
        .filter(|tool| tool.calls > 0 && !has_frame_tag(tool.name))
    {
        let calls = if tool.calls > MOST_CALLS {
            format!("{MOST_CALLS}+")
        } else {
            tool.calls.to_string()
        };
        let separator = if line.is_empty() { DONE } else { ", " };
        let entry = format!("{separator}{} x{calls}", fold_line(tool.name, LONGEST_NAME));
        // A shorter name may still fit.
        if line.len() + entry.len() + OMISSION.len() > room {
            is_cut = true;
            continue;
        }
        line.push_str(&entry);
    }
    if is_cut && !line.is_empty() {
        line.push_str(OMISSION);
    }
    (!line.is_empty()).then_some(line)
}
