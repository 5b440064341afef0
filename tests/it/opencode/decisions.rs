//! Decisions: each published case, and the presets.

use super::support::{cases, edits, planned, reason};
use crate::catalog::PRESETS;
use crate::harness::Dir;
use serde_json::{Value, json};

#[test]
fn every_case_is_decided_as_opencode_decides() {
    let (mut wrong, mut counts) = (Vec::new(), [0, 0, 0]);
    for case in cases() {
        let (_dir, plan) = planned(&case);
        let pruned = json!(
            edits(&plan, "prune").iter().map(|edit| edit["message"].clone()).collect::<Vec<_>>()
        );
        let why = reason(&plan, "summarize");
        let first_kept = edits(&plan, "summarize")
            .first()
            .map_or(Value::Null, |edit| edit["first_kept"].clone());
        for (place, (key, got, reason)) in [
            ("pruned", pruned, reason(&plan, "prune")),
            ("fires", json!(why.contains("reached")), why),
            ("first_kept", first_kept, why),
        ]
        .into_iter()
        .enumerate()
        {
            counts[place] += usize::from(case[key] != Value::Null);
            if case[key] != Value::Null && case[key] != got {
                wrong.push(format!(
                    "{}: {key} is {got}, it must be {} ({reason})",
                    case["name"], case[key]
                ));
            }
        }
    }
    assert!(counts.iter().all(|count| *count >= 30), "too few cases: {counts:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn presets_are_shown_as_configurations_that_give_them_again() {
    let dir = Dir::new();
    let all = dir.epitome("presets").ok();
    for preset in PRESETS.iter() {
        let shown = dir.epitome(&format!("presets {preset} --model openai:gpt-5.2")).ok();
        // The description stands before the values, with at least one deliberate difference.
        let (description, _) = shown.stdout().split_once("\npreset = ").unwrap();
        assert!(
            description.starts_with(&format!("# {preset}\n#\n# "))
                && description.contains("# Where it differs on purpose:\n# - ")
                && all.stdout().contains(description),
            "{description}"
        );
        dir.write("policy.toml", &shown.stdout);
        let wanted = dir
            .epitome(&format!("plan --print-config --preset {preset} --model openai:gpt-5.2"))
            .ok();
        assert!(shown.stdout().ends_with(wanted.stdout()), "{}", shown.stdout());
        assert_eq!(
            dir.epitome("plan --print-config --config policy.toml").ok().stdout(),
            wanted.stdout()
        );
    }
    dir.epitome("presets opncode").fails(2).says(["opncode", "similar value exists: 'opencode'"]);
}
