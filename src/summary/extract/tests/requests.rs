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
            && text
                .contains("Constraint: the steps asked for end with: 1. Look / 2. Mend it / 3. Run the tests again"),
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
    assert!(
        text.contains("Constraint: \"Which name?\"=\"valve_7\"."),
        "{text}"
    );
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
        text.contains("> Always keep the old pump beside it.\n") && !text.contains("weather")
    };
    assert!((90..190).any(is_alone));
}

#[test]
fn a_request_that_a_commit_came_after_says_so_once() {
    let turns = [
        turn_of(Role::User, "Build a pump with two valves"),
        turn_of(Role::Assistant, "Which kind of valves?"),
        turn_of(Role::User, "Take the red valves from the shop in town"),
        call_turn("bash", r#"{"command": "git commit -am 'Add red valves'"}"#),
        turn_of(Role::Tool, "[main 6c9a264] Add red valves\n 1 file changed"),
    ];
    let text = summary_of(&turns, 400);
    let marked = "Newest request: (a commit came since) Take the red valves from the shop in town";
    assert!(text.lines().any(|line| line == marked), "{text}");
    assert!(!summary_of(&turns[..3], 400).contains("a commit came since"));
    let framed = format!("<summary>\n{text}\n</summary>");
    let again = [
        ViewedTurn {
            earlier_summary: true,
            ..turn_of(Role::User, &framed)
        },
        turn_of(Role::Assistant, "I go on."),
    ];
    let second = summary_of(&again, 400);
    assert!(
        second.contains("Take the red valves") && !second.contains("a commit came since"),
        "{second}"
    );
}

#[test]
fn what_a_hook_says_again_with_news_is_shortened() {
    let hook = |left: usize| {
        format!(
            "The hook of the shop says no:\nThe pump is not ready to be sold.\n{}{left} valves are left",
            "Look at each of the valves of the pump again, please.\n".repeat(8)
        )
    };
    let (first, second) = (hook(7), hook(3));
    let turns = [
        turn_of(Role::User, "Sell the pump"),
        call_turn("bash", r#"{"command": "sell pump_7"}"#),
        turn_of(Role::Tool, "no"),
        turn_of(Role::User, &first),
        call_turn("bash", r#"{"command": "mend pump_7"}"#),
        turn_of(Role::Tool, "ok"),
    ];
    let kept = [
        turn_of(Role::User, &second),
        turn_of(Role::Assistant, "I mend the others."),
    ];
    let text = summary_beside(&turns, &kept, 600, &quarter_of_chars);
    assert!(
        text.contains("(said again, with news, in the messages that follow)")
            && !text.contains("7 valves are left"),
        "{text}"
    );
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
fn little_is_not_cut_from_a_request() {
    let request = "Hi, I'm in a bit of a situation with my flights and need to downgrade them from business to economy class. Can you help?";
    let turns = [
        turn_of(Role::User, request),
        call_turn("get_order", "{}"),
        turn_of(Role::Tool, r#"{"order_id": "ORD7101", "state": "open"}"#),
    ];
    for budget in [200, 260, 320, 400] {
        let text = summary_of(&turns, budget);
        assert!(text.contains(request), "{budget}: {text}");
    }
}

#[test]
fn functions_that_a_harness_offers_are_told_by_their_signatures() {
    let offer = "You can use these functions:\n- find_valve(name: str): Finds a valve.\n- find_pump(name: str, house: str): Finds a pump.\n- sell_pump(name: str): Sells it.";
    let turns = [
        turn_of(Role::User, "Mend the pump of the house"),
        turn_of(Role::User, offer),
        turn_of(Role::Assistant, "I look for it."),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("Constraint: functions to call: find_valve(name); find_pump(name, house); sell_pump(name)"),
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
fn the_longest_wish_stays_however_old_and_what_was_first_does_not() {
    let vision = "First, set up the folder of the game now. The game should have a bank that lends to the mills, and the mills should pay it back with what they earn. The taxes must rise with the wealth of a town, so that rich towns carry the poor ones. The rest of the management should be kept as small as it can be.";
    let mut turns = vec![
        turn_of(Role::User, "Make me a small game about mills and towns"),
        turn_of(Role::Assistant, "Tell me more."),
        turn_of(Role::User, vision),
    ];
    let others: Vec<String> = (0..14)
        .map(|number| format!("Please draw the wheel of mill number {number} without any of its sails, but with a door."))
        .collect();
    for other in &others {
        turns.push(call_turn("bash", r#"{"command": "make a"}"#));
        turns.push(turn_of(Role::Tool, "made"));
        turns.push(turn_of(Role::Assistant, "Done."));
        turns.push(turn_of(Role::User, other));
    }
    let text = summary_of(&turns, 330);
    assert!(
        text.contains("> The taxes must rise with the wealth of a town")
            && !text.contains("set up the folder of the game"),
        "{text}"
    );
}

#[test]
fn what_looks_like_a_harness_or_an_answer_may_be_a_task() {
    // The end of a request is no prompt of a shell.
    let convert =
        "Convert the tables of the pump.\nInput: pumps.csv\nOutput: never overwrite pumps.json";
    let turns = [
        turn_of(Role::User, convert),
        turn_of(Role::Assistant, "I look at it."),
    ];
    assert!(summary_of(&turns, 400).contains("Output: never overwrite pumps.json"));
    // Functions to write are no functions to call.
    let write = "Write pump.rs. These functions must be available to all:\n- open_valve(name: str): Never raises.\n- set_speed(speed: int): At most 900.\n- close_valve(name: str): Closes it.";
    let turns = [
        turn_of(Role::User, write),
        turn_of(Role::Assistant, "I do."),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("At most 900.") && !text.contains("functions to call"),
        "{text}"
    );
    // An order that begins like an answer is an order.
    let turns = [
        turn_of(Role::User, "Tidy up the tables of the pump in the shop"),
        turn_of(Role::Assistant, "Shall I delete the old table?"),
        turn_of(
            Role::User,
            "Sure, drop the old table but back it up to the shelf.",
        ),
        call_turn("bash", r#"{"command": "make a"}"#),
        turn_of(Role::Tool, "made"),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("Newest request: Sure, drop the old table"),
        "{text}"
    );
}

#[test]
fn two_tasks_with_the_same_head_are_no_form() {
    let task = |rest: &str| {
        format!(
            "Repository: acme/pump-controller of the town\nBranch to work on: feature/valves-of-the-pump\n{rest}"
        )
    };
    let first = task(
        "Build the valve, and never touch the folder of the migrations.\nIt has two wheels and one axle, and it is painted red all over.\nAsk me before you sell it to anybody, and take the money first.",
    );
    let second = task(
        "Write the manual of the pump for those who buy it.\nIt has ten pages with a picture each.",
    );
    let turns = [
        turn_of(Role::User, "Hello, there is a lot to do for the pump"),
        turn_of(Role::Assistant, "Tell me."),
        turn_of(Role::User, &first),
        call_turn("bash", r#"{"command": "make a"}"#),
        turn_of(Role::Tool, "made"),
    ];
    let kept = [
        turn_of(Role::User, &second),
        turn_of(Role::Assistant, "I write it."),
    ];
    let text = summary_beside(&turns, &kept, 500, &quarter_of_chars);
    assert!(
        text.contains("never touch the folder of the migrations"),
        "{text}"
    );
}

#[test]
fn a_refused_plan_is_no_next_step() {
    let plan = "Next steps:\n1. Delete the table of the pumps\n2. Push it to the main branch";
    for (answer, agrees) in [
        ("ok, go on", true),
        ("Continue!", true),
        ("No. Go with plan B", false),
        ("Stop! Ok, only look", false),
        ("ok, undo all of it", false),
        ("go back", false),
    ] {
        let turns = [
            turn_of(Role::User, "Mend the pump"),
            call_turn("bash", r#"{"command": "make a"}"#),
            turn_of(Role::Tool, "made"),
            turn_of(Role::Assistant, plan),
            turn_of(Role::User, answer),
            call_turn("bash", r#"{"command": "make b"}"#),
            turn_of(Role::Tool, "made"),
        ];
        let text = summary_of(&turns, 400);
        assert_eq!(
            text.contains("Next: Delete the table"),
            agrees,
            "{answer}: {text}"
        );
    }
}

#[test]
fn a_very_long_line_with_many_dots_costs_no_more_than_others() {
    let hosts = "pump-7.mill.example\n".repeat(20_000);
    let dots = ".".repeat(200_000);
    let turns = [
        turn_of(Role::User, "Mend the pumps of the mill"),
        turn_of(Role::Assistant, "Which ones?"),
        turn_of(Role::User, &hosts),
        turn_of(Role::Assistant, &dots),
        turn_of(Role::User, "All of them, please"),
    ];
    assert!(summary_of(&turns, 400).contains("Mend the pumps of the mill"));
}

#[test]
fn a_request_that_is_made_several_times_says_how_often() {
    let again = "The answer is not precise. Please check the arguments again.";
    let mut turns = vec![turn_of(
        Role::User,
        "Find the fault of the pump in the mill",
    )];
    for _ in 0..3 {
        turns.push(turn_of(Role::Assistant, "It is the valve."));
        turns.push(turn_of(Role::User, again));
    }
    turns.push(turn_of(Role::Assistant, "Then it is the wheel."));
    let text = summary_of(&turns, 400);
    let line = format!("Newest request: {again} (said 3 times)");
    assert!(text.lines().any(|other| other == line), "{text}");
    let framed = format!("<summary>\n{text}\n</summary>");
    let next = [
        ViewedTurn {
            earlier_summary: true,
            ..turn_of(Role::User, &framed)
        },
        turn_of(Role::Assistant, "I go on."),
    ];
    let second = summary_of(&next, 400);
    assert!(
        second.contains(again) && !second.contains("3 times"),
        "{second}"
    );
}

#[test]
fn limits_stay_beside_a_long_newest_request() {
    let long = format!(
        "Now do the second part of the work. {}",
        "The wheel of the mill is painted in a colour of the town where it stands. ".repeat(14)
    );
    for limit in [
        "Please never push to the main branch",
        "Ask me first before you deploy the pump",
        "Don't touch prod.toml, it is now in use",
        "Do not touch prod.toml, ok?",
        "You must avoid the folder of the migrations",
    ] {
        for is_record in [true, false] {
            let mut turns = vec![turn_of(
                Role::User,
                "Hi, check the pumps of the mill for me",
            )];
            let work = |turns: &mut Vec<ViewedTurn<'_>>| {
                for _ in 0..3 {
                    if is_record {
                        turns.push(call_turn("get_order", "{}"));
                        turns.push(turn_of(
                            Role::Tool,
                            r#"{"order_id": "ORD7101", "state": "open", "price": 71}"#,
                        ));
                    } else {
                        turns.push(call_turn("bash", r#"{"command": "make a"}"#));
                        turns.push(turn_of(Role::Tool, "made"));
                    }
                }
                turns.push(turn_of(Role::Assistant, "I did that."));
            };
            work(&mut turns);
            turns.push(turn_of(Role::User, limit));
            work(&mut turns);
            turns.push(turn_of(Role::User, &long));
            work(&mut turns);
            let mut text = summary_of(&turns, 512);
            for round in 1..4 {
                assert!(text.contains(limit), "{limit}, round {round}: {text}");
                let framed = format!("<summary>\n{text}\n</summary>");
                let mut next = vec![ViewedTurn {
                    text: std::borrow::Cow::Owned(framed),
                    earlier_summary: true,
                    ..turn_of(Role::User, "")
                }];
                work(&mut next);
                text = summary_of(&next, 512);
            }
        }
    }
}

#[test]
fn a_request_that_is_made_again_after_its_commit_is_open() {
    let again = "Fix the next test of the suite that fails, please.";
    let turns = [
        turn_of(Role::User, "Look after the pump of the mill for me"),
        turn_of(Role::Assistant, "I do."),
        turn_of(Role::User, again),
        call_turn("bash", r#"{"command": "git commit -am 'Fix a test'"}"#),
        turn_of(Role::Tool, "[main 6c9a264] Fix a test\n 1 file changed"),
        turn_of(Role::Assistant, "Fixed."),
        turn_of(Role::User, again),
        call_turn("bash", r#"{"command": "make test"}"#),
        turn_of(Role::Tool, "made"),
    ];
    let text = summary_of(&turns, 400);
    assert!(
        text.contains("(said 2 times)") && !text.contains("a commit came since"),
        "{text}"
    );
}

#[test]
fn what_is_no_note_stays_in_a_second_summary() {
    let request = "Ask Anna (said to be the owner) before you deploy, and try it (at most 3 times)";
    let turns = [
        turn_of(Role::User, request),
        call_turn("bash", r#"{"command": "make a"}"#),
        turn_of(Role::Tool, "made"),
    ];
    let framed = format!("<summary>\n{}\n</summary>", summary_of(&turns, 400));
    let again = [
        ViewedTurn {
            earlier_summary: true,
            ..turn_of(Role::User, &framed)
        },
        turn_of(Role::Assistant, "I go on."),
    ];
    let text = summary_of(&again, 400);
    assert!(text.contains(request), "{text}");
}
