//! Results as other programs write them, applied again and again; batches that end badly, and
//! servers that talk too much.

use crate::models::SUMMARY;
use crate::requests::{KEY, export, requests, result, talks};
use crate::server::{Server, answer};
use crate::talk::CUT;
use serde_json::{Value, json};

#[test]
fn line_ends_marks_and_blank_lines_of_other_programs_are_no_trouble() {
    let dir = talks();
    export(&dir, "");
    let lines: Vec<String> =
        requests(&dir).iter().map(|request| result(request, SUMMARY)).collect();
    dir.write("plain.jsonl", lines.concat());
    let odd =
        format!("\u{feff}{}\r\n\r\n  \t\n", lines.concat().trim_end().replace('\n', "\r\n\r\n"));
    dir.write("odd.jsonl", odd);
    dir.epitome("requests apply requests plain.jsonl -o plain").ok();
    dir.epitome("requests apply requests odd.jsonl -o odd")
        .ok()
        .says(["8 results: 9 summaries written, 0 failed, 0 missing", "0 malformed"]);
    assert_eq!(dir.read("plain/in.jsonl"), dir.read("odd/in.jsonl"));
    // The same file twice, and once more with a line that its copying cut off.
    let half = &lines.concat()[..lines.concat().len() - 30];
    dir.write("half.jsonl", half);
    let ran =
        dir.epitome("requests apply requests half.jsonl plain.jsonl plain.jsonl -o twice").ok();
    ran.says([
        "23 results: 9 summaries written, 0 failed, 0 missing; 15 duplicates",
        "1 malformed line",
    ]);
    assert_eq!(dir.read("plain/in.jsonl"), dir.read("twice/in.jsonl"));
}

#[test]
fn a_good_answer_wins_over_bad_ones_in_any_order() {
    let dir = talks();
    export(&dir, "");
    let good: String = requests(&dir).iter().map(|request| result(request, SUMMARY)).collect();
    dir.write("good.jsonl", &good);
    dir.epitome("requests apply requests good.jsonl -o wanted").ok();
    let empty = |request: &Value| result(request, "");
    let blank = |request: &Value| result(request, " \n ");
    let garbled = |request: &Value| {
        let response = json!({"status_code": 200, "body": {"choices": "?"}});
        json!({"id": "r", "custom_id": request["custom_id"], "response": response}).to_string()
            + "\n"
    };
    let asked = requests(&dir);
    for (name, bad) in [
        ("empty", asked.iter().map(empty).collect::<String>()),
        ("blank", asked.iter().map(blank).collect()),
        ("garbled", asked.iter().map(garbled).collect()),
    ] {
        for (order, lines) in [("first", format!("{bad}{good}")), ("last", format!("{good}{bad}"))]
        {
            dir.write("mixed.jsonl", lines);
            let words = format!("requests apply requests mixed.jsonl -o {name}-{order}");
            dir.epitome(&words).ok().says(["9 summaries written, 0 failed"]);
            assert_eq!(dir.read(&format!("{name}-{order}/in.jsonl")), dir.read("wanted/in.jsonl"));
        }
    }
}

#[test]
fn applied_again_it_gives_the_same_and_what_came_since_is_added() {
    let dir = talks();
    export(&dir, "");
    let lines: Vec<String> =
        requests(&dir).iter().map(|request| result(request, SUMMARY)).collect();
    dir.write("first.jsonl", lines[..3].concat()).write("rest.jsonl", lines[3..].concat());
    dir.epitome("requests apply requests first.jsonl -o out").fails(3).says(["5 missing"]);
    dir.epitome("requests apply requests first.jsonl -o out").fails(2).says(["--force"]);
    let once = dir.tree("out");
    dir.epitome("requests apply requests first.jsonl -o out --force").fails(3);
    assert_eq!(dir.tree("out"), once, "nothing is compacted twice");
    dir.epitome("requests apply requests first.jsonl rest.jsonl -o out --force").ok();
    dir.epitome("requests apply requests rest.jsonl first.jsonl -o whole").ok();
    assert_eq!(dir.read("out/in.jsonl"), dir.read("whole/in.jsonl"));
    assert_eq!(dir.tree("out/conversation_history"), dir.tree("whole/conversation_history"));
    assert!(dir.read("logs/in.jsonl").contains("Step 39 of h"), "the input stays");
}

