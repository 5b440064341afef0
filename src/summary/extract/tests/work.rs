//! What was done: calls with their outcomes, edits, commands that were run often, and what is left.

use super::{
    call_turn, quarter_of_chars, summary_before_repetition, summary_beside, summary_of, turn_of,
};
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;

/// A call of a shell and its result.
fn shell<'t>(arguments: &'t str, result: &'t str) -> [ViewedTurn<'t>; 2] {
    [call_turn("bash", arguments), turn_of(Role::Tool, result)]
}

#[test]
fn a_command_that_was_run_often_is_named_first() {
    let mut turns = vec![turn_of(Role::User, "Mend the pump")];
    for _ in 0..4 {
        turns.extend(shell(
            r#"{"command": "cd /srv && npm run check 2>&1 | tail -5"}"#,
            "a\nb\nc\nd\ne\nf",
        ));
        turns.extend(shell(r#"{"command": "ls"}"#, "pump.rs"));
    }
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("- run often: `npm run check` (x4)\n"),
        "{text}"
    );
}

#[test]
fn an_edit_of_the_open_file_names_it_and_counts_as_written() {
    let edit = r#"{"command": "edit 7:8\n    let valve = 2;\nend_of_edit"}"#;
    let shown = "[File: /srv/pump.rs (90 lines total)]\n7:    let valve = 2;";
    let turns = [
        turn_of(Role::User, "Mend the pump"),
        call_turn("run", edit),
        turn_of(Role::Tool, shown),
        call_turn("run", r#"{"command": "goto 40"}"#),
        turn_of(Role::Tool, shown),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("- edit pump.rs 7:8 + let valve = 2;\n")
            && text.contains("written: /srv/pump.rs\n"),
        "{text}"
    );
}

#[test]
fn the_error_at_the_end_of_an_echo_is_told() {
    let echo = format!(
        "MCP tool 'push' reported tool error for function call: {{\"files\": \"{}\"}} with response: \
         [{{\"text\": \"failed to push: 409 the store is empty\"}}],\"isError\":true}}}}]",
        "x = 1; ".repeat(400)
    );
    let turns = [
        turn_of(Role::User, "Push the pump"),
        call_turn("push", r#"{"branch": "main"}"#),
        turn_of(Role::Tool, &echo),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("push branch main -> ! ") && text.contains("409 the store is empty"),
        "{text}"
    );
}

#[test]
fn a_failed_edit_is_over_once_its_file_was_changed() {
    let edit =
        r#"{"path": "/srv/pump.rs", "old_string": "let a = 1;", "new_string": "let a = 2;"}"#;
    let mut turns = vec![
        turn_of(Role::User, "Mend the pump"),
        call_turn("edit", edit),
        turn_of(Role::Tool, "Error: old_string was found twice_7"),
    ];
    let text = summary_of(&turns, 300);
    assert!(text.contains("twice_7"), "{text}");
    turns.extend(shell(
        r#"{"command": "sed -i s/1/2/ /srv/pump.rs && cargo test"}"#,
        "test result: ok. 3 passed",
    ));
    let text = summary_of(&turns, 300);
    assert!(!text.contains("old_string was found"), "{text}");
}

#[test]
fn todos_before_the_newest_request_say_so() {
    let todos = r#"{"todos": [{"content": "build the valve", "status": "pending"}]}"#;
    let mut turns = vec![
        turn_of(Role::User, "Build a pump with a valve"),
        call_turn("write_todos", todos),
        turn_of(Role::Tool, "saved"),
    ];
    assert!(summary_of(&turns, 400).contains("\nOpen: build the valve"));
    turns.push(turn_of(Role::User, "Before that, export the log of it"));
    turns.extend(shell(r#"{"command": "export-log"}"#, "ok"));
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("\nOpen from before: build the valve"),
        "{text}"
    );
}

#[test]
fn a_request_that_is_said_again_is_short_and_work_goes_on_below() {
    let text = summary_before_repetition();
    assert!(
        text.matches("valve_9").count() < 10
            && text.contains("(said again in full in the messages that follow)")
            && text.contains("- cargo build -> Finished in 3s")
            && text.ends_with("## NEXT STEPS\nSee below."),
        "{text}"
    );
}

#[test]
fn a_record_without_room_for_its_lists_is_shown_without_them() {
    let mut turns = vec![turn_of(Role::User, "Which of my bookings are open?")];
    let bookings: Vec<(String, String)> = (1..=6)
        .map(|number| {
            let stops: Vec<String> = (1..=6)
                .map(|stop| format!(r#"{{"stop": "STP{number}{stop}", "gate": "gate {stop} in the east hall"}}"#))
                .collect();
            (
                format!(r#"{{"booking_id": "BK70{number}"}}"#),
                format!(
                    r#"{{"booking_id": "BK70{number}", "cabin": "economy", "price": 4{number}7, "stops": [{}]}}"#,
                    stops.join(", ")
                ),
            )
        })
        .collect();
    for (arguments, record) in &bookings {
        turns.push(call_turn("get_booking", arguments));
        turns.push(turn_of(Role::Tool, record));
    }
    let text = summary_of(&turns, 420);
    let rows = text
        .lines()
        .filter(|line| line.starts_with("| booking_id BK70"));
    let whole = rows.clone().filter(|row| row.contains("east hall")).count();
    assert!(whole > 0 && rows.clone().count() > whole, "{text}");
}

#[test]
fn a_commit_that_was_not_made_is_none_and_a_refused_push_says_so() {
    let commit = r#"{"command": "git commit -am \"Mend the pump\" && git push"}"#;
    let summary = |result: &str| {
        let mut turns = vec![turn_of(Role::User, "Mend the pump and push it")];
        turns.extend(shell(commit, result));
        turns.extend(shell(r#"{"command": "ls"}"#, "pump.rs"));
        summary_of(&turns, 400)
    };
    let text = summary("On branch main\nnothing to commit, working tree clean");
    assert!(text.contains("nothing to commit"), "{text}");
    let text = summary("[main 0a1b2c3] Mend the pump\n ! [rejected] main -> main (fetch first)");
    assert!(
        text.contains(
            "- git commit: Mend the pump && git push [main 0a1b2c3] -> ! git push was refused\n"
        ),
        "{text}"
    );
}

#[test]
fn what_was_refused_or_happened_in_another_folder_deleted_nothing() {
    let summary = |command: &str, result: &str| {
        let arguments = format!("{{\"command\": {command:?}}}");
        let turns = vec![
            turn_of(Role::User, "Tidy up"),
            call_turn("write_file", r#"{"path": "src/pump.rs", "content": "x"}"#),
            turn_of(Role::Tool, "ok"),
            call_turn("bash", &arguments),
            turn_of(Role::Tool, result),
        ];
        summary_of(&turns, 400)
    };
    for (command, result) in [
        (
            "rm -rf src",
            "<tool_use_error>Blocked by policy</tool_use_error>",
        ),
        ("cd $(mktemp -d) && rm -rf src", ""),
        ("cd .. && rm -rf src", ""),
        ("(cd sub && rm -rf src)", ""),
        ("chmod +x src/pump.rs", ""),
    ] {
        let text = summary(command, result);
        assert!(
            text.contains("written: src/pump.rs") && !text.contains("deleted: src\n"),
            "{command}: {text}"
        );
    }
    assert!(summary("rm -rf src", "").contains("deleted: src src/pump.rs"));
}

#[test]
fn a_short_limit_stands_beside_short_replies() {
    let mut turns = vec![turn_of(
        Role::User,
        "Build the pump and write its tests, please.",
    )];
    for text in [
        "Write a README with the usage of the pump.",
        "Never push to main.",
        "yes",
        "good",
        "next",
    ] {
        turns.push(turn_of(Role::User, text));
        turns.push(turn_of(Role::Assistant, "ok"));
    }
    let text = summary_of(&turns, 400);
    assert!(text.contains("Never push to main."), "{text}");
}

#[test]
fn an_error_that_a_script_prints_in_any_case_is_not_over() {
    let run = r#"{"command": "python check.py"}"#;
    let error = "Error: 1 pump_7 has no valve\n";
    let mut turns = vec![turn_of(Role::User, "Mend the pump")];
    turns.extend(shell(run, error));
    turns.extend(shell(r#"{"command": "sed -i s/1/2/ pump.rs"}"#, ""));
    let good = [
        call_turn("bash", run),
        turn_of(Role::Tool, "all 3 pumps work"),
    ];
    let over = summary_beside(&turns, &good, 400, &quarter_of_chars);
    assert!(
        !over.contains("has no valve") || over.contains("worked later"),
        "{over}"
    );
    let bad = [
        call_turn("bash", run),
        turn_of(Role::Tool, "checked\n1 pump_7 has no valve\nend"),
    ];
    let open = summary_beside(&turns, &bad, 400, &quarter_of_chars);
    assert!(!open.contains("worked later"), "{open}");
}

#[test]
fn what_stopped_many_edits_is_told_though_one_worked() {
    let edit = r#"{"path": "/srv/pump.rs", "old_string": "a", "new_string": "b"}"#;
    let failed = "No replacement was performed. Multiple occurrences of `a` in lines [3, 7].";
    let mut turns = vec![turn_of(Role::User, "Mend the pump")];
    for _ in 0..3 {
        turns.push(call_turn("edit", edit));
        turns.push(turn_of(Role::Tool, failed));
    }
    let other = r#"{"path": "/srv/pump.rs", "old_string": "a = 7", "new_string": "b = 7"}"#;
    turns.push(call_turn("edit", other));
    turns.push(turn_of(
        Role::Tool,
        "The file /srv/pump.rs has been edited.",
    ));
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("Error (x3): pump.rs: No replacement was performed."),
        "{text}"
    );
    turns.remove(1);
    turns.remove(1);
    let text = summary_of(&turns, 400);
    assert!(!text.contains("Error (x2)"), "{text}");
}

#[test]
fn what_took_all_back_is_told_and_what_showed_changes_before_a_commit_is_not() {
    let mut turns = vec![turn_of(Role::User, "Mend the pump, then take it back")];
    turns.extend(shell(
        r#"{"command": "git status"}"#,
        "Changes not staged for commit:\n\tmodified: pump_7.rs",
    ));
    let text = summary_of(&turns, 400);
    assert!(text.contains("git status"), "{text}");
    turns.extend(shell(
        r#"{"command": "git commit -am 'Mend the pump'"}"#,
        "[main 6c9a264] Mend the pump\n 1 file changed",
    ));
    turns.extend(shell(
        r#"{"command": "cargo test"}"#,
        "test result: ok. 3 passed",
    ));
    for _ in 0..9 {
        turns.extend(shell(r#"{"command": "make a"}"#, "made"));
    }
    turns.extend(shell(r#"{"command": "git checkout -- ."}"#, ""));
    turns.extend(shell(r#"{"command": "make b"}"#, "made"));
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("- git checkout -- .") && !text.contains("git status"),
        "{text}"
    );
}

#[test]
fn what_was_said_before_work_that_goes_on_is_left_out() {
    let said = "I found that the valve_7 is missing, so I order one from the shop in town.";
    let turns = [
        turn_of(Role::User, "Mend the pump"),
        call_turn("bash", r#"{"command": "ls"}"#),
        turn_of(Role::Tool, "pump.rs"),
        turn_of(Role::Assistant, said),
    ];
    let goes_on = [
        turn_of(Role::Tool, "ordered"),
        turn_of(Role::Assistant, "I wait for it."),
    ];
    let text = summary_beside(&turns, &goes_on, 400, &quarter_of_chars);
    assert!(!text.contains("Said before that"), "{text}");
    let answered = [
        turn_of(Role::User, "Please order two of them"),
        turn_of(Role::Assistant, "I order two."),
    ];
    let text = summary_beside(&turns, &answered, 400, &quarter_of_chars);
    assert!(text.contains("Said before that: I found"), "{text}");
}

#[test]
fn each_result_below_a_heading_is_one_of_a_call() {
    let results = "Result of search_valve(\"a\"):\n\nCould not find valve a.\n\nResult of search_pump(\"b\"):\n\nFound 2 pumps with name b_7 in the house.";
    let turns = [
        turn_of(Role::User, "Mend the pump of the house"),
        turn_of(Role::Assistant, "I look for the valve and for the pump."),
        turn_of(Role::User, results),
    ];
    let text = summary_of(&turns, 400);
    for line in [
        "search_valve(\"a\") -> ! not found",
        "search_pump(\"b\") -> Found 2 pumps",
    ] {
        assert!(text.contains(line), "{line} is not in {text}");
    }
}

#[test]
fn a_changed_line_that_is_cut_says_so() {
    let edit = format!(
        r#"{{"path": "/srv/pump.rs", "old_string": "a", "new_string": "let valve = open(pump_7, {});"}}"#,
        "valve_9, ".repeat(40)
    );
    let turns = [
        turn_of(Role::User, "Mend the pump"),
        call_turn("edit", &edit),
        turn_of(Role::Tool, "ok"),
        call_turn("bash", r#"{"command": "make a"}"#),
        turn_of(Role::Tool, "made"),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("\n- edit /srv/pump.rs + let valve") && text.contains("valve_9, … -> ok\n"),
        "{text}"
    );
}

#[test]
fn todos_that_only_name_what_was_written_since_are_done() {
    let todos = r#"{"todos": [{"content": "ValveGA and ValveSystem", "status": "pending"}, {"content": "Test ValveGA", "status": "pending"}]}"#;
    let mut turns = vec![
        turn_of(Role::User, "Build a pump with a valve"),
        call_turn("write_todos", todos),
        turn_of(Role::Tool, "saved"),
        call_turn(
            "write_file",
            r#"{"path": "/srv/ValveGA.cs", "content": "x"}"#,
        ),
        turn_of(Role::Tool, "ok"),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("Open: ValveGA and ValveSystem; Test ValveGA"),
        "{text}"
    );
    turns.push(call_turn(
        "write_file",
        r#"{"path": "/srv/ValveSystem.cs", "content": "x"}"#,
    ));
    turns.push(turn_of(Role::Tool, "ok"));
    let text = summary_of(&turns, 400);
    assert!(text.contains("Open: Test ValveGA"), "{text}");
}

#[test]
fn a_long_request_that_is_made_again_says_so() {
    let request = format!(
        "Build the pump_7 of the mill. {}",
        "It has a valve_9 of brass. ".repeat(12)
    );
    let mut turns = vec![turn_of(Role::User, &request)];
    turns.extend(shell(r#"{"command": "make pump"}"#, "made"));
    turns.push(turn_of(Role::Assistant, "It is built."));
    assert!(!summary_of(&turns, 500).contains("asked again"));
    turns.push(turn_of(Role::User, "No, that is not what I want from you"));
    turns.push(turn_of(Role::Assistant, "I am sorry."));
    turns.push(turn_of(Role::User, &request));
    turns.extend(shell(r#"{"command": "make clean"}"#, "clean"));
    let text = summary_of(&turns, 500);
    assert!(
        text.contains("(asked again: older calls and files may be of the first time)"),
        "{text}"
    );
}

#[test]
fn what_was_answered_to_the_same_question_stands_again() {
    let question = "Based on your analysis, answer below: where are the places of the fault? Leave it empty if you need more.";
    let answer = "- where are the places: \n  - File: pump.rs\n  - Method: set_speed";
    let turns = [
        turn_of(Role::User, "Mend the pump."),
        turn_of(Role::User, question),
        turn_of(Role::Assistant, answer),
    ];
    let kept = [
        turn_of(Role::User, "Here is the code of valve.rs"),
        turn_of(Role::Assistant, "I see."),
        turn_of(Role::User, question),
        turn_of(Role::System, "You mend pumps."),
    ];
    let written = summary_beside(&turns, &kept, 512, &quarter_of_chars);
    assert!(
        written.contains("Answered to that before: - where are the places:")
            && written.contains("Method: set_speed"),
        "{written}"
    );
    let again = [&kept[..3], &kept[1..]].concat();
    let refused = summary_beside(&turns, &again, 512, &quarter_of_chars);
    assert!(!refused.contains("Answered to that"), "{refused}");
    let other = [turn_of(Role::User, "And the valve?")];
    assert!(!summary_beside(&turns, &other, 512, &quarter_of_chars).contains("Answered to that"));
}

#[test]
fn a_todo_is_done_only_by_a_file_of_code_that_was_written() {
    let todos = r#"{"todos": [{"content": "Create ValveGA and TankGA", "status": "pending"}, {"content": "Test it", "status": "pending"}]}"#;
    let turns = |writes: [&str; 2]| {
        let arguments: Vec<String> = writes
            .iter()
            .map(|path| format!(r#"{{"path": "{path}", "content": "x"}}"#))
            .collect();
        let turns = [
            turn_of(Role::User, "Build the valve."),
            call_turn("write_todos", todos),
            turn_of(Role::Tool, "ok"),
        ];
        (turns, arguments)
    };
    for (writes, is_done) in [
        (["src/ValveGA.cs", "src/TankGA.cs"], true),
        (["notes/ValveGA.md", "src/TankGA.cs"], false),
        (["src/ValveGA.test.cs", "src/TankGA.cs"], false),
    ] {
        let (turns, arguments) = turns(writes);
        // The messages that stay write the files.
        let kept = [
            call_turn("write_file", &arguments[0]),
            turn_of(Role::Tool, "ok"),
            call_turn("write_file", &arguments[1]),
            turn_of(Role::Tool, "ok"),
        ];
        let text = summary_beside(&turns, &kept, 512, &quarter_of_chars);
        assert!(text.contains("Test it"), "{text}");
        assert_eq!(
            !text.contains("Open: Create ValveGA"),
            is_done,
            "{writes:?}: {text}"
        );
    }
}

#[test]
fn the_list_of_calls_says_when_it_lacks_some() {
    let mut turns = vec![turn_of(Role::User, "Run them all, please.")];
    let commands: Vec<String> = (0..40)
        .map(|number| format!(r#"{{"command": "make target_{number}"}}"#))
        .collect();
    for command in &commands {
        turns.extend(shell(command, "built"));
    }
    let first = summary_of(&turns, 200);
    let heading = |text: &str| {
        let line = text
            .lines()
            .find(|line| line.starts_with("Calls, oldest first"));
        line.map(str::to_owned).unwrap_or_default()
    };
    assert!(heading(&first).contains(" of 40):"), "{first}");
    let again = [super::earlier_turn(&first), turn_of(Role::User, "Go on.")];
    let second = summary_of(&again, 400);
    assert!(heading(&second).contains(" of "), "{second}");
    assert!(!heading(&summary_of(&turns[..5], 400)).contains(" of "));
}

#[test]
fn calls_that_fail_alike_again_and_again_are_told_once() {
    let run = |command: &'static str| {
        [
            call_turn("bash", command),
            turn_of(Role::Tool, "Error: valve_9 is missing in the pump"),
        ]
    };
    let (pump, valve) = (
        r#"{"command": "make pump"}"#,
        r#"{"command": "make valve"}"#,
    );
    let mut turns = vec![turn_of(Role::User, "Mend the pump")];
    for command in [pump, pump, valve, pump, valve] {
        turns.extend(run(command));
    }
    let text = summary_of(&turns, 400);
    // The last call stands in the final state besides.
    assert_eq!(text.matches("- make ").count(), 1, "{text}");
}

#[test]
fn an_error_is_counted_once_a_call_without_what_it_announces() {
    let loop_of = r#"{"command": "for f in a b c; do uuidgen > $f; done"}"#;
    let turns = [
        turn_of(Role::User, "Mend the pump"),
        call_turn("bash", loop_of),
        turn_of(
            Role::Tool,
            "bash: uuidgen: command not found\nbash: uuidgen: command not found\nbash: uuidgen: command not found",
        ),
        call_turn("skill", r#"{"name": "mill"}"#),
        turn_of(
            Role::Tool,
            "Error: Skill \"mill\" not found. Available skills are:\n",
        ),
        call_turn("bash", r#"{"command": "ls"}"#),
        turn_of(Role::Tool, "a b c"),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        !text.contains("(x3)") && !text.contains("Available skills are"),
        "{text}"
    );
}
