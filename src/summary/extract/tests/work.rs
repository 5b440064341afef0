//! What goes on: work that the messages that stay continue, and what is asked again.

use super::{
    call_turn, quarter_of_chars, shell, summary_before_repetition, summary_beside, summary_of,
    turn_of,
};
use crate::transcript::Role;

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
fn the_next_call_after_the_same_output_answers_no_question() {
    let output = "Your command ran successfully and did not produce any output.";
    let call = "Let us look at it:\n<function=str_replace_editor>\n<parameter=command>view</parameter>\n<parameter=path>/srv/pump.py</parameter>\n</function>";
    for question in [output, "This tool printed nothing at all for you."] {
        let turns = [
            turn_of(Role::User, "Mend the pump."),
            turn_of(Role::User, question),
            turn_of(Role::Assistant, call),
        ];
        let kept = [
            turn_of(Role::Assistant, "I see."),
            turn_of(Role::User, question),
        ];
        let written = summary_beside(&turns, &kept, 512, &quarter_of_chars);
        assert!(!written.contains("Answered to that"), "{written}");
    }
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
