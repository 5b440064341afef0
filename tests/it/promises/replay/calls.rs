//! The calls of a replay, compared with what `plan` says of the same messages.

use super::support::{
    calls, number, on_one_line, read, replay, summaries_only, with_messages, without_cuts,
};
use crate::promises::archive;
use crate::promises::generate::{Message, Shape, Thread, policy, sample, sample_of};
use crate::promises::support::{
    Place, cases, epitome, json_lines, messages_of, records, tag_of, tree,
};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

/// The place of the message whose call message `at` answers, where that stands before the run of
/// results that `at` is in.
pub(crate) fn caller_beside(messages: &[Message], at: usize) -> Option<u64> {
    let message = &messages[at];
    let before =
        messages[..at].iter().rev().find(|other| !matches!(other.role, "tool" | "function"))?;
    let calls = match (&message.answers, message.role) {
        (Some(id), "tool") => before.calls.contains(id),
        (_, "function") => {
            before.legacy_call
                && messages[..at].iter().rev().find(|other| other.role != "function")?.tag
                    == before.tag
        }
        _ => false,
    };
    calls.then_some(before.tag)
}

proptest! {
    #![proptest_config(cases(3))]

    #[test]
    fn the_replay_is_the_same_for_any_number_of_threads(samples in prop::collection::vec(sample(), 2..5), policy in policy(None)) {
        let place = Place::new(b"", &policy.toml);
        fs::create_dir(place.path("logs")).expect("a directory");
        for (number, sample) in samples.iter().enumerate() {
            place.write(&format!("logs/{number}.jsonl"), &sample.bytes);
        }
        let run = |jobs: &str| {
            let out = format!("out{jobs}");
            let policies = ["--policy", "one=policy.toml", "--policy", "langchain", "--segments"];
            let output = epitome(place.directory.path()).args(["replay", "logs", "-q", "-o", &out, "-j", jobs]).args(policies).output().expect("a run");
            assert!(matches!(output.status.code(), Some(0 | 3)), "{output:?}");
            tree(&place.path(&out))
        };
        prop_assert_eq!(run("1"), run("3"));
    }
}

/// Returns true if the first of these messages of a thread, as JSON, is a system message.
fn leads_with_system(messages: &[String], thread: &Thread) -> bool {
    let first = messages.first().and_then(|message| tag_of(message.as_bytes()));
    let first = first.and_then(|tag| thread.messages.iter().find(|message| message.tag == tag));
    first.is_some_and(|message| is_system(message.role))
}

fn is_system(role: &str) -> bool {
    matches!(role, "system" | "developer")
}

