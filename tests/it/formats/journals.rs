//! The promises in journals: the same story as agents append it, with all that
//! stands between, compacted under any policy and read again.

use crate::formats::OFF;
use crate::formats::story::{Story, story};
use crate::formats::{policy, tellers};
use crate::harness::{Dir, PROGRAM};
use crate::originals::restored;
use crate::promises::support::{Place, cases, epitome, json_lines};
use epitome::{CompactionPolicy, LoggedMessage};
use proptest::prelude::*;
use serde_json::Value;
use std::fs;
use std::process::Command;

/// What OpenCode shows of a result that was cleared.
const CLEARED: &str = "[Old tool result content cleared]";

/// One way of keeping a journal.
pub(super) struct Journal {
    pub(super) name: &'static str,
    pub(super) format: &'static str,
    /// Whether the file is lines; else one document.
    pub(super) lines: bool,
    /// The id of the thread that tells the story; empty where the only thread has no id.
    pub(super) thread: &'static str,
    /// Whether the user can speak beside results.
    pub(super) beside: bool,
    /// Whether it keeps system prompts.
    pub(super) system: bool,
    /// Whether it keeps what the user says.
    pub(super) users: bool,
    /// Whether each call is directly followed by its result.
    pub(super) paired: bool,
    /// What of a story the journal can hold.
    pub(super) part: fn(&Story) -> Story,
    pub(super) write: fn(&Story) -> Vec<Value>,
}

impl Journal {
    pub(super) fn bytes(&self, story: &Story, pretty: bool) -> Vec<u8> {
        let records = (self.write)(&(self.part)(story));
        if self.lines {
            return records
                .iter()
                .map(|record| format!("{record}\n"))
                .collect::<String>()
                .into_bytes();
        }
        if pretty {
            serde_json::to_vec_pretty(&records[0]).unwrap()
        } else {
            records[0].to_string().into_bytes()
        }
    }

    /// Whether a thread with this id tells the story.
    fn is_told_by(&self, id: &str) -> bool {
        self.thread.is_empty() || id == self.thread
    }

    /// What is said in the story: who, and all text; pieces of one turn as one.
    fn said(&self, story: &Story) -> Vec<(Role, String)> {
        let story = (self.part)(story);
        let mut said = Said::default();
        if let Some(text) = story.system.as_ref().filter(|_| self.system) {
            said.push(Role::System, text);
        }
        for round in &story.rounds {
            if self.users {
                said.push(Role::User, &round.ask);
            }
            for exchange in &round.exchanges {
                said.push(Role::Assistant, exchange.say.as_deref().unwrap_or_default());
                for (number, call) in exchange.calls.iter().enumerate() {
                    said.push(Role::Assistant, &format!("[{}]", call.tool));
                    exchange
                        .results
                        .get(number)
                        .filter(|_| self.paired)
                        .into_iter()
                        .for_each(|result| said.push(Role::Tool, result));
                }
                exchange
                    .results
                    .iter()
                    .filter(|_| !self.paired)
                    .for_each(|result| said.push(Role::Tool, result));
                // OpenCode sends a result for a call that has not ended.
                if self.format == "opencode" {
                    for _ in exchange.results.len()..exchange.calls.len() {
                        said.push(Role::Tool, "[Tool execution was interrupted]");
                    }
                }
                if let Some(text) =
                    exchange.beside.as_ref().filter(|_| self.beside && !exchange.results.is_empty())
                {
                    said.push(Role::User, text);
                }
            }
            said.push(Role::Assistant, &round.answer);
        }
        said.turns
    }
}

/// Turns of the assistant run together: formats cut them differently.
#[derive(Default)]
struct Said {
    turns: Vec<(Role, String)>,
}

impl Said {
    fn push(&mut self, role: Role, text: &str) {
        match self
            .turns
            .last_mut()
            .filter(|(last, _)| *last == Role::Assistant && role == Role::Assistant)
        {
            Some((_, turn)) => turn.push_str(text),
            None => self.turns.push((role, text.to_owned())),
        }
    }
}

/// The role of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    System,
    Developer,
    User,
    Assistant,
    Tool,
    Function,
}

impl Role {
    fn is_system(self) -> bool {
        matches!(self, Self::System | Self::Developer)
    }

    fn is_result(self) -> bool {
        matches!(self, Self::Tool | Self::Function)
    }

