//! `evaluate`: what a compaction would have kept of what came later.

use crate::harness::Dir;
use serde_json::{Value, json};

/// A session that books, then comes back to what it saw at its beginning.
fn session(id: &str) -> String {
    let call = |name: &str, arguments: Value| json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": name, "arguments": arguments.to_string()}}]});
    let result = |text: &str| json!({"role": "tool", "tool_call_id": "c", "content": text});
    let said = |role: &str, text: &str| json!({"role": role, "content": text});
    let mut messages = vec![
        said("system", "You book flights."),
        said(
            "user",
            "Book me on flight HAT175 please, my user is mia_li_3668, and never with any insurance",
        ),
        call("get_user", json!({"user_id": "mia_li_3668"})),
        result(
            "{\"user_id\": \"mia_li_3668\", \"payment_methods\": {\"card_7734\": {\"source\": \"visa\"}}, \"note\": \"prefers the aisle, has flown often before and knows the rules by heart\"}",
        ),
        call("read_file", json!({"path": "/rules/bags.md"})),
        result(
            "Error: rules_disk_9 not found\nplease ask again later, the storage of all the rules is being moved to another place today",
        ),
    ];
    for number in 0..6 {
        messages.push(said(
            "assistant",
            &format!("May I ask one more question about your journey, please, number {number}?"),
        ));
        messages
            .push(said("user", "Yes, of course you may, go on and ask whatever you like to know."));
    }
    messages.push(call("book", json!({"flight_number": "HAT175", "payment_id": "card_7734"})));
    messages.push(result("{\"status\": \"ok\"}"));
    messages.push(said("assistant", "Booked, by the rules in /rules/bags.md."));
    json!({"thread_id": id, "messages": messages}).to_string() + "\n"
}

fn rows(text: &str) -> Vec<Value> {
    serde_json::from_str::<Value>(text).unwrap()["rows"].as_array().unwrap().clone()
}

fn share(row: &Value, figure: &str) -> f64 {
    row["figures"][figure]["share"].as_f64().unwrap_or_else(|| panic!("no {figure} in {row}"))
}

#[test]
fn what_came_later_is_found_in_the_summary() {
    let dir = Dir::new();
    dir.write("a.jsonl", session("one") + &session("two")).write("b.jsonl", session("three"));
    let ran = dir.epitome("evaluate a.jsonl b.jsonl --summary-tokens 400 --json").ok();
    let rows = rows(ran.stdout());
    assert_eq!(
        rows.iter().map(|row| row["data"].as_str().unwrap()).collect::<Vec<_>>(),
        ["a.jsonl", "b.jsonl", "all"]
    );
    let all = &rows[2];
    assert_eq!(
        (&all["transcripts"], &all["cuts"], &all["policy"]),
        (&json!(3), &json!(9), &json!("extract"))
    );
    // At each cut: the flight, the card and the file.
    assert_eq!(all["figures"]["recall"]["of"], 27);
    for figure in ["recall", "arguments", "linked", "files", "errors"] {
        assert_eq!(share(all, figure), 1.0, "{figure}: {all}");
    }
    assert!(share(all, "user") > 0.9 && all["tokens"].as_u64().unwrap() < 400, "{all}");
    assert_eq!(all["figures"]["recall"]["interval"], json!([1.0, 1.0]));
    assert_eq!(
        dir.epitome("evaluate a.jsonl b.jsonl --summary-tokens 400 --json -j 1").ok().stdout,
        ran.stdout
    );
    assert_eq!(all["counters"], json!(["approx"]));
    let by = ["approx", "utf16"].map(|counter| {
        dir.epitome(&format!("evaluate a.jsonl --summary-tokens 400 --counter {counter}"))
            .ok()
            .stdout()
            .contains(&format!("counted by {counter}\n"))
    });
    assert_eq!(by, [true, true]);
}

