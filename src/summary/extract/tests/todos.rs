//! Todos: which of them are open, done, or older than the newest request.

use super::{call_turn, quarter_of_chars, shell, summary_beside, summary_of, turn_of};
use crate::transcript::Role;

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
