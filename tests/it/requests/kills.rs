//! Submissions and exports that are killed, and those that run beside each other: no batch is sent
//! twice, and the next run needs no help.

use super::provider::{Provider, message_batch};
use super::support::{KEY, export, talks};
use crate::faults::strace::{Fault, with_fault};
use crate::harness::{Dir, start};
use crate::server::Server;
use crate::talk::CUT;
use serde_json::{Value, json};
use std::process::Command;
use std::sync::Arc;

const ANTHROPIC: &str =
    "--set summarizer.model=anthropic:claude-sonnet-4-5 --set summarizer.cache=";

fn submission(dir: &Dir, server: &Server, options: &str) -> Command {
    let words =
        format!("requests submit requests --set summarizer.base_url={} {options}", server.url());
    let mut command = dir.command(&words);
    command.env("OPENAI_API_KEY", KEY).env("ANTHROPIC_API_KEY", KEY);
    command
}

/// Submits; the status must be this. Returns both outputs.
fn submit(dir: &Dir, server: &Server, options: &str, status: i32) -> String {
    let output = submission(dir, server, options).output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(status), "{text}");
    text
}

fn exported(options: &str) -> Dir {
    let dir = talks();
    if options.is_empty() {
        export(&dir, "");
    } else {
        dir.epitome(&format!("requests export logs -o requests {CUT} {options}")).ok();
    }
    dir
}

