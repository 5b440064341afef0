//! Tests of what the assistant found, decided and reported.

use super::turn_of;
use crate::summary::extract::facts::findings::{TaskStarts, find_findings};
use crate::summary::extract::facts::overtaken_findings::MANY_EDITS;
use crate::transcript::Role;
use crate::transcript::view::{ViewedCall, ViewedTurn};

fn texts_of(turns: &[ViewedTurn<'_>]) -> Vec<String> {
    let mut found = find_findings(turns, 20, TaskStarts::default(), false);
    found.sort_by_key(|fact| -fact.worth);
    found.into_iter().map(|fact| fact.text).collect()
}

#[test]
fn trouble_that_passed_tests_ended_stands_last() {
    let best_after = |result: &'static str| {
        let mut found = texts_of(&[
            turn_of(Role::User, "Mend the pump"),
            turn_of(
                Role::Assistant,
                "The gauge in `pump.rs` shows bars because its maker is French.",
            ),
            turn_of(
                Role::Assistant,
                "The test of the valve in `pump.rs` fails, the spring is too short.",
            ),
            turn_of(Role::Tool, result),
        ]);
        found.swap_remove(0)
    };
    assert!(best_after("test result: ok. 12 passed; 0 failed").contains("gauge"));
    assert!(best_after("test result: FAILED. 11 passed; 1 failed").contains("spring"));
}

#[test]
fn a_question_behind_a_long_report_is_about_what_comes_next() {
    let story = "It is an old mill, and nobody knows how it will end. ".repeat(30);
    let list = "- the valve of the pump never closes\n- the wheel of the mill is dry\n- the dam has no gate\n";
    let is_told = |opening: &str, question: &str| {
        let report = format!("{opening}\n{story}\n{list}\n{question}");
        let turns = [
            turn_of(Role::User, "Look at the mill"),
            crate::summary::extract::tests::call_turn("look", "{}"),
            turn_of(Role::Tool, "ok"),
            turn_of(Role::Assistant, &report),
        ];
        texts_of(&turns)
            .iter()
            .any(|text| text.contains("Reported: the valve"))
    };
    assert!(is_told("I looked.", "Want me to mend the worst of them?"));
    assert!(!is_told("I looked.", "Shall I go ahead with this?"));
    assert!(!is_told(
        "## My recommendation",
        "Want me to mend the worst of them?"
    ));
}

#[test]
fn what_another_agent_reports_is_told_as_its_own_words() {
    let story = "It is an old mill, and nobody knows how it will end. ".repeat(12);
    let report = format!(
        "{story}\n- the valve of the pump never closes\n- the wheel of the mill is dry\n- the dam has no gate\n\n## Next steps\n- mend the dam of the valley\n"
    );
    let result = ViewedTurn {
        answers: "c".into(),
        ..turn_of(Role::Tool, &report)
    };
    let turns = [
        turn_of(Role::User, "Look at the mill"),
        crate::summary::extract::tests::call_turn("Task", "{}"),
        result,
        turn_of(Role::Assistant, "I see."),
    ];
    assert_eq!(
        texts_of(&turns),
        [
            "Another agent reported: the valve of the pump never closes; the wheel of the mill is dry; the dam has no gate"
        ]
    );
}

#[test]
fn what_the_user_denies_and_what_is_only_proposed_stands_last() {
    let mut turns = vec![
        turn_of(Role::User, "Mend the pump"),
        turn_of(Role::Assistant, "I look."),
        turn_of(
            Role::Assistant,
            "The valve in `pump.rs` is fixed and works now.",
        ),
        turn_of(Role::User, "It still leaks"),
        turn_of(
            Role::Assistant,
            "The gasket in `pump.rs` leaks because it is old.",
        ),
        turn_of(
            Role::Assistant,
            "We can close `main.rs` for good, it needs no gate. Shall I do that?",
        ),
    ];
    let call = ViewedCall {
        id: "c".into(),
        name: "edit_file".into(),
        arguments: b"{}".into(),
        valid: true,
        legacy: false,
    };
    turns[1].calls.push(call.clone());
    let found = texts_of(&turns);
    assert!(found[0].contains("gasket"), "{found:?}");
    assert!(
        found.last().is_some_and(|text| text.contains("valve")),
        "{found:?}"
    );
    // Many edits later, what was wrong is mended.
    for _ in 0..MANY_EDITS {
        let mut edit = turn_of(Role::Assistant, "");
        edit.calls.push(call.clone());
        turns.push(edit);
    }
    turns.push(turn_of(
        Role::Assistant,
        "The wheel of `mill.rs` needs oil.",
    ));
    let found = texts_of(&turns);
    assert!(found[0].contains("wheel"), "{found:?}");
}

