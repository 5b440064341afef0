//! The prompts and headings of the summary templates.

use crate::deciding::policy::summarizer::{SummarizerPolicy, SummaryTemplate};

impl SummarizerPolicy {
    /// Sets a template, with its prompts and headings.
    pub fn use_template(&mut self, template: SummaryTemplate) {
        let (prompt, merge_prompt, result_chars, headings) = match template {
            SummaryTemplate::DeepAgents => {
                (DEEPAGENTS_PROMPT, "", 0, DEEPAGENTS_HEADINGS.as_slice())
            }
            SummaryTemplate::OpenCode => (
                OPENCODE_PROMPT,
                OPENCODE_MERGE_PROMPT,
                OPENCODE_RESULT_CHARS,
                OPENCODE_HEADINGS.as_slice(),
            ),
        };
        self.template = template;
        prompt.clone_into(&mut self.prompt);
        merge_prompt.clone_into(&mut self.merge_prompt);
        self.result_chars = result_chars;
        self.headings = headings.iter().map(|&heading| heading.to_owned()).collect();
    }
}

/// The headings that the prompt of Deep Agents demands.
pub(super) const DEEPAGENTS_HEADINGS: [&str; 4] =
    ["SESSION INTENT", "SUMMARY", "ARTIFACTS", "NEXT STEPS"];

/// Asks a model for the four sections that the embedded summarizer writes, too.
pub(super) const DEEPAGENTS_PROMPT: &str = include_str!("deepagents.txt").trim_ascii_end();

/// Code points of a tool result in OpenCode's prompts.
const OPENCODE_RESULT_CHARS: usize = 2000;

/// The headings that OpenCode's prompts demand.
const OPENCODE_HEADINGS: [&str; 5] =
    ["Objective", "Important Details", "Work State", "Next Move", "Relevant Files"];

/// OpenCode's prompt for a conversation without an earlier summary.
const OPENCODE_PROMPT: &str = concat!(
    include_str!("opencode_task.txt"),
    "Create a new anchored summary of this conversation, in this format:\n",
    include_str!("opencode_format.txt")
)
.trim_ascii_end();

/// OpenCode's prompt for a conversation that begins with an earlier summary.
const OPENCODE_MERGE_PROMPT: &str = concat!(
    include_str!("opencode_task.txt"),
    include_str!("opencode_merge.txt"),
    include_str!("opencode_format.txt")
)
.trim_ascii_end();

/// The prompt of `opencode-seed`, in the words of the essay that describes it. The last sentence asks
/// in Chinese to summarize for the work to go on.
pub(super) const SEED_PROMPT: &str = include_str!("opencode_seed.txt").trim_ascii_end();
