//! Where keys and conversations go.

use crate::harness::Dir;
use crate::models::{KEY, good, one_talk};
use crate::requests::{export, talks};
use crate::server::Server;
use crate::talk::CUT;
use serde_json::Value;

const PROXIES: [&str; 6] =
    ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];

/// Asks the server at this address, with a proxy in every variable. Returns the status and stderr.
fn ask(dir: &Dir, url: &str, proxy: &Server) -> (i32, String) {
    let command = format!(
        "compact in.jsonl -o out --force {CUT} --summarizer http --set summarizer.model=small --set summarizer.base_url={url} --set summarizer.cache= --set summarizer.retries=0"
    );
    let mut run = dir.epitome(&command).env("OPENAI_API_KEY", KEY);
    for name in PROXIES {
        run = run.env(name, &proxy.url());
    }
    let (status, ran) = run.run();
    (status, ran.stderr)
}

#[test]
fn what_is_sent_to_this_machine_never_goes_through_a_proxy() {
    let dir = one_talk();
    let (server, proxy) = (Server::start(&[&good()]), Server::start(&[&good()]));
    let port = server.url().rsplit(':').next().unwrap().trim_end_matches("/v1").to_owned();
    for (calls, host) in ["127.0.0.1", "localhost", "LOCALHOST"].into_iter().enumerate() {
        let (status, stderr) = ask(&dir, &format!("http://{host}:{port}/v1"), &proxy);
        assert_eq!((status, proxy.connections()), (0, 0), "{host}: {stderr}");
        assert_eq!(server.connections(), calls + 1, "{host}");
    }
}

#[test]
fn a_proxy_gets_no_key_in_plain_text() {
    let dir = one_talk();
    let proxy = Server::start(&[&good()]);
    for url in [
        "http://example.invalid/v1",
        "http://localhost.example.invalid/v1",
        "http://example.invalid\\.localhost/v1",
        "http://127.0.0.1@example.invalid/v1",
        "http://127.0.0.1.example.invalid/v1",
    ] {
        let (status, stderr) = ask(&dir, url, &proxy);
        assert_eq!((status, proxy.connections()), (2, 0), "{url}: {stderr}");
    }
    // An encrypted connection may go through it: it sees where to, and nothing else.
    let (_, stderr) = ask(&dir, "https://example.invalid/v1", &proxy);
    assert!(proxy.connections() > 0, "{stderr}");
    for request in proxy.came() {
        let seen = format!("{}{}{}", request.line, request.headers, request.body);
        assert!(request.line.starts_with("CONNECT") && !seen.contains(KEY), "{seen}");
    }
}

#[test]
fn an_export_of_a_stranger_chooses_no_server_and_no_key() {
    let server = Server::start(&[&good()]);
    let dir = talks();
    export(&dir, &format!("--set summarizer.base_url={}", server.url()));
    let manifest = dir.read("requests/manifest.json");
    let asks =
        |words: &str| dir.epitome(words).env("OPENAI_API_KEY", KEY).env("SECRET", "s3cr3t").run();
    // One's own export is handed over as it says.
    asks("requests submit requests");
    let before = server.connections();
    assert!(before > 0);
    let mut foreign: Value = serde_json::from_str(&manifest).unwrap();
    foreign.as_object_mut().unwrap().remove("seal");
    let policy = dir.read("requests/policy.toml");
    for (foreign, policy) in [
        (foreign.to_string(), policy.clone()),
        (manifest.clone(), policy.replace("http://", "http:// ").replace("// ", "//") + "\n"),
        (
            manifest.clone(),
            policy.replace("[summarizer]", "[summarizer]\napi_key_env = \"SECRET\""),
        ),
    ] {
        dir.write("requests/manifest.json", foreign).write("requests/policy.toml", policy);
        for command in ["submit", "fetch", "status"] {
            let (status, ran) = asks(&format!("requests {command} requests"));
            assert_eq!((status, server.connections()), (2, before), "{command}: {}", ran.stderr);
            ran.says(["not made by you on this machine"]);
        }
    }
    dir.write("requests/manifest.json", &manifest);
    dir.write("requests/policy.toml", format!("{policy}\n"));
    asks(&format!("requests status requests --set summarizer.base_url={}", server.url()));
    assert!(server.connections() > before);
}
