//! Promises 5 and 10: nothing gets larger, and the dry run does not lie.

use crate::promises::generate::{ALL_OFF, policy, sample};
use crate::promises::plan::{STAGES, Stage};
use crate::promises::support::{Compacted, ThreadOutcome, cases, json_lines, script};
use proptest::option;
use proptest::prelude::*;
use serde_json::Value;

/// The tokens of each transcript of the output, counted anew; by a policy that changes nothing.
fn counted_again(run: &Compacted) -> Vec<usize> {
    let counter = run
        .threads
        .first()
        .map_or("approx", |outcome| outcome.explained["counter"].as_str().unwrap_or_default());
    // A preset may have its own characters per token.
    let policy = std::fs::read_to_string(run.place.path("policy.toml")).expect("a policy");
    let preset = policy.lines().find(|line| line.starts_with("preset = "));
    let preset = preset.unwrap_or_default();
    run.place.write(
        "off.toml",
        format!("{preset}\ncounter = \"{counter}\"\n{ALL_OFF}[prune]\nenabled = false\n")
            .as_bytes(),
    );
    run.planned_again("off.toml").iter().map(|line| number(line, "tokens_before")).collect()
}

fn number(entry: &Value, key: &str) -> usize {
    usize::try_from(entry[key].as_u64().unwrap_or_else(|| panic!("{key} is {}", entry[key])))
        .expect("a count")
}

fn check_growth(outcome: &ThreadOutcome) {
    check_reasons(&outcome.explained["reasons"]);
    check_reasons(&outcome.entry["reasons"]);
    assert!(
        number(&outcome.entry, "tokens_after") <= number(&outcome.entry, "tokens_before"),
        "{}",
        outcome.entry
    );
    assert!(
        number(&outcome.entry, "total_tokens") <= number(&outcome.entry, "tokens_before"),
        "{}",
        outcome.entry
    );
}

fn check_reasons(reasons: &Value) {
    let reasons: Vec<Value> = reasons.as_array().cloned().unwrap_or_default();
    // Stage overflow has one only where something was above its limit; dedup and cut where the
    // policy turns them on.
    let is_own = |reason: &&Value| reason["stage"] == "dedup" || reason["stage"] == "cut";
    let own = reasons.iter().filter(is_own).count();
    assert!(matches!(STAGES + own - reasons.len(), 0 | 1), "a reason for each stage");
    for reason in &reasons {
        let (before, after) = (number(reason, "tokens_before"), number(reason, "tokens_after"));
        assert!(after <= before, "a stage made it larger: {reason}");
        assert!(
            reason["applies"] == Value::Bool(true) || after == before,
            "a stage that does not apply changed the count: {reason}"
        );
        assert!(reason["why"].as_str().is_some_and(|why| !why.is_empty()), "no reason: {reason}");
    }
}

fn check_agreement(outcome: &ThreadOutcome) {
    let (plan, entry) = (&outcome.planned, &outcome.entry);
    for key in [
        "thread_id", "file", "line", "format", "model", "input_limit", "counter",
        "messages_before", "tokens_before", "total_tokens",
    ] {
        assert_eq!(outcome.explained[key], entry[key], "{key}");
    }
    let evicted: Vec<&str> = plan.evictions().map(|eviction| eviction.call_id.as_str()).collect();
    assert_eq!(serde_json::json!(evicted), entry["evicted"]);
    assert_eq!(plan.truncated_arguments(), number(entry, "truncated_args"));
    let reasons = &outcome.explained["reasons"];
    assert_eq!(plan.replaced_by(Stage::Prune), number(entry, "pruned"));
    for (stage, key) in [(Stage::Dedup, "deduplicated"), (Stage::Cut, "shortened_results")] {
        let count = plan.replaced_by(stage);
        let wanted = if count == 0 { Value::Null } else { count.into() };
        assert_eq!(entry[key], wanted, "{key}");
    }
    for stage in 0..3 {
        assert_eq!(reasons[stage], entry["reasons"][stage]);
    }
    let changes = outcome.explained["status"] == "compacted";
    assert_eq!(changes, !plan.is_empty());
    let Some(summary) = plan.summary() else {
        assert_eq!(entry["summarized"], Value::Bool(false));
        assert_eq!(
            (plan.messages_after, plan.tokens_after),
            (number(entry, "messages_after"), number(entry, "tokens_after"))
        );
        assert_eq!(*reasons, entry["reasons"]);
        assert_eq!(entry["status"], if changes { "compacted" } else { "unchanged" });
        return;
    };
    if entry["summarized"] == Value::Bool(false) {
        // The one thing that a plan can't know: the summary came out too long.
        assert!(
            entry["reasons"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|reason| reason["stage"] == "summarize")
                .filter_map(|reason| reason["why"].as_str())
                .any(|why| why.contains("came out too long")),
            "{entry}"
        );
        assert_eq!(number(entry, "messages_after"), plan.messages_before);
        return;
    }
    assert_eq!(entry["status"], "compacted");
    assert_eq!(number(entry, "messages_after"), plan.messages_after);
    assert_eq!(number(entry, "cutoff_index"), summary.cutoff);
    let first_kept = (summary.first_kept < plan.messages_before).then_some(summary.first_kept);
    assert_eq!(serde_json::json!(first_kept), entry["first_kept"]);
    assert_eq!(number(entry, "summarized_messages"), summary.messages.len());
    assert!(
        number(entry, "tokens_after") >= plan.tokens_after,
        "the summary has less than no tokens: {entry}"
    );
    assert_eq!(*reasons, entry["reasons"]);
}

