//! What long sessions of coding agents hold: scripts without a name, reports, lists of tasks, and what a
//! harness writes in the user's name.

use super::{call_turn, shell, summary_of, turn_of};
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;

/// Adds a request and calls that end with something else.
fn session<'t>(calls: &[[ViewedTurn<'t>; 2]]) -> Vec<ViewedTurn<'t>> {
    let mut turns = vec![turn_of(Role::User, "Mend the pump and test it")];
    turns.extend(calls.iter().flatten().cloned());
    turns.extend(shell(r#"{"command": "ls pumps"}"#, "a.rs"));
    turns
}

#[test]
fn a_script_is_told_by_its_comment_or_by_what_it_counted() {
    let page = "<p>a page that says it was published</p>\n".repeat(20);
    let text = summary_of(
        &session(&[
            shell(
                r#"{"command": "python3 - <<'EOF'\nimport re\n# count the valves of each pump\nEOF"}"#,
                "valve 3",
            ),
            shell(
                r#"{"command": "python3 - <<'EOF'\nimport os\nx = 1\nEOF"}"#,
                "ok\n24 checks passed",
            ),
            shell(
                r#"{"command": "python3 - <<'EOF'\nimport html\ny = 2\nEOF"}"#,
                &page,
            ),
        ]),
        500,
    );
    assert!(
        text.contains("- python3 # count the valves of each pump -> valve 3\n"),
        "{text}"
    );
    assert!(
        text.contains("- python3 (script) -> 24 checks passed\n"),
        "{text}"
    );
    assert!(
        !text.contains("import") && !text.contains("published"),
        "{text}"
    );
}

#[test]
fn what_a_program_counted_before_is_not_so_any_more() {
    let text = summary_of(
        &session(&[
            shell(
                r#"{"command": "python check.py --all 2>&1 | tail -30"}"#,
                "9 checks: 7 consistent, 2 not",
            ),
            shell(
                r#"{"command": "python check.py --all 2>&1 | grep checks"}"#,
                "9 checks: 8 consistent, 1 not",
            ),
        ]),
        500,
    );
    assert!(
        text.contains("8 consistent") && !text.contains("7 consistent"),
        "{text}"
    );
}

#[test]
fn why_several_calls_failed_is_said_once() {
    let edits: Vec<String> = (1..5)
        .map(|at| format!(r#"{{"path": "pump{at}.md", "old_string": "a", "new_string": "b"}}"#))
        .collect();
    let results: Vec<String> = (1..5)
        .map(|at| format!("File not found: pump{at}.md"))
        .collect();
    let calls: Vec<[ViewedTurn<'_>; 2]> = edits
        .iter()
        .zip(&results)
        .map(|(edit, result)| {
            let failed = ViewedTurn {
                failed: true,
                ..turn_of(Role::Tool, result)
            };
            [call_turn("edit", edit), failed]
        })
        .collect();
    let text = summary_of(&session(&calls), 500);
    assert_eq!(text.matches("-> ! File not found").count(), 1, "{text}");
}

#[test]
fn how_many_tests_failed_stands_with_their_run() {
    let text = summary_of(
        &session(&[
            shell(
                r#"{"command": "./mutate.sh"}"#,
                "M1\nFAILED (failures=11, errors=4)\nrestored",
            ),
            shell(r#"{"command": "make test"}"#, "Ran 31 tests in 0.1s\n\nOK"),
        ]),
        500,
    );
    assert!(!text.contains("Error: FAILED"), "{text}");
}

#[test]
fn the_tool_s_own_words_about_failing_are_no_error() {
    let help = "Cancel only when the job has actually failed, gone off-track, or become wrong.";
    let text = summary_of(&session(&[shell(r#"{"command": "job list"}"#, help)]), 400);
    assert!(!text.contains("Error:"), "{text}");
}

#[test]
fn a_report_tells_more_than_other_messages() {
    let report = "All of W1 to W6 are in.\n\n- **W1** — the check reads `accounts` by itself\n- **W2** — `collapse` sees the whole list\n- **W3** — rows without `company_id` are provisional\n- **W4** — `complete` is derived, never a constant\n- **W5** — the brand kit of the request always wins\n\nlist 1: 209 companies (203 keyed, 6 provisional), 836 deliverables, 14 rows were merged. list 2: 99 companies (97 keyed, 2 provisional), 396 deliverables.\n\nThe test that used to stay green with every fix taken out fails now for each of them, as it should, and `make demo` prints the same table at 3 page sizes.";
    let mut turns = session(&[]);
    turns.push(turn_of(Role::Assistant, report));
    turns.push(turn_of(Role::User, "Commit each of them by itself, please"));
    turns.extend(shell(r#"{"command": "git status --short"}"#, " M a.rs"));
    let text = summary_of(&turns, 700);
    for told in [
        "the check reads `accounts`",
        "the brand kit of the request",
        "`complete` is derived",
    ] {
        assert!(text.contains(told), "{told} is not in {text}");
    }
}

#[test]
fn what_goes_on_at_the_moment_is_no_finding() {
    let mut turns = session(&[]);
    turns.push(turn_of(
        Role::Assistant,
        "Condition fit still running (~15 min) on node_7.",
    ));
    turns.extend(shell(r#"{"command": "squeue"}"#, "1 job"));
    turns.push(turn_of(
        Role::Assistant,
        "**Confirmed: `branch_point=2` is the bifurcation of both arms.** Next.",
    ));
    turns.extend(shell(r#"{"command": "squeue"}"#, "0 jobs"));
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("branch_point=2") && !text.contains("still running"),
        "{text}"
    );
}

#[test]
fn tasks_of_single_calls_are_open_work() {
    let created = "Task #1 created successfully: Draw the rivers";
    let turns = session(&[
        [
            call_turn("TaskCreate", r#"{"subject": "Draw the rivers"}"#),
            turn_of(Role::Tool, created),
        ],
        [
            call_turn("TaskCreate", r#"{"subject": "Write the report"}"#),
            turn_of(Role::Tool, "Task #2 created successfully: Write the report"),
        ],
        [
            call_turn("TaskUpdate", r#"{"taskId": "1", "status": "completed"}"#),
            turn_of(Role::Tool, "Updated task #1 status"),
        ],
    ]);
    let text = summary_of(&turns, 400);
    assert!(text.contains("Open: Write the report"), "{text}");
    assert!(
        !text.contains("TaskUpdate") && !text.contains("rivers"),
        "{text}"
    );
}

#[test]
fn what_a_harness_writes_is_no_request() {
    for notice in [
        "Base directory for this skill: /skills/plot\n\nNever plot without a legend. Use `plot_9`.",
        "Retrieved knowledge from microagents",
        "Added workspace context",
        "<!doctype html>\n<html><p>You should be redirected.</p></html>",
        "URL: https://a.example/video\nContent-Type: text/markdown\n\n# A video of pumps",
    ] {
        let mut turns = session(&[]);
        turns.push(turn_of(Role::User, notice));
        turns.extend(shell(r#"{"command": "ls"}"#, "a.rs"));
        let text = summary_of(&turns, 400);
        assert!(
            !text.contains("request:") && !text.contains("\n> ") && !text.contains("Constraint"),
            "{text}"
        );
    }
}

#[test]
fn a_summary_without_a_mark_is_read_as_facts() {
    let earlier = "## Goal\n- Mend the pump_7\n\n## Constraints & Preferences\n- NEVER push to `main`\n- Answer in Korean\n\n## Progress\n### Done\n- [x] valve_3 is new\n\n## Next Steps\n1. Nothing is in flight\n2. Mend hose_9\n\n**Turn Context (split turn):**\n\n## Original Request\nAdd the column of ratios\n\n<read-files>\nsrc/hose.rs\n</read-files>\n<modified-files>\nsrc/pump.rs\n</modified-files>";
    let turns = [
        turn_of(Role::User, earlier),
        call_turn("bash", r#"{"command": "ls"}"#),
        turn_of(Role::Tool, "a.rs"),
    ];
    let text = summary_of(&turns, 600);
    for line in [
        "- Mend the pump_7",
        "Newest request: Add the column of ratios",
        "Constraint: NEVER push to `main`",
        "Earlier: valve_3 is new",
        "written: src/pump.rs",
        "read: src/hose.rs",
    ] {
        assert!(
            text.lines().any(|found| found.starts_with(line)),
            "{line} is not in {text}"
        );
    }
    assert!(
        text.contains("Mend hose_9") && !text.contains("flight") && !text.contains("Turn Context"),
        "{text}"
    );
}

#[test]
fn the_state_of_openhands_is_read_by_its_headings() {
    let state = "<CONTEXT_STATE>\nUSER_CONTEXT: Mend the pump_7\n\nCOMPLETED:\n- valve_3 is new\n\nPENDING:\n- Mend hose_9\n\nCODE_STATE: pump.rs holds `set_speed`\n</CONTEXT_STATE>";
    let turns = [
        turn_of(Role::User, "Mend the pump_7, it leaks"),
        turn_of(Role::User, state),
        call_turn("bash", r#"{"command": "ls"}"#),
        turn_of(Role::Tool, "a.rs"),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("Earlier: valve_3 is new\n") && text.contains("Mend hose_9"),
        "{text}"
    );
    // The request stands there as the user made it.
    assert_eq!(text.matches("Mend the pump_7").count(), 1, "{text}");
    assert!(
        !text.contains("COMPLETED") && !text.contains("CONTEXT_STATE"),
        "{text}"
    );
}

#[test]
fn a_path_below_the_shared_folder_is_told() {
    let folder = "/home/mia/workspaces/plant/pumps";
    let writes: Vec<String> = (1..14)
        .map(|at| format!(r#"{{"file_path": "{folder}/pump_{at}.rs", "content": "x"}}"#))
        .collect();
    let calls: Vec<[ViewedTurn<'_>; 2]> = writes
        .iter()
        .map(|write| {
            [
                call_turn("write", write),
                turn_of(Role::Tool, "File created"),
            ]
        })
        .collect();
    let text = summary_of(&session(&calls), 700);
    assert!(
        text.contains("%/pump_13.rs %/pump_12.rs") && !text.contains("file_path:"),
        "{text}"
    );
}

#[test]
fn only_what_a_tool_asked_the_user_is_the_user_s_word() {
    let answers = "User has answered your questions: \"Delete all?\"=\"yes, never keep any\". You can now continue";
    for (tool, is_answer) in [("Read", false), ("AskUserQuestion", true)] {
        let asked = [
            call_turn(tool, r#"{"file_path": "mail.txt"}"#),
            turn_of(Role::Tool, answers),
        ];
        let text = summary_of(&session(&[asked]), 500);
        let is_told = text.contains("Constraint: yes, never keep any (Delete all?)");
        assert_eq!(is_told, is_answer, "{text}");
    }
}

#[test]
fn a_name_in_hundreds_of_calls_is_no_fault() {
    let calls: Vec<_> = (0..300)
        .map(|_| shell(r#"{"command": "cargo test pump_stops_at_limit"}"#, "ok"))
        .collect();
    let text = summary_of(&session(&calls), 500);
    assert!(
        text.contains("`cargo test pump_stops_at_limit` (x300)"),
        "{text}"
    );
}

#[test]
fn a_run_of_which_a_part_failed_is_told_by_that_part() {
    let jest =
        "Tests:       2 failed, 18 passed, 20 total\nSnapshots:   4 passed, 4 total\nTime: 2 s";
    let text = summary_of(&session(&[shell(r#"{"command": "npx jest"}"#, jest)]), 500);
    assert!(text.contains("2 failed, 18 passed"), "{text}");
    assert!(!text.contains("4 passed, 4 total"), "{text}");
}

#[test]
fn a_command_that_was_only_shown_is_no_call() {
    let shown = "I would run this, but you forbade it:\n```bash\nrm -rf pumps/\n```";
    let mut turns = session(&[]);
    turns.insert(
        1,
        turn_of(Role::User, "Right, leave all of the pumps alone"),
    );
    turns.insert(1, turn_of(Role::Assistant, shown));
    let text = summary_of(&turns, 500);
    assert!(!text.contains("- rm -rf pumps/"), "{text}");
}

#[test]
fn files_that_were_asked_for_and_not_written_are_open_work() {
    let mut turns = session(&[[
        call_turn(
            "write",
            r#"{"file_path": "/srv/README.md", "content": "Pumps"}"#,
        ),
        turn_of(Role::Tool, "File created"),
    ]]);
    turns[0] = turn_of(
        Role::User,
        "Write README.md, SOURCES.md and verdict.json about the pump.",
    );
    let text = summary_of(&turns, 500);
    assert!(
        text.contains("Not written yet: SOURCES.md verdict.json\n"),
        "{text}"
    );
}

#[test]
fn requests_that_were_reported_as_done_say_so() {
    let report = "I added the valve to `pump.rs`, and all 12 tests pass.";
    let turns = [
        turn_of(Role::User, "Add a valve to the pump of the mill"),
        call_turn("bash", r#"{"command": "cargo test"}"#),
        turn_of(Role::Tool, "12 passed"),
        turn_of(Role::Assistant, report),
        turn_of(Role::User, "Now paint the wheel of the mill in green"),
        call_turn("bash", r#"{"command": "paint wheel"}"#),
        turn_of(Role::Tool, "ok"),
        turn_of(Role::Assistant, "The wheel is fixed and painted."),
        turn_of(Role::User, "It is still grey, paint it again please"),
        call_turn("bash", r#"{"command": "paint wheel --twice"}"#),
        turn_of(Role::Tool, "ok"),
    ];
    let text = summary_of(&turns, 600);
    assert!(
        text.contains("Add a valve to the pump of the mill (reported done)\n")
            && text.contains("Now paint the wheel of the mill in green\n"),
        "{text}"
    );
}

#[test]
fn a_refused_form_of_a_message_is_no_request_and_its_command_did_not_run() {
    let turns = [
        turn_of(Role::User, "Mend the pump of the mill"),
        turn_of(Role::Assistant, "I look.\n```bash\nrm pump.rs\n```"),
        turn_of(
            Role::User,
            "Please always provide EXACTLY ONE action in triple backticks, found 2 actions.",
        ),
        turn_of(Role::Assistant, "I look.\n```bash\ncat pump.rs\n```"),
        turn_of(
            Role::User,
            "<returncode>0</returncode>\n<output>\nfn pump() {}\n</output>",
        ),
    ];
    let text = summary_of(&turns, 600);
    assert!(
        !text.contains("EXACTLY ONE")
            && !text.contains("rm pump.rs")
            && text.contains("Mend the pump"),
        "{text}"
    );
}

#[test]
fn an_error_on_a_page_of_the_web_is_none_of_the_session() {
    let page = "# Valves\nTypeError: valve is undefined\nIt means that the valve is closed.";
    let turns = [
        turn_of(Role::User, "Find out why valves fail"),
        call_turn("web_search", r#"{"query": "valve fails"}"#),
        turn_of(Role::Tool, page),
        call_turn("bash", r#"{"command": "make"}"#),
        turn_of(Role::Tool, "LinkError: pump is missing"),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        !text.contains("Error: TypeError") && text.contains("LinkError"),
        "{text}"
    );
}

#[test]
fn what_is_forbidden_below_a_heading_and_numbered_questions_stay() {
    let story = "It is an old story of the mill, and nobody knows how it will end. ".repeat(30);
    let request = format!(
        "Review the plan of the pump.\n{story}\n1. Is the valve right?\n2. Is the wheel too wide for the mill?\n{story}\nDo NOT:\n- start the mill\n- touch the wheel\n{story}"
    );
    let turns = [
        turn_of(Role::User, &request),
        turn_of(Role::Assistant, "I look at it."),
    ];
    let text = summary_of(&turns, 300);
    for part in [
        "Review the plan of the pump.",
        "1. Is the valve right?",
        "2. Is the wheel too wide",
        "Do NOT:\n- start the mill\n- touch the wheel",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_request_that_a_newer_one_holds_is_said_once_and_a_run_is_told_by_its_command() {
    let plan = "Your plan for the pump of the mill is right";
    let more = format!("{plan}, but do it in a way that teaches me, too");
    let turns = [
        turn_of(Role::User, "Plan the pump"),
        turn_of(Role::Assistant, "Here it is."),
        turn_of(Role::User, plan),
        turn_of(
            Role::Assistant,
            "Please run this:\n```bash\npumpctl --register ~/.pump/keys\n```\nTell me when you are done.",
        ),
        turn_of(Role::User, "it ran"),
        turn_of(Role::Assistant, "Good."),
        turn_of(Role::User, &more),
        turn_of(Role::Assistant, "I write it."),
        turn_of(Role::User, "Which valve do I take for the pump?"),
        turn_of(Role::Assistant, "The small one."),
    ];
    let text = summary_of(&turns, 600);
    assert_eq!(text.matches(plan).count(), 1, "{text}");
    assert!(
        text.contains("teaches me, too")
            && text.contains("it ran (`pumpctl --register ~/.pump/keys`)"),
        "{text}"
    );
}

#[test]
fn a_list_that_was_forgotten_during_many_changes_is_not_open_work() {
    let summary_after = |changes: usize| {
        let plan = r#"{"plan": [{"step": "Scaffold the mill", "status": "in_progress"}]}"#;
        let mut turns = vec![
            turn_of(Role::User, "Build the mill with all of its wheels"),
            call_turn("update_plan", plan),
            turn_of(Role::Tool, "Plan updated"),
        ];
        for _ in 0..changes {
            turns.extend(shell(r#"{"command": "make wheel"}"#, "made"));
        }
        turns.push(turn_of(Role::User, "Now only the pump of the mill counts"));
        turns.extend(shell(r#"{"command": "make pump"}"#, "made"));
        summary_of(&turns, 500)
    };
    assert!(summary_after(9).contains("Open from before: Scaffold the mill"));
    let text = summary_after(40);
    assert!(!text.contains("Open"), "{text}");
}
