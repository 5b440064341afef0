//! Tests of whole summaries.

use super::Extract;
use crate::deciding::policy::SummaryTemplate;
use crate::reading::transcript::prelude::*;
use crate::reading::transcript::view::{ViewedCall, ViewedTurn};
use crate::summary::summarizer::{Summarizer, SummaryPrompt, SummaryRequest};

fn turn(role: Role, text: &str) -> ViewedTurn<'static> {
    ViewedTurn {
        role,
        text: Cow::Owned(text.to_owned()),
        calls: Vec::new(),
        tool: None,
        answers: Cow::Borrowed(""),
        failed: false,
        earlier_summary: false,
    }
}

fn user(text: &str) -> ViewedTurn<'static> {
    turn(Role::User, text)
}

fn call(name: &'static str, arguments: &str) -> ViewedTurn<'static> {
    let mut turn = turn(Role::Assistant, "");
    turn.calls.push(ViewedCall {
        id: Cow::Borrowed("c"),
        name: Cow::Borrowed(name),
        arguments: Cow::Owned(arguments.as_bytes().to_vec()),
        valid: true,
        legacy: false,
    });
    turn
}

fn result(text: &str) -> ViewedTurn<'static> {
    let mut turn = turn(Role::Tool, text);
    turn.answers = Cow::Borrowed("c");
    turn
}

/// Tokens as the approximate counter estimates them.
fn tokens(text: &str) -> usize {
    text.chars().count().div_ceil(4)
}

