//! Options that nobody typed: `epitome.toml` that is found, and variables of the environment.

use crate::harness::Dir;
use crate::talk::talk;

const POLICY: &str = "[summarize]\ntrigger = [{ messages = 6 }]\nkeep = { messages = 2 }\n";

fn project() -> Dir {
    let dir = Dir::new();
    dir.write("epitome.toml", POLICY).write("in.jsonl", talk("long", 20));
    dir
}

#[test]
fn a_file_in_the_working_directory_or_above_it_applies_and_is_named() {
    let dir = project();
    dir.epitome("plan in.jsonl --check")
        .fails(1)
        .says(["options of ", "epitome.toml apply (--no-config)"]);
    dir.write("a/b/in.jsonl", talk("long", 20));
    let mut below = dir.command("plan in.jsonl --check");
    below.current_dir(dir.path("a/b"));
    let output = below.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    // Quiet runs name it, too; the command line and --config go before it.
    let ran = dir.epitome("plan in.jsonl --check -q").fails(1);
    ran.says(["epitome.toml apply (--no-config)"]);
    dir.epitome("plan in.jsonl --check --no-config").ok();
    dir.write("other.toml", "preset = \"langchain\"\n");
    dir.epitome("plan in.jsonl --check --config other.toml").ok();
    dir.epitome("plan in.jsonl --check --trigger messages=90").ok();
    let printed = dir.epitome("compact --print-config").ok();
    assert!(printed.stdout().contains("{ messages = 6 }"), "{}", printed.stdout());
}

#[test]
fn the_file_of_the_user_lies_below_that_of_the_project() {
    let dir = project();
    dir.write(
        "home/.config/epitome/epitome.toml",
        "[summarizer]\nkind = \"command:cat\"\n[summarize]\nkeep = { messages = 4 }\n",
    );
    let home = dir.path("home").display().to_string();
    let printed = dir.epitome("compact --print-config").env("HOME", &home).ok();
    assert!(printed.stdout().contains("command:cat"));
    assert!(printed.stdout().contains("keep = { messages = 2 }"));
}

#[test]
fn what_the_user_masks_stays_masked() {
    let dir = project();
    let redact = |users: &str, found: &str| {
        dir.write("home/.config/epitome/epitome.toml", users).write("epitome.toml", found);
        let home = dir.path("home").display().to_string();
        let printed = dir.epitome("compact --print-config").env("HOME", &home).ok();
        let line = printed.stdout().lines().find(|line| line.starts_with("redact = "));
        line.unwrap().to_owned()
    };
    for (users, found, masked) in [
        ("redact = \"pii\"", "redact = true", "redact = \"pii\""),
        ("redact = true", "redact = \"pii\"", "redact = \"pii\""),
        ("redact = \"pii\"", "", "redact = \"pii\""),
        ("", "redact = true", "redact = true"),
    ] {
        assert_eq!(redact(users, found), masked, "{users} {found}");
    }
}

#[test]
fn a_file_that_is_found_runs_no_program_and_reads_no_key() {
    for key in [
        "kind = \"command:touch ran\"",
        "kind = \"http\"",
        "base_url = \"https://example.com/v1\"",
        "api_key_file = \"/etc/passwd\"",
        "api_key_env = \"HOME\"",
        "headers = { X = \"$HOME\" }",
        "pass_env = [\"SECRET\"]",
        "cache = \"/tmp\"",
    ] {
        let dir = project();
        dir.write("epitome.toml", format!("{POLICY}[summarizer]\n{key}\n"));
        let name = key.split(' ').next().unwrap();
        dir.epitome("compact in.jsonl -o out").fails(2).says([
            &format!("[summarizer] {name}: a configuration file that was not named may not choose"),
            "--config",
        ]);
        assert!(!dir.exists("ran") && !dir.exists("out"), "{key}");
    }
    let dir = project();
    for (key, chooses) in [
        ("summarizer.kind = \"http\"", "a program, a model, a server"),
        ("strict_model = 3", "not a configuration of epitome"),
        ("preset = \"codex\"\nsummarizer.prompt = \"{messages}\"", "a program, a model"),
        ("system.memory = [\"/etc/passwd\"]", "a file elsewhere"),
    ] {
        dir.write("epitome.toml", key);
        dir.epitome("plan in.jsonl").fails(2).says([chooses]);
    }
}

