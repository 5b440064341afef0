//! The list of calls: how each is told, what came of it, and how many there are.

use super::{call_turn, earlier_turn, shell, summary_of, turn_of};
use crate::transcript::Role;

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
    let again = [earlier_turn(&first), turn_of(Role::User, "Go on.")];
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
fn what_only_tells_what_is_known_and_what_the_user_answered_are_no_lines() {
    let answers =
        "User has answered your questions: \"Which pump?\"=\"The red one\". You can now continue";
    let mut turns = vec![turn_of(Role::User, "Mend the pump")];
    turns.extend(shell(r#"{"command": "pwd"}"#, "/srv/mill"));
    turns.extend(shell(r#"{"command": "echo $(git push --force)"}"#, "done"));
    turns.extend(shell(r#"{"command": "chmod +x run.sh"}"#, ""));
    turns.extend([
        call_turn("AskUserQuestion", r#"{"questions": []}"#),
        turn_of(Role::Tool, answers),
        call_turn("AskUserQuestion", r#"{"questions": []}"#),
        turn_of(Role::Tool, "Use the old pipe"),
    ]);
    turns.extend(shell(r#"{"command": "ls"}"#, "run.sh"));
    let text = summary_of(&turns, 600);
    assert!(
        !text.contains("- pwd")
            && !text.contains("-> User has answered")
            && text.contains("Constraint: The red one (Which pump?)")
            && text.contains("AskUserQuestion -> Use the old pipe")
            && text.contains("git push --force")
            && text.contains("chmod +x run.sh"),
        "{text}"
    );
}

#[test]
fn a_title_that_a_look_prints_itself_is_not_what_it_shows() {
    let look = r#"{"command": "echo '=== Todo file ==='; cat todo.txt"}"#;
    let mut turns = vec![turn_of(Role::User, "Mend the pump")];
    turns.extend(shell(
        look,
        "=== Todo file ===\noil the wheel\nmend the dam",
    ));
    turns.extend(shell(r#"{"command": "ls"}"#, "run.sh"));
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("oil the wheel") && !text.contains("-> === Todo"),
        "{text}"
    );
}

#[test]
fn calls_have_room_beside_many_limits_and_findings() {
    let limits: Vec<String> = (0..14)
        .map(|number| format!("Constraint: Never change the valve of mill {number} without asking me about its pump.\n"))
        .collect();
    let earlier = format!(
        "## SESSION INTENT\nMend the mills\n\n## SUMMARY\n{}",
        limits.concat()
    );
    let found: Vec<String> = (0..12)
        .map(|number| format!("I found that the wheel of mill {number} stands still because `wheel_{number}.rs` divides by zero."))
        .collect();
    let request: String = (0..24)
        .map(|number| {
            format!("Go through mill {number} in the valley and say what its wheel lacks. ")
        })
        .collect();
    let mut turns = vec![earlier_turn(&earlier), turn_of(Role::User, &request)];
    for (number, found) in found.iter().enumerate() {
        turns.push(turn_of(Role::Assistant, found));
        turns.extend(shell(r#"{"command": "ls"}"#, "pump.rs"));
        if number == 9 {
            let apply = r#"{"command": "terraform apply"}"#;
            turns.extend(shell(apply, "Apply complete! 7 added"));
        }
    }
    let text = summary_of(&turns, 380);
    assert!(
        text.contains("- terraform apply -> Apply complete! 7 added\n"),
        "{text}"
    );
}

#[test]
fn what_a_call_made_is_told_by_its_record_alone() {
    let turns = [
        turn_of(Role::User, "Make a repository for the mill"),
        call_turn(
            "create_repository",
            r#"{"organization": "mills", "name": "old-mill"}"#,
        ),
        turn_of(
            Role::Tool,
            r#"{"id": 1145726207, "url": "https://git.example/mills/old-mill"}"#,
        ),
        call_turn("bash", r#"{"command": "git push"}"#),
        turn_of(Role::Tool, "pushed"),
    ];
    let text = summary_of(&turns, 500);
    assert!(
        text.contains("https://git.example/mills/old-mill [create_repository]")
            && !text.contains("- create_repository"),
        "{text}"
    );
}

#[test]
fn a_run_before_later_edits_says_so() {
    let run = r#"{"command": "cd /srv && pytest -q"}"#;
    let after = |name: &'static str, arguments: &'static str| {
        let mut turns = vec![turn_of(Role::User, "Mend the pump")];
        turns.extend(shell(run, "== 3 passed in 0.1s =="));
        turns.push(call_turn(name, arguments));
        turns.push(turn_of(Role::Tool, "ok"));
        turns.extend(shell(r#"{"command": "ls"}"#, "pump.py"));
        summary_of(&turns, 400)
    };
    let edit = r#"{"path": "/srv/pump.py", "old_string": "a", "new_string": "b"}"#;
    for (name, arguments) in [
        ("edit", edit),
        ("bash", r#"{"command": "sed -i s/a/b/ /srv/pump.py"}"#),
    ] {
        let text = after(name, arguments);
        assert!(
            text.contains("3 passed in 0.1s == (before later edits)"),
            "{text}"
        );
    }
    let notes = r#"{"path": "/srv/notes.md", "content": "b"}"#;
    let text = after("write", notes);
    assert!(
        text.contains("3 passed") && !text.contains("later edits"),
        "{text}"
    );
}

#[test]
fn a_folder_that_is_made_hides_no_other_command() {
    let told = |command: &str| {
        let arguments = format!("{{\"command\": \"{command}\"}}");
        let mut turns = vec![turn_of(Role::User, "Ship the pump")];
        turns.extend(shell(&arguments, ""));
        turns.extend(shell(r#"{"command": "ls"}"#, "pump.py"));
        summary_of(&turns, 400).contains("mkdir -p out")
    };
    assert!(!told("mkdir -p out && ls"));
    assert!(told("mkdir -p out && cd out; npm publish"));
    assert!(told("mkdir -p out && ./ship.sh"));
}
