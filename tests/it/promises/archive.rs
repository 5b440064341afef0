//! Everything that is removed is in the archive first, or it is not removed.
//! And a compacted transcript can be compacted again.

use crate::promises::generate::{Message, Sample, Shape, policy, sample, sample_of};
use crate::promises::plan::{Edit, Eviction, Fate, Plan};
use crate::promises::support::{Compacted, Place, ThreadOutcome, cases, json_lines, script};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const MARKED: &str = "was saved in the filesystem at this path: ";
/// The only preset with `notice = "caveats"`. No generated policy sets that key by itself.
const CAVEATS: &str = "preset = \"deepagents-0.7\"";

fn prefix(role: &str) -> &'static str {
    match role {
        "user" => "Human",
        "assistant" => "AI",
        "tool" => "Tool",
        "function" => "Function",
        _ => "System",
    }
}

/// The words of a history in XML: without its references to media, its escapes and the white space
/// between words, as blocks are joined by spaces there.
pub(crate) fn words_of_history(history: &str) -> String {
    const REFERENCES: [(&str, &str); 5] = [
        ("<image ", "/>"),
        ("<audio ", "/>"),
        ("<video ", "/>"),
        ("&lt;image error", "/&gt;"),
        ("&lt;file url", "/&gt;"),
    ];
    let mut text = history.to_owned();
    for (start, end) in REFERENCES {
        while let Some(at) = text.find(start) {
            let length = text[at..].find(end).expect("the end of a reference") + end.len();
            text.replace_range(at..at + length, " ");
        }
    }
    words(&text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
}

/// Text with single spaces between its words.
pub(crate) fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How a notice names a call under a policy. One with caveats shows only the beginning of a long
/// id, see `docs/reference/deepagents.md`.
fn shown_id(call_id: &str, policy: &str) -> String {
    match call_id.char_indices().nth(32) {
        Some((end, _)) if policy.contains(CAVEATS) => format!("{}...", &call_id[..end]),
        _ => call_id.to_owned(),
    }
}

/// Where the notice says that the result is, below the archive directory.
fn file_of(eviction: &Eviction, policy: &str) -> PathBuf {
    let before = format!(
        "Tool result too large, the result of this tool call {} {MARKED}",
        shown_id(&eviction.call_id, policy)
    );
    let path = eviction
        .notice
        .strip_prefix(&before)
        .and_then(|rest| rest.split_once("\n\n"))
        .expect("a notice with a path")
        .0;
    PathBuf::from(path.trim_start_matches('/'))
}

/// The summarised messages that are no summaries themselves.
fn removed<'m>(messages: &'m [Message], outcome: &ThreadOutcome) -> Vec<&'m Message> {
    let gone = messages.iter().zip(outcome.fates()).filter(|(_, fate)| *fate == Fate::Summarized);
    gone.map(|(message, _)| message).filter(|message| !message.earlier_summary).collect()
}

/// What a stage before prune left of the text of message `index`.
fn found(messages: &[Message], plan: &Plan, index: usize, xml: bool) -> String {
    let message = &messages[index];
    let text = if xml { &message.lines } else { &message.text };
    plan.evictions()
        .find(|eviction| eviction.message == index)
        .map_or(text.clone(), |eviction| eviction.notice.clone())
}

/// How a message begins in a history.
fn line_of(message: &Message, text: &str, xml: bool) -> String {
    if xml { words(text) } else { format!("{}: {text}", prefix(message.role)) }
}