#[test]
fn a_policy_that_was_printed_may_be_found() {
    let dir = project();
    for preset in ["deepagents", "codex", "anthropic-clear"] {
        let command = format!("plan --print-config --preset {preset} --no-config");
        let printed = dir.epitome(&command).ok().stdout().to_owned();
        assert!(printed.contains("strict_model = false"), "{printed}");
        dir.write("epitome.toml", &printed);
        assert_eq!(dir.epitome("plan --print-config").ok().stdout(), printed);
        // It takes nothing back that the user set.
        for users in ["strict_model = true\n", "redact = true\n"] {
            dir.write("home/.config/epitome/epitome.toml", users);
            let home = dir.path("home").display().to_string();
            let ran = dir.epitome("plan --print-config").env("HOME", &home).fails(2);
            ran.says(["may not choose"]);
        }
    }
}

#[test]
fn variables_stand_for_options_that_are_not_given() {
    let dir = project();
    dir.epitome("plan in.jsonl --check --no-config")
        .env("EPITOME_TRIGGER", "messages=6")
        .env("EPITOME_KEEP", "messages=2")
        .fails(1);
    // The command line goes before them, and they before a file.
    dir.epitome("plan in.jsonl --check --trigger messages=90")
        .env("EPITOME_TRIGGER", "messages=6")
        .ok();
    dir.epitome("plan in.jsonl --check").env("EPITOME_TRIGGER", "messages=90").ok();
    for (variable, option) in [
        ("EPITOME_TRIGGER", "--trigger"),
        ("EPITOME_REDACT", "--redact"),
        ("EPITOME_JOBS", "--jobs"),
    ] {
        let ran = dir.epitome("plan in.jsonl").env(variable, "often").fails(2);
        ran.says([option, &format!("the variable {variable} gives this value")]);
    }
    let printed = dir.epitome("compact --print-config").env("EPITOME_REDACT", "pii").ok();
    assert!(printed.stdout().contains("redact = \"pii\""), "{}", printed.stdout());
    // A program is not chosen by a variable.
    let printed =
        dir.epitome("compact --print-config").env("EPITOME_SUMMARIZER", "command:touch ran").ok();
    assert!(!printed.stdout().contains("touch"));
    // A key without an option has no variable, and a run does not go on as if it had.
    dir.epitome("plan in.jsonl")
        .env("EPITOME_COLOR", "never")
        .env("EPITOME_PRUNE", "true")
        .env("EPITOME_FRAME", "plain")
        .ok()
        .says([
            "the variable EPITOME_FRAME sets nothing; --set summarize.frame=VALUE does",
            "the variable EPITOME_COLOR sets nothing; NO_COLOR=1",
            "the variable EPITOME_PRUNE sets nothing; --set prune.enabled=true does",
        ]);
}

#[test]
fn a_verbose_run_tells_what_becomes_of_each_transcript() {
    let dir = project();
    dir.write("in.jsonl", talk("long", 20) + &talk("short", 1));
    dir.epitome("compact in.jsonl -o out -v").ok().says([
        "in.jsonl:1 long compacted, ",
        "summarize: trigger messages=6 reached",
        "in.jsonl:2 short unchanged, ",
        "summarize: not triggered",
    ]);
}

#[test]
fn a_keep_that_is_not_below_the_trigger_is_warned_of() {
    let dir = project();
    dir.epitome("plan in.jsonl --no-config --trigger 3k --keep 5k")
        .ok()
        .says(["warning: keep tokens=5000 is not below the trigger"]);
    for words in [
        "--trigger 5k --keep 3k",
        "--trigger 3k --keep messages=5",
        "--trigger 3k --trigger messages=90 --keep 5k",
        "--trigger 3k --keep 5k -q",
    ] {
        let ran = dir.epitome(&format!("plan in.jsonl --no-config {words}")).ok();
        assert!(!ran.stderr.contains("warning: keep"), "{words}: {}", ran.stderr);
    }
}
