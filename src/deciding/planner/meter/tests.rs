//! The sums beside the planner, on random conversations and policies.

use super::Meter;
use crate::deciding::plan::{Edit, Stage, overlay_edits};
use crate::deciding::planner::{ArchiveNames, PlanInput, plan};
use crate::deciding::policy::{
    Amount, Clause, Keep, LeastCleared, OnGrowth, PRESETS, Policy, Prune, PruneMeasure, PruneRule,
    Trigger, TriggerCount,
};
use crate::deciding::strategy::prune::scan_results;
use crate::deciding::tokens::{COUNTERS, Ledger};
use crate::reading::format::{Shape, format_by_name};
use crate::reading::transcript::overlay::Overlay;
use crate::reading::transcript::summary_frame::SummaryFrame;
use crate::reading::transcript::view::TranscriptView;
use crate::reading::transcript::{Record, Transcript};
use proptest::prelude::*;
use std::sync::OnceLock;

/// One message: who speaks, how much, and the usage that is reported.
#[derive(Debug, Clone)]
enum MeterMessage {
    System(usize),
    User(usize),
    Answer {
        text: usize,
        usage: Option<(u32, bool)>,
    },
    Write {
        arguments: usize,
        result: usize,
    },
    Read {
        tool: &'static str,
        result: String,
        failed: bool,
    },
    Parts(usize),
    /// An observation of a trajectory, with a tag.
    Observed(&'static str),
    Summary,
}

const CLEARED: &str = "[Old tool result content cleared]";

fn logged_message() -> impl Strategy<Value = MeterMessage> {
    prop_oneof![
        1 => (0..40usize).prop_map(MeterMessage::System),
        3 => (0..300usize).prop_map(MeterMessage::User),
        3 => (0..300usize, proptest::option::of((1..400u32, prop::bool::weighted(0.9)))).prop_map(|(text, usage)| MeterMessage::Answer { text, usage }),
        4 => (0..200usize, 0..100usize).prop_map(|(arguments, result)| MeterMessage::Write { arguments, result }),
        4 => (prop_oneof![Just("read"), Just("skill")], prop_oneof![8 => (0..300usize).prop_map(|length| "r".repeat(length)), 1 => Just(CLEARED.to_owned()), 1 => Just("gone".to_owned())], prop::bool::weighted(0.1))
            .prop_map(|(tool, result, failed)| MeterMessage::Read { tool, result, failed }),
        1 => (0..80usize).prop_map(MeterMessage::Parts),
        1 => prop_oneof![3 => Just("none"), 2 => Just("keep_output"), 1 => Just("remove_output")].prop_map(MeterMessage::Observed),
        1 => Just(MeterMessage::Summary),
    ]
}

fn render_record(logged: &[MeterMessage]) -> String {
    let mut messages: Vec<String> = Vec::new();
    for (number, message) in logged.iter().enumerate() {
        match message {
            MeterMessage::System(length) => messages.push(format!(
                r#"{{"role": "system", "content": "{}"}}"#,
                "s".repeat(*length)
            )),
            MeterMessage::User(length) => messages.push(format!(
                r#"{{"role": "user", "content": "{}"}}"#,
                "u".repeat(*length)
            )),
            MeterMessage::Answer { text, usage } => {
                let mut answer = format!(
                    r#"{{"role": "assistant", "content": "{}""#,
                    "a".repeat(*text)
                );
                if let Some((tokens, ours)) = usage {
                    let provider = if *ours { "fake" } else { "other" };
                    let usage = format!(
                        r#", "usage_metadata": {{"total_tokens": {tokens}}}, "response_metadata": {{"model_provider": "{provider}"}}"#
                    );
                    answer.push_str(&usage);
                }
                messages.push(answer + "}");
            }
            MeterMessage::Write { arguments, result } => {
                let content = "c".repeat(*arguments);
                let call = format!(
                    r#"{{"role": "assistant", "tool_calls": [{{"id": "{number}", "function": {{"name": "write_file", "arguments": {{"content": "{content}"}}}}}}]}}"#
                );
                messages.push(call);
                messages.push(format!(
                    r#"{{"role": "tool", "tool_call_id": "{number}", "content": "{}"}}"#,
                    "r".repeat(*result)
                ));
            }
            MeterMessage::Read {
                tool,
                result,
                failed,
            } => {
                let status = if *failed { "error" } else { "success" };
                messages
                    .push(format!(r#"{{"role": "assistant", "tool_calls": [{{"id": "{number}", "function": {{"name": "{tool}", "arguments": "{{}}"}}}}]}}"#));
                messages.push(format!(r#"{{"role": "tool", "tool_call_id": "{number}", "status": "{status}", "content": "{result}"}}"#));
            }
            MeterMessage::Parts(count) => {
                let parts = vec![r#"{"type": "text", "text": "x0"}"#; *count].join(", ");
                messages.push(format!(r#"{{"role": "assistant", "tool_calls": [{{"id": "{number}", "function": {{"name": "read", "arguments": "{{}}"}}}}]}}"#));
                messages.push(format!(
                    r#"{{"role": "tool", "tool_call_id": "{number}", "content": [{parts}]}}"#
                ));
            }
            MeterMessage::Observed(tag) => messages.push(format!(
                r#"{{"role": "user", "message_type": "observation", "tags": ["{tag}"], "content": "It was seen {number}, and that was all of it."}}"#
            )),
            MeterMessage::Summary => {
                messages.extend(
                    SummaryFrame::OpenCode
                        .render("", "All was done.")
                        .into_iter()
                        .map(|(role, text)| {
                            format!(r#"{{"role": "{}", "content": "{text}"}}"#, role.name())
                        }),
                );
            }
        }
    }
    format!(r#"{{"messages": [{}], "tools": [{{"name": "write_file"}}]}}"#, messages.join(", "))
}

fn read(text: &str) -> Transcript<'_> {
    let record = Record { bytes: text.as_bytes(), line: 1 };
    let format = format_by_name("openai").unwrap();
    format.read_transcript(vec![record], Shape::Conversation).unwrap()
}

fn amount() -> impl Strategy<Value = Amount> {
    prop_oneof![(1..20u64).prop_map(Amount::Messages), (1..800u64).prop_map(Amount::Tokens)]
}

fn prune() -> impl Strategy<Value = Prune> {
    let switches = prop::array::uniform5(any::<bool>());
    (switches, 0..200u64, 0..150u64, 0..3u64).prop_map(
        |([enabled, protects, rescan, every_result, each_call], protect, minimum, skip_turns)| {
            Prune {
                enabled,
                protect,
                minimum,
                placeholder: "gone".to_owned(),
                protect_tools: protects.then(|| "skill".to_owned()).into_iter().collect(),
                skip_turns,
                rescan,
                every_result,
                each_call,
                ..PRESETS[0].policy().prune
            }
        },
    )
}

fn policy() -> impl Strategy<Value = Policy> {
    let when =
        || proptest::collection::vec(prop_oneof![4 => amount(), 1 => Just(Amount::Overflow)], 0..3);
    (
        when(),
        amount(),
        when(),
        amount(),
        5..60usize,
        any::<bool>(),
        prop_oneof![Just(0), 1..900u64],
        prune(),
        (any::<bool>(), any::<bool>(), any::<bool>()),
    )
        .prop_map(
            |(
                truncate,
                truncate_keep,
                summarize,
                summarize_keep,
                max_length,
                allow,
                overflow,
                prune,
                (system, tools, after_step),
            )| {
                let trigger = |amounts: Vec<Amount>| {
                    Some(Trigger {
                        clauses: amounts.into_iter().map(|amount| Clause(vec![amount])).collect(),
                    })
                };
                let mut policy = PRESETS[0].policy();
                (policy.truncate.trigger, policy.truncate.keep) =
                    (trigger(truncate), Some(Keep::Last(truncate_keep)));
                policy.truncate.max_length = max_length;
                (policy.summarize.trigger, policy.summarize.keep) =
                    (trigger(summarize), Some(Keep::Last(summarize_keep)));
                policy.on_growth = if allow { OnGrowth::Allow } else { OnGrowth::Skip };
                (policy.overflow.limit, policy.overflow.context, policy.prune) =
                    (overflow, 33_000, prune);
                policy.overflow.max_output = 32_400;
                policy.count = TriggerCount { system, tools };
                policy.summarize.after_step = after_step;
                policy
            },
        )
}

/// Drops about the `wanted` oldest messages as a summary does, which parts no result from its call. Returns how many.
fn drop_oldest(transcript: &mut Transcript<'_>, wanted: usize) -> usize {
    let tools_of = |transcript: &mut Transcript<'_>| -> Vec<Option<String>> {
        transcript.callers = OnceLock::new();
        let indices = 0..transcript.messages.len();
        let tools =
            indices.map(|index| transcript.tool_name_of(index).map(|name| name.to_string()));
        tools.collect()
    };
    let before = tools_of(transcript);
    let mut gone = wanted;
    loop {
        let oldest: Vec<_> = transcript.messages.drain(..gone).collect();
        if tools_of(transcript) == before[gone..] {
            return gone;
        }
        transcript.messages.splice(0..0, oldest);
        gone -= 1;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_meter_sees_at_every_message_what_the_planner_finds(
        logged in proptest::collection::vec(logged_message(), 0..25),
        policy in policy(),
        counter in proptest::sample::select(vec!["approx", "utf16", "cjk"]),
        lost in (0..40usize, 0..40usize),
    ) {
        let text = render_record(&logged);
        let mut transcript = read(&text);
        let counter = (COUNTERS.iter().find(|kind| kind.name == counter).unwrap().build)(4.0);
        let thresholds = policy.thresholds(policy.room(None)).unwrap();
        let whole = Ledger::new(&*counter, TranscriptView::logged(&transcript));
        let messages = std::mem::take(&mut transcript.messages);
        let mut ledger = Ledger { counter: &*counter, messages: Vec::new(), tools: whole.tools };
        let mut meter = Meter::new(&policy, &thresholds, Some("fake"), &*counter, whole.tools);
        let mut cleared: Vec<Edit> = Vec::new();
        for (index, message) in messages.into_iter().enumerate() {
            if index == lost.0 {
                // The oldest go, as a summary has it: what was cleared stays so.
                let gone = drop_oldest(&mut transcript, lost.1.min(index));
                ledger.messages.drain(..gone);
                cleared.retain(|edit| edit.message() >= Some(gone));
                for edit in &mut cleared {
                    if let Edit::Prune(pruning) = edit { pruning.message -= gone }
                }
                let before = std::mem::replace(&mut meter, Meter::new(&policy, &thresholds, Some("fake"), &*counter, whole.tools));
                for place in 0..transcript.messages.len() {
                    let cut = meter.measure_cut(&transcript, place, ledger.messages[place]);
                    meter.push_message(&transcript, ledger.messages[place], cut);
                    meter.inherit_cleared(place, &before, place + gone);
                }
            }
            transcript.messages.push(message);
            transcript.callers = OnceLock::new();
            let place = ledger.messages.len();
            ledger.messages.push(whole.messages[index]);
            let cut = meter.measure_cut(&transcript, place, whole.messages[index]);
            meter.push_message(&transcript, whole.messages[index], cut);
            if policy.prune.enabled && (policy.prune.each_call || index % 3 == 0) {
                let overlaid = overlay_edits(&transcript, &cleared);
                let view = TranscriptView::new(&transcript, &overlaid);
                while let Some(unseen) = meter.next_unobserved() {
                    meter.observe_result(view, unseen, ledger.messages[unseen]);
                }
                let found = scan_results(view, &*counter, &policy.prune, &policy.pin, transcript.messages.len());
                let new: Vec<(usize, u64)> = meter.prune_old_results().iter().map(|result| (result.message, result.tokens)).collect();
                let wanted: Vec<(usize, u64)> = found.prunable.iter().map(|pruning| (pruning.message, pruning.tokens)).collect();
                let edits: Vec<Edit> = cleared.iter().cloned().chain(found.prunable.into_iter().map(Edit::Prune)).collect();
                let shown = overlay_edits(&transcript, &edits);
                let tokens = |overlay: &Overlay| {
                    let view = TranscriptView::new(&transcript, overlay);
                    let messages = (0..transcript.messages.len()).map(|index| counter.count_message(view, index)).collect();
                    Ledger { messages, ..ledger.clone() }.call_tokens(view, 0..transcript.messages.len(), None)
                };
                let grows = policy.on_growth == OnGrowth::Skip && tokens(&shown) > tokens(&overlaid);
                if found.tokens <= policy.prune.minimum || grows {
                    prop_assert_eq!(new, vec![]);
                } else {
                    prop_assert_eq!(new, wanted);
                    cleared = edits;
                }
            }
            let names = ArchiveNames::default();
            let input = PlanInput {
                transcript: &transcript,
                ledger: &ledger,
                policy: &policy,
                thresholds: &thresholds,
                provider: Some("fake"),
                candidates: &[],
                names: &names,
                cleared: Some(&cleared),
            };
            let (planned, seen) = (plan(&input), meter.outlook());
            prop_assert_eq!((seen.tokens, seen.counted), (planned.call_tokens, planned.total_tokens));
            prop_assert!(seen.needs_planner || planned.summary().is_none());
            let shrunk = planned.reasons.iter().any(|reason| reason.stage == Stage::Overflow);
            prop_assert!(seen.needs_planner || !shrunk);
            if shrunk {
                continue;
            }
            prop_assert_eq!(seen.truncated_args, planned.truncations().count());
            prop_assert_eq!(planned.truncations().map(|cut| cut.message).max().is_some_and(|last| last >= seen.reach.truncated_before), false);
            prop_assert_eq!(seen.reach.pruned, cleared.len());
            prop_assert_eq!(planned.prunings().count(), cleared.len());
        }
    }
}

/// A policy that clears results by their number, and whose other stages are mostly off.
fn policy_by_number() -> impl Strategy<Value = Policy> {
    let numbers = (0..6u64, 0..3u64, 1..4u64, 0..6u64, 0..400u64, 0..120u64);
    let switches = prop::array::uniform7(any::<bool>());
    (policy(), numbers, switches, any::<bool>()).prop_map(
        |(policy, (keep, keep_first, polling, results, trigger, clear_at_least), on, share)| {
            let [used, needs, clear_inputs, every_result, observations, quiet, numbered] = on;
            let mut policy = policy;
            let (rule, each_call) =
                if numbered { (PruneRule::Results, false) } else { (PruneRule::Tokens, true) };
            policy.prune = Prune {
                enabled: numbered,
                rule,
                each_call,
                keep,
                keep_first,
                polling,
                results,
                trigger,
                clear_at_least,
                at_least: if needs { LeastCleared::Need } else { LeastCleared::Stop },
                measure: if used { PruneMeasure::Used } else { PruneMeasure::Messages },
                clear_inputs,
                every_result,
                observations,
                ..policy.prune
            };
            if quiet {
                policy.truncate.trigger = Some(Trigger::default());
                (policy.evict.tokens, policy.evict.human_tokens) = (0, 0);
            }
            if share {
                policy.summarize.keep = Some(Keep::Characters(0.3));
            }
            policy
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_meter_clears_by_number_what_the_planner_clears_and_says_the_same(
        logged in proptest::collection::vec(logged_message(), 0..25),
        policy in policy_by_number(),
    ) {
        let text = render_record(&logged);
        let mut transcript = read(&text);
        let counter = (COUNTERS.iter().find(|kind| kind.name == "approx").unwrap().build)(4.0);
        let thresholds = policy.thresholds(policy.room(None)).unwrap();
        let whole = Ledger::new(&*counter, TranscriptView::logged(&transcript));
        let messages = std::mem::take(&mut transcript.messages);
        let mut ledger = Ledger { counter: &*counter, messages: Vec::new(), tools: whole.tools };
        let mut meter = Meter::new(&policy, &thresholds, Some("fake"), &*counter, whole.tools);
        let names = ArchiveNames::default();
        for (index, message) in messages.into_iter().enumerate() {
            transcript.messages.push(message);
            transcript.callers = OnceLock::new();
            ledger.messages.push(whole.messages[index]);
            let cut = meter.measure_cut(&transcript, index, whole.messages[index]);
            meter.push_message(&transcript, whole.messages[index], cut);
            let view = TranscriptView::logged(&transcript);
            while let Some(old) = meter.next_old_result(&transcript) {
                meter.observe_old_result(view, old);
            }
            let input = PlanInput {
                transcript: &transcript,
                ledger: &ledger,
                policy: &policy,
                thresholds: &thresholds,
                provider: Some("fake"),
                candidates: &[],
                names: &names,
                cleared: if policy.prune.enabled { None } else { Some(&[]) },
            };
            let (planned, seen) = (plan(&input), meter.outlook());
            if seen.needs_planner {
                continue;
            }
            prop_assert_eq!((seen.tokens, seen.counted), (planned.call_tokens, planned.total_tokens));
            prop_assert!(planned.summary().is_none());
            let edits: Vec<_> = planned.prunings().collect();
            let cleared = &meter.cleared_results()[..seen.reach.pruned];
            let known: Vec<_> = cleared.iter().filter_map(|result| meter.numbered_pruning(result)).collect();
            prop_assert_eq!(edits, known);
            if !seen.reasons.is_empty() {
                prop_assert_eq!(seen.reasons, planned.reasons);
            }
        }
    }
}

#[test]
fn callers_keep_up_with_a_list_that_grows() {
    let text = r#"{"messages": [
        {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "read", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "c", "content": "1"},
        {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "skill", "arguments": "{}"}}]}, {"role": "tool", "tool_call_id": "c", "content": "2"}
    ]}"#;
    let mut transcript = read(text);
    let messages = std::mem::take(&mut transcript.messages);
    transcript.callers = OnceLock::new();
    let mut tools = Vec::new();
    for (index, message) in messages.into_iter().enumerate() {
        transcript.messages.push(message);
        transcript.index_callers(index);
        tools.extend(
            transcript.messages[index]
                .role
                .is_result()
                .then(|| transcript.tool_name_of(index))
                .flatten(),
        );
    }
    assert_eq!(tools, ["read", "skill"]);
}
