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
use serde_json::{Value, json};
use std::sync::OnceLock;

const CLEARED: &str = "[Old tool result content cleared]";

/// The messages of one step. `@` is the number of the step.
fn logged_step() -> impl Strategy<Value = Vec<Value>> {
    let said = |role: &'static str, letter: &'static str| {
        move |length| vec![json!({"role": role, "content": letter.repeat(length)})]
    };
    let answer = move |(length, usage): (usize, Option<(u32, bool)>)| {
        let mut messages = said("assistant", "a")(length);
        if let Some((tokens, ours)) = usage {
            let provider = if ours { "fake" } else { "other" };
            messages[0]["usage_metadata"] = json!({"total_tokens": tokens});
            messages[0]["response_metadata"] = json!({"model_provider": provider});
        }
        messages
    };
    let called = |tool: &str, arguments: Value, content: Value| {
        let function = json!({"name": tool, "arguments": arguments});
        vec![
            json!({"role": "assistant", "tool_calls": [{"id": "@", "function": function}]}),
            json!({"role": "tool", "tool_call_id": "@", "content": content}),
        ]
    };
    let write = move |(arguments, result)| {
        let arguments = json!({"content": "c".repeat(arguments)});
        called("write_file", arguments, json!("r".repeat(result)))
    };
    let read = move |(tool, result, failed): (&str, String, bool)| {
        let mut messages = called(tool, json!("{}"), json!(result));
        messages[1]["status"] = json!(if failed { "error" } else { "success" });
        messages
    };
    let parts = move |count| {
        called("read", json!("{}"), vec![json!({"type": "text", "text": "x0"}); count].into())
    };
    // An observation of a trajectory.
    let observed = |tag: &str| {
        let text = "It was seen @, and that was all of it.";
        vec![json!({"role": "user", "message_type": "observation", "tags": [tag], "content": text})]
    };
    let summary = SummaryFrame::OpenCode.render("", "All was done.").into_iter();
    let summary = summary.map(|(role, text)| json!({"role": role.name(), "content": text}));
    let usage = proptest::option::of((1..400u32, prop::bool::weighted(0.9)));
    let tool = prop_oneof![Just("read"), Just("skill")];
    let result = prop_oneof![
        8 => (0..300usize).prop_map(|length| "r".repeat(length)),
        1 => Just(CLEARED.to_owned()),
        1 => Just("gone".to_owned()),
    ];
    let tag = prop_oneof![3 => Just("none"), 2 => Just("keep_output"), 1 => Just("remove_output")];
    prop_oneof![
        1 => (0..40usize).prop_map(said("system", "s")),
        3 => (0..300usize).prop_map(said("user", "u")),
        3 => (0..300usize, usage).prop_map(answer),
        4 => (0..200usize, 0..100usize).prop_map(write),
        4 => (tool, result, prop::bool::weighted(0.1)).prop_map(read),
        1 => (0..80usize).prop_map(parts),
        1 => tag.prop_map(observed),
        1 => Just(summary.collect()),
    ]
}

fn render_record(logged: &[Vec<Value>]) -> String {
    let steps = logged.iter().enumerate().flat_map(|(number, step)| {
        let numbered = move |message: &Value| message.to_string().replace('@', &number.to_string());
        step.iter().map(numbered)
    });
    let messages = steps.collect::<Vec<_>>().join(", ");
    format!(r#"{{"messages": [{messages}], "tools": [{{"name": "write_file"}}]}}"#)
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
    let stage = || {
        let amounts = prop_oneof![4 => amount(), 1 => Just(Amount::Overflow)];
        let trigger = proptest::collection::vec(amounts, 0..3).prop_map(|amounts| {
            let clauses = amounts.into_iter().map(|amount| Clause(vec![amount])).collect();
            Some(Trigger { clauses })
        });
        (trigger, amount().prop_map(|amount| Some(Keep::Last(amount))))
    };
    let limit = prop_oneof![Just(0), 1..900u64];
    let switches = prop::array::uniform4(any::<bool>());
    (stage(), stage(), 5..60usize, limit, prune(), switches).prop_map(
        |(truncate, summarize, max_length, limit, prune, [allow, system, tools, after_step])| {
            let mut policy = Policy { prune, ..PRESETS[0].policy() };
            (policy.truncate.trigger, policy.truncate.keep) = truncate;
            policy.truncate.max_length = max_length;
            (policy.summarize.trigger, policy.summarize.keep) = summarize;
            policy.on_growth = if allow { OnGrowth::Allow } else { OnGrowth::Skip };
            (policy.overflow.limit, policy.overflow.context) = (limit, 33_000);
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
        logged in proptest::collection::vec(logged_step(), 0..25),
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
        logged in proptest::collection::vec(logged_step(), 0..25),
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
        if transcript.messages[index].role.is_result() {
            tools.extend(transcript.tool_name_of(index));
        }
    }
    assert_eq!(tools, ["read", "skill"]);
}
