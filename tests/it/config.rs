//! The configuration file: unknown keys are refused by name with the nearest one, wrong values with
//! what would be right; what `--print-config` prints is the same policy again.

use crate::harness::Dir;
use crate::talk::{log, talk, with_result};

fn refused<const N: usize>(config: &str, wanted: [&str; N]) {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8)).write("policy.toml", config);
    for command in ["compact in.jsonl -o out", "plan in.jsonl"] {
        let ran = dir.epitome(&format!("{command} --config policy.toml")).fails(2);
        for text in wanted {
            assert!(
                ran.stderr.contains(text),
                "{command} with {config:?}: stderr lacks {text:?}:\n{}",
                ran.stderr
            );
        }
    }
    assert!(!dir.exists("out"));
}

#[test]
fn unknown_keys_name_their_place_and_the_nearest() {
    refused("modle = \"x\"", ["modle", "did you mean \"model\"?"]);
    refused("[sumarize]\ntrigger = []", ["sumarize", "did you mean \"summarize\"?"]);
    refused("[evict]\ntoken = 5", ["[evict] token", "did you mean \"tokens\"?"]);
    refused("[truncate]\nmax_len = 5", ["[truncate] max_len", "did you mean \"max_length\"?"]);
    refused("[prune]\nprotct = 5", ["[prune] protct", "did you mean \"protect\"?"]);
    refused("[summarize]\ntriggers = []", ["[summarize] triggers", "did you mean \"trigger\"?"]);
    refused("[summarizer]\nkinds = \"none\"", ["[summarizer] kinds", "did you mean \"kind\"?"]);
    refused("[archive]\nprefixes = \"/x\"", ["[archive] prefixes", "did you mean \"prefix\"?"]);
    refused("[overflow]\nlimits = 5", ["[overflow] limits", "did you mean \"limit\"?"]);
    refused("[overflow]\nreserve = 5", ["[overflow] reserve", "did you mean \"reserved\"?"]);
    refused(
        "[summarize]\ntrigger = [{ token = 5 }]",
        ["[summarize] trigger", "did you mean \"tokens\"?"],
    );
}

