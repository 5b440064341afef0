//! What exists stays: results need `--force`, inputs are never written over, archives go into real
//! directories.

use crate::harness::Dir;
use crate::talk::{CUT, talk};

fn with_input(path: &str) -> Dir {
    let dir = Dir::new();
    dir.write(path, talk("t", 8));
    dir
}

#[test]
fn an_output_that_exists_needs_force() {
    let dir = with_input("in.jsonl");
    dir.write("out/in.jsonl", "precious\n");
    dir.epitome(&format!("compact in.jsonl -o out {CUT}"))
        .fails(2)
        .says(["out/in.jsonl", "--force"]);
    assert_eq!(
        dir.tree("out").into_iter().collect::<Vec<_>>(),
        [("in.jsonl".to_owned(), b"precious\n".to_vec())]
    );
    dir.epitome(&format!("compact in.jsonl -o out --force {CUT}")).ok();
    assert!(dir.read("out/in.jsonl").contains("<summary>"));
}

#[test]
fn an_archive_or_report_that_exists_needs_force() {
    for path in [
        "out/conversation_history/t.md",
        "out/large_tool_results/t/c",
        "out/originals/x.jsonl",
        "out/report.json",
        "extra.json",
        "extra.md",
    ] {
        let dir = with_input("in.jsonl");
        dir.write(path, "precious");
        let command =
            format!("compact in.jsonl -o out --report extra.json --report extra.md {CUT}");
        dir.epitome(&command).fails(2).says(["--force"]);
        assert_eq!(dir.read(path), "precious");
        assert!(!dir.exists("out/in.jsonl"));
        dir.epitome(&format!("{command} --force")).ok();
        assert!(
            dir.read("out/conversation_history/t.md")
                .starts_with("## Summarized at 2026-01-01T00:00:00+00:00\n")
        );
    }
}

#[test]
fn with_force_a_second_run_gives_the_same_tree() {
    // Media and files that are named by their contents belong to nobody, and stay, too.
    let image = r#"{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"}}]}"#;
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8).replace("[{", &format!("[{image}, {{")));
    for (options, more_files) in [("", 0), ("--names content", 0), ("--set archive.form=xml", 1)] {
        let run = |more: &str| {
            dir.epitome(&format!("compact in.jsonl -o out {options} {more} {CUT}")).ok();
            dir.tree("out")
        };
        let _ = std::fs::remove_dir_all(dir.path("out"));
        let first = run("");
        assert_eq!(first.len(), 5 + more_files, "{:?}", first.keys());
        assert_eq!(run("--force").keys().collect::<Vec<_>>(), first.keys().collect::<Vec<_>>());
        assert_eq!(dir.tree("out"), first, "no section twice");
    }
    let rows = dir.epitome(&format!("stream {CUT}")).stdin(talk("t", 8)).ok();
    dir.write("rows.jsonl", rows.stdout());
    dir.epitome("unpack rows.jsonl -o unpacked").ok();
    let first = dir.tree("unpacked");
    dir.epitome("unpack rows.jsonl -o unpacked --force").ok();
    assert_eq!(dir.tree("unpacked"), first);
}

#[test]
fn a_directory_in_an_outputs_place_is_no_output() {
    let dir = with_input("in.jsonl");
    dir.write("out/in.jsonl/x", "precious");
    dir.epitome("compact in.jsonl -o out").fails(2).says(["out/in.jsonl", "directory"]);
    dir.epitome("compact in.jsonl -o out --force").fails(2).says(["out/in.jsonl", "directory"]);
    assert_eq!(dir.read("out/in.jsonl/x"), "precious");
}

#[test]
fn the_output_may_not_be_a_file() {
    let dir = with_input("in.jsonl");
    dir.write("out", "precious");
    for force in ["", "--force"] {
        dir.epitome(&format!("compact in.jsonl -o out {force}")).fails(2).says(["out"]);
        assert_eq!(dir.read("out"), "precious");
    }
}

#[test]
fn an_input_is_never_written_over() {
    for (input, output) in [
        ("in.jsonl", "."),
        ("in.jsonl", "./"),
        ("./in.jsonl", "sub/.."),
        ("sub/in.jsonl", "sub"),
        ("sub", "sub"),
        ("sub", "./sub/"),
    ] {
        let dir = with_input("in.jsonl");
        dir.write("sub/in.jsonl", talk("s", 8));
        let before = dir.tree("");
        dir.epitome(&format!("compact {input} -o {output} --force {CUT}"))
            .fails(2)
            .says(["in.jsonl", "never written over"]);
        assert_eq!(dir.tree(""), before, "{input} -o {output}");
    }
}

#[test]
fn a_report_may_not_be_an_input() {
    let dir = with_input("in.json");
    let before = dir.tree("");
    dir.epitome("compact in.json -o out --report ./in.json --force")
        .fails(2)
        .says(["in.json", "never written over"]);
    assert_eq!(dir.tree(""), before);
}