fn check_history(messages: &[Message], outcome: &ThreadOutcome, out: &Path, xml: bool) {
    let plan = outcome.carried_out();
    let pruned: BTreeSet<usize> = plan.prunings().map(|pruning| pruning.message).collect();
    if pruned.is_empty() && plan.summary().is_none() {
        assert!(outcome.entry["archive"].is_null(), "an archive of nothing");
        return;
    }
    let history =
        fs::read_to_string(out.join(outcome.entry["archive"].as_str().expect("an archive")))
            .expect("a history");
    let heading = |title: &str| {
        let heading = format!("## {title} at 2026-01-01T00:00:00+00:00\n\n");
        if xml { words(&heading) } else { heading }
    };
    let history = if xml { words_of_history(&history) } else { history };
    let mut rest = history.as_str();
    if !pruned.is_empty() {
        rest = rest.strip_prefix(heading("Pruned").as_str()).expect("a section of what was pruned");
        for index in pruned.iter().copied() {
            let text = found(messages, &plan, index, xml);
            let line = line_of(&messages[index], &text, xml);
            let at = rest.find(&line).unwrap_or_else(|| {
                panic!("pruned message {index} is not in the archive: {line:?}\nin {history:?}")
            });
            rest = &rest[at + line.len()..];
        }
    }
    let Some(summary) = plan.summary() else {
        return;
    };
    let marker = heading("Summarized");
    rest = &rest[rest.find(&marker).expect("a section of what was summarised") + marker.len()..];
    for &index in &summary.messages {
        let message = &messages[index];
        if message.earlier_summary {
            // Somebody may have said the same.
            let is_said = messages
                .iter()
                .any(|other| !other.earlier_summary && other.text.contains(&message.text));
            assert!(
                message.text.is_empty() || is_said || !history.contains(&message.text),
                "an earlier summary is archived: {history:?}"
            );
            continue;
        }
        let text = plan.prunings().find(|pruning| pruning.message == index).map_or_else(
            || found(messages, &plan, index, xml),
            |pruning| pruning.placeholder.clone(),
        );
        // A list with other blocks keeps them, its text is the notice alone.
        let line = line_of(message, &text, xml);
        let at = rest.find(&line).unwrap_or_else(|| panic!("message {index} is not in the archive, or not in its place: {line:?}\nin {history:?}"));
        rest = &rest[at + line.len()..];
    }
}

fn check_results(messages: &[Message], outcome: &ThreadOutcome, out: &Path, policy: &str) {
    for eviction in outcome.carried_out().evictions() {
        let message = &messages[eviction.message];
        let text =
            fs::read_to_string(out.join(file_of(eviction, policy))).expect("an evicted result");
        assert!(
            text == message.lines,
            "another text of message {} was evicted: {text:?}",
            eviction.message
        );
    }
}

/// What would happen to the output.
fn plans_again(run: &Compacted) -> Vec<Plan> {
    run.planned_again("policy.toml")
        .into_iter()
        .map(|line| serde_json::from_value(line).expect("a plan"))
        .collect()
}

/// Long conversations, so that there is something to remove.
fn long() -> impl Strategy<Value = Sample> {
    prop_oneof![
        sample_of(Shape::Lines, 24),
        sample_of(Shape::MessageLines, 24),
        sample_of(Shape::Array, 24)
    ]
}

const EAGER: &str = "[evict]\ntokens = 20\n[truncate]\ntrigger = [{ messages = 1 }]\nkeep = { messages = 1 }\n[summarize]\ntrigger = [{ messages = 3 }]\n\
                     keep = { messages = 1 }\non_growth = \"allow\"\n";

#[test]
fn notices_with_one_shortened_id_lead_to_their_own_results() {
    let ids = ["first", "second"].map(|end| format!("{}{end}", "i".repeat(128)));
    let result = |id: &str| format!("{} {id}", "x".repeat(9000));
    let answers = ids.iter().map(
        |id| json!({"role": "tool", "tool_call_id": id.as_str(), "content": result(id.as_str())}),
    );
    let calls = ids.iter().map(|id| {
        json!({"id": id.as_str(), "type": "function", "function": {"name": "execute", "arguments": "{}"}})
    });
    let caller =
        json!({"role": "assistant", "content": null, "tool_calls": calls.collect::<Vec<_>>()});
    let messages: Vec<Value> = std::iter::once(caller).chain(answers).collect();
    let input = json!({"thread_id": "t", "messages": messages}).to_string();
    for preset in ["preset = \"deepagents\"", CAVEATS] {
        let policy = format!("{preset}\n[evict]\ntokens = 100\n");
        let place = Place::new(input.as_bytes(), &policy);
        let plans = json_lines(&place.plan("in.jsonl", "policy.toml"));
        let plan: Plan = serde_json::from_value(plans[0].clone()).expect("a plan");
        let output = place.compact("in.jsonl", "out", &[]);
        assert!(output.status.success(), "{output:?}");
        let evicted: Vec<String> = plan
            .evictions()
            .map(|eviction| place.path("out").join(file_of(eviction, &policy)))
            .map(|file| fs::read_to_string(file).expect("an evicted result"))
            .collect();
        assert_eq!(evicted, ids.each_ref().map(|id| result(id)));
    }
}

