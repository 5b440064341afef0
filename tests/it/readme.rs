use crate::harness::Dir;
use std::fs;

/// The README's shell blocks, line by line: `(marker above the block, command)`.
fn commands() -> Vec<(bool, String)> {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let mut commands = Vec::new();
    let (mut inside, mut ci) = (false, false);
    for line in readme.lines() {
        match line {
            "```sh" => inside = true,
            "```" => (inside, ci) = (false, false),
            _ if inside => commands.push((ci, line.split(" #").next().unwrap().trim().to_owned())),
            _ if line.starts_with("<!-- ci:") => ci = true,
            _ => {}
        }
    }
    commands
}

/// A policy to compare with.
const EARLY: &str = "[summarize]\ntrigger = [{ tokens = 1000 }]\nkeep = { messages = 6 }\n";

/// A folder with what the README's commands name.
fn project() -> Dir {
    let dir = Dir::new();
    let demo = fs::read(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/fixtures/demo/sessions.jsonl"
    ))
    .unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, &demo).unwrap();
    dir.write("early.toml", EARLY)
        .write("prices.toml", "[gpt-4]\ninput = 30\ncached_input = 3\n")
        .write("data.jsonl", &demo);
    dir.write("logs/sessions.jsonl", &demo)
        .write("fixtures/demo/sessions.jsonl", &demo)
        .write("dataset.jsonl.gz", gzip.finish().unwrap());
    dir
}

#[cfg(unix)]
#[test]
fn every_command_of_the_readme_runs() {
    let bin = std::path::Path::new(crate::harness::PROGRAM)
        .parent()
        .unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut ran = 0;
    for (_, command) in commands().iter().filter(|(ci, _)| !ci) {
        let dir = project();
        let output = std::process::Command::new("sh")
            .args(["-c", command])
            .current_dir(dir.path(""))
            .env("PATH", &path)
            .output()
            .unwrap();
        // `--check` tells with 1 that the demo would change.
        let wanted = i32::from(command.contains("--check"));
        assert_eq!(
            output.status.code(),
            Some(wanted),
            "{command}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        ran += 1;
    }
    assert!(ran >= 6, "only {ran} commands found");
}

#[test]
fn the_samples_of_the_readme_are_what_the_program_prints() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let dir = project();
    let run = dir
        .epitome("compact fixtures/demo/sessions.jsonl -o out")
        .ok();
    assert!(readme.contains(run.stderr.trim_end()), "{}", run.stderr);
    let converted = dir
        .epitome("convert fixtures/demo/sessions.jsonl --to sharegpt -o chats")
        .ok();
    assert!(
        readme.contains(converted.stderr.trim_end()),
        "{}",
        converted.stderr
    );
    let compared = dir.epitome("replay fixtures/demo/sessions.jsonl -o compared --policy deepagents --policy early=early.toml").ok();
    assert!(
        readme.contains(compared.stdout().trim_end()),
        "{}",
        compared.stdout()
    );
    let plan = dir
        .epitome("plan fixtures/demo/sessions.jsonl")
        .env("COLUMNS", "120")
        .ok();
    let shown: Vec<&str> = plan.stdout().lines().take(13).collect();
    assert!(readme.contains(&shown.join("\n")), "{}", shown.join("\n"));
    let totals = plan.stdout().lines().last().unwrap();
    assert!(readme.contains(totals), "{totals}");
}
