//! Limits of the system on file sizes and descriptors: a full disk at every block.

use super::scenario::{Scenario, scenario};
use crate::harness::{PROGRAM, environment};
use std::process::{Command, Output};

/// Long enough for several blocks in each file that grows with it.
const MESSAGES: usize = 30;
const COMMANDS: [&str; 9] = [
    "compact", "compact --force", "compact --archive", "convert", "replay", "restore",
    "requests export", "requests fetch", "requests apply",
];

/// Runs a command under a limit of the shell.
fn limited(scenario: &Scenario, limit: &str) -> Output {
    scenario.prepare();
    Command::new("sh")
        .current_dir(scenario.dir.path(""))
        .env_clear()
        .envs(environment())
        .arg("-c")
        .arg(format!("ulimit {limit}; exec \"$0\" \"$@\""))
        .arg(PROGRAM)
        .args(scenario.command.split_whitespace())
        .output()
        .unwrap()
}

#[test]
fn a_disk_that_is_full_after_any_block_leaves_the_old_or_the_new() {
    for name in COMMANDS {
        let scenario = scenario(name, MESSAGES);
        let mut blocks = 0;
        loop {
            let limit = format!("-f {blocks}");
            let output = limited(&scenario, &limit);
            scenario.check(&output, &limit, false);
            if output.status.success() {
                break;
            }
            blocks += 1;
            assert!(blocks < 1000, "{name}");
        }
        assert!(blocks > 2, "{name}: {blocks} blocks are enough");
    }
}

#[test]
fn too_few_descriptors_are_an_error_or_none() {
    for name in COMMANDS {
        let scenario = scenario(name, 8);
        let mut descriptors = 4;
        loop {
            let limit = format!("-n {descriptors}");
            let output = limited(&scenario, &limit);
            if output.status.code() != Some(127) {
                scenario.check(&output, &limit, false);
            }
            if output.status.success() {
                break;
            }
            descriptors += 1;
            assert!(descriptors < 40, "{name}");
        }
    }
}

#[test]
fn a_run_that_found_no_room_says_how_to_continue() {
    for (name, option) in [("compact", "--resume"), ("compact --force", "--force")] {
        let scenario = scenario(name, MESSAGES);
        let output = limited(&scenario, "-f 1");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{name}: {stderr}");
        let remedy = format!("free some space, then run the same command again with {option}");
        assert!(stderr.contains(&remedy), "{name}: {stderr}");
    }
}
