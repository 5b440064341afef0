//! The preset `deepagents-0.7`: the budget of a call, the history in XML with its media, notices
//! that say what they leave out, and user messages that are too long.

use crate::harness::Dir;
use serde_json::{Value, json};

fn said(role: &str, text: &str) -> Value {
    json!({ "role": role, "content": text })
}

/// Questions and answers of 46 characters.
fn talk(turns: usize) -> Vec<Value> {
    let text = |number: usize| format!("{number:02} {}", "x".repeat(43));
    (0..turns)
        .flat_map(|turn| [said("user", &text(2 * turn)), said("assistant", &text(2 * turn + 1))])
        .collect()
}

fn write_log(dir: &Dir, messages: &[Value]) {
    let record = json!({ "thread_id": "t", "messages": messages });
    dir.write("in.jsonl", record.to_string() + "\n");
}

const PRESET: &str = "preset = \"deepagents-0.7\"\n";

#[test]
fn a_call_above_its_budget_is_summarized_without_a_trigger() {
    let dir = Dir::new();
    write_log(&dir, &talk(10));
    // 20 messages of 15 or 16 tokens.
    for (limit, summarized) in [(350, false), (300, true)] {
        dir.write(
            "p.toml",
            format!(
                "{PRESET}max_input_tokens = {limit}\n[summarize]\ntrigger = []\nkeep = {{ messages = 4 }}\n[summarizer]\nbudget = 16\n"
            ),
        );
        dir.epitome("compact in.jsonl -o out --config p.toml --force").ok();
        let entry = &dir.entries()[0];
        assert!((300..=332).contains(&entry["total_tokens"].as_u64().unwrap()));
        assert_eq!(entry["summarized"], summarized, "{entry}");
    }
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.bytes("back/in.jsonl"), dir.bytes("in.jsonl"));
    // The older preset has no budget.
    let policy = dir.read("p.toml").replace("deepagents-0.7", "deepagents");
    dir.write("p.toml", policy);
    dir.epitome("compact in.jsonl -o out --config p.toml --force").fails(1);
    assert_eq!(dir.entries()[0]["summarized"], false);
}

#[test]
fn the_longest_output_of_an_anthropic_model_is_left_free() {
    let dir = Dir::new();
    write_log(&dir, &talk(1));
    dir.write("limits.tsv", "provider\tmodel\tcontext\tinput\toutput\nanthropic\tc\t200000\t\t64000\nopenai\tg\t200000\t\t64000\n");
    let config = |model: &str| {
        let words = format!(
            "plan in.jsonl --preset deepagents-0.7 --limits limits.tsv --model {model} --print-config"
        );
        dir.epitome(&words).ok().stdout().to_owned()
    };
    assert!(config("anthropic:c").contains("# so the budget of a call is 126000 tokens\n"));
    assert!(config("openai:g").contains("# so the budget of a call is 190000 tokens\n"));
}

#[test]
fn the_history_is_xml_and_media_are_files_beside_it() {
    let dir = Dir::new();
    let mut messages = vec![json!({"role": "user", "content": [
        {"type": "text", "text": "see <this>"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
    ]})];
    messages.extend(talk(4).into_iter().skip(1));
    write_log(&dir, &messages);
    dir.write(
        "p.toml",
        format!("{PRESET}[summarize]\ntrigger = [{{ messages = 3 }}]\nkeep = {{ messages = 2 }}\non_growth = \"allow\"\n"),
    );
    let first = "<message type=\"human\">see &lt;this&gt; <image url=\"/conversation_history/media/4c4b6a3be1314ab8.png\" /></message>\n";
    for run in
        ["compact in.jsonl -o out --config p.toml", "replay in.jsonl -o replayed --config p.toml"]
    {
        dir.epitome(run).ok();
    }
    for out in ["out", "replayed"] {
        let history = dir.read(&format!("{out}/conversation_history/t.md"));
        let heading = "## Summarized at 2026-01-01T00:00:00+00:00\n\n";
        assert!(history.starts_with(&format!("{heading}{first}")), "{history}");
        let media = format!("{out}/conversation_history/media/4c4b6a3be1314ab8.png");
        assert_eq!(dir.bytes(&media), b"\x89PNG\r\n\x1a\n");
    }
}

#[test]
fn threads_may_share_a_media_file() {
    let dir = Dir::new();
    let mut messages = vec![json!({"role": "user", "content": [
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
    ]})];
    messages.extend(talk(4).into_iter().skip(1));
    let record = |id: &str| json!({ "thread_id": id, "messages": messages }).to_string() + "\n";
    dir.write("in.jsonl", record("a") + &record("b"));
    dir.write(
        "p.toml",
        format!("{PRESET}[summarize]\ntrigger = [{{ messages = 3 }}]\nkeep = {{ messages = 2 }}\non_growth = \"allow\"\n"),
    );
    dir.epitome("compact in.jsonl -o out --config p.toml").ok();
    let media = dir.bytes("out/conversation_history/media/4c4b6a3be1314ab8.png");
    assert_eq!(media, b"\x89PNG\r\n\x1a\n");
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.bytes("back/in.jsonl"), dir.bytes("in.jsonl"));
}

