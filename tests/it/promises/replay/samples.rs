//! The training samples of a replay.

use super::calls::caller_beside;
use super::support::{UNTRAINED, calls, is_answer, number, on_one_line, read, replay, role_of};
use crate::promises::generate::{Message, policy, sample};
use crate::promises::reader::value;
use crate::promises::support::{Place, cases, messages_of, tag_of};
use proptest::prelude::*;
use std::collections::BTreeMap;

proptest! {
    #![proptest_config(cases(1))]

    #[test]
    fn every_answer_is_trained_on_exactly_once(
        sample in sample(), policy in policy(None), per_call in any::<bool>(), key in any::<bool>()
    ) {
        let place = Place::new(&sample.bytes, &policy.toml);
        let mut more = vec![if per_call { "--per-call" } else { "--segments" }];
        more.extend(if key { vec!["--train-key", "x_train"] } else { Vec::new() });
        let (status, stderr) = replay(&place, &more);
        prop_assert_eq!(status, if sample.bad.is_empty() { 0 } else { 3 }, "{}", stderr);
        let messages: BTreeMap<u64, &Message> = sample.threads.iter().flat_map(|thread| &thread.messages).map(|message| (message.tag, message)).collect();
        let mut trained: Vec<u64> = Vec::new();
        let segments = read(&place, "out/segments.jsonl");
        for line in segments.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            prop_assert!(serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok(), "{}", String::from_utf8_lossy(line));
            let parts: Vec<&[u8]> = messages_of(line).into_iter().map(|range| &line[range]).collect();
            let tags: Vec<Option<u64>> = parts.iter().map(|part| tag_of(part)).collect();
            prop_assert_eq!(role_of(parts.last().expect("a message")), "assistant");
            let mut last = None;
            for (part, tag) in parts.iter().zip(&tags) {
                let role = role_of(part);
                let Some(message) = tag.map(|tag| messages[&tag]) else {
                    // Only a summary is nobody's; where it is told as an answer, that is not
                    // trained on.
                    let mark = value(part, if key { "x_train" } else { "weight" }).map(|range| &part[range]);
                    let wanted: Option<&[u8]> = if role == "user" { None } else if key { Some(b"false") } else { Some(b"0") };
                    prop_assert_eq!(mark, wanted, "{} is trained on, or marked without need", role);
                    continue;
                };
                // System messages stay before the summary, all else is in the log's order.
                prop_assert!(last < Some(message.tag));
                last = Some(message.tag);
                prop_assert_eq!(&role, message.role);
                let is_trained = match (key, value(part, "x_train").map(|range| &part[range])) {
                    (true, Some(b"true")) => true,
                    (true, Some(b"false")) => false,
                    (true, _) => { prop_assert!(role != "assistant"); false }
                    (false, _) => role == "assistant" && value(part, "weight").is_none(),
                };
                if is_trained {
                    trained.push(message.tag);
                    let raw = on_one_line(&message.raw);
                    let wanted = if key { raw[..raw.len() - 1].to_owned() + ", \"x_train\": true}" } else { raw };
                    prop_assert_eq!(String::from_utf8_lossy(part), wanted, "what is trained on is as it was logged");
                }
            }
            for thread in &sample.threads {
                for at in 0..thread.messages.len() {
                    if let (true, Some(call)) = (tags.contains(&Some(thread.messages[at].tag)), caller_beside(&thread.messages, at)) {
                        prop_assert!(tags.contains(&Some(call)), "result {} without call {}", thread.messages[at].tag, call);
                    }
                }
            }
        }
        trained.sort_unstable();
        let mut answers: Vec<u64> = messages.values().copied().filter(is_answer).map(|message| message.tag).collect();
        answers.sort_unstable();
        prop_assert_eq!(trained, answers);
    }

    #[test]
    fn every_answer_is_trained_on_in_the_context_of_its_call(sample in sample(), policy in policy(None)) {
        let place = Place::new(&sample.bytes, &policy.toml);
        // By the answer's tag: the messages before it, without marks.
        let contexts = |how: &str| {
            let (status, stderr) = replay(&place, &[how, "--force"]);
            assert_eq!(status, if sample.bad.is_empty() { 0 } else { 3 }, "{stderr}");
            let segments = read(&place, "out/segments.jsonl");
            let mut contexts: BTreeMap<u64, Vec<String>> = BTreeMap::new();
            for line in segments.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                let parts: Vec<String> = messages_of(line).into_iter().map(|range| String::from_utf8_lossy(&line[range]).into_owned()).collect();
                for (at, part) in parts.iter().enumerate().filter(|(_, part)| role_of(part.as_bytes()) == "assistant" && !part.ends_with(UNTRAINED)) {
                    let before = parts[..at].iter().map(|part| part.strip_suffix(UNTRAINED).map_or_else(|| part.clone(), |part| format!("{part}}}")));
                    contexts.extend(tag_of(part.as_bytes()).map(|tag| (tag, before.collect())));
                }
            }
            contexts
        };
        prop_assert_eq!(contexts("--segments"), contexts("--per-call"));
    }

    #[test]
    fn there_is_a_call_before_each_answer_and_at_an_end_without_one(sample in sample(), policy in policy(Some(true))) {
        let place = Place::new(&sample.bytes, &policy.toml);
        let (status, stderr) = replay(&place, &[]);
        prop_assert_eq!(status, if sample.bad.is_empty() { 0 } else { 3 }, "{}", stderr);
        for (thread, calls) in sample.threads.iter().zip(calls(&place, &sample)) {
            let answers = thread.messages.iter().enumerate().filter(|(_, message)| is_answer(message)).map(|(at, _)| at);
            let end = thread.messages.last().filter(|last| !is_answer(last)).map(|_| thread.messages.len());
            let wanted: Vec<usize> = answers.chain(end).collect();
            prop_assert_eq!(calls.iter().map(|call| number(call, "at")).collect::<Vec<_>>(), wanted);
            for call in &calls {
                prop_assert!(number(call, "tokens_sent") <= number(call, "tokens_logged"), "the policy made a call larger: {}", call);
                prop_assert!(number(call, "cached_tokens") <= number(call, "tokens_sent"));
            }
        }
    }
}