proptest! {
    #![proptest_config(cases(1))]

    #[test]
    fn what_is_removed_is_in_the_archive(sample in prop_oneof![sample(), long()], policy in policy(None)) {
        let run = Compacted::run(&sample, &policy.toml);
        for (thread, outcome) in sample.threads.iter().zip(&run.threads) {
            check_history(&thread.messages, outcome, &run.place.path("out"), policy.is_xml());
            check_results(&thread.messages, outcome, &run.place.path("out"), &policy.toml);
        }
    }

    #[test]
    fn a_summary_that_fails_or_is_empty_changes_nothing(sample in long(), answer in select(vec!["exit 0", "printf ' \\n\\t '", "exit 1", "echo all of it; exit 1"])) {
        let scripts = tempfile::tempdir().expect("a temporary directory");
        let program = script(scripts.path(), "fails.sh", &format!("cat > /dev/null; {answer}"));
        let run = Compacted::run_with(&sample, EAGER, &["--summarizer", &program]);
        let mut failed = sample.bad.len();
        for (thread, outcome) in sample.threads.iter().zip(&run.threads) {
            if outcome.planned.summary().is_none() {
                continue;
            }
            failed += 1;
            prop_assert_eq!(&outcome.entry["status"], "failed");
            prop_assert!(outcome.entry["error"].is_string() && outcome.entry["archive"].is_null());
            prop_assert_eq!(&outcome.entry["tokens_after"], &outcome.entry["tokens_before"]);
            let before: Vec<&[u8]> = thread.messages.iter().map(|message| message.raw.as_bytes()).collect();
            prop_assert_eq!(before, outcome.written.clone());
        }
        prop_assert_eq!(run.status, if failed > 0 { 3 } else { 0 }, "{}", run.stderr);
        prop_assert!(!run.place.path("out/conversation_history").exists());
    }

    #[test]
    fn an_archive_that_cannot_be_written_changes_nothing(sample in sample_of(Shape::Lines, 24), which in any::<prop::sample::Index>()) {
        // Tried once to see the names, then again where something stands in the way of one of them.
        let run = Compacted::run(&sample, EAGER);
        let files = |outcome: &ThreadOutcome| {
            let history = outcome.entry["archive"].as_str().map(PathBuf::from);
            history.into_iter().chain(outcome.carried_out().evictions().map(|eviction| file_of(eviction, EAGER))).collect::<Vec<_>>()
        };
        let all: Vec<(usize, PathBuf)> = run.threads.iter().enumerate().flat_map(|(place, outcome)| files(outcome).into_iter().map(move |file| (place, file))).collect();
        if all.is_empty() {
            return Ok(());
        }
        let (victim, file) = &all[which.index(all.len())];
        let place = Place::new(&sample.bytes, EAGER);
        fs::create_dir_all(place.path("out").join(file).join("in the way")).expect("a directory");
        let output = place.compact("in.jsonl", "out", &["--force"]);
        prop_assert_eq!(output.status.code(), Some(3), "{:?}", output);
        let bytes = fs::read(place.path("out/in.jsonl")).expect("an output");
        let lines = |bytes: &[u8]| crate::promises::support::good_lines(bytes, &sample.bad).into_iter().map(<[u8]>::to_vec).collect::<Vec<_>>();
        let (untouched, before, after) = (lines(&sample.untouched), lines(&run.bytes), lines(&bytes));
        for place in 0..after.len() {
            prop_assert_eq!(&after[place], if place == *victim { &untouched[place] } else { &before[place] });
        }
        for file in files(&run.threads[*victim]) {
            prop_assert!(!place.path("out").join(&file).is_file(), "{} is left of a transcript that failed", file.display());
        }
    }

    #[test]
    fn compacting_again_archives_nothing_twice(sample in prop_oneof![sample(), long()], policy in policy(Some(true))) {
        let run = Compacted::run(&sample, &policy.toml);
        let planned = plans_again(&run);
        // Behind messages that stay a list does not tell its summary from somebody's words: it is
        // archived, as any message is, with what it quotes.
        let keeps_first = policy.pin.is_some()
            || policy.toml.contains("preset = \"openhands\"");
        let output = run.place.compact("out/in.jsonl", "again", &[]);
        prop_assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{:?}", output);
        for ((thread, outcome), plan) in sample.threads.iter().zip(&run.threads).zip(planned) {
            let Some(summary) = plan.summary().filter(|_| !keeps_first) else { continue };
            let is_log = |index: &usize| crate::promises::support::tag_of(&outcome.written[*index]).is_some();
            prop_assert!(summary.messages.iter().any(is_log), "a summary alone is summarised");
            let first = removed(&thread.messages, outcome);
            let name = Path::new(&summary.path).file_name().expect("a name");
            let Ok(again) = fs::read_to_string(run.place.path("again/conversation_history").join(name)) else { continue };
            for frame in ["A condensed summary follows", "Here is a summary of the conversation to date"] {
                // Somebody's words may read like a summary.
                let said = thread.messages.iter().any(|message| !message.earlier_summary && message.text.contains(frame));
                prop_assert!(said || !again.contains(frame), "a summary is archived:\n{}", again);
            }
            for mark in first.iter().filter_map(|message| message.mark.as_ref()) {
                prop_assert!(!again.contains(mark), "{} is archived twice:\n{}", mark, again);
            }
        }
    }

    #[test]
    fn compacting_again_below_the_trigger_changes_nothing(sample in prop_oneof![sample(), long()], policy in policy(Some(true))) {
        let run = Compacted::run(&sample, &policy.toml);
        let planned = plans_again(&run);
        for (outcome, plan) in run.threads.iter().zip(planned) {
            // Where the trigger fires again there may be more to do; what was evicted or cut once
            // is not again.
            if plan.reasons.iter().any(|reason| reason.why.contains("reached") || reason.why.contains("no trigger, but")) {
                continue;
            }
            // What the agent clears where its turn ends is due in the second run, and nothing else.
            let was_put_off = outcome.planned.reasons.iter().any(|reason| reason.why.starts_with("not now"));
            let is_due = |edit: &Edit| was_put_off && matches!(edit, Edit::Prune(_));
            prop_assert!(plan.edits.iter().all(is_due), "{:?}\n{:?}", plan, outcome.carried_out());
        }
    }

    #[test]
    fn any_program_can_be_the_summarizer(sample in sample_of(Shape::Lines, 16)) {
        let scripts = tempfile::tempdir().expect("a temporary directory");
        let program = script(scripts.path(), "count.sh", "cat > /dev/null; echo \" $EPITOME_MESSAGES messages \"");
        let run = Compacted::run_with(&sample, EAGER, &["--summarizer", &program]);
        for outcome in &run.threads {
            let Some(summary) = outcome.carried_out().summary().cloned() else { continue };
            let written = outcome.written.iter().find(|message| crate::promises::support::tag_of(message).is_none()).expect("a summary");
            let text = crate::promises::reader::decode(&written[crate::promises::reader::value(written, "content").expect("content")]);
            let wanted = format!("<summary>\n{} messages\n</summary>", summary.hole.window.len());
            prop_assert!(text.ends_with(&wanted), "{}", text);
        }
    }
}