/// The batches of a directory, and that nothing is in doubt.
fn noted(dir: &Dir) -> Vec<String> {
    assert!(!dir.exists("requests/submission.json") && !dir.exists("requests/.epitome-run"));
    let batches: Value = serde_json::from_slice(&dir.bytes("requests/batches.json")).unwrap();
    let ids = batches.as_array().unwrap().iter();
    ids.map(|batch| batch["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_client_that_dies_before_the_answer_sends_no_second_batch() {
    for (options, at) in [("", "/v1/batches"), (ANTHROPIC, "/v1/messages/batches")] {
        let dir = exported(options);
        let provider = Arc::new(Provider::default());
        // What others had before is not ours.
        let earlier = match options {
            "" => {
                json!({"id": "batch_x", "status": "completed", "metadata": {"epitome_key": "x"}, "input_file_id": "file-x"})
            }
            _ => message_batch(99, "in_progress", 8),
        };
        provider.state.lock().unwrap().batches.push(earlier);
        let server = provider.serve();
        provider.kill(submission(&dir, &server, ""), at);
        assert_eq!(provider.batches().len(), 2, "the server has it");
        assert!(dir.exists("requests/submission.json"));
        let words = format!("requests status requests --set summarizer.base_url={}", server.url());
        let status = dir.epitome(&words).env("OPENAI_API_KEY", KEY).env("ANTHROPIC_API_KEY", KEY);
        assert!(status.ok().stdout().contains("in doubt"));
        let text = submit(&dir, &server, "", 0);
        let id = provider.batches()[1]["id"].as_str().unwrap().to_owned();
        assert!(text.contains(&format!("the server has it as {id}")), "{text}");
        assert_eq!((provider.batches().len(), noted(&dir)), (2, vec![id]));
        submit(&dir, &server, "", 0);
        assert_eq!(provider.batches().len(), 2, "{options}");
    }
}

#[test]
fn a_server_that_forgets_metadata_knows_the_batch_by_its_file() {
    let (dir, provider) = (exported(""), Arc::new(Provider::default()));
    provider.state.lock().unwrap().forgets_metadata = true;
    let server = provider.serve();
    provider.kill(submission(&dir, &server, ""), "/v1/batches");
    submit(&dir, &server, "", 0);
    assert_eq!((provider.batches().len(), noted(&dir)), (1, vec!["batch_0".to_owned()]));
}

#[test]
fn an_upload_of_a_dead_client_is_used_again() {
    let (dir, provider) = (exported(""), Arc::new(Provider::default()));
    let server = provider.serve();
    provider.kill(submission(&dir, &server, ""), "/v1/files");
    submit(&dir, &server, "", 0);
    assert_eq!(provider.state.lock().unwrap().uploads.len(), 1);
    assert_eq!((provider.batches().len(), noted(&dir).len()), (1, 1));
}

#[test]
fn a_submission_that_never_arrived_is_sent() {
    for options in ["", ANTHROPIC] {
        let (dir, provider) = (exported(options), Arc::new(Provider::default()));
        let server = provider.serve();
        // The note of a run that died before it sent anything, with its upload.
        let file = match options {
            "" => "requests-0001.jsonl",
            _ => "requests-0001.json",
        };
        let note = json!({"file": file, "key": "k", "started": "2026-01-01", "upload": "file-7", "newest_before": "none"});
        dir.write("requests/submission.json", note.to_string());
        if !options.is_empty() {
            // Another's batch of as many requests: its results show that.
            provider.state.lock().unwrap().batches.push(message_batch(5, "ended", 8));
        }
        let before = provider.batches().len();
        let text = submit(&dir, &server, "", 0);
        assert!(text.contains("the server has no batch of it"), "{text}");
        assert_eq!((provider.batches().len(), noted(&dir).len()), (before + 1, 1));
        assert!(provider.state.lock().unwrap().uploads.is_empty());
    }
}

#[test]
fn where_it_can_t_be_told_nothing_is_sent_without_a_word() {
    for (options, at) in [("", "/v1/batches"), (ANTHROPIC, "/v1/messages/batches")] {
        let (dir, provider) = (exported(options), Arc::new(Provider::default()));
        let server = provider.serve();
        provider.kill(submission(&dir, &server, ""), at);
        if options.is_empty() {
            provider.state.lock().unwrap().has_no_lists = true;
        } else {
            provider.state.lock().unwrap().batches.push(message_batch(1, "in_progress", 8));
        }
        let before = provider.batches().len();
        let text = submit(&dir, &server, "", 2);
        assert!(
            text.contains("did not end")
                && text.contains("--adopt ID")
                && text.contains("--adopt none"),
            "{text}"
        );
        assert_eq!(provider.batches().len(), before, "nothing is sent");
        let words = "requests submit requests --adopt ../x";
        dir.epitome(words).fails(2).says(["--adopt"]);
        if options.is_empty() {
            submit(&dir, &server, "--adopt none", 0);
            assert_eq!(provider.batches().len(), 2);
            assert_eq!(noted(&dir), ["batch_1"]);
        } else {
            submit(&dir, &server, "--adopt msgbatch_9", 2);
            submit(&dir, &server, "--adopt msgbatch_0", 0);
            assert_eq!(noted(&dir), ["msgbatch_0"]);
        }
        let text = submit(&dir, &server, "--adopt msgbatch_0", 2);
        assert!(text.contains("there is no interrupted submission"), "{text}");
    }
}

#[test]
fn submissions_at_once_send_once() {
    for (options, runs) in [("", 2), (ANTHROPIC, 3), ("", 8)] {
        let (dir, provider) = (exported(options), Arc::new(Provider::default()));
        let server = provider.serve();
        let started: Vec<_> = (0..runs).map(|_| start(submission(&dir, &server, ""))).collect();
        for run in started {
            let output = run.wait_with_output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{stderr}");
        }
        assert_eq!((provider.batches().len(), noted(&dir).len()), (1, 1));
    }
}

#[test]
fn a_killed_export_runs_again() {
    let dir = talks();
    let words = format!(
        "requests export logs -o requests --max-requests 3 {CUT} --set summarizer.model=m --set summarizer.cache="
    );
    dir.epitome(&words).ok();
    let wanted = dir.tree("requests");
    let began = std::time::Instant::now();
    std::fs::remove_dir_all(dir.path("requests")).unwrap();
    dir.start(&words).wait().unwrap();
    let duration = began.elapsed();
    const KILLS: u32 = 12;
    for kill in 0..KILLS {
        std::fs::remove_dir_all(dir.path("requests")).unwrap_or_default();
        let mut run = dir.start(&words);
        std::thread::sleep(duration * kill / KILLS);
        run.kill().unwrap();
        run.wait().unwrap();
        let (status, ran) = dir.epitome(&words).run();
        // Where the killed run had decided its publication, the next one completes it.
        assert!(status == 0 || (status == 2 && ran.stderr.contains("not empty")), "{}", ran.stderr);
        assert!(dir.tree("requests") == wanted, "{kill}");
    }
}

/// Kills a submission at each of these calls, wherever strace can.
#[test]
fn a_submission_that_is_killed_at_any_call_is_sent_once() {
    let calls = [
        "?rename,?renameat,?renameat2", "?unlink,?unlinkat", "?sendto,?sendmsg,?writev",
        "?recvfrom,?recvmsg",
    ];
    for options in ["", ANTHROPIC] {
        let exported = exported(options);
        let requests = exported.tree("requests");
        for call in calls {
            for when in 1..40 {
                let (dir, provider) = (Dir::new(), Arc::new(Provider::default()));
                for (name, bytes) in &requests {
                    dir.write(&format!("requests/{name}"), bytes);
                }
                let server = provider.serve();
                dir.write("key", KEY);
                let words = format!(
                    "requests submit requests --set summarizer.api_key_file=key --set summarizer.base_url={}",
                    server.url()
                );
                if with_fault(&dir, &words, call, when, Fault::Kill).is_none() {
                    break;
                }
                submit(&dir, &server, "", 0);
                let batches = provider.batches().len();
                assert_eq!((batches, noted(&dir).len()), (1, 1), "{options} {call} {when}");
                let uploads = provider.state.lock().unwrap().uploads.len();
                assert!(uploads <= 1, "{call} {when}: {uploads} uploads");
            }
        }
    }
}
