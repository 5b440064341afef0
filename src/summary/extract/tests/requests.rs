//! Tests of what the user and the harness want, and of what is done.

use super::{call_turn, quarter_of_chars, summary_beside, summary_of, turn_of};
use crate::transcript::Role;
use crate::transcript::view::ViewedTurn;

#[test]
fn short_replies_stand_behind_the_newest_request_with_their_questions() {
    let turns = [
        turn_of(Role::User, "Tidy up the folder of the pump"),
        turn_of(Role::Assistant, "Where to?"),
        turn_of(Role::User, "Move pump.rs to core/, and never touch main.rs"),
        turn_of(Role::Assistant, "I moved it. Shall I commit that?"),
        turn_of(Role::User, "yes"),
        turn_of(
            Role::Assistant,
            "1. as one commit\n2. as two commits\nWhich?",
        ),
        turn_of(Role::User, "2"),
        turn_of(Role::Assistant, "I do."),
    ];
    let text = summary_of(&turns, 600);
    assert!(
        text.contains(
            "Newest request: Move pump.rs to core/, and never touch main.rs\n  Then: yes (Shall I commit that?) / 2 (2. as two commits)"
        ),
        "{text}"
    );
}

#[test]
fn what_a_harness_limits_and_its_last_steps_are_constraints() {
    let task = "<pr_description>\nThe pump leaks when it is off.\n</pr_description>\nMake the minimal changes to files that are no tests.\nFollow these steps:\n1. Look\n2. Mend it\n3. Run the tests again";
    let text = summary_of(
        &[
            turn_of(Role::User, task),
            turn_of(Role::Assistant, "I look."),
        ],
        600,
    );
    assert!(
        text.contains("## SESSION INTENT\nThe pump leaks when it is off.\n")
            && text.contains("Constraint: Make the minimal changes to files that are no tests.\n")
            && text.contains(
                "Constraint: the steps asked for, in short: 1. Look / 2. Mend it / 3. Run the tests again"
            ),
        "{text}"
    );
}