#[test]
fn only_the_last_user_message_is_evicted_and_stays_so() {
    let dir = Dir::new();
    let long = |word: &str| (0..40).map(|n| format!("{word} {n}\n")).collect::<String>();
    let messages = [
        said("user", &long("first")),
        said("assistant", "yes"),
        said("user", &long("second")),
        said("user", "and"),
        said("assistant", "no"),
        json!({"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": "https://h/x.png"}},
            {"type": "text", "text": long("third")},
        ]}),
    ];
    write_log(&dir, &messages);
    dir.write(
        "p.toml",
        format!("{PRESET}[evict]\nhuman_tokens = 50\n[summarize]\non_growth = \"allow\"\n"),
    );
    dir.epitome("compact in.jsonl -o out --config p.toml").ok();
    let compacted: Value = serde_json::from_str(&dir.read("out/in.jsonl")).unwrap();
    let compacted = compacted["messages"].as_array().unwrap();
    assert_eq!(compacted[..5], messages[..5]);
    let blocks = &compacted[5]["content"];
    let notice = blocks[0]["text"].as_str().unwrap();
    let path = notice
        .strip_prefix("Message content too large and was saved to the filesystem at: /")
        .unwrap();
    let path = path.split('\n').next().unwrap();
    assert_eq!(path.len(), "conversation_history/.md".len() + 36);
    assert_eq!(dir.read(&format!("out/{path}")), long("third"));
    assert!(notice.contains("the head and tail of the content (lines of the form"));
    assert!(
        notice
            .ends_with("\n36  third 35\n37  third 36\n38  third 37\n39  third 38\n40  third 39\n")
    );
    assert_eq!(blocks[1], messages[5]["content"][0]);
    assert_eq!(dir.entries()[0]["evicted"], json!([]));
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.bytes("back/in.jsonl"), dir.bytes("in.jsonl"));
    // In a replay the first and the third are the last of a call, the second never is.
    dir.epitome("replay in.jsonl -o replayed --config p.toml").ok();
    let files = dir.tree("replayed/conversation_history");
    let texts: Vec<String> =
        files.values().map(|bytes| String::from_utf8(bytes.clone()).unwrap()).collect();
    assert_eq!(texts.len(), 2, "{texts:?}");
    assert!(texts.contains(&long("first")) && texts.contains(&long("third")));
}

/// An answer of Claude that thought before it spoke.
fn thoughtful(text: &str) -> Value {
    json!({
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": format!("because {text}"), "signature": "s"},
            {"type": "text", "text": text},
        ],
        "response_metadata": {"model_provider": "anthropic"},
    })
}