    fn parse(name: &str) -> Self {
        match name {
            "system" => Self::System,
            "developer" => Self::Developer,
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "tool" => Self::Tool,
            "function" => Self::Function,
            name => panic!("no role is called {name}"),
        }
    }
}

/// Reads the thread of a file that tells the story.
fn read_thread(journal: &Journal, file: &[u8]) -> Vec<LoggedMessage> {
    let dir = Dir::new();
    dir.write("in.jsonl", file);
    let policy = CompactionPolicy::preset("deepagents").unwrap();
    for chunk in epitome::open(dir.path("in.jsonl")).unwrap() {
        for conversation in chunk.unwrap().conversations(&policy) {
            let conversation =
                conversation.unwrap_or_else(|error| panic!("{error}: {}", show(file)));
            assert_eq!(conversation.format(), journal.format, "{}", show(file));
            if journal.is_told_by(conversation.thread_id()) {
                return conversation.messages().collect();
            }
        }
    }
    panic!("no thread {} in {}", journal.thread, show(file));
}

/// Returns the role of each message, and its text with its calls.
fn render_messages(messages: &[LoggedMessage]) -> Vec<(Role, String)> {
    let rendered = messages.iter().map(|message| {
        let calls = message.calls.iter().map(|call| format!("[{}]", call.name));
        let text = format!("{}{}", message.text, calls.collect::<String>());
        (Role::parse(message.role), text)
    });
    rendered.collect()
}

/// Returns true if the format has no place for a compaction in its logs.
fn is_read_only(format: &str) -> bool {
    let output = Command::new(PROGRAM).arg("formats").output().unwrap();
    let table = String::from_utf8(output.stdout).unwrap();
    let row = table.lines().find(|line| line.starts_with(&format!("{format} ")));
    row.unwrap().contains("--to only")
}

/// Whether messages are the same, but for results that were cleared.
fn same(before: &[(Role, String)], after: &[(Role, String)]) -> bool {
    before.len() == after.len()
        && before.iter().zip(after).all(|(was, is)| {
            was == is || (is.0 == Role::Tool && was.0 == Role::Tool && is.1 == CLEARED)
        })
}