#[test]
fn weights_are_written_over_nothing() {
    let dir = with_input("in.jsonl");
    dir.write("refs.toml", "precious");
    let before = dir.tree("");
    dir.epitome("fit in.jsonl -o refs.toml").fails(2).says(["refs.toml exists", "--force"]);
    for force in ["", "--force"] {
        dir.epitome(&format!("fit in.jsonl -o ./in.jsonl {force}"))
            .fails(2)
            .says(["in.jsonl", "never written over"]);
    }
    assert_eq!(dir.tree(""), before);
    // There is too little to learn from, so that nothing is replaced.
    dir.epitome("fit in.jsonl -o refs.toml --force").fails(2);
    assert_eq!(dir.tree(""), before);
}

#[test]
#[cfg(unix)]
fn what_is_no_file_is_never_replaced() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    use std::os::unix::net::UnixListener;
    for words in [
        "compact in.json -o out",
        "compact in.json -o other --report out/in.json",
        "convert in.json -o out --to openai",
        "fit in.json -o out/in.json",
    ] {
        let dir = with_input("in.json");
        let output =
            dir.path(if words.starts_with("convert") { "out/in.jsonl" } else { "out/in.json" });
        std::fs::create_dir(dir.path("out")).unwrap();
        let _listener = UnixListener::bind(dir.path("special")).unwrap();
        for is_link in [true, false] {
            if is_link {
                symlink(dir.path("special"), &output).unwrap();
            } else {
                std::fs::rename(dir.path("special"), &output).unwrap();
            }
            for force in ["", "--force"] {
                dir.epitome(&format!("{words} {force}"))
                    .fails(2)
                    .says(["out/in.json", "not a regular file"]);
                assert!(
                    std::fs::metadata(&output).unwrap().file_type().is_socket(),
                    "{words} {force}"
                );
            }
        }
    }
}

#[test]
#[cfg(unix)]
fn an_input_is_never_written_over_through_a_link() {
    use std::os::unix::fs::symlink;
    let dir = with_input("real/in.jsonl");
    symlink(dir.path("real"), dir.path("link")).unwrap();
    std::fs::create_dir(dir.path("out")).unwrap();
    symlink(dir.path("real/in.jsonl"), dir.path("out/in.jsonl")).unwrap();
    std::fs::create_dir(dir.path("hard")).unwrap();
    std::fs::hard_link(dir.path("real/in.jsonl"), dir.path("hard/in.jsonl")).unwrap();
    let before = dir.tree("");
    for (input, output) in [
        ("real/in.jsonl", "link"),
        ("link/in.jsonl", "real"),
        ("link", "real"),
        ("real/in.jsonl", "out"),
    ] {
        dir.epitome(&format!("compact {input} -o {output} --force {CUT}"))
            .fails(2)
            .says(["never written over"]);
        assert_eq!(dir.tree(""), before, "{input} -o {output}");
    }
    // A hard link is replaced by a rename, which leaves the input's bytes alone.
    dir.epitome(&format!("compact real/in.jsonl -o hard --force {CUT}")).ok();
    assert_eq!(
        dir.tree("real"),
        before
            .iter()
            .filter_map(|(path, bytes)| Some((
                path.strip_prefix("real/")?.to_owned(),
                bytes.clone()
            )))
            .collect()
    );
}

#[test]
#[cfg(unix)]
fn links_in_place_of_archive_directories_are_refused() {
    for name in ["conversation_history", "large_tool_results", "originals"] {
        for force in ["", "--force"] {
            let dir = with_input("in.jsonl");
            dir.write("outside/kept.txt", "precious");
            std::fs::create_dir(dir.path("out")).unwrap();
            std::os::unix::fs::symlink(dir.path("outside"), dir.path(format!("out/{name}")))
                .unwrap();
            dir.epitome(&format!("compact in.jsonl -o out {force} {CUT}"))
                .fails(2)
                .says([name, "link"]);
            assert_eq!(dir.tree("outside").into_keys().collect::<Vec<_>>(), ["kept.txt"]);
            assert!(!dir.exists("out/in.jsonl"));
        }
    }
}

#[test]
#[cfg(unix)]
fn links_in_place_of_output_directories_are_refused() {
    let dir = with_input("in.jsonl");
    std::fs::create_dir(dir.path("outside")).unwrap();
    std::os::unix::fs::symlink(dir.path("outside"), dir.path("link")).unwrap();
    for words in [
        format!("compact in.jsonl -o link {CUT}"),
        format!("compact in.jsonl -o link {CUT} --force"),
        format!("compact in.jsonl -o out --archive link {CUT}"),
        format!("compact in.jsonl -o - --archive link {CUT}"),
        "convert in.jsonl -o link --to openai".to_owned(),
        format!("replay in.jsonl -o link {CUT}"),
        format!("requests export in.jsonl -o link --model gpt-5 {CUT}"),
    ] {
        dir.epitome(&words).fails(2).says(["link is a link"]);
        assert!(dir.tree("outside").is_empty(), "{words}");
    }
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    dir.epitome("restore out -o link").fails(2).says(["link is a link"]);
    dir.epitome(&format!("compact in.jsonl -o link/below {CUT}")).ok();
}

