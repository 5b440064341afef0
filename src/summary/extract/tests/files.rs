//! Tests of what became of files.

use super::{call_turn, summary_of, turn_of};
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;

#[test]
fn commands_in_text_touch_files_only_if_a_harness_ran_them() {
    let summary_with_user = |user: &'static str| {
        let turns = [
            turn_of(Role::User, "Fix the pump"),
            turn_of(Role::Assistant, "I look.\n```\ncat pump.py missing.py\n```"),
            turn_of(Role::User, user),
            turn_of(Role::Assistant, "Now this.\n```\nrm old.py\n```"),
        ];
        summary_of(&turns, 300)
    };
    let text = summary_with_user("cat: missing.py: No such file or directory\n1\nbash-$");
    assert!(
        text.contains("read: pump.py\nnamed: missing.py\n") && !text.contains("deleted:"),
        "{text}"
    );
    let text = summary_with_user("I did that, what now?");
    assert!(
        !text.contains("read: pump.py"),
        "a user may do what is said, or not: {text}"
    );
}

#[test]
fn a_call_in_tags_that_failed_wrote_nothing() {
    let call = "<function=str_replace_editor>\n<parameter=command>create</parameter>\n<parameter=path>/srv/new.py</parameter>\n</function>";
    let summary_with_user = |user: &'static str| {
        summary_of(
            &[
                turn_of(Role::User, "Fix it"),
                turn_of(Role::Assistant, call),
                turn_of(Role::User, user),
            ],
            300,
        )
    };
    assert!(
        summary_with_user(
            "EXECUTION RESULT of [str_replace_editor]:\nFile created successfully at: /srv/new.py"
        )
        .contains("written: /srv/new.py")
    );
    let text = summary_with_user(
        "EXECUTION RESULT of [str_replace_editor]:\nERROR: file already exists. Cannot overwrite it.",
    );
    assert!(
        text.contains("named: /srv/new.py") && !text.contains("written:"),
        "{text}"
    );
}

#[test]
fn the_text_of_an_edit_names_no_files() {
    let edit = "I mend it.\n```\nedit 3:4\ndef mend(names) -> List[str]:\n    return names > 1\nend_of_edit\n```";
    let shown = "[File: /srv/doc.py (9 lines total)]\n1:import a\nbash-$";
    let text = summary_of(
        &[
            turn_of(Role::User, "Fix it"),
            turn_of(Role::Assistant, edit),
            turn_of(Role::User, shown),
        ],
        300,
    );
    assert!(
        text.contains("written: /srv/doc.py") && !text.contains("List[str]: /"),
        "{text}"
    );
}

#[test]
fn the_file_that_an_editor_shows_was_written() {
    let edit = call_turn("edit", r#"{"replacement_text": "x", "start_line": 1}"#);
    let summary_with_result = |shown: &'static str| {
        summary_of(
            &[
                turn_of(Role::User, "Fix it"),
                edit.clone(),
                turn_of(Role::Tool, shown),
            ],
            300,
        )
    };
    let text = summary_with_result("File updated.\n[File: /srv/pump.py (9 lines total)]\n1:x");
    assert!(text.contains("written: /srv/pump.py"), "{text}");
    assert!(
        !summary_with_result(
            "Your proposed edit has introduced new syntax error(s).\n[1:x /srv/pump.py"
        )
        .contains("written:")
    );
}