#[test]
fn wrong_values_name_key_value_and_what_is_right() {
    refused("counter = 5", ["counter = 5", "text in quotes"]);
    refused("counter = \"aprox\"", ["counter", "aprox", "did you mean \"approx\"?"]);
    refused("preset = \"deepagent\"", ["preset", "deepagent", "did you mean \"deepagents\"?"]);
    refused("max_input_tokens = 0", ["max_input_tokens", "0", "greater than 0"]);
    refused("max_input_tokens = \"many\"", ["max_input_tokens", "many", "whole number"]);
    refused("chars_per_token = 0", ["chars_per_token", "0"]);
    refused("chars_per_token = \"four\"", ["chars_per_token", "four", "number"]);
    refused("evict = 5", ["evict", "[evict]"]);
    refused("[evict]\ntokens = -1", ["[evict] tokens", "-1", "0 or greater"]);
    refused("[evict]\nexclude = \"ls\"", ["[evict] exclude", "list of texts"]);
    refused("[evict]\nexclude = [1]", ["policy.toml:2:12: [evict] exclude = 1", "text in quotes"]);
    refused(
        "[truncate]\nkeep = { messages = 1, tokens = 2 }",
        ["[truncate] keep", "one of tokens, messages, fraction"],
    );
    refused(
        "[summarize]\ntrigger = [{ tokens = 0 }]",
        ["[summarize] trigger", "tokens = 0", "greater than 0"],
    );
    refused(
        "[summarize]\ntrigger = [{ fraction = 1.5 }]",
        ["[summarize] trigger", "fraction = 1.5", "at most 1"],
    );
    refused("[summarize]\ntrigger = [{}]", ["[summarize] trigger", "{ tokens = 4000 }"]);
    refused("[summarize]\ntrigger = 5", ["[summarize] trigger", "5", "[{ tokens = 4000 }]"]);
    refused("[summarize]\ntrigger = [5]", ["[summarize] trigger", "5", "{ tokens = 4000 }"]);
    refused("[summarize]\nkeep = {}", ["[summarize] keep", "tokens"]);
    refused(
        "[summarize]\nkeep = { messages = 0 }",
        ["[summarize] keep", "messages = 0", "greater than 0"],
    );
    refused("[prune]\nprotect = -1", ["[prune] protect = -1", "0 or greater"]);
    refused("[prune]\nrescan = 1", ["[prune] rescan = 1", "true or false"]);
    refused("[prune]\nprotect_tools = \"skill\"", ["[prune] protect_tools", "list of texts"]);
    refused("prune = true", ["prune", "[prune]"]);
    refused("[overflow]\nmax_output = 0", ["[overflow] max_output = 0", "greater than 0"]);
    refused(
        "[summarize]\ntrigger = [{ overflow = 5 }]",
        ["[summarize] trigger", "overflow = 5", "only be true"],
    );
    refused(
        "[summarize]\nkeep = { overflow = true }",
        ["[summarize] keep", "overflow", "tokens, messages, fraction"],
    );
    refused(
        "[summarize]\nkeep = { turns = \"some\" }",
        ["[summarize] keep", "turns = \"some\"", "\"all\""],
    );
    refused(
        "[truncate]\nkeep = { turns = 2 }",
        ["[truncate] keep", "turns", "[summarize]", "messages"],
    );
    refused(
        "[summarize]\nkeep = { turns = 2, messages = 3 }",
        ["[summarize] keep", "messages = 3", "only tokens"],
    );
    refused(
        "[summarize]\nframe = \"opencod\"",
        ["[summarize] frame", "did you mean \"opencode\"?"],
    );
    refused("[summarize]\nreplay = \"yes\"", ["[summarize] replay", "true or false"]);
    refused(
        "[summarizer]\ntemplate = \"opencod\"",
        ["[summarizer] template", "did you mean \"opencode\"?"],
    );
    refused(
        "[summarizer]\nmerge_prompt = \"{messages}\"",
        ["[summarizer] merge_prompt", "{prior_summary}"],
    );
    refused(
        "[summarize]\non_growth = \"skp\"",
        ["[summarize] on_growth", "skp", "did you mean \"skip\"?"],
    );
    refused(
        "[summarizer]\nkind = \"extrct\"",
        ["[summarizer] kind", "extrct", "did you mean \"extract\"?"],
    );
    refused("[summarizer]\nprompt = \"Summarise this.\"", ["[summarizer] prompt", "{messages}"]);
}

#[test]
fn count_reads_the_same_file() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8))
        .write("good.toml", "chars_per_token = 2.0\n[evict]\ntokens = 5\n");
    let total = |options: &str| -> serde_json::Value {
        serde_json::from_str(
            dir.epitome(&format!("count in.jsonl --json {options}"))
                .ok()
                .stdout()
                .lines()
                .last()
                .unwrap(),
        )
        .unwrap()
    };
    assert!(
        total("--config good.toml")["total"]["tokens"].as_u64()
            > total("")["total"]["tokens"].as_u64()
    );
    for (config, wanted) in [
        ("modle = \"x\"", "model"),
        ("counter = \"aprox\"", "approx"),
        ("[evict]\ntokens = -1", "[evict] tokens"),
        ("[evict", "bad.toml"),
    ] {
        dir.write("bad.toml", config)
            .epitome("count in.jsonl --config bad.toml")
            .fails(2)
            .says([wanted]);
    }
}

#[test]
fn a_file_that_is_no_configuration_is_named() {
    refused("preset = deepagents", ["policy.toml"]);
    refused("[summarize", ["policy.toml"]);
    refused("preset = \"langchain\"\npreset = \"deepagents\"", ["policy.toml", "preset"]);
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8))
        .epitome("plan in.jsonl --config missing.toml")
        .fails(2)
        .says(["missing.toml"]);
}