#[test]
#[cfg(unix)]
fn a_link_in_place_of_an_output_is_never_replaced() {
    let dir = with_input("in.jsonl");
    dir.write("victim", "precious");
    std::fs::create_dir(dir.path("out")).unwrap();
    std::os::unix::fs::symlink(dir.path("victim"), dir.path("out/in.jsonl")).unwrap();
    for force in ["", "--force"] {
        let words = format!("compact in.jsonl -o out {force} {CUT}");
        dir.epitome(&words).fails(2).says(["out/in.jsonl"]);
    }
    assert_eq!(dir.read("victim"), "precious");
    assert!(std::fs::symlink_metadata(dir.path("out/in.jsonl")).unwrap().is_symlink());
}

#[test]
#[cfg(unix)]
fn a_link_in_place_of_a_history_costs_that_transcript() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8)).write("victim", "precious");
    std::fs::create_dir_all(dir.path("out/conversation_history")).unwrap();
    let history = dir.path("out/conversation_history/t.md");
    std::os::unix::fs::symlink(dir.path("victim"), &history).unwrap();
    dir.epitome(&format!("compact in.jsonl -o out --force {CUT}"))
        .fails(3)
        .says(["t.md is a link"]);
    assert_eq!(dir.read("victim"), "precious");
    assert_eq!(dir.read("out/in.jsonl"), dir.read("in.jsonl"));
}

#[test]
#[cfg(unix)]
fn a_link_among_outputs_is_not_restored() {
    let dir = with_input("in.jsonl");
    dir.write("secret", "precious");
    dir.epitome(&format!("compact in.jsonl -o out {CUT}")).ok();
    std::os::unix::fs::symlink(dir.path("secret"), dir.path("out/more.jsonl")).unwrap();
    dir.epitome("restore out -o back").fails(3).says(["more.jsonl", "link"]);
    assert_eq!(dir.read("back/in.jsonl"), dir.read("in.jsonl"));
    assert!(!dir.exists("back/more.jsonl"));
}

#[test]
fn no_path_is_written_twice() {
    let dir = with_input("in.json");
    dir.write("report.json", talk("r", 8));
    for words in [
        "in.json -o out --report out/in.json",
        "in.json -o out --report r.md --report ./r.md",
        "report.json -o out",
        "in.json -o out --report out/report.json",
    ] {
        dir.epitome(&format!("compact {words} {CUT}")).fails(2).says(["twice"]);
        assert!(!dir.exists("out") && !dir.exists("r.md"));
    }
}

#[test]
fn no_path_is_written_twice_under_two_spellings() {
    let dir = with_input("in.json");
    dir.write("out/sub/x", "")
        .epitome(&format!("compact in.json -o out --report out/sub/../in.json {CUT}"))
        .fails(2)
        .says(["twice"]);
}

#[test]
fn an_input_named_as_a_file_of_the_run_costs_that_input() {
    for taken in [
        "originals/in.jsonl.jsonl", "conversation_history/x.jsonl", "large_tool_results/t/x.jsonl",
        "report.json",
    ] {
        let dir = Dir::new();
        dir.write("in/in.jsonl", talk("a", 8)).write(&format!("in/{taken}"), talk("b", 8));
        let ran = dir.epitome(&format!("compact in -o out {CUT}")).fails(3);
        ran.says([&format!("in/{taken}: "), &format!("its output {taken} would be where")]);
        assert!(dir.read("out/in.jsonl").contains("<summary>"));
        assert_eq!(dir.report()["totals"]["failed"], 1);
        dir.epitome("restore out -o back").ok();
        assert_eq!(dir.tree("back").into_keys().collect::<Vec<_>>(), ["in.jsonl"]);
        // The file by itself can be written to stdout; with archives elsewhere only the report is taken.
        dir.epitome(&format!("compact in/{taken} -o - {CUT} --archive kept")).ok();
        let status = if taken == "report.json" { 3 } else { 0 };
        dir.epitome(&format!("compact in -o apart --archive aside {CUT}")).fails(status);
    }
}

#[test]
#[cfg(unix)]
fn a_link_in_place_of_a_threads_results_is_not_followed() {
    let dir = Dir::new();
    dir.write("in.jsonl", crate::talk::with_result("t", "call", &crate::talk::log(40)))
        .write("policy.toml", "[evict]\ntokens = 100\n");
    dir.write("outside/kept.txt", "precious");
    std::fs::create_dir_all(dir.path("out/large_tool_results")).unwrap();
    std::os::unix::fs::symlink(dir.path("outside"), dir.path("out/large_tool_results/t")).unwrap();
    dir.epitome("compact in.jsonl -o out --force --config policy.toml")
        .fails(3)
        .says(["in.jsonl:1:"]);
    assert_eq!(
        dir.tree("outside").into_keys().collect::<Vec<_>>(),
        ["kept.txt"],
        "nothing may be written through the link"
    );
    assert_eq!(dir.read("out/in.jsonl"), dir.read("in.jsonl"));
}