proptest! {
    #![proptest_config(cases(1))]

    #[test]
    fn no_stage_makes_a_transcript_larger(sample in sample(), policy in policy(Some(true)), words in option::of(1..1500_u32)) {
        // The embedded summarizer keeps to its budget, a program need not.
        let scripts = tempfile::tempdir().expect("a temporary directory");
        let program = words.map(|words| script(scripts.path(), "words.sh", &format!("cat > /dev/null; printf 'word%.0s ' $(seq {words})")));
        let more: Vec<&str> = program.iter().flat_map(|program| ["--summarizer", program.as_str()]).collect();
        let run = Compacted::run_with(&sample, &policy.toml, &more);
        let counted = counted_again(&run);
        prop_assert_eq!(counted.len(), run.threads.len());
        for (outcome, counted) in run.threads.iter().zip(counted) {
            check_growth(outcome);
            prop_assert_eq!(number(&outcome.entry, "tokens_after"), counted, "reported is another number than what is there");
        }
    }

    #[test]
    fn no_result_exceeds_what_it_must_fit_without_a_word(
        sample in sample(),
        policy in policy(None),
        most in 60..3000_u32,
        words in option::of(1..1500_u32),
        exact in option::of(prop::sample::select(&["o200k_base", "cl100k_base"])),
    ) {
        let scripts = tempfile::tempdir().expect("a temporary directory");
        let program = words.map(|words| script(scripts.path(), "words.sh", &format!("cat > /dev/null; printf 'word%.0s ' $(seq {words})")));
        let counter = exact.map(|name| format!("counter = \"{name}\"\n")).unwrap_or_default();
        let toml = counter + &policy.toml.replace("[overflow]\n", &format!("[overflow]\nmax_tokens = {most}\n"));
        let more: Vec<&str> = program.iter().flat_map(|program| ["--summarizer", program.as_str()]).collect();
        let run = Compacted::run_with(&sample, &toml, &more);
        let counted = counted_again(&run);
        let mut over = 0;
        for (outcome, counted) in run.threads.iter().zip(counted) {
            let entry = &outcome.entry;
            prop_assert_eq!(number(entry, "tokens_after"), counted);
            let tried = entry["reasons"].as_array().and_then(|reasons| reasons.iter().find(|reason| reason["stage"] == "overflow"));
            if counted <= most as usize {
                continue;
            }
            over += 1;
            let warnings = entry["warnings"].to_string();
            prop_assert!(entry["status"] == "failed" || warnings.contains("more than the limit of"), "{}", entry);
            // The embedded summarizer keeps to its budget: whoever planned to fit, fits.
            prop_assert!(words.is_some() || entry["status"] == "failed" || tried.is_some_and(|reason| reason["applies"] == false), "{}", entry);
        }
        // Another limit may be exceeded as well.
        let [failed, over_limit] = ["failed", "over_limit"].map(|key| run.report["totals"][key].as_u64().unwrap_or_default());
        prop_assert!(over <= over_limit + failed);
        prop_assert_eq!(run.status, if failed > 0 { 3 } else { i32::from(over_limit > 0) }, "{}", run.stderr);
    }

    #[test]
    fn plan_and_compact_agree_on_every_number(sample in sample(), policy in policy(None)) {
        let run = Compacted::run(&sample, &policy.toml);
        run.threads.iter().for_each(check_agreement);
        for outcome in &run.threads {
            prop_assert_eq!(outcome.written.len(), number(&outcome.entry, "messages_after"));
        }
        let totals = &run.report["totals"];
        let sum = |key: &str| run.threads.iter().map(|outcome| number(&outcome.entry, key)).sum::<usize>();
        for key in ["messages_before", "messages_after", "tokens_before", "tokens_after"] {
            prop_assert_eq!(number(totals, key), sum(key), "{}", key);
        }
        prop_assert_eq!(number(totals, "failed"), sample.bad.len());
    }

    #[test]
    fn a_plan_is_the_same_twice(sample in sample(), policy in policy(None)) {
        let run = Compacted::run(&sample, &policy.toml);
        let again = run.place.plan("in.jsonl", "policy.toml");
        for (outcome, again) in run.threads.iter().zip(json_lines(&again)) {
            prop_assert_eq!(&outcome.explained, &again);
        }
    }
}