#[test]
fn the_command_line_wins() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8)).write(
        "policy.toml",
        "[summarize]\ntrigger = [{ messages = 100 }]\nkeep = { messages = 2 }\n",
    );
    dir.epitome("plan in.jsonl --config policy.toml --check").ok();
    dir.epitome("plan in.jsonl --config policy.toml --check --trigger messages=6").fails(1);
    dir.write("never.toml", "[summarizer]\nkind = \"none\"\n");
    dir.epitome("plan in.jsonl --config never.toml --check --trigger messages=6 --keep messages=2")
        .ok();
    dir.epitome("plan in.jsonl --config never.toml --check --trigger messages=6 --keep messages=2 --summarizer extract").fails(1);
}

#[test]
fn repeated_triggers_are_or_and_commas_are_and() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8));
    for (trigger, status) in [
        ("--trigger messages=8,tokens=1000000", 0),
        ("--trigger messages=8,tokens=10", 1),
        ("--trigger messages=9 --trigger tokens=10", 1),
        ("--trigger messages=9 --trigger tokens=1000000", 0),
    ] {
        dir.epitome(&format!("plan in.jsonl --check --keep messages=2 {trigger}")).fails(status);
    }
}

/// Options of very different policies.
const POLICIES: [&str; 10] = [
    "",
    "--preset langchain --trigger messages=6 --keep messages=2",
    "--trigger messages=3,tokens=100 --trigger fraction=0.5 --keep fraction=0.25 --max-input-tokens 1000",
    "--model openai:gpt-5.2 --summarizer none",
    "--trigger messages=6 --keep tokens=100 --summary-tokens 50 --summarizer command:./summarize",
    "--config odd.toml --trigger messages=6",
    "--preset opencode --trigger overflow --trigger messages=6 --keep turns=2,tokens=100",
    "--preset opencode-seed --trigger messages=6 --keep turns=all",
    "--preset opencode --model openai:gpt-5.2 --keep turns=0 --trigger messages=2",
    "--config pruning.toml --trigger messages=6,overflow --max-input-tokens 25000",
];

#[test]
#[cfg(unix)]
fn what_print_config_prints_is_the_same_policy() {
    for options in POLICIES {
        let dir = Dir::new();
        dir.script("summarize", "cat >/dev/null; echo all is well");
        dir.write("in.jsonl", talk("t", 12) + &with_result("r", "call", &log(30)));
        dir.write("odd.toml", "chars_per_token = 3.5\n[evict]\ntokens = 100\nexclude = []\n[truncate]\ntext = \"…\\\"cut\\\"\"\n[summarizer]\nprompt = \"\"\"\nA 'prompt'\\n{messages}\n\"\"\"\n[archive]\nprefix = \"/h\"\nresults_prefix = \"/r\"\n[overflow]\nlimit = 5000\n");
        dir.write("pruning.toml", "counter = \"cjk\"\n[prune]\nprotect = 10\nminimum = 5\nskip_turns = 0\n[summarize]\nframe = \"opencode\"\nreplay = true\nkeep = { turns = 1 }\n[summarizer]\ntemplate = \"opencode\"\nresult_chars = 7\n[overflow]\nreserved = 24990\nmax_output = 9\n");
        let printed =
            dir.epitome(&format!("compact in.jsonl -o out {options} --print-config")).ok();
        assert!(!dir.exists("out"), "--print-config ends before anything is written");
        assert_eq!(
            printed.stdout(),
            dir.epitome(&format!("plan in.jsonl {options} --print-config")).ok().stdout()
        );
        dir.write("printed.toml", &printed.stdout);
        let again = dir.epitome("plan in.jsonl --config printed.toml --print-config").ok();
        assert_eq!(again.stdout(), printed.stdout(), "{options}");
        dir.epitome(&format!("compact in.jsonl -o out {options}")).ok();
        dir.epitome("compact in.jsonl -o again --config printed.toml").ok();
        assert_eq!(dir.tree("again"), dir.tree("out"), "{options}");
    }
}

