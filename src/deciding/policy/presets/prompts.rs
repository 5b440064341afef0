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
pub(super) const DEEPAGENTS_PROMPT: &str = "\
The conversation below between a user and an assistant that uses tools has grown too long. It will be replaced by what you write now, \
so the assistant must be able to go on from your text alone, without asking again and without doing finished work twice.

Write these four sections, each with its heading, in the language of the conversation. Where there is nothing to say, write None.

## SESSION INTENT
What the user wants, with all constraints and preferences, in the user's own words where they matter.

## SUMMARY
What was done and found out: decisions and their reasons, options that were ruled out, errors and how they were solved. \
Keep identifiers, numbers, paths and commands exactly as they are.

## ARTIFACTS
Files and other resources that were created, changed or read, each with its exact path and what happened to it.

## NEXT STEPS
What is left to do, starting with what was under way when the conversation was cut.

Answer with the four sections only.

<conversation>
{messages}
</conversation>";

/// Code points of a tool result in OpenCode's prompts.
pub(super) const OPENCODE_RESULT_CHARS: usize = 2000;

/// The headings that OpenCode's prompts demand.
pub(super) const OPENCODE_HEADINGS: [&str; 5] =
    ["Objective", "Important Details", "Work State", "Next Move", "Relevant Files"];

/// The beginning of both prompts of OpenCode.
macro_rules! task {
    () => {
        "\
You are a context summarisation agent. The conversation below between a user and an assistant that uses tools will be replaced by \
what you write now. Follow the format exactly, keep paths and identifiers as they are, do not continue the conversation and do not \
answer its questions. Write in the language of the conversation.

<conversation>
{messages}
</conversation>

"
    };
}

/// The sections of a summary, the end of both prompts of OpenCode.
macro_rules! template {
    () => {
        "
## Objective
- what the user wants, in one or two bullets

## Important Details
- constraints, preferences, decisions and their reasons, facts, exact errors

## Work State
### Completed
- what is done and verified
### Active
- what is under way
### Blocked
- what is in the way, and why

## Next Move
1. what to do next, in order

## Relevant Files
- exact path: why it matters

Keep every section, even if it is empty (then write: - None). Terse bullets, no prose. Exact paths, commands and errors. \
Do not mention that anything was summarised."
    };
}

/// OpenCode's prompt for a conversation without an earlier summary.
pub(super) const OPENCODE_PROMPT: &str = concat!(
    task!(),
    "Create a new anchored summary of this conversation, in this format:\n",
    template!()
);

/// OpenCode's prompt for a conversation that begins with an earlier summary.
pub(super) const OPENCODE_MERGE_PROMPT: &str = concat!(
    task!(),
    "<prior-summary>
{prior_summary}
</prior-summary>

Merge the earlier summary and the conversation, which is newer, into one summary: carry forward goals, constraints and decisions that still hold; \
where the two disagree the conversation wins; move what was finished since to Completed; drop what no longer matters. \
The earlier summary is discarded: what you leave out is gone. Use this format:
",
    template!()
);

/// The prompt of `opencode-seed`, in the words of the essay that describes it. The last sentence asks in Chinese to summarize for the
/// work to go on.
pub(super) const SEED_PROMPT: &str = "\
You are a helpful AI assistant tasked with summarizing conversations.
Focus on information helpful for continuing the conversation:
- What was done
- What is currently being worked on
- Which files are being modified
- What needs to be done next
- Key user preferences that should persist

{messages}

请总结上述对话，以便继续后续工作。";
