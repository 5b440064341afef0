//! Errors: which are told, how often they came, and which are over.

use super::{call_turn, quarter_of_chars, shell, summary_beside, summary_of, turn_of};
use crate::transcript::Role;

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