#[test]
fn results_decide_the_actions_on_files() {
    let result = |text: &'static str, failed| ViewedTurn {
        failed,
        ..turn_of(Role::Tool, text)
    };
    let turns = [
        turn_of(Role::User, "Tidy up"),
        call_turn("edit_file", r#"{"path": "/p/edited.py"}"#),
        result("oldString not found", false),
        call_turn("write_file", r#"{"path": "/p/w.py"}"#),
        result("EACCES", true),
        call_turn("write_file", r#"{"path": "/p/whole.py"}"#),
        result("/p/whole.py has been written", false),
        call_turn(
            "bash",
            r#"{"command": "rm /p/gone.txt; cat /p/nofile.txt; mv /p/from.c /p/to.c"}"#,
        ),
        result("cat: /p/nofile.txt: No such file or directory", false),
        call_turn("delete_file", r#"{"path": "/p/del.py"}"#),
        turn_of(Role::Assistant, "Done"),
    ];
    let text = summary_of(&turns, 400);
    let wanted = "## ARTIFACTS\nwritten: /p/to.c /p/whole.py\ndeleted: /p/del.py /p/from.c /p/gone.txt\nnamed: /p/nofile.txt /p/w.py /p/edited.py\n";
    assert!(text.contains(wanted), "{text}");
    for call in [
        "- edit_file /p/edited.py -> ! oldString not found\n",
        "- write_file /p/w.py -> ! EACCES\n",
        "Last action: delete_file /p/del.py",
    ] {
        assert!(text.contains(call), "{call} is not in {text}");
    }
    // That it was written stands with the files.
    assert!(!text.contains("- write_file /p/whole.py"), "{text}");
}

#[test]
fn a_path_with_a_tag_of_the_frame_is_left_out() {
    let text = summary_of(
        &[
            turn_of(Role::User, "Go"),
            call_turn(
                "write_file",
                r#"{"path": "/out/</summary>.txt", "mode": "new_1"}"#,
            ),
        ],
        300,
    );
    assert!(
        !text.contains(".txt") && text.contains("Last action: write_file mode new_1"),
        "{text}"
    );
}

#[test]
fn a_file_stands_once_and_without_its_folder_rather_than_not_at_all() {
    let long = "/home/mia/workspaces/the-house-of-pumps/packages/pump-controller/src/valve.rs";
    let edit = format!(r#"{{"path": "{long}", "content": "x"}}"#);
    let turns = [
        turn_of(Role::User, "Mend the pump"),
        call_turn("write_file", &edit),
        turn_of(Role::Tool, "saved"),
        call_turn("bash", r#"{"command": "cat src/valve.rs"}"#),
        turn_of(Role::Tool, "x"),
        call_turn("bash", r#"{"command": "make"}"#),
        turn_of(Role::Tool, "done"),
    ];
    let text = summary_of(&turns, 600);
    assert!(text.contains(&format!("written: {long}")), "{text}");
    assert!(!text.contains("read: src/valve.rs"), "{text}");
    let text = summary_of(&turns, 170);
    assert!(text.contains("written: valve.rs"), "{text}");
}

#[test]
fn a_folder_above_a_listed_file_is_not_named() {
    let turns = [
        turn_of(Role::User, "Mend the pump"),
        call_turn("list_directory", r#"{"path": "/srv/house"}"#),
        turn_of(Role::Tool, "pump.rs"),
        call_turn("list_directory", r#"{"path": "/srv/mill"}"#),
        turn_of(Role::Tool, "wheel.rs"),
        call_turn(
            "write_file",
            r#"{"path": "/srv/house/pump.rs", "content": "x"}"#,
        ),
        turn_of(Role::Tool, "ok"),
    ];
    let text = summary_of(&turns, 400);
    assert!(text.contains("\nnamed: /srv/mill\n"), "{text}");
}

#[test]
fn a_change_of_mode_the_null_device_and_an_address_write_no_file() {
    let turns = [
        turn_of(Role::User, "Set it up"),
        call_turn(
            "bash",
            r#"{"command": "chmod +x setup.sh && git clone https://<redacted>@host.example/pump.git && terraform init > NUL"}"#,
        ),
        turn_of(Role::Tool, "done"),
        turn_of(Role::Assistant, "It is set up."),
    ];
    let text = summary_of(&turns, 400);
    assert!(!text.contains("written: "), "{text}");
}

#[test]
fn a_file_that_is_not_there_is_not_named() {
    let turns = [
        turn_of(Role::User, "Set it up"),
        call_turn("read_file", r#"{"path": "notes/build-context.md"}"#),
        turn_of(Role::Tool, "Error: File not found: notes/build-context.md"),
        call_turn("read_file", r#"{"path": "notes/locked.md"}"#),
        turn_of(Role::Tool, "Error: permission denied"),
        turn_of(Role::Assistant, "I go on."),
    ];
    let text = summary_of(&turns, 400);
    assert!(text.contains("named: notes/locked.md\n"), "{text}");
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
fn a_folder_whose_files_have_no_room_is_not_written_alone() {
    let plans = "/home/mia/.notes/personal-finance/12860f21-3591/plans";
    let mut paths = vec![
        format!("{plans}/groups.md"),
        "app/web/src/groups/page.tsx".to_owned(),
        "app/web/src/groups/list.tsx".to_owned(),
    ];
    let long = "a-very-long-name-of-a-plan".repeat(6);
    paths.extend((0..3).map(|number| format!("{plans}/{long}-{number}.md")));
    let calls: Vec<String> = (paths.iter().rev())
        .map(|path| format!(r#"{{"file_path": "{path}", "content": "x"}}"#))
        .collect();
    let mut turns = vec![turn_of(Role::User, "Build the page of the groups")];
    for call in &calls {
        turns.push(call_turn("write_file", call));
        turns.push(turn_of(Role::Tool, "ok"));
    }
    let text = summary_of(&turns, 360);
    assert!(!text.contains("% = "), "{text}");
    assert!(text.contains("src/groups/list.tsx"), "{text}");
}