#[test]
fn masked_requests_are_found_again() {
    let dir = talks();
    // Put together here, so that no scanner takes this file for a leak.
    let secret = ["ghp_", "0123456789abcdefghijABCDEFGHIJ012345"].concat();
    dir.write(
        "logs/in.jsonl",
        dir.read("logs/in.jsonl").replace("Step 3 of", &format!("Use {secret} for step 3 of")),
    );
    export(&dir, "--redact");
    for (name, bytes) in dir.tree("requests") {
        assert!(!String::from_utf8_lossy(&bytes).contains(&secret), "{name}");
    }
    dir.write(
        "results.jsonl",
        requests(&dir).iter().map(|request| result(request, SUMMARY)).collect::<String>(),
    );
    dir.epitome("requests apply requests results.jsonl -o out").ok().says(["9 summaries written"]);
    for (name, bytes) in dir.tree("out") {
        assert!(
            name.starts_with("originals/") || !String::from_utf8_lossy(&bytes).contains(&secret),
            "{name}"
        );
    }
}

/// A batch that ends without any result was not paid: it may be handed over again.
#[test]
fn a_batch_that_failed_as_a_whole_can_be_submitted_again() {
    let dir = talks();
    export(&dir, "");
    let server = Server::writing(|request, out| {
        let words: Vec<&str> = request.line.split(' ').collect();
        let body = match (words[0], words[1]) {
            ("POST", "/v1/files") => json!({"id": "file-1"}),
            ("POST", "/v1/batches") => {
                json!({"id": format!("batch_{}", request.call), "status": "validating"})
            }
            ("GET", path) => {
                let errors = json!({"data": [{"code": "token_limit_exceeded", "message": format!("Enqueued\n token limit reached {}{KEY}", "x".repeat(270))}]});
                json!({"id": path.rsplit('/').next(), "status": "failed", "request_counts": {"total": 0}, "errors": errors})
            }
            _ => Value::Null,
        };
        out.write_all(answer("200 OK", "", &body.to_string()).as_bytes())
    });
    let url = server.url();
    let run = |words: &str| {
        dir.epitome(&format!("requests {words} requests --set summarizer.base_url={url}"))
            .env("OPENAI_API_KEY", KEY)
    };
    assert!(run("submit").ok().stdout().contains("submitted as batch_1"));
    for words in ["status", "status --json"] {
        let told = run(words).ok();
        assert!(
            told.stdout().contains("Enqueued token limit reached")
                && !told.stdout().contains(&KEY[..12]),
            "{}",
            told.stdout()
        );
        assert_eq!(told.stdout().lines().count(), 1);
    }
    let ran = run("fetch").ok().says(["ended without results", "submit"]);
    assert!(!ran.stderr.contains("all results have arrived"), "{}", ran.stderr);
    assert!(run("submit").ok().stdout().contains("submitted as batch_6"));
    assert!(
        dir.read("requests/batches.json").contains("batch_6")
            && !dir.read("requests/batches.json").contains("batch_1")
    );
}

/// What the batch interface of somebody else's server may answer.
#[test]
fn ids_that_are_no_part_of_an_address_are_refused() {
    for id in ["../../admin", "a/b", "a?x=1", "", "a b", "\u{e9}"] {
        let dir = talks();
        export(&dir, "");
        let server = Server::start(&[&answer("200 OK", "", &json!({"id": id}).to_string())]);
        dir.epitome(&format!(
            "requests submit requests --set summarizer.base_url={}",
            server.url()
        ))
        .env("OPENAI_API_KEY", KEY)
        .fails(2)
        .says(["has no \"id\""]);
        assert!(!dir.exists("requests/batches.json"));
        assert_eq!(server.calls(), 1);
    }
}

/// Where exported, a policy's relative paths still lead to the same files.
#[test]
fn an_export_is_applied_from_anywhere() {
    let dir = talks();
    dir.write("prompt.txt", "In one line:\n{messages}")
        .write("mine.tsv", "provider\tmodel\tcontext\tinput\toutput\nme\tmine\t\t9000\t\n");
    dir.write("policy.toml", "limits = \"mine.tsv\"\nmodel = \"mine\"\n[summarizer]\nmodel = \"openai:gpt-5.2\"\ncache = \"\"\n");
    dir.epitome(&format!(
        "requests export logs -o requests {CUT} --config policy.toml --set summarizer.prompt=@prompt.txt"
    ))
    .ok();
    dir.write(
        "results.jsonl",
        requests(&dir).iter().map(|request| result(request, "Done.")).collect::<String>(),
    );
    dir.epitome("requests apply requests results.jsonl -o here").ok();
    dir.write("away/x", "");
    let away = |words: &str| dir.epitome(words).from("away");
    away("requests apply ../requests ../results.jsonl -o ../there")
        .ok()
        .says(["9 summaries written"]);
    assert_eq!(dir.read("here/in.jsonl"), dir.read("there/in.jsonl"));
}
