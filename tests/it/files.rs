//! What is read, in which order, and under which name it is written.

use crate::harness::Dir;
use crate::talk::{CUT, message, talk};

fn files_of(dir: &Dir) -> Vec<String> {
    dir.entries().iter().map(|entry| entry["file"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn directories_are_walked_in_sorted_order_and_keep_their_paths() {
    let dir = Dir::new();
    for path in [
        "b.jsonl", "a/z.json", "a/b/c.ndjson", "c.traj", "a.jsonl", "B.jsonl", "d.jsonl.gz",
        "e.JSONL",
    ] {
        dir.write(&format!("in/{path}"), talk(path, 2));
    }
    dir.write("in/notes.md", "# no transcript").write("in/a/data.csv", "a,b").write("in/x.gz", "?");
    dir.epitome("compact in -o out").ok();
    let wanted = [
        "B.jsonl", "a/b/c.ndjson", "a/z.json", "a.jsonl", "b.jsonl", "c.traj", "d.jsonl.gz",
        "e.JSONL",
    ];
    assert_eq!(files_of(&dir), wanted.map(|path| format!("in/{path}")));
    let mut tree: Vec<String> = dir.tree("out").into_keys().collect();
    tree.retain(|path| path != "report.json" && path != "originals/manifest.jsonl");
    let mut wanted = wanted.map(str::to_owned).to_vec();
    wanted.sort();
    assert_eq!(tree, wanted);
}

#[test]
fn several_inputs_are_taken_in_the_order_of_the_command_line() {
    let dir = Dir::new();
    dir.write("z.jsonl", talk("z", 2))
        .write("in/a.jsonl", talk("a", 2))
        .write("b.txt", talk("b", 2));
    dir.epitome("compact z.jsonl in b.txt -o out").ok();
    assert_eq!(files_of(&dir), ["z.jsonl", "in/a.jsonl", "b.txt"], "a named file needs no ending");
    assert!(dir.exists("out/z.jsonl") && dir.exists("out/a.jsonl") && dir.exists("out/b.txt"));
}

#[test]
fn an_input_that_does_not_exist_is_named_and_nothing_is_written() {
    let dir = Dir::new();
    dir.write("a.jsonl", talk("a", 2));
    for command in
        ["compact a.jsonl missing.jsonl -o out", "plan missing.jsonl", "count missing.jsonl"]
    {
        dir.epitome(command).fails(2).says(["missing.jsonl"]);
    }
    assert!(!dir.exists("out"));
}

#[test]
fn a_directory_without_transcripts_says_what_it_looked_for() {
    let dir = Dir::new();
    dir.write("in/readme.md", "x");
    dir.epitome("compact in -o out").fails(2).says(["in", ".jsonl", ".gz"]);
    std::fs::create_dir(dir.path("empty")).unwrap();
    dir.epitome("compact empty -o out").fails(2).says(["empty"]);
    assert!(!dir.exists("out"));
}

#[test]
fn inputs_with_the_same_name_keep_the_folders_that_tell_them_apart() {
    for (inputs, outputs) in [
        ("x/a.jsonl y/a.jsonl", ["x/a.jsonl", "y/a.jsonl"]),
        ("x y", ["x/a.jsonl", "y/a.jsonl"]),
        ("d/x d/y", ["x/a.jsonl", "y/a.jsonl"]),
        ("x y/a.jsonl", ["x/a.jsonl", "y/a.jsonl"]),
    ] {
        let dir = Dir::new();
        for folder in ["x", "y", "d/x", "d/y"] {
            dir.write(&format!("{folder}/a.jsonl"), talk(folder, 8));
        }
        dir.epitome(&format!("compact {inputs} -o out {CUT}")).ok();
        dir.epitome("restore out -o back").ok();
        for output in outputs {
            assert!(dir.exists(&format!("out/{output}")), "{inputs}: {output}");
        }
        let prefix = if inputs.starts_with('d') { "d/" } else { "" };
        for output in outputs {
            let (restored, input) = (format!("back/{output}"), format!("{prefix}{output}"));
            assert_eq!(dir.read(&restored), dir.read(&input), "{inputs}: {output}");
        }
    }
}

#[test]
fn a_file_that_is_named_twice_is_refused() {
    let dir = Dir::new();
    dir.write("x/a.jsonl", talk("x", 2));
    for inputs in ["x/a.jsonl x/a.jsonl", "x x/a.jsonl", "x ./x"] {
        dir.epitome(&format!("compact {inputs} -o out")).fails(2).says(["a.jsonl", "both"]);
    }
    assert!(!dir.exists("out"));
}

#[test]
fn what_an_earlier_run_wrote_is_skipped_below_a_directory_and_read_where_it_is_named() {
    let dir = Dir::new();
    dir.write("in/a.jsonl", talk("a", 8))
        .write("in/b/c.jsonl", talk("c", 2))
        .write("in/b/report.json", "{\"rows\": 1}");
    dir.epitome(&format!("compact in -o in/b/out {CUT}")).fails(3);
    dir.epitome(&format!("compact in -o in/whole --max-errors all {CUT}"))
        .ok()
        .says(["warning: skipping in/b/out", "name it to include it"]);
    dir.epitome("replay in/a.jsonl -o in/replayed --policy deepagents --policy langchain").ok();
    dir.epitome("convert in/a.jsonl --to openai -o in/chats").ok();
    let files = |words: &str| {
        let (_, ran) = dir.epitome(words).run();
        let lines = ran
            .stdout()
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let files: Vec<String> =
            lines.filter_map(|line| Some(line["file"].as_str()?.to_owned())).collect();
        (files, ran)
    };
    let (found, ran) = files("count in --json");
    assert_eq!(found, ["in/a.jsonl", "in/b/c.jsonl"]);
    ran.says([
        "skipping in/b/out",
        "skipping in/chats",
        "skipping in/replayed/deepagents",
        "skipping in/whole",
        "in/b/report.json:1:",
    ]);
    assert_eq!(files("count in/b/out --json").0, ["in/b/out/a.jsonl", "in/b/out/b/c.jsonl"]);
    dir.epitome(&format!("compact in -o again {CUT}")).fails(3);
    assert!(!dir.exists("again/whole") && !dir.exists("again/b/out"));
}

#[test]
fn stdin_gives_the_same_bytes_as_a_file() {
    let messages: String = (0..9).map(|number| message("t", number) + "\n").collect();
    let array = format!(
        "[{}]\n",
        [talk("a", 8), talk("b", 8)].map(|line| line.trim_end().to_owned()).join(",\n")
    );
    for text in [talk("a", 8) + &talk("b", 2) + &talk("c", 9), messages, array] {
        let dir = Dir::new();
        dir.write("stdin.jsonl", &text);
        dir.epitome(&format!("compact stdin.jsonl -o file {CUT}")).ok();
        dir.epitome(&format!("compact - -o out {CUT}")).stdin(text.as_str()).ok();
        let (mut file, mut out) = (dir.tree("file"), dir.tree("out"));
        // Of a file the manifest tells where it came from.
        let manifests = [&mut file, &mut out].map(|tree| {
            let report = tree.remove("report.json").unwrap();
            assert!(!report.is_empty());
            let manifest = tree.remove("originals/manifest.jsonl").unwrap();
            let lines = String::from_utf8(manifest).unwrap();
            let entries = lines.lines().map(|line| {
                let mut entry: serde_json::Value = serde_json::from_str(line).unwrap();
                entry.as_object_mut().unwrap().remove("from");
                entry
            });
            entries.collect::<Vec<_>>()
        });
        assert_eq!(manifests[0], manifests[1]);
        assert!(file.len() > 1 && file == out, "{:?} and {:?}", file.keys(), out.keys());
        let streamed =
            dir.epitome(&format!("compact - -o - --archive aside {CUT}")).stdin(text).ok();
        assert_eq!(streamed.stdout, out["stdin.jsonl"]);
        assert!(dir.exists("aside/conversation_history"));
    }
}

#[test]
fn interleaved_threads_are_told_apart_on_stdin_too() {
    let dir = Dir::new();
    let line = |thread: &str, number| {
        message(thread, number).replacen('{', &format!("{{\"thread_id\": \"{thread}\", "), 1) + "\n"
    };
    let text: String = (0..8).map(|number| line("a", number) + &line("b", number)).collect();
    dir.epitome(&format!("compact - -o out {CUT}")).stdin(text).ok();
    let entries = dir.entries();
    let ids: Vec<_> = entries.iter().map(|entry| entry["thread_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["a", "b"]);
    assert_eq!(
        dir.read("out/stdin.jsonl").lines().count(),
        6,
        "a summary and two messages of each"
    );
    assert!(
        dir.exists("out/conversation_history/a.md") && dir.exists("out/conversation_history/b.md")
    );
}

#[test]
#[cfg(unix)]
fn links_in_a_directory_are_followed_only_if_asked() {
    let dir = Dir::new();
    dir.write("aside/real.jsonl", talk("real", 2))
        .write("more/b.jsonl", talk("b", 2))
        .write("in/a.jsonl", talk("a", 2))
        .write("linked/x.txt", "");
    for (target, link) in [
        ("aside/real.jsonl", "in/link.jsonl"),
        ("in", "in/loop"),
        ("more", "in/more"),
        ("nowhere", "in/dead.jsonl"),
        ("aside/real.jsonl", "in/notes.txt"),
        ("aside/real.jsonl", "linked/l.jsonl"),
    ] {
        std::os::unix::fs::symlink(dir.path(target), dir.path(link)).unwrap();
    }
    dir.epitome("compact in -o out")
        .ok()
        .says(["in/dead.jsonl and 3 more are links and are not followed", "--follow"]);
    assert_eq!(files_of(&dir), ["in/a.jsonl"]);
    dir.epitome("compact in -o out --force --follow").fails(3).says(["in/dead.jsonl: "]);
    assert_eq!(files_of(&dir), ["in/a.jsonl", "in/dead.jsonl", "in/link.jsonl", "in/more/b.jsonl"]);
    dir.epitome("compact in/link.jsonl in/more -o named").ok();
    assert!(dir.exists("named/link.jsonl") && dir.exists("named/b.jsonl"));
    dir.epitome("count linked").fails(2).says(["a link in it is not followed (--follow reads it)"]);
}

#[test]
#[cfg(unix)]
fn a_file_that_can_not_be_read_costs_that_file() {
    use std::os::unix::fs::PermissionsExt;
    let dir = Dir::new();
    dir.write("in/a.jsonl", talk("a", 8))
        .write("in/b.jsonl", talk("b", 8))
        .write("in/c.jsonl/d.jsonl", talk("d", 8));
    std::fs::set_permissions(dir.path("in/b.jsonl"), std::fs::Permissions::from_mode(0o000))
        .unwrap();
    if std::fs::read(dir.path("in/b.jsonl")).is_ok() {
        return; // root reads everything
    }
    dir.epitome(&format!("compact in -o out {CUT}")).fails(3).says(["in/b.jsonl"]);
    assert!(!dir.exists("out/b.jsonl"));
    assert!(dir.read("out/a.jsonl").contains("<summary>"));
    assert!(
        dir.read("out/c.jsonl/d.jsonl").contains("<summary>"),
        "a directory with the name of a transcript is walked"
    );
}

#[test]
#[cfg(unix)]
fn a_pipe_as_a_file_is_read_once_and_whole() {
    // As `epitome count <(zcat log.gz)` does. One message a line needs two passes, a pipe has one.
    let messages = 30_000;
    let text: String = (0..messages).map(|number| message("t", number) + "\n").collect();
    let dir = Dir::new();
    dir.write("in.jsonl", text);
    let shell = format!("cat in.jsonl | '{}' count /dev/stdin --json", crate::harness::PROGRAM);
    let mut command = assert_cmd::Command::new("sh");
    command
        .current_dir(dir.path(""))
        .args(["-c", &shell])
        .timeout(std::time::Duration::from_secs(60));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let total: serde_json::Value =
        serde_json::from_slice(output.stdout.split(|byte| *byte == b'\n').rev().nth(1).unwrap())
            .unwrap();
    assert_eq!(total["total"]["messages"], messages);
}

#[test]
fn the_entries_of_a_large_report_are_no_transcripts() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("a", 4));
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    let entry = serde_json::to_string(&dir.entries()[0]).unwrap() + "\n";
    let files = |dir: &Dir| {
        let (_, ran) = dir.epitome("count out --json").run();
        let lines = ran.stdout().lines();
        lines.filter(|line| line.contains("\"file\"")).count()
    };
    dir.write("out/report.jsonl", entry);
    assert_eq!(files(&dir), 1);
    dir.epitome("restore out -o back").ok();
    assert!(!dir.exists("back/report.jsonl"));
    // A transcript of that name is one.
    dir.write("out/report.jsonl", talk("b", 4));
    assert_eq!(files(&dir), 2);

    dir.write("in/report.jsonl", talk("b", 40));
    dir.epitome(&format!("compact in -o named {CUT}")).ok();
    dir.epitome("restore named -o back2").ok();
    assert_eq!(dir.bytes("back2/report.jsonl"), dir.bytes("in/report.jsonl"));
}