#[test]
fn print_config_needs_neither_input_nor_output() {
    let dir = Dir::new();
    let [compact, plan] = ["compact", "plan"]
        .map(|command| dir.epitome(&format!("{command} --print-config --preset langchain")).ok());
    assert!(compact.stdout().starts_with("preset = \"langchain\"\n"));
    assert_eq!(compact.stdout(), plan.stdout());
    assert_eq!(dir.tree("").len(), 0);
}

#[test]
fn count_refuses_an_unknown_preset() {
    let dir = Dir::new();
    dir.write("in.jsonl", talk("t", 8)).write("policy.toml", "preset = \"deepagent\"\n");
    dir.epitome("count in.jsonl --config policy.toml")
        .fails(2)
        .says(["deepagent", "did you mean \"deepagents\"?"]);
}

#[test]
fn the_keys_of_an_and_are_printed_in_one_order_wherever_they_came_from() {
    let dir = Dir::new();
    let printed = dir.epitome("plan --print-config --trigger tokens=100,messages=3").ok();
    dir.write("printed.toml", &printed.stdout);
    assert_eq!(
        dir.epitome("plan --print-config --config printed.toml").ok().stdout(),
        printed.stdout()
    );
}

#[test]
fn numbers_that_no_policy_file_can_hold_are_refused() {
    let dir = Dir::new();
    dir.write("in.jsonl", "");
    for option in [
        "--keep tokens=9223372036854775808",
        "--keep turns=9223372036854775808",
        "--max-input-tokens 9223372036854775808",
        "--max-tokens 9223372036854775808",
    ] {
        dir.epitome(&format!("compact in.jsonl -o out --print-config {option}"))
            .fails(2)
            .says(["9223372036854775807"]);
    }
    for option in ["--keep turns=9223372036854775807", "--max-input-tokens 9223372036854775807"] {
        let printed = dir.epitome(&format!("compact in.jsonl -o out --print-config {option}")).ok();
        dir.write("printed.toml", printed.stdout());
        dir.epitome("compact in.jsonl -o out --print-config --config printed.toml").ok();
    }
}

/// Options of stages set the same keys as the configuration.
#[test]
fn the_options_of_stages_are_keys_of_the_configuration() {
    let dir = Dir::new();
    dir.write(
        "same.toml",
        "[evict]\ntokens = 4000\n[truncate]\ntrigger = [{ tokens = 1500000, messages = 9 }, { messages = 40 }]\nkeep = { tokens = 8000 }\n\
         max_length = 500\n[prune]\nprotect = 30000\nminimum = 0\n[summarize]\ntrigger = [{ tokens = 4500 }]\nframe = \"plain\"\n[overflow]\nmax_tokens = 90000\n",
    );
    let options = "--set evict.tokens=1 --set evict.tokens=4000 --set truncate.trigger=[{tokens=1500000,messages=9},{messages=40}] \
                   --set truncate.keep={tokens=8000} --set truncate.max_length=500 --set prune.protect=30000 --set prune.minimum=0 --trigger tokens=4.5k --set summarize.frame=plain --max-tokens 90k";
    let printed =
        |words: &str| dir.epitome(&format!("compact x {words} --print-config")).ok().stdout;
    assert_eq!(
        String::from_utf8(printed(options)).unwrap(),
        String::from_utf8(printed("--config same.toml")).unwrap()
    );
    for (wrong, reason) in [
        ("--set truncate.keep={turns=2}", "turns are a keep of [summarize] only"),
        ("--set summarize.frame=fancy", "archived"),
        ("--set evict.tokens=4k", "[evict] tokens"),
        ("--set evict.token=4", "tokens"),
        ("--set evict", "KEY=VALUE"),
        ("--evict-tokens 4", "--set evict.tokens=VALUE"),
    ] {
        dir.epitome(&format!("plan x {wrong}")).fails(2).says([reason]);
    }
}