#[test]
fn a_commit_is_told_by_its_message() {
    let commit =
        r#"{"command": "cd /srv && git add -A && git commit -m \"Split the pump in two\""}"#;
    let turns = [
        turn_of(Role::User, "Tidy up"),
        call_turn("bash", commit),
        turn_of(Role::Tool, "[main 1a2b3c4] Split the pump in two"),
        call_turn("bash", r#"{"command": "ls"}"#),
        turn_of(Role::Tool, "pump.rs"),
    ];
    let text = summary_of(&turns, 600);
    assert!(
        text.contains("- git commit: Split the pump in two [main 1a2b3c4]\n"),
        "{text}"
    );
}

#[test]
fn a_list_of_todos_that_stays_is_not_repeated() {
    let todos = r#"{"todos": [{"content": "fix it", "status": "pending"}]}"#;
    let turns = [
        turn_of(Role::User, "Mend the pump"),
        call_turn("write_todos", todos),
        turn_of(Role::Tool, "saved"),
        turn_of(Role::Assistant, "It goes on."),
    ];
    let written = |kept: &[ViewedTurn<'_>]| summary_beside(&turns, kept, 600, &quarter_of_chars);
    assert!(written(&[]).contains("Open: fix it"));
    assert!(!written(&[call_turn("write_todos", todos)]).contains("Open: fix it"));
}

#[test]
fn the_answers_to_questions_of_a_tool_are_wishes() {
    let turns = [
        turn_of(Role::User, "Publish the pump"),
        call_turn(
            "question",
            r#"{"questions": [{"question": "Which name?"}]}"#,
        ),
        turn_of(
            Role::Tool,
            "User has answered your questions: \"Which name?\"=\"valve_7\". You can now continue with the user's answers in mind.",
        ),
        call_turn("question", r#"{"questions": []}"#),
        turn_of(
            Role::Tool,
            "User has answered your questions: . You can now continue",
        ),
        turn_of(Role::Assistant, "I do."),
    ];
    let text = summary_of(&turns, 600);
    assert!(!text.contains("Constraint: \n"), "{text}");
    assert!(text.contains("Constraint: valve_7 (Which name?)"), "{text}");
}

#[test]
fn of_older_requests_the_wishes_stay() {
    let old = "By the way, I like the new valve and how it shines in the sun of the morning. \
               Always keep the old pump beside it. \
               How is the weather over there, and did the roses come through the winter?";
    let mut turns = vec![
        turn_of(Role::User, "Build a new pump"),
        turn_of(Role::Assistant, "Yes."),
    ];
    turns.push(turn_of(Role::User, old));
    for later in [
        "Paint the pump in the blue of the sea",
        "Put the pump behind the house",
        "Now test the pump with water",
    ] {
        turns.push(turn_of(Role::Assistant, "Done."));
        turns.push(turn_of(Role::User, later));
    }
    turns.push(turn_of(Role::Assistant, "Done."));
    assert!(summary_of(&turns, 2000).contains("through the winter?"));
    // With less room the wish stands alone before it is lost.
    let is_alone = |budget: usize| {
        let text = summary_of(&turns, budget);
        text.contains("> … Always keep the old pump beside it. …\n") && !text.contains("weather")
    };
    assert!((90..190).any(is_alone));
}

#[test]
fn the_prompt_of_a_shell_is_no_request() {
    let turns = [
        turn_of(
            Role::User,
            "Mend the pump\n(Open file: n/a)\n(Current directory: /srv)\nbash-$",
        ),
        turn_of(Role::Assistant, "I look at it."),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("## SESSION INTENT\nMend the pump\n\n"),
        "{text}"
    );
}

#[test]
fn what_the_user_only_tells_is_no_newest_request() {
    let turns = [
        turn_of(Role::User, "Hi, I'd like to change my flights to Rome."),
        turn_of(Role::Assistant, "Sure. Which flight do you mean?"),
        turn_of(
            Role::User,
            "Please change the first one to the cheapest of the day.",
        ),
        turn_of(
            Role::Assistant,
            "Please provide the number of your booking.",
        ),
        turn_of(
            Role::User,
            "Sure, my number is MIA-3668. Can you help me with that?",
        ),
        call_turn("get_order", "{}"),
        turn_of(Role::Tool, r#"{"order_id": "ORD7101", "state": "open"}"#),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("Newest request: Please change the first one to the cheapest of the day.")
            && text.contains("> Sure, my number is MIA-3668."),
        "{text}"
    );
}

#[test]
fn of_few_messages_all_requests_stay() {
    let turns = [
        turn_of(
            Role::User,
            "My flight HAT039 was late. Why did this happen?",
        ),
        turn_of(Role::Assistant, "I don't know."),
        turn_of(Role::User, "Then I would like a voucher for it."),
        turn_of(Role::Assistant, "I look."),
    ];
    let text = summary_of(&turns, 40);
    assert_eq!(
        text,
        "My flight HAT039 was late. Why did this happen?\n> Then I would like a voucher for it."
    );
}

#[test]
fn what_a_document_says_stands_with_the_request_that_points_to_it() {
    let plan = "     1→# Plan\n     2→1. Move pump.rs to core/\n     3→2. Never touch the gates in main.rs\n     4→3. Run the tests of the mill at the end\n";
    let turns = [
        turn_of(Role::User, "Please implement notes/plan.md"),
        call_turn("Read", r#"{"file_path": "/srv/notes/plan.md"}"#),
        turn_of(Role::Tool, plan),
        turn_of(Role::Assistant, "I begin."),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("Please implement notes/plan.md\nplan.md: # Plan\n1. Move pump.rs to core/\n2. Never touch the gates in main.rs\n3. Run the tests"),
        "{text}"
    );
    let other = turn_of(Role::User, "Please write notes/plan.md anew");
    let turns = [
        &[other],
        &turns[1..2],
        &[turn_of(Role::Tool, "not found")],
        &turns[3..],
    ]
    .concat();
    assert!(!summary_of(&turns, 400).contains("plan.md: "));
}

#[test]
fn errors_in_a_file_of_source_code_are_none_of_the_session() {
    let summary = |arguments: &'static str, shown: &'static str| {
        let turns = [
            turn_of(Role::User, "Look at the pump"),
            call_turn("Read", arguments),
            turn_of(Role::Tool, shown),
            // The last call shows its outcome itself.
            call_turn("bash", r#"{"command": "git status"}"#),
            turn_of(Role::Tool, "clean"),
            turn_of(Role::Assistant, "I look."),
        ];
        summary_of(&turns, 400)
    };
    let shown = "begin\nError: pump_7 is red\nend";
    let log = summary(r#"{"file_path": "/srv/mill.log"}"#, shown);
    let is_told = |text: &str| text.lines().any(|line| line.starts_with("Error"));
    assert!(is_told(&log), "{log}");
    for (arguments, shown) in [
        (r#"{"file_path": "/srv/mill.ts"}"#, shown),
        // Data about errors reports none.
        (
            r#"{"file_path": "/srv/theme.json"}"#,
            "{\n  \"ok\": \"green\",\n  \"error\": \"red\",\n}",
        ),
    ] {
        let text = summary(arguments, shown);
        assert!(!is_told(&text), "{text}");
    }
}

#[test]
fn what_the_user_answers_to_a_tool_is_quoted_but_no_newest_request() {
    let turns = [
        turn_of(Role::User, "Build the pump service in src/pump.rs"),
        turn_of(Role::Assistant, "It is built."),
        turn_of(
            Role::User,
            "Now deploy it to the mill, and keep the old pump running",
        ),
        turn_of(Role::Assistant, "How shall I log in?"),
        turn_of(
            Role::User,
            "[ask_followup_question for 'How shall I log in?'] Result:\n<answer>\nLog in with the account of the mill\n</answer>",
        ),
        turn_of(Role::Assistant, "I do."),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("> Log in with the account of the mill")
            && !text.contains("request: Log in with"),
        "{text}"
    );
}

#[test]
fn few_findings_of_before_the_newest_request_are_told_once_much_was_done_for_it() {
    let mut turns = vec![
        turn_of(Role::User, "Look at the pump of the mill"),
        call_turn("read_file", r#"{"path": "src/pump.rs"}"#),
        turn_of(Role::Tool, "fn pump() {}"),
    ];
    let old: Vec<String> = (0..6)
        .map(|number| {
            format!("The root cause is that `valve_{number}` leaks in `old_{number}.rs`.")
        })
        .collect();
    for text in &old {
        turns.push(turn_of(Role::Assistant, text));
    }
    turns.push(turn_of(Role::User, "Now build the wheel of the mill anew"));
    let newest = turns.len();
    let work = "The wheel in `wheel.rs` needs oil because `axle_9` is dry.";
    turns.push(turn_of(Role::Assistant, work));
    let told = |turns: &[ViewedTurn<'_>]| {
        let text = summary_of(turns, 1600);
        (text.matches("leaks in").count(), text.contains(work))
    };
    assert_eq!(told(&turns), (6, true));
    for _ in 0..5 {
        turns.push(call_turn("read_file", r#"{"path": "src/wheel.rs"}"#));
        turns.push(turn_of(Role::Tool, "fn wheel() {}"));
    }
    assert!(turns.len() - newest > 10);
    assert_eq!(told(&turns), (3, true));
}

#[test]
fn what_the_assistant_took_a_goal_for_stands_behind_one_that_only_names_a_file() {
    let goal = |request: &'static str| {
        let turns = [
            turn_of(Role::User, request),
            turn_of(
                Role::Assistant,
                "Let me read `prompt.md` first. I will rebuild the pump service of the mill.",
            ),
            turn_of(Role::User, "can you tell me the steps of the test?"),
            turn_of(Role::Assistant, "Turn the wheel, then look."),
        ];
        summary_of(&turns, 400)
    };
    let line = "\nUnderstood as: I will rebuild the pump service of the mill.\n";
    let text = goal("@prompt.md really think about this");
    assert!(text.contains(line), "{text}");
    let text = goal("Rebuild the service of the pump in @prompt.md with all that it says there");
    assert!(!text.contains("Understood as"), "{text}");
}

#[test]
fn what_a_request_to_go_on_speaks_of_stands_behind_it() {
    let newest = |reply: &'static str, request: &'static str| {
        let turns = [
            turn_of(Role::User, "Build the pump service in src/pump.rs"),
            turn_of(Role::Assistant, reply),
            turn_of(Role::User, request),
            turn_of(Role::Assistant, "I do."),
        ];
        summary_of(&turns, 400)
    };
    let reply =
        "The valve is in.\n\nNext is part 14: the wheel of the mill. Shall I begin with it now?";
    let text = newest(reply, "i looked at all of it and it's good. continue");
    assert!(
        text.contains("it's good. continue (Next is part 14: the wheel of the mill.)"),
        "{text}"
    );
    let text = newest(
        "Shall I begin with the wheel of the mill now?",
        "yes, that is good, go on with it",
    );
    assert!(
        text.contains("(Shall I begin with the wheel of the mill now?)"),
        "{text}"
    );
    let text = newest(
        "Shall I begin with the wheel, or with the pipe of the mill?",
        "yes, go on with it, please",
    );
    assert!(!text.contains("(Shall I"), "{text}");
    let text = newest(reply, "no, look at the pipe of the mill first");
    assert!(!text.contains("(Next is"), "{text}");
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
fn a_goal_is_understood_by_what_follows_it_at_once() {
    let understood = |goal: &'static str, reply: &'static str| {
        let turns = [
            turn_of(Role::User, goal),
            turn_of(Role::Assistant, reply),
            turn_of(Role::User, "wait, before that tell me of the dam"),
            turn_of(
                Role::Assistant,
                "I will delete the old logs of the dam first.",
            ),
        ];
        summary_of(&turns, 400).contains("Understood as")
    };
    assert!(understood(
        "@task.md do it",
        "I will build the pump of the mill."
    ));
    for (goal, reply) in [
        ("@task.md do it", ""),
        (
            "@task.md do it",
            "I could not find the file that you named there.",
        ),
        (
            "@task.md do it",
            "What would you like me to do in this house?",
        ),
        ("never touch @task.md", "I will build the pump of the mill."),
    ] {
        assert!(!understood(goal, reply), "{goal}: {reply}");
    }
}

#[test]
fn who_refuses_an_offer_does_not_go_on_with_it() {
    let newest = |request: &'static str| {
        let turns = [
            turn_of(Role::User, "Move the shop to the new mill"),
            turn_of(
                Role::Assistant,
                "It is copied. Next I will drop the old tables of the shop.",
            ),
            turn_of(Role::User, request),
            turn_of(Role::Assistant, "I do."),
        ];
        summary_of(&turns, 400).contains("(Next I will drop")
    };
    assert!(newest("that is fine with me, please continue"));
    assert!(!newest("no, do not proceed with that at all"));
    assert!(!newest("不可以，先不要继续，先把表格备份一下吧"));
    assert!(!newest("can you continue with something else?"));
}

#[test]
fn the_newest_of_many_messages_is_quoted_whole_and_a_ticket_keeps_its_limits() {
    let ticket = format!(
        "Do this ticket:\n{{\"task\": \"Export the rooms by night\", \"limits\": [\"must not touch the table of the payments\"], \"owner\": \"{}\"}}",
        "ops ".repeat(20)
    );
    let newest = "alright, the list of the rooms, i feel like there is lots of code that stands twice in it when the editor is swapped out";
    let wishes: Vec<String> = (0..6)
        .map(|number| format!("Never turn wheel {number} of the mill, and only oil it with the oil of house {number}."))
        .collect();
    let mut turns = vec![
        turn_of(Role::User, "Build the mill"),
        turn_of(Role::Assistant, "I do."),
    ];
    let wishes = wishes.iter().map(String::as_str);
    for text in wishes.chain([ticket.as_str(), newest]) {
        turns.push(turn_of(Role::User, text));
        turns.push(turn_of(Role::Assistant, "I do."));
    }
    turns.push(turn_of(Role::User, "Can we make that even better?"));
    turns.push(turn_of(Role::Assistant, "I look."));
    let text = summary_of(&turns, 512);
    assert!(text.contains(&format!("> {newest}")), "{text}");
    let text = summary_of(&turns, 900);
    assert!(
        text.contains("must not touch the table of the payments"),
        "{text}"
    );
}

#[test]
fn a_pasted_error_is_no_limit_and_a_decision_is_kept() {
    let error =
        r#"400 {"type": "error", "message": "each call must have a result in the next message"}"#;
    let turns = [
        turn_of(Role::User, "Build a new pump"),
        turn_of(Role::Assistant, "Yes."),
        turn_of(Role::User, error),
        turn_of(Role::Assistant, "I see."),
        turn_of(
            Role::User,
            "ok let's use oak. do we need to paint the wheel of it at all?",
        ),
        turn_of(Role::Assistant, "No."),
        turn_of(Role::User, "Paint the pump in the blue of the sea"),
        turn_of(Role::Assistant, "I do."),
    ];
    let text = summary_of(&turns, 400);
    assert!(!text.contains("Constraint: each call must"), "{text}");
    assert!(text.contains("ok let's use oak."), "{text}");
}