fn show(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// No result without its call; of a call that is answered, all results.
fn pairs(messages: &[LoggedMessage]) -> usize {
    let is_result = |message: &&LoggedMessage| Role::parse(message.role).is_result();
    let results = messages.iter().filter(is_result);
    results.inspect(|result| assert!(result.caller.is_some(), "{result:?} has no call")).count()
}

fn check(journal: &Journal, story: &Story, pretty: bool, policy: &str) {
    let input = journal.bytes(story, pretty);
    // Live is what was told, and nothing else that the journal holds.
    let mut said = Said::default();
    let thread = read_thread(journal, &input);
    pairs(&thread);
    let before = render_messages(&thread);
    // What the agent itself puts before is pinned, as developer messages.
    before
        .iter()
        .filter(|(role, _)| *role != Role::Developer)
        .for_each(|(role, text)| said.push(*role, text));
    let told = journal.said(story);
    let differs = said.turns.iter().zip(&told).find(|(read, told)| read != told);
    assert!(
        said.turns.len() == told.len() && differs.is_none(),
        "read {} for {} turns: {differs:?} in\n{}",
        said.turns.len(),
        told.len(),
        show(&input)
    );

    let place = Place::new(&input, policy);
    let output = place.compact("in.jsonl", "out", &[]);
    let stderr = show(&output.stderr);
    let bytes = fs::read(place.path("out/in.jsonl")).unwrap();
    let shown = || {
        format!(
            "{} under\n{policy}\n{}\nbecame\n{}\n{stderr}",
            journal.name,
            show(&input),
            show(&bytes)
        )
    };
    let report: Value =
        serde_json::from_slice(&fs::read(place.path("out/report.json")).unwrap()).unwrap();
    let entries: Vec<&Value> = report["transcripts"].as_array().unwrap().iter().collect();
    assert!(entries.iter().all(|entry| entry["format"] == journal.format), "{}", shown());
    let entry = *entries
        .iter()
        .find(|entry| journal.is_told_by(entry["thread_id"].as_str().unwrap()))
        .unwrap();

    if is_read_only(journal.format) {
        assert!(bytes == input, "{}", shown());
        let failed = entry["status"] == "failed";
        assert_eq!(failed, stderr.contains("can't be compacted in place"), "{}", shown());
        assert_eq!(
            output.status.code(),
            Some(if entries.iter().any(|entry| entry["status"] == "failed") { 3 } else { 0 }),
            "{}",
            shown()
        );
        return;
    }
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", shown());

    // Nothing is rewritten; with the originals the input is back.
    if journal.lines {
        assert!(bytes.starts_with(input.strip_suffix(b"\n").unwrap()), "{}", shown());
    }
    let restored = restored(&bytes, &place.path("out/originals/in.jsonl.originals"));
    assert!(restored == input, "restored:\n{}\n{}", show(&restored), shown());

    // It reads as what was planned: the summary, and the last messages as they were.
    let thread = read_thread(journal, &bytes);
    let after = render_messages(&thread);
    assert_eq!(
        after.len(),
        usize::try_from(entry["messages_after"].as_u64().unwrap()).unwrap(),
        "{}",
        shown()
    );
    let summaries = thread.iter().filter(|message| message.is_summary).count();
    if entry["summarized"] == true {
        let systems = |messages: &[(Role, String)]| {
            messages.iter().filter(|(role, _)| role.is_system()).count()
        };
        // Codex keeps messages of the user before the summary, too.
        let last_summary = thread.iter().rposition(|message| message.is_summary);
        let tail = &after[last_summary.map_or(0, |last| last + 1)..];
        assert!(summaries > 0 && same(&before[before.len() - tail.len()..], tail), "{}", shown());
        assert_eq!(systems(&after), systems(&before), "{}", shown());
    } else {
        assert!(same(&before, &after), "{}", shown());
    }
    let cleared = after.iter().filter(|(_, text)| text == CLEARED).count();
    assert!(cleared as u64 <= entry["pruned"].as_u64().unwrap(), "{}", shown());
    let results = pairs(&thread);
    assert_eq!(after.iter().filter(|(role, _)| role.is_result()).count(), results);
    place.write("off.toml", OFF.as_bytes());
    let arguments = ["plan", "--json", "out/in.jsonl", "--config", "off.toml", "--quiet"];
    let again =
        json_lines(&epitome(place.directory.path()).args(arguments).output().unwrap().stdout);
    let again = again
        .iter()
        .find(|entry| journal.is_told_by(entry["thread_id"].as_str().unwrap()))
        .unwrap();
    assert_eq!(again["messages_before"], entry["messages_after"], "{}", shown());
}

/// Two properties a journal.
macro_rules! journals {
    ($($name:ident)*) => {
        pub(super) const TESTED: &[&str] = &[$(stringify!($name)),*];

        $(mod $name {
            use super::*;

            proptest! {
                #![proptest_config(cases(4))]

                #[test]
                fn keeps_the_promises(story in story(), policy in policy(), pretty in any::<bool>()) {
                    check(journal(stringify!($name)), &story, pretty, &policy);
                }

                #[test]
                fn leaves_as_it_came_where_nothing_is_to_be_done(story in story(), pretty in any::<bool>()) {
                    let input = journal(stringify!($name)).bytes(&story, pretty);
                    let place = Place::new(&input, OFF);
                    let output = place.compact("in.jsonl", "out", &[]);
                    prop_assert!(output.status.success(), "{}", show(&output.stderr));
                    prop_assert!(fs::read(place.path("out/in.jsonl")).unwrap() == input);
                }
            }
        })*
    };
}

journals! {
    claude_code
    claude_stream
    codex
    codex_items
    codex_exec
    pi
    pi_tree
    opencode
    openhands
    gemini_cli
    gemini_stream
    antigravity
    cursor
    copilot_cli
    qwen_code
    kimi
    kimi_context
    iflow
    droid
    droid_stream
    goose_lines
    goose_export
    amp
    grok_build
    mini_swe_agent
    langsmith
    alpaca
    json_string
    logged_call
    text_trajectory
    openai_batch_output
    anthropic_batch_output
    gemini_batch_output
    chatgpt
    claude_ai
    vercel_ui
    inspect
    tau2
    atif
    pydantic_ai
    autogen
    otel
    otel_numbered
    langfuse
    open_webui
    librechat
    continue_dev
    aider
    vscode_chat
    vscode_shown
}

fn journal(name: &str) -> &'static Journal {
    tellers::JOURNALS.iter().find(|journal| journal.name == name).unwrap()
}