#[test]
fn kept_answers_lose_reasoning_that_is_bound_to_what_is_summarized() {
    let dir = Dir::new();
    let mut messages = talk(6);
    messages.extend([
        said("user", "kept question"),
        thoughtful("kept answer"),
        said("user", "new question"),
        thoughtful("new answer"),
    ]);
    write_log(&dir, &messages);
    let policy = |extra: &str| {
        let text = format!(
            "{PRESET}[summarize]\ntrigger = [{{ messages = 15 }}]\nkeep = {{ messages = 3 }}\non_growth = \"allow\"\n{extra}"
        );
        dir.write("p.toml", text);
    };
    let compacted = || {
        dir.epitome("compact in.jsonl -o out --config p.toml --force").ok();
        let record: Value = serde_json::from_str(&dir.read("out/in.jsonl")).unwrap();
        record["messages"].as_array().unwrap()[1..].to_vec()
    };
    policy("");
    let bare = |answer: &Value| {
        let mut answer = answer.clone();
        answer["content"].as_array_mut().unwrap().remove(0);
        answer
    };
    let [_, kept, asked, new] = &messages[12..] else { panic!("four messages") };
    assert_eq!(compacted(), [bare(kept), asked.clone(), bare(new)]);
    let reduced = dir.entries()[0]["tokens_after"].as_u64().unwrap();
    dir.epitome("restore out -o back").ok();
    assert_eq!(dir.bytes("back/in.jsonl"), dir.bytes("in.jsonl"));
    policy("bound_reasoning = \"keep\"\n");
    assert_eq!(compacted(), [kept, asked, new].map(Clone::clone));
    assert!(dir.entries()[0]["tokens_after"].as_u64().unwrap() > reduced);
    // In a replay the summary comes before the last answer, which keeps its own.
    let replayed = |extra: &str| {
        policy(extra);
        dir.epitome(
            "replay in.jsonl -o replayed --segments --config p.toml --force --format openai",
        )
        .ok();
        let calls = dir.read("replayed/replay.jsonl");
        let last: Value = serde_json::from_str(calls.lines().last().unwrap()).unwrap();
        let segments = dir.read("replayed/segments.jsonl");
        let segment = segments.lines().last().unwrap().to_owned();
        (last["tokens_sent"].as_u64().unwrap(), segment)
    };
    let (with_all, segment) = replayed("bound_reasoning = \"keep\"\n");
    assert!(segment.contains("because kept answer") && segment.contains("because new answer"));
    let (without, segment) = replayed("");
    assert!(without < with_all, "{without} of {with_all}");
    assert!(!segment.contains("because kept answer"), "{segment}");
    assert!(segment.contains("because new answer"), "{segment}");
}

#[test]
fn a_summary_that_the_agent_asked_for_is_made_at_the_next_call() {
    let dir = Dir::new();
    let asked = |answer: &str| {
        let call = json!({"id": "c1", "type": "function", "function": {"name": "compact_conversation", "arguments": "{}"}});
        let result = json!({"role": "tool", "tool_call_id": "c1", "content": answer});
        let mut messages = talk(6);
        messages.push(said("user", "Make room."));
        messages.push(json!({"role": "assistant", "content": "", "tool_calls": [call]}));
        messages.extend([result, said("assistant", "There is room now.")]);
        messages
    };
    let config = "model = \"fake:fake\"\n[summarize]\ntrigger = [{ messages = 40 }]\nkeep = { messages = 4 }\n\
        on_growth = \"allow\"\n[archive]\nresults_prefix = \"/r\"\n";
    dir.write("p.toml", format!("{PRESET}{config}"));
    for (answer, summarized) in [
        ("Conversation compacted. 10 messages are one summary.", true),
        ("There is nothing to compact yet.", false),
    ] {
        write_log(&dir, &asked(answer));
        dir.epitome("replay in.jsonl -o out --config p.toml --force").ok();
        let calls: Vec<Value> = dir
            .read("out/replay.jsonl")
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(calls.len(), 8, "{calls:?}");
        assert_eq!(calls[7]["summarized"], summarized, "{}", calls[7]);
        assert!(calls[..7].iter().all(|call| call["summarized"] == false));
    }
    // 16 messages of the 20 that are half of the trigger.
    let why = dir.epitome("plan in.jsonl --config p.toml").ok().stdout().to_owned();
    assert!(why.contains("it would be refused"), "{why}");
    let lower = dir.read("p.toml").replace("messages = 40", "messages = 32");
    dir.write("p.toml", lower);
    let why = dir.epitome("plan in.jsonl --config p.toml").ok().stdout().to_owned();
    assert!(why.contains("it would be made"), "{why}");
    // Where the result is the last message, a single call is summarized up to the call.
    let mut messages = asked("Conversation compacted.");
    messages.pop();
    write_log(&dir, &messages);
    let plan = dir.epitome("plan in.jsonl --json --config p.toml").ok();
    let plan: Value = serde_json::from_str(plan.stdout().lines().next().unwrap()).unwrap();
    assert_eq!(plan["edits"][0]["edit"], "summarize", "{plan}");
    assert_eq!(plan["edits"][0]["first_kept"], 10, "{plan}");
}
