//! Tests of what is told once: not again beside the system prompt, the messages that stay, or another section.

use super::*;

#[test]
fn what_the_system_prompt_says_is_no_constraint() {
    let task = "We are solving this issue.\nISSUE:\nThe pump of the mill leaks.\n\nINSTRUCTIONS:\nYou must not edit the tests of the mill in any way. YOU CAN ONLY ENTER ONE COMMAND AT A TIME.\n";
    let turns = [
        turn_of(Role::User, task),
        call_turn("bash", r#"{"command": "ls"}"#),
        turn_of(Role::Tool, "pump.rs"),
    ];
    let beside = |prompt: &str| {
        let kept = [
            turn_of(Role::System, prompt),
            turn_of(Role::Assistant, "I look at it."),
        ];
        summary_beside(&turns, &kept, 400, &quarter_of_chars)
    };
    let shouted = "Constraint: YOU CAN ONLY ENTER ONE COMMAND AT A TIME.";
    let text = beside("You are an engineer of mills and pumps who works in a terminal.");
    assert!(text.contains(shouted), "{text}");
    let text =
        beside("You work in a terminal.\nYOU CAN ONLY ENTER ONE COMMAND AT A TIME. Then wait.");
    assert!(!text.contains(shouted), "{text}");
    assert!(text.contains("edit the tests"), "{text}");
}

#[test]
fn code_that_stays_beside_the_summary_is_not_told_again() {
    let code = "from mill import pump\nwheel = pump.of(7, valve=9)\nwheel.turn(speed='fast')\n";
    let story = "It is an old story of the mill, and nobody knows how it will end. ".repeat(12);
    let request = format!("The wheel breaks.\n{story}\nTo see it:\n```\n{code}```\n{story}");
    let turns = [
        turn_of(Role::User, &request),
        call_turn("bash", r#"{"command": "ls"}"#),
        turn_of(Role::Tool, "pump.py"),
    ];
    let script = serde_json::json!({"path": "a.py", "content": code}).to_string();
    let beside = |arguments: &str| {
        let kept = [
            call_turn("write_file", arguments),
            turn_of(Role::Tool, "ok"),
        ];
        summary_beside(&turns, &kept, 300, &quarter_of_chars)
    };
    let text = beside(r#"{"path": "a.py", "content": "x = 1"}"#);
    assert!(text.contains("wheel = pump.of(7, valve=9)"), "{text}");
    let text = beside(&script);
    assert!(!text.contains("wheel = pump.of"), "{text}");
}

#[test]
fn an_edit_stands_with_its_call_or_with_its_file() {
    let edit = |new: &str| {
        serde_json::json!({"path": "/srv/pump.rs", "old_string": "a", "new_string": new})
            .to_string()
    };
    let (first, second) = (
        edit("let wheel_speed = mill.turn_of(7);"),
        edit("let valve_width = pump.open_to(9);"),
    );
    let turns = [
        turn_of(Role::User, "Mend the pump"),
        call_turn("edit", &first),
        turn_of(Role::Tool, "ok"),
        call_turn("edit", &second),
        turn_of(Role::Tool, "ok"),
    ];
    let text = summary_of(&turns, 400);
    for line in ["let wheel_speed", "let valve_width"] {
        assert_eq!(text.matches(line).count(), 1, "{text}");
    }
}

#[test]
fn a_quotation_that_a_constraint_says_as_a_whole_is_left_out() {
    let wish = "Never open the main valve of the mill while the wheel turns in the spring flood, whatever the miller says of it.";
    let further = "Paint the door of the mill in the color of the river, and write down how much of it was used on each side of it.";
    let turns = [
        turn_of(Role::User, "Look after the mill by the river"),
        turn_of(Role::Assistant, "I look after it."),
        turn_of(Role::User, wish),
        turn_of(Role::Assistant, "I keep it shut."),
        turn_of(Role::User, further),
        turn_of(Role::Assistant, "It is painted."),
        turn_of(Role::User, "Oil the wheel of the mill now"),
        call_turn("bash", r#"{"command": "make oil"}"#),
        turn_of(Role::Tool, "oiled"),
    ];
    for budget in 90..260 {
        let text = summary_of(&turns, budget);
        let begun = "> Never open the main valve";
        assert!(
            !(text.contains(begun) && text.contains("Constraint: Never open the main valve")),
            "{budget}: {text}"
        );
    }
    assert!(summary_of(&turns, 260).contains("spring flood"));
}

#[test]
fn what_was_made_elsewhere_is_told_with_its_address() {
    let turns = [
        turn_of(Role::User, "Publish the mill"),
        call_turn("create_repository", r#"{"name": "mill", "private": true}"#),
        turn_of(
            Role::Tool,
            r#"{"full": {"id": 77123}, "html_url": "https://example.org/o/mill"}"#,
        ),
        call_turn("bash", r#"{"command": "cat README.md"}"#),
        turn_of(Role::Tool, "# Mill\n\nIt grinds."),
    ];
    let text = summary_of(&turns, 400);
    assert!(text.contains("https://example.org/o/mill"), "{text}");
}

#[test]
fn code_that_the_user_forbids_stays_beside_the_same_code() {
    let code = "wheelctl cache purge --all --force\nwheelctl restart --now --hard\n";
    let story = "It is an old story of the mill, and nobody knows how it will end. ".repeat(12);
    let request = format!(
        "Operate the mill.\n{story}\nThe following commands must never be run on mill-prod:\n```\n{code}```\n{story}"
    );
    let turns = [
        turn_of(Role::User, &request),
        call_turn("bash", r#"{"command": "ls"}"#),
        turn_of(Role::Tool, "run.sh"),
    ];
    let kept = [
        call_turn("bash", r#"{"command": "cat run.sh"}"#),
        turn_of(Role::Tool, code),
    ];
    let text = summary_beside(&turns, &kept, 300, &quarter_of_chars);
    assert!(
        text.contains("must never be run on mill-prod:\nwheelctl cache purge"),
        "{text}"
    );
}

#[test]
fn a_request_beside_a_list_of_functions_is_the_users() {
    let functions = "You can use these functions:\n- find_pump(name: str): Finds a pump.\n- find_valve(name: str): Finds a valve.\n- find_wheel(name: str): Finds a wheel.\n";
    let second = |words: &str| format!("{words}\n{functions}");
    let summary = |words: &str| {
        let second = second(words);
        let turns = [
            turn_of(Role::User, "Mend the pump in pump.py"),
            turn_of(Role::Assistant, "It is mended."),
            turn_of(Role::User, &second),
            turn_of(Role::Assistant, "I look for it."),
        ];
        summary_of(&turns, 400)
    };
    let text = summary("Now rename the valve, but never touch the migrations in db/.");
    assert!(text.contains("never touch the migrations in db/"), "{text}");
    let text = summary("Select the necessary APIs to see more of the mill.");
    assert!(!text.contains("to see more of the mill"), "{text}");
    assert!(text.contains("find_valve(name)"), "{text}");
}