#[test]
fn figures_of_the_summary_alone_stand_beside_the_others() {
    let dir = Dir::new();
    dir.write("a.jsonl", session("one"));
    let options = "evaluate a.jsonl --summary-tokens 400";
    let ran = dir.epitome(&format!("{options} --json")).ok();
    let row = &rows(ran.stdout())[0];
    // The booking needs the flight and the card together.
    assert_eq!(row["figures"]["joined"]["of"], 3, "{row}");
    assert!(share(row, "goal_first60") > 0.8, "{row}");
    assert!(share(row, "used") > 0.0, "{row}");
    // The only call on the rules failed.
    let false_reads = &row["figures"]["false_reads"];
    assert_eq!(false_reads["kept"], false_reads["of"], "{row}");
    for (figure, text) in [("user", "summary_and_tail"), ("used", "summary")] {
        assert_eq!(row["figures"][figure]["text"], text);
    }
    // A row is a figure: four of them, and all with --full. Each has a line on what it means.
    let [short, full] = [dir.epitome(options).ok(), dir.epitome(&format!("{options} --full")).ok()];
    for text in [short.stdout(), full.stdout()] {
        assert!(text.contains("\n needed facts kept "), "{text}");
        assert!(
            text.contains("\nneeded facts kept (recall): ") && text.contains("More is better."),
            "{text}"
        );
    }
    assert!(!short.stdout().contains("user's words"));
    assert!(full.stdout().contains("\n user's words kept "));
    dir.epitome(&format!("{options} --fail-under goal_first60=0.8 --fail-under used=0.01")).ok();
    dir.epitome(&format!("{options} --fail-under used=0.9"))
        .fails(1)
        .says(["extract: used is 0.", "less than 0.9"]);
}

/// A line of a file of questions.
fn question(cut: &str, needles: &Value) -> String {
    json!({"cut": cut, "question": "What holds?", "needles": needles}).to_string() + "\n"
}

#[test]
fn answers_are_marked_where_questions_ask() {
    let dir = Dir::new();
    let refused = json!({"groups": [["re:never.{0,20}insurance"]], "not": ["HAT175"]});
    let questions = question("one@12", &json!({"groups": [["hat175"], ["card_7734", "amex"]]}))
        + &question("one@60%", &json!({"groups": [["HAT175"], ["HAT176"]]}))
        + &question("one@16", &refused);
    dir.write("a.jsonl", session("one") + &session("two")).write("q.jsonl", questions);
    let options = "evaluate a.jsonl --summary-tokens 400 --questions q.jsonl";
    let ran = dir.epitome(&format!("{options} --json")).ok();
    let row = &rows(ran.stdout())[0];
    assert_eq!((&row["transcripts"], &row["cuts"]), (&json!(1), &json!(3)));
    assert!((share(row, "answered") - 0.8).abs() < 1e-9, "{row}");
    assert_eq!(row["figures"]["answered"]["kept"], 2, "{row}");
    let answers = serde_json::from_str::<Value>(ran.stdout()).unwrap()["questions"].take();
    let marks = answers.as_array().unwrap().iter();
    let marks: Vec<Value> =
        marks.map(|answer| json!([answer["line"], answer["mark"], answer["misleads"]])).collect();
    assert_eq!(marks, [json!([1, 1.0, false]), json!([2, 0.4, false]), json!([3, 1.0, true])]);
    dir.epitome(&format!("{options} --fail-under answered=0.7")).ok();
    let gates = "--fail-under answered=0.9 --fail-under misleading=0.1";
    let ran = dir.epitome(&format!("{options} {gates}")).fails(1).says([
        "extract: answered is 0.800, less than 0.9",
        "extract: misleading is 0.333, more than 0.1",
    ]);
    let heading = "questions answered";
    assert!(ran.stdout().contains(heading), "{}", ran.stdout());
    let ran = dir.epitome("evaluate a.jsonl").ok();
    assert!(!ran.stdout().contains(heading), "{}", ran.stdout());
}

#[test]
fn questions_that_can_not_be_asked_are_named() {
    let dir = Dir::new();
    let any = json!({"groups": [["a"]]});
    let questions = question("three@12", &any) + &question("one@2", &any);
    dir.write("a.jsonl", session("one"))
        .write("q.jsonl", questions)
        .write("wrong.jsonl", question("one", &any));
    let ran = dir.epitome("evaluate a.jsonl --questions q.jsonl");
    let ran = ran.fails(3).says([
        "q.jsonl:1: no transcript of the inputs has the id three",
        "q.jsonl:2: the session can't be cut at one@2",
    ]);
    assert!(ran.stdout().contains("no question can be asked"), "{}", ran.stdout());
    dir.epitome("evaluate a.jsonl --questions wrong.jsonl")
        .fails(2)
        .says(["wrong.jsonl:1:", "the cut one is neither THREAD@MESSAGE"]);
}