proptest! {
    #![proptest_config(cases(1))]

    /// Written out as a transcript, what a call was made of must be planned as it was replayed.
    #[test]
    fn a_call_is_what_plan_says_of_the_effective_messages(sample in sample_of(Shape::Lines, 14), toml in summaries_only()) {
        let place = Place::new(&sample.bytes, &toml);
        let (status, stderr) = replay(&place, &["--per-call"]);
        prop_assert!(matches!(status, 0 | 3), "{}", stderr);
        let segments = read(&place, "out/segments.jsonl");
        let mut samples = segments.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let mut written: Vec<u8> = Vec::new();
        let mut wanted: Vec<Value> = Vec::new();
        for (thread, calls) in sample.threads.iter().zip(calls(&place, &sample)) {
            let mut before: Option<(Vec<u8>, usize)> = None;
            for call in calls {
                let at = number(&call, "at");
                if let Some((record, answer)) = before.take() {
                    let sent = messages_of(&record).into_iter().map(|range| String::from_utf8_lossy(&record[range]).into_owned());
                    let since = thread.messages[answer + 1..at].iter().map(|message| on_one_line(&message.raw));
                    let messages: Vec<String> = sent.chain(since).collect();
                    // `plan` would take a system message that stayed for the prompt.
                    if leads_with_system(&messages, thread) == is_system(thread.messages[0].role) {
                        written.extend(with_messages(&record, &messages));
                        written.push(b'\n');
                        wanted.push(call);
                    }
                }
                if thread.messages.get(at).is_some() {
                    before = Some((samples.next().expect("a sample for each answer").to_vec(), at));
                }
            }
        }
        place.write("effective.jsonl", &written);
        let planned = json_lines(&place.plan("effective.jsonl", "policy.toml"));
        prop_assert_eq!(planned.len(), wanted.len());
        for (plan, call) in planned.iter().zip(&wanted) {
            prop_assert_eq!(number(plan, "total_tokens"), number(call, "total_tokens"), "{}", call);
            let summary = plan["edits"].as_array().and_then(|edits| edits.iter().find(|edit| edit["edit"] == "summarize"));
            prop_assert_eq!(summary.is_some(), call["summarized"] == true, "{}\n{}", call, plan);
            if let Some(summary) = summary {
                prop_assert_eq!(summary["messages"].as_array().map(Vec::len), Some(number(call, "summarized_messages")));
                // A system message that stays counts, whether a prompt stands before it or not.
                let head = usize::from(number(summary, "first_kept") > number(summary, "cutoff"));
                prop_assert_eq!(number(plan, "messages_after") - head, number(call, "n_sent"));
            } else {
                prop_assert_eq!(number(plan, "tokens_after"), number(call, "tokens_sent"));
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(2))]

    /// Until something is summarised or cleared, a call is planned as the messages before its
    /// answer are.
    #[test]
    fn a_call_is_what_plan_says_of_the_log_up_to_it(sample in sample_of(Shape::Lines, 14), policy in policy(None)) {
        // In a directory of all threads a result's name depends on what other threads hold, also
        // behind their prefixes.
        let policy = policy.toml.replace("results_prefix = \"/large_tool_results\"", "results_prefix = \"/large_tool_results/{thread_id}\"");
        // A replay clears before it cuts, `plan` cuts before it clears: where both look at tokens
        // they may differ.
        let policy = if policy.contains("[prune]") { without_cuts(&policy.replace("each_call = false", "each_call = true")) } else { policy };
        let place = Place::new(&sample.bytes, &policy);
        let (status, stderr) = replay(&place, &[]);
        prop_assert!(matches!(status, 0 | 1 | 3), "{}", stderr);
        let calls = calls(&place, &sample);
        let records = records(&sample, &sample.untouched);
        prop_assert_eq!(records.len(), calls.len());
        let failed = |call: &Value| !call["error"].is_null();
        // The first summary, results that stay cleared, and what goes wrong end what the log alone
        // tells.
        let lasts = |call: &Value| call["summarized"] == true || !call["pruned_results"].is_null();
        let told: Vec<usize> = calls.iter().map(|calls| calls.iter().position(|call| lasts(call) || failed(call)).map_or(calls.len(), |at| at + 1)).collect();
        for number in 0..told.iter().copied().max().unwrap_or_default() {
            // Every thread in every file, so that none changes its name.
            let at = |thread: usize| calls[thread].get(number.min(told[thread].saturating_sub(1))).map_or(0, |call| self::number(call, "at"));
            let prefixes: Vec<Vec<u8>> = records.iter().enumerate().map(|(thread, record)| match at(thread) {
                0 => record.to_vec(),
                end => {
                    let messages: Vec<String> = messages_of(record)[..end].iter().map(|range| String::from_utf8_lossy(&record[range.clone()]).into_owned()).collect();
                    with_messages(record, &messages)
                }
            }).collect();
            place.write("prefixes.jsonl", &prefixes.join(b"\n".as_slice()));
            let planned = json_lines(&place.plan("prefixes.jsonl", "policy.toml"));
            prop_assert_eq!(planned.len(), calls.len());
            for (thread, plan) in planned.iter().enumerate().filter(|(thread, _)| number < told[*thread] && at(*thread) > 0) {
                let call = &calls[thread][number];
                prop_assert_eq!(self::number(plan, "total_tokens"), self::number(call, "total_tokens"), "{}\n{}", call, plan);
                let summarized = plan["edits"].as_array().is_some_and(|edits| edits.iter().any(|edit| edit["edit"] == "summarize"));
                prop_assert_eq!(summarized, call["summarized"] == true || failed(call), "{}\n{}", call, plan);
                if !summarized {
                    prop_assert_eq!(self::number(plan, "tokens_after"), self::number(call, "tokens_sent"), "{}\n{}", call, plan);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(1))]

    /// What the cache holds of a call is what it begins with as the call before did, message by
    /// message.
    #[test]
    fn what_is_cached_is_what_two_calls_begin_with(sample in sample_of(Shape::Lines, 14), policy in policy(None), same in any::<bool>()) {
        let mut toml = policy.toml;
        if same {
            // Summaries that are alike are common to two calls, too.
            toml = toml.replace("kind = \"extract\"", "kind = \"command:printf done\"");
        }
        let place = Place::new(&sample.bytes, &toml);
        let (status, stderr) = replay(&place, &["--per-call"]);
        prop_assert!(matches!(status, 0 | 1 | 3), "{}", stderr);
        let segments = read(&place, "out/segments.jsonl");
        let mut samples = segments.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let (mut common, mut wanted): (Vec<u8>, Vec<Value>) = (Vec::new(), Vec::new());
        for (thread, calls) in sample.threads.iter().zip(calls(&place, &sample)) {
            let mut before: Option<Vec<String>> = None;
            for call in calls.iter().filter(|call| thread.messages.get(number(call, "at")).is_some()) {
                let record = samples.next().expect("a sample for each answer").to_vec();
                let mut sent: Vec<String> = messages_of(&record).into_iter().map(|range| String::from_utf8_lossy(&record[range]).into_owned()).collect();
                sent.pop();
                if let Some(before) = before.replace(sent.clone()) {
                    let alike = before.iter().zip(&sent).take_while(|(before, now)| before == now).count();
                    prop_assert_eq!(&call["cache"], if alike == before.len() { "hit" } else { "broken" }, "{}", call);
                    common.extend(with_messages(&record, &sent[..alike]));
                    common.push(b'\n');
                    wanted.push(call.clone());
                }
            }
        }
        place.write("common.jsonl", &common);
        let counted = epitome(place.directory.path()).args(["count", "common.jsonl", "--json", "--config", "policy.toml"]).output().expect("a run");
        for (count, call) in json_lines(&counted.stdout).iter().zip(&wanted) {
            let tokens = number(&count["counts"], "tokens").min(number(call, "tokens_sent"));
            prop_assert_eq!(number(call, "cached_tokens"), tokens, "{}", call);
        }
    }
}

proptest! {
    #![proptest_config(cases(1))]

    /// Whatever a call does not show any more is in the archive.
    #[test]
    fn what_is_not_sent_any_more_is_in_the_archive(sample in sample_of(Shape::Lines, 24), policy in policy(None), prune in any::<bool>()) {
        let xml = policy.is_xml();
        let mut toml = policy.toml;
        if prune && !toml.contains("[prune]") {
            toml += "[prune]\nenabled = true\nprotect = 20\nminimum = 10\nskip_turns = 0\n";
        }
        let place = Place::new(&sample.bytes, &toml);
        let (status, stderr) = replay(&place, &["--per-call"]);
        prop_assert!(matches!(status, 0 | 1 | 3), "{}", stderr);
        let archived: String = tree(&place.path("out"))
            .into_iter()
            .filter(|(name, _)| name.starts_with("conversation_history") || name.starts_with("large_tool_results"))
            .map(|(_, bytes)| String::from_utf8_lossy(&bytes).into_owned() + "\n")
            .collect();
        let words = archive::words_of_history(&archived);
        let segments = read(&place, "out/segments.jsonl");
        let mut samples = segments.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        for (thread, calls) in sample.threads.iter().zip(calls(&place, &sample)) {
            for call in calls.iter().filter(|call| thread.messages.get(number(call, "at")).is_some()) {
                let record = samples.next().expect("a sample for each answer");
                let sent: BTreeMap<u64, String> =
                    messages_of(record).into_iter().map(|range| &record[range]).filter_map(|part| Some((tag_of(part)?, String::from_utf8_lossy(part).into_owned()))).collect();
                for message in thread.messages[..number(call, "at")].iter().filter(|message| !message.earlier_summary && !message.text.is_empty()) {
                    let is_shown = match sent.get(&message.tag) {
                        Some(part) if matches!(message.role, "tool" | "function") => *part == on_one_line(&message.raw),
                        Some(_) => true,
                        None => false,
                    };
                    let is_archived = if xml { words.contains(&archive::words(&message.lines)) } else { archived.contains(&message.text) };
                    prop_assert!(is_shown || is_archived || archived.contains(&message.lines), "call {} shows no {:?}", call["at"], message.text);
                }
            }
        }
    }
}