#[test]
fn what_a_later_edit_mended_stands_last() {
    let found_before = |edit: &str| {
        let edit = ViewedCall {
            id: "c".into(),
            name: "edit_file".into(),
            arguments: edit.as_bytes().to_vec().into(),
            valid: true,
            legacy: false,
        };
        let mut turns = vec![
            turn_of(Role::User, "Mend the mill"),
            turn_of(
                Role::Assistant,
                "The door of `mill.rs` needs `door_7` because it has no lock.",
            ),
            turn_of(
                Role::Assistant,
                "The bug is in `turn_wheel`, because `turn_wheel` counts from one.",
            ),
            turn_of(Role::Assistant, "I mend it."),
        ];
        turns[3].calls.push(edit);
        texts_of(&turns)
    };
    assert!(found_before("{\"new\": \"fn door()\"}")[0].contains("counts from one"));
    let found = found_before("{\"new\": \"fn turn_wheel(n)\"}");
    assert!(found[0].contains("no lock"), "{found:?}");
}

#[test]
fn where_a_fault_lies_stands_first_until_it_is_denied() {
    let culprit =
        "I read it all.\n- **Buggy File:** `src/pump.rs`\n- **Buggy Method:** `Pump.run`\n";
    let found_before = |later: ViewedTurn<'static>| {
        texts_of(&[
            turn_of(Role::User, "Find the leak"),
            turn_of(Role::Assistant, culprit),
            later,
            turn_of(Role::Assistant, "I go on."),
        ])
    };
    let told = "Buggy File: `src/pump.rs`; Buggy Method: `Pump.run`";
    let found = found_before(turn_of(Role::User, "Go on, please"));
    assert_eq!(found.first().map(String::as_str), Some(told));
    for later in [
        turn_of(Role::User, "No, that file is fine, it is somewhere else."),
        turn_of(
            Role::Assistant,
            "That was wrong: the fault is not in `src/pump.rs`.",
        ),
    ] {
        let found = found_before(later);
        assert!(!found.iter().any(|text| text == told), "{found:?}");
    }
}

#[test]
fn a_sentence_keeps_what_turns_it_and_what_is_expected_is_not_found() {
    let found = texts_of(&[
        turn_of(Role::User, "Look at the mill"),
        turn_of(Role::Assistant, "I begin."),
        turn_of(
            Role::Assistant,
            "The class `Wheel` is defined in `mill/wheel.rs` with methods to turn it. However, there is no method that stops it.",
        ),
        turn_of(
            Role::Assistant,
            "Turn it by hand.\n\n**Success indicators**:\n- The wheel of `mill.rs` is found because it turns\n",
        ),
    ]);
    assert_eq!(
        found,
        [
            "The class `Wheel` is defined in `mill/wheel.rs` with methods to turn it. However, there is no method that stops it."
        ]
    );
}

#[test]
fn what_a_view_did_not_show_is_news_only_until_the_next_one() {
    let found = |later: usize| {
        let text = "The function `turn` is not visible in the part of `mill.rs` that I have seen.";
        let mut turns = vec![
            turn_of(Role::User, "Look at the mill"),
            turn_of(Role::Assistant, "I begin."),
            turn_of(Role::Assistant, text),
        ];
        turns.extend((0..later).map(|_| turn_of(Role::Tool, "fn turn()")));
        texts_of(&turns).len()
    };
    assert_eq!((found(1), found(2)), (1, 0));
}