#[test]
fn a_tail_that_depends_on_the_window_and_another_template_are_measured_too() {
    let dir = Dir::new();
    dir.write("a.jsonl", session("one"));
    for keep in ["", " --keep turns=2", " --keep fraction=0.9 --max-input-tokens 100000"] {
        let ran = dir
            .epitome(&format!(
                "evaluate a.jsonl --preset opencode --summary-tokens 400 --json{keep}"
            ))
            .ok();
        let rows = rows(ran.stdout());
        assert_eq!(
            (share(&rows[0], "recall"), share(&rows[0], "files"), &rows[0]["cuts"]),
            // The small budget of one cut has no room for two names.
            (7.0 / 9.0, 1.0, &json!(3)),
            "{keep}"
        );
        assert!(
            (1..400).contains(&rows[0]["tokens"].as_u64().unwrap()),
            "nothing was summarised with{keep}: {}",
            rows[0]
        );
    }
}

#[cfg(unix)]
#[test]
fn policies_stand_side_by_side_and_a_bad_one_is_caught() {
    let dir = Dir::new();
    let script =
        dir.script("forget", "cat >/dev/null; echo Something about order INVENTED_42 was said.");
    dir.write("a.jsonl", session("one"))
        .write("forgetful.toml", format!("[summarizer]\nkind = \"command:{script}\"\n"));
    let ran =
        dir.epitome("evaluate a.jsonl --summary-tokens 400 --compare forgetful.toml --json").ok();
    let rows = rows(ran.stdout());
    assert_eq!(
        rows.iter().map(|row| row["policy"].as_str().unwrap()).collect::<Vec<_>>(),
        ["extract", "forgetful"]
    );
    assert_eq!((share(&rows[0], "recall"), share(&rows[1], "recall")), (1.0, 0.0));
    assert!(
        share(&rows[1], "faithful") < share(&rows[0], "faithful"),
        "what is made up is no less faithful"
    );
    let table = dir.epitome("evaluate a.jsonl --summary-tokens 400 --compare forgetful.toml").ok();
    let heading = table.stdout().lines().nth(1).unwrap();
    assert!(heading.contains("extract") && heading.contains("forgetful"));
    dir.epitome("evaluate a.jsonl --summary-tokens 400 --fail-under recall=0.9").ok();
    let gate = "evaluate a.jsonl --summary-tokens 400 --compare forgetful.toml --fail-under recall=0.9 --fail-under linked=0";
    dir.epitome(gate).fails(1).says(["forgetful: recall is 0.000, less than 0.9"]);
}

#[cfg(unix)]
#[test]
fn a_summarizer_that_fails_is_reported_and_counts_as_a_failure() {
    let dir = Dir::new();
    let script = dir.script("broken", "cat >/dev/null; exit 7");
    dir.write("a.jsonl", session("one") + "{broken\n");
    let ran = dir.epitome(&format!("evaluate a.jsonl --summarizer command:{script}")).fails(3);
    ran.says(["a.jsonl:1: ", "cut before message", "a.jsonl:2:"]);
    dir.epitome("evaluate a.jsonl --max-errors 1").ok();
}

#[cfg(unix)]
#[test]
fn what_could_not_be_measured_passes_no_gate() {
    let dir = Dir::new();
    let script = dir.script("broken", "cat >/dev/null; exit 7");
    dir.write("a.jsonl", session("one")).write("short.jsonl", crate::talk::talk("t", 4));
    let broken = format!("evaluate a.jsonl --summarizer command:{script} --max-errors all");
    let ran = dir
        .epitome(&format!("{broken} --fail-under recall=0.5"))
        .fails(1)
        .says(["recall could not be measured", "3 of 3 compactions failed"]);
    assert!(
        ran.stdout().contains("3 of 3 compactions failed") && !ran.stdout().contains("long enough"),
        "{}",
        ran.stdout()
    );
    assert_eq!(rows(dir.epitome(&format!("{broken} --json")).ok().stdout())[0]["failed"], 3);
    dir.epitome("evaluate short.jsonl --fail-under recall=0")
        .fails(1)
        .says(["extract: recall could not be measured", "no transcript is long enough"]);
    dir.write("small.jsonl", session("one").replace("Error: rules_disk_9 not found", "rules"));
    dir.epitome("evaluate small.jsonl --fail-under errors=0")
        .fails(1)
        .says(["errors could not be measured", "there is nothing to measure it on in 3 cuts"]);
    dir.epitome("evaluate small.jsonl --fail-under faithful=0").ok();
}

