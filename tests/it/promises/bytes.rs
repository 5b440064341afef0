//! A message that no stage touched leaves byte for byte, and everything that was removed can be put
//! back.

use crate::originals::restored;
use crate::promises::generate::{ALL_OFF, Sample, Shape, policy, sample};
use crate::promises::plan::{Fate, Stage};
use crate::promises::reader::value;
use crate::promises::support::{Compacted, ThreadOutcome, cases, messages_of, records, tag_of};
use proptest::prelude::*;

/// A message without the bytes of one value.
fn without(message: &[u8], key: &str) -> Vec<u8> {
    let mut rest = message.to_vec();
    if let Some(range) = value(message, key) {
        rest.drain(range);
    }
    rest
}

fn check_messages(sample: &Sample, thread: usize, outcome: &ThreadOutcome) {
    let messages = &sample.threads[thread].messages;
    let fates = outcome.fates();
    assert_eq!(fates.len(), messages.len(), "the plan has other messages than the transcript");
    let mut written = outcome.written.iter();
    let mut summaries = 0;
    let plan = outcome.carried_out();
    let summary = plan.summary().map(|summary| summary.first_kept);
    let presented = plan.summary().map_or(0, |summary| summary.presented_messages());
    for index in 0..=messages.len() {
        if summary == Some(index) {
            for message in written.by_ref().take(presented) {
                assert_eq!(
                    tag_of(message),
                    None,
                    "the summary stands where a message of the log should"
                );
                summaries += 1;
            }
        }
        let (Some(message), Some(fate)) = (messages.get(index), fates.get(index)) else {
            continue;
        };
        if *fate == Fate::Summarized {
            continue;
        }
        let out = written.next().unwrap_or_else(|| panic!("message {index} ({fate:?}) is gone"));
        let (before, after) = (message.raw.as_bytes(), out.as_slice());
        let shown =
            || format!("message {index}:\n{}\n{}", message.raw, String::from_utf8_lossy(out));
        match fate {
            Fate::Kept => assert!(before == after, "kept, but changed: {}", shown()),
            Fate::Evicted | Fate::Pruned => {
                assert!(
                    before != after && without(before, "content") == without(after, "content"),
                    "evicted or pruned, and more: {}",
                    shown()
                )
            }
            Fate::Truncated => assert!(
                without(before, "tool_calls") == without(after, "tool_calls"),
                "truncated, and more: {}",
                shown()
            ),
            Fate::Summarized => {}
        }
    }
    assert_eq!(
        written.next().map(|out| String::from_utf8_lossy(out)),
        None,
        "a message nobody knows of"
    );
    assert_eq!(summaries, presented);
    assert_eq!(presented > 0, outcome.applied(Stage::Summarize));
}

/// What stands around the messages of a record.
fn frame(record: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let messages = messages_of(record);
    let (first, last) = (
        messages.first().map_or(0, |range| range.start),
        messages.last().map_or(0, |range| range.end),
    );
    (record[..first].to_vec(), record[last..].to_vec())
}

proptest! {
    #![proptest_config(cases(1))]

    #[test]
    fn what_no_stage_touched_leaves_byte_for_byte(sample in sample(), policy in policy(None)) {
        let run = Compacted::run(&sample, &policy.toml);
        for (thread, outcome) in run.threads.iter().enumerate() {
            check_messages(&sample, thread, outcome);
        }
        if sample.shape == Shape::MessageLines {
            return Ok(());
        }
        for (place, (before, after)) in records(&sample, &sample.untouched).into_iter().zip(records(&sample, &run.bytes)).enumerate() {
            let changed = !run.threads[place].carried_out().is_empty();
            prop_assert!(changed || before == after, "record {} is untouched, but changed", place);
            if sample.threads[place].messages.first().is_some_and(|first| before.windows(first.raw.len()).any(|part| part == first.raw.as_bytes())) {
                prop_assert_eq!(frame(before).1, frame(after).1, "what stands behind the messages of record {}", place);
                prop_assert_eq!(frame(before).0, frame(after).0, "what stands before the messages of record {}", place);
            }
        }
        for bad in &sample.bad {
            prop_assert!(run.bytes.windows(bad.bytes.len()).any(|part| part == bad.bytes));
        }
    }

    #[test]
    fn a_policy_without_stages_gives_the_same_bytes_back(sample in sample()) {
        let run = Compacted::run(&sample, ALL_OFF);
        prop_assert!(run.bytes == sample.untouched, "{:?}", String::from_utf8_lossy(&run.bytes));
        prop_assert!(!run.place.path("out/conversation_history").exists() && !run.place.path("out/large_tool_results").exists());
    }

    #[test]
    fn originals_put_back_give_the_input_byte_for_byte(sample in sample(), policy in policy(None)) {
        let run = Compacted::run(&sample, &policy.toml);
        let restored = restored(&run.bytes, &run.place.path("out/originals/in.jsonl.originals"));
        prop_assert!(restored == sample.bytes, "restored:\n{}", String::from_utf8_lossy(&restored));
    }
}