fn summarize_for(turns: &[ViewedTurn<'_>], template: SummaryTemplate, budget: usize) -> String {
    let request = SummaryRequest {
        thread_id: "t",
        turns,
        kept: &[],
        template,
        budget,
        count: &tokens,
        prompt: &|| SummaryPrompt::new("", String::new()),
    };
    let summary = Extract::default().summarize(&request);
    summary.unwrap_or_else(|error| panic!("{error}"))
}

fn summarize(turns: &[ViewedTurn<'_>]) -> String {
    summarize_for(turns, SummaryTemplate::DeepAgents, 400)
}

/// What the user says, with an answer to each but the last.
fn talk(said: &[&str]) -> Vec<ViewedTurn<'static>> {
    let turns = said.iter().flat_map(|text| [user(text), turn(Role::Assistant, "Understood.")]);
    turns.take(said.len() * 2 - 1).collect()
}

fn assert_holds(summary: &str, parts: &[&str]) {
    for part in parts {
        assert!(summary.contains(part), "{part} is missing in\n{summary}");
    }
}

#[test]
fn constraints_around_an_envelope_survive_with_their_condition() {
    let summary = summarize(&[
        user(
            "Never push to main.\n<task>\nMend the pump.\n</task>\nIf a test is slow, skip it.\n<odd>\nUse only tabs.\n</odd>",
        ),
        turn(Role::Assistant, "I found the leak in pump.rs."),
    ]);
    assert_holds(
        &summary,
        &["Never push to main.", "Mend the pump.", "If a test is slow, skip it.", "Use only tabs."],
    );
}

/// Limits as people write them: bans, duties, values, conditions, wishes.
const LIMITS: [&str; 15] = [
    "Never release on a Friday.",
    "Don't edit anything below third_party.",
    "Work with the tools that are installed, nothing else may be added.",
    "All messages must stay in French.",
    "Keep the names of the columns.",
    "At most four workers may run.",
    "Set the wait to 90 seconds.",
    "If a download stalls, try another mirror.",
    "Always show me the difference before you save.",
    "I prefer short functions.",
    "Avoid shared state.",
    "Don't spend more than $25 a day.",
    "Amounts have to be in cents.",
    "Use tabs.",
    "Leave the licence as it is.",
];

#[test]
fn fifteen_limits_in_one_message_survive_a_long_session() {
    let request = "Mend the importer of the 14 reports.";
    let limits = LIMITS.join("\n");
    for text in [format!("{limits}\n\n{request}"), format!("{request}\n\n{limits}")] {
        let mut turns = long_session();
        turns[0] = user(&text);
        assert_holds(&summarize(&turns), &LIMITS);
    }
}

#[test]
fn the_newest_constraint_of_a_subject_wins_and_what_was_taken_back_is_gone() {
    let summary = summarize(&talk(&[
        "Build the importer of the nightly feeds.",
        "The importer timeout must be 45 seconds. Never touch the vendored parser folder.",
        "The importer timeout must be 90 seconds.",
        "Forget what I said of the vendored parser folder.",
        "Now write the report of the feeds.",
    ]));
    assert_holds(&summary, &["must be 90 seconds"]);
    assert!(!summary.contains("45 seconds"), "{summary}");
    assert!(!summary.contains("Never touch"), "{summary}");
}

#[test]
fn a_ban_and_a_permission_leave_other_bans_as_they_are() {
    let summary = summarize(&talk(&[
        "Build the importer. Don't change the public API of the parser.",
        "Never commit to the main branch.",
        "Never push to the main branch.",
        "You can find the public API of the parser in api.md.",
        "Now write the report of the feeds.",
    ]));
    assert_holds(&summary, &["Never commit", "Never push", "Don't change the public API"]);
}

#[test]
fn what_was_not_done_is_not_told_as_done() {
    let edit = |new: &str| {
        let arguments = format!(r#"{{"path":"/w/a.rs","old_string":"a();","new_string":"{new}"}}"#);
        call("edit_file", &arguments)
    };
    let (mut first, mut second) = (edit("b();"), call("bash", r#"{"command":"cargo test"}"#));
    (first.calls[0].id, second.calls[0].id) = ("i1".into(), "i2".into());
    let (mut failed, mut passed) = (result("The edit was refused."), result("3 passed"));
    (failed.answers, passed.answers) = ("i1".into(), "i2".into());
    let summary =
        summarize(&[user("Mend it."), first, second, failed, passed, edit("c();"), user("Go on.")]);
    let told = ["+ b(); -> The edit was refused.", "cargo test -> 3 passed", "+ c(); -> no result"];
    assert_holds(&summary, &told);
}

#[test]
fn calls_stand_with_their_outcome_and_files_with_what_was_done() {
    let summary = summarize(&[
        user("Fix the parser of the config."),
        call("read_file", r#"{"path":"/w/app/src/parser.rs"}"#),
        result("fn parse() {}"),
        call(
            "edit_file",
            r#"{"path":"/w/app/src/parser.rs","old_string":"a","new_string":"fn parse_all() {}"}"#,
        ),
        result("ok"),
        call("bash", r#"{"command":"cd /w/app && cargo test"}"#),
        result("running 3 tests\ntest result: FAILED. 2 passed; 1 failed\nerror: test failed"),
        call("read_file", r#"{"path":"/w/app/src/gone.rs"}"#),
        result("Error: no such file"),
    ]);
    assert_holds(&summary, &["cargo test -> ", "parser.rs", "written: "]);
    let read = summary.lines().find(|line| line.starts_with("read: "));
    assert!(!read.unwrap_or_default().contains("gone.rs"), "{summary}");
}

#[test]
fn a_record_has_one_row_with_its_newest_state() {
    let record = |state: &str| {
        format!(r#"{{"order_id":"W-4417","state":"{state}","paid":true,"total":129.5}}"#)
    };
    for newest in ["get_order", "cancel_order"] {
        let summary = summarize(&[
            user("Cancel my order W-4417."),
            call("get_order", r#"{"order_id":"W-4417"}"#),
            result(&record("pending")),
            call(newest, r#"{"order_id":"W-4417"}"#),
            result(&record("cancelled")),
            turn(Role::Assistant, "It is done."),
        ]);
        assert_holds(&summary, &["order_id W-4417, state cancelled, paid true, total 129.5"]);
        assert!(!summary.contains("pending"), "{summary}");
    }
}

#[test]
fn a_summary_of_a_summary_keeps_its_constraints() {
    let mut earlier = user(
        "Here is a summary of the conversation to date:\n\n## SESSION INTENT\nMend the pump.\n\n## SUMMARY\nConstraint: Never push to main.\nCalls, oldest first (1 of 4):\n- cargo test -> 3 passed\n\n## ARTIFACTS\nwritten: src/pump.rs",
    );
    earlier.earlier_summary = true;
    let mut turns = vec![earlier];
    for number in 0..6 {
        turns.push(user(&format!("Go on with part {number} of the valve housing.")));
        turns.push(turn(Role::Assistant, &format!("Part {number} of the housing is done now.")));
    }
    let summary = summarize(&turns);
    assert_holds(&summary, &["Constraint: Never push to main.", "Mend the pump.", "src/pump.rs"]);
    assert_eq!(summary.matches("## SUMMARY").count(), 1, "{summary}");
}

#[test]
fn a_short_request_is_told_whole_and_its_limits_survive_every_compaction() {
    let first = "I'd like an importer of the 14 reports. Never touch the vendored parser. Thanks!";
    let mut turns = long_session();
    turns[0] = user(first);
    let mut summary = summarize(&turns);
    assert_holds(&summary, &[first]);
    assert_eq!(summary.matches("vendored").count(), 1, "{summary}");
    for round in 0..3 {
        let mut earlier = user(&summary);
        earlier.earlier_summary = true;
        turns = long_session();
        turns[0] = earlier;
        let more =
            format!("Please count the rows of table {round}. Do not sort them {round} times.");
        turns.push(user(&more));
        summary = summarize(&turns);
        assert_holds(&summary, &["Never touch the vendored parser.", "Do not sort them 0 times."]);
    }
}

#[test]
fn files_of_an_earlier_summary_stay_in_their_folder() {
    let edit = |path: &str| {
        let arguments = format!(r#"{{"file_path": "{path}", "content": "fn pump() {{}}"}}"#);
        [call("write_file", &arguments), result("ok")]
    };
    let mut first = vec![user("Mend the pump of the plant.")];
    first.extend(edit("/home/a/plant/src/pump.rs"));
    first.extend(edit("/home/a/plant/src/seal.rs"));
    let mut earlier = user(&summarize(&first));
    earlier.earlier_summary = true;
    let mut second = vec![earlier, user("Now the tank of the other one.")];
    second.extend(edit("/srv/b/tank/src/tank.rs"));
    second.extend(edit("/srv/b/tank/src/level.rs"));
    let summary = summarize(&second);
    assert_holds(&summary, &["/home/a/plant/src/pump.rs", "files below /srv/b/tank/", "tank.rs"]);
    assert!(!summary.contains(" src/pump.rs"), "{summary}");
}

#[test]
fn text_breaks_neither_the_frame_nor_the_headings() {
    let summary =
        summarize(&[user("# Title of </summary> things\nMake it so."), user("## SUMMARY")]);
    assert!(!summary.contains("</summary>"), "{summary}");
    assert!(!summary.lines().any(|line| line == "# Title of things"), "{summary}");
}

/// A long session in two languages.
fn long_session() -> Vec<ViewedTurn<'static>> {
    let mut turns = vec![user(
        "修复导入器。不要改动接口。Mend the importer; keep the format of its 14 reports.",
    )];
    for number in 0..40 {
        let case = number * 37;
        let command = format!(r#"{{"command":"python run_{number}.py --case {case}"}}"#);
        turns.push(call("bash", &command));
        let error = format!("ValueError: wrong field_{number} 字段错误");
        turns.push(result(&format!("case {case} took {number}.5 s\n{error}")));
        let said = format!(
            "The cause of failure {number} is in module_{number}.py: 第{number}个字段的长度不对，必须检查编码。"
        );
        turns.push(turn(Role::Assistant, &said));
        if number % 9 == 0 {
            let also = format!("Also see ticket OPS-{number}, and never log the key_{number}.");
            turns.push(user(&also));
        }
    }
    turns
}

#[test]
fn the_budget_is_spent_and_never_exceeded() {
    let turns = long_session();
    for template in [SummaryTemplate::DeepAgents, SummaryTemplate::OpenCode] {
        for budget in [1, 5, 20, 64, 150, 256, 512, 1024] {
            let summary = summarize_for(&turns, template, budget);
            let spent = tokens(&summary);
            assert!(!summary.is_empty() && spent <= budget, "{spent} of {budget}");
            if budget >= 256 {
                assert!(spent * 100 >= budget * 97, "{spent} of {budget}");
            }
        }
    }
}

#[test]
fn a_budget_twice_as_large_says_what_the_smaller_one_says() {
    let turns = long_session();
    for budget in (100..=700).step_by(50) {
        let [small, large] = [budget, 2 * budget]
            .map(|budget| summarize_for(&turns, SummaryTemplate::DeepAgents, budget));
        let names = small.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'));
        for name in names.filter(|name| name.contains(['_', '-']) && name.len() > 4) {
            assert!(large.contains(name), "{name} at {budget}:\n{small}\n{large}");
        }
    }
}

#[test]
fn the_same_messages_have_the_same_summary() {
    let turns = long_session();
    assert_eq!(summarize(&turns), summarize(&turns));
}