#[test]
fn gates_of_the_help_can_be_passed() {
    let dir = Dir::new();
    dir.write(
        "logs/sessions.jsonl",
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/demo/sessions.jsonl"))
            .unwrap(),
    )
    .write(
        "questions.jsonl",
        question("preview-cut@80%", &json!({"groups": [["1000 characters"]]})),
    );
    let help = dir.epitome("evaluate --help").ok().stdout().to_owned();
    let gates: Vec<&str> = help
        .lines()
        .filter_map(|line| {
            line.trim().strip_prefix("epitome ").filter(|line| line.contains("--fail-under"))
        })
        .collect();
    assert!(!gates.is_empty());
    gates.iter().for_each(|line| drop(dir.epitome(line).ok()));
}

#[test]
fn options_are_checked_before_anything_is_read() {
    let dir = Dir::new();
    dir.write("a.jsonl", session("one"));
    dir.epitome("evaluate a.jsonl --fail-under recal=0.9")
        .fails(2)
        .says(["no figure is called recal", "recall, arguments, linked"]);
    dir.epitome("evaluate a.jsonl --fail-under recall=90").fails(2).says(["from 0 to 1"]);
    dir.epitome("evaluate a.jsonl --fail-under recall").fails(2).says(["METRIC=SHARE"]);
    dir.epitome("evaluate a.jsonl --compare none.toml").fails(2).says(["none.toml"]);
}

#[test]
fn short_sessions_say_why_there_is_nothing() {
    let dir = Dir::new();
    dir.write("a.jsonl", crate::talk::talk("t", 4));
    assert!(dir.epitome("evaluate a.jsonl").ok().stdout().contains("no transcript is long enough"));
}

#[test]
fn sessions_teach_the_weights_of_the_embedded_summarizer() {
    let dir = Dir::new();
    let sessions: String = (0..8).map(|number| session(&format!("s{number}"))).collect();
    dir.write("a.jsonl", sessions);
    let ran = dir.epitome("fit a.jsonl -o weights.toml").ok();
    assert!(ran.stdout().contains("embedded weights"), "{}", ran.stdout());
    let weights = dir.read("weights.toml");
    assert!(weights.contains("[names]\nconstant = "), "{weights}");
    dir.epitome("fit a.jsonl -o again.toml -j 2").ok();
    assert_eq!(dir.read("again.toml"), weights);
    dir.write("own.toml", "[summarizer]\nweights = \"weights.toml\"\n");
    let compact = "compact a.jsonl --trigger messages=4 --keep messages=2 --config own.toml";
    dir.epitome(&format!("{compact} -o out")).ok();
    dir.write("weights.toml", weights.replace("recency = ", "recent = "));
    dir.epitome(&format!("{compact} -o other")).fails(2).says(["weights.toml", "recency"]);
    dir.write("epitome.toml", "[summarizer]\nweights = \"/etc/passwd\"\n");
    dir.epitome("compact a.jsonl -o third --trigger messages=4")
        .fails(2)
        .says(["[summarizer] weights", "not named"]);
}

#[test]
fn a_report_of_compact_carries_the_recall() {
    let dir = Dir::new();
    dir.write("a.jsonl", session("one") + &crate::talk::talk("short", 8));
    let options = "--trigger messages=4 --summary-tokens 400";
    dir.epitome(&format!(
        "compact a.jsonl -o out {options} --keep messages=12 --measure --report r.json --report r.md"
    ))
    .ok();
    let entries = dir.entries();
    // The budget of 80 tokens is half of what may go without growth: too little for the card.
    assert_eq!(entries[0]["recall"]["recall"], json!({"kept": 2, "of": 3}), "{}", entries[0]);
    assert_eq!(entries[1].get("recall"), None, "its tail is too short");
    assert_eq!(dir.report()["totals"]["recall"]["recall"]["of"], 3);
    assert!(dir.read("r.md").contains("| needed facts kept | 66.7 % of 3 |"));
    dir.epitome(&format!("compact a.jsonl -o plain {options} --keep messages=12")).ok();
    assert!(!dir.read("plain/report.json").contains("\"recall\""), "measured without being asked");
}
