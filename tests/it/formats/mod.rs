//! The promises in every format: one story, told in each dialect, compacted
//! under any policy, and looked at by its bytes.

mod convert;
mod dialects;
mod journals;
mod story;
mod tellers;
mod trained;

use crate::catalog::{FORMATS, PRESETS};
use crate::originals::restored;
use crate::promises::reader::{elements, value};
use crate::promises::support::{Place, cases, epitome, json_lines};
use dialects::{DIALECTS, Dialect, ToldStory};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use story::{Story, story};

/// Marks every element of a list that a dialect writes.
pub(crate) const TAG: &str = "x_tag";
const OFF: &str = "[evict]\ntokens = 0\n[truncate]\ntrigger = []\n[summarize]\ntrigger = []\n";
/// What an edit leaves in an element: a notice, a cut argument, a summary before its text.
const TRACES: [&str; 7] = [
    "Tool result too large",
    "«cut»",
    "[Old tool result content cleared]",
    "Old environment output: (",
    "You are in the middle of a conversation that has been summarized.",
    "Here is a summary of the conversation to date:",
    QUESTION,
];
/// Those of a summary.
const SUMMARIES: std::ops::RangeFrom<usize> = 4..;
/// What the user asks before a summary that the assistant tells.
const QUESTION: &str = "What did we do so far?";

#[test]
fn every_format_has_a_dialect_and_fixtures() {
    assert!(
        DIALECTS.iter().all(|dialect| TESTED.contains(&dialect.name)),
        "a dialect that no property looks at"
    );
    assert!(
        tellers::JOURNALS.iter().all(|journal| journals::TESTED.contains(&journal.name)),
        "a journal that no property looks at"
    );
    for format in FORMATS.iter() {
        let name = format.name.as_str();
        let told = DIALECTS
            .iter()
            .map(|dialect| dialect.format)
            .chain(tellers::JOURNALS.iter().map(|journal| journal.format));
        assert!(told.into_iter().any(|format| format == name), "no story is told in {name}");
        let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
        assert!(fixtures.is_dir(), "{name} has no fixtures");
    }
}

fn policy() -> impl Strategy<Value = String> {
    let preset = select(PRESETS.as_slice());
    let prune = option::of((0..60u32, 0..20u32, 0..3u32, any::<bool>()));
    let summarize = (1..14u32, 1..10u32, 0..3u8, any::<bool>());
    (preset, 5..120u32, (1..6u32, 10..60u32), prune, summarize).prop_map(|(preset, evict, (recent, length), prune, (trigger, keep, kind, replay))| {
        let keep = match kind {
            0 => format!("tokens = {}", keep * 20),
            1 => format!("turns = \"all\", tokens = {}", keep * 40),
            _ => format!("messages = {keep}"),
        };
        let prune = prune.map(|(protect, minimum, turns, every)| {
            format!("[prune]\nprotect = {protect}\nminimum = {minimum}\nskip_turns = {turns}\nevery_result = {every}\n")
        });
        format!(
            "preset = \"{preset}\"\n[evict]\ntokens = {evict}\n[truncate]\ntrigger = [{{ messages = 1 }}]\nkeep = {{ messages = {recent} }}\n\
             max_length = {length}\ntext = \"«cut»\"\n{}[summarize]\ntrigger = [{{ messages = {trigger} }}]\nkeep = {{ {keep} }}\nreplay = {replay}\non_growth = \"skip\"\n",
            prune.unwrap_or_default()
        )
    })
}

/// The elements of the list that a file holds, by their bytes.
fn list<'b>(dialect: &Dialect, file: &'b [u8]) -> Vec<&'b [u8]> {
    let Some(path) = dialect.list else {
        return file.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    };
    let mut at = file.trim_ascii();
    for key in path {
        at = if *key == "0" {
            &at[elements(at)[0].clone()]
        } else {
            &at[value(at, key).unwrap_or_else(|| panic!("no {key}: {}", show(at)))]
        };
    }
    elements(at).into_iter().map(|range| &at[range]).collect()
}

fn tag_of(element: &[u8]) -> Option<usize> {
    std::str::from_utf8(&element[value(element, TAG)?]).ok()?.parse().ok()
}

fn show(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What came of one file.
struct Run {
    place: Place,
    bytes: Vec<u8>,
    entry: Value,
}

fn compact(told: &ToldStory, policy: &str) -> Run {
    let place = Place::new(&told.bytes, policy);
    let output = place.compact("in.jsonl", "out", &[]);
    let stderr = show(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "status {:?}: {stderr}", output.status);
    let bytes = fs::read(place.path("out/in.jsonl")).unwrap();
    let report: Value =
        serde_json::from_slice(&fs::read(place.path("out/report.json")).unwrap()).unwrap();
    assert_eq!(report["transcripts"].as_array().map(Vec::len), Some(1), "{report}");
    Run { place, bytes, entry: report["transcripts"][0].clone() }
}

fn parse_json(element: &[u8]) -> Value {
    serde_json::from_slice(element).unwrap()
}

/// Returns an answer without its blocks of thoughts.
fn without_reasoning(element: &[u8]) -> Value {
    let mut answer = parse_json(element);
    if let Some(blocks) = answer["content"].as_array_mut() {
        blocks.retain(|block| {
            let kind = block["type"].as_str().unwrap_or_default();
            !["thinking", "redacted_thinking"].contains(&kind)
        });
    }
    answer
}

fn check(dialect: &Dialect, story: &Story, pretty: bool, policy: &str) {
    let told = dialect.tell(story, pretty);
    let Run { place, bytes, entry } = compact(&told, policy);
    let shown = || {
        format!("{} under\n{policy}\n{}\nbecame\n{}", dialect.name, show(&told.bytes), show(&bytes))
    };
    assert_eq!(entry["format"], dialect.format, "{}", shown());
    assert!(
        entry["tokens_after"].as_u64() <= entry["tokens_before"].as_u64(),
        "it grew: {}",
        shown()
    );

    // What stays is in order and unchanged, but for what the stages left in it.
    let before: BTreeMap<usize, &[u8]> = list(dialect, &told.bytes)
        .into_iter()
        .map(|element| (tag_of(element).unwrap(), element))
        .collect();
    let after = list(dialect, &bytes);
    let tags: Vec<usize> = after.iter().filter_map(|element| tag_of(element)).collect();
    assert!(
        tags.is_sorted() && tags.windows(2).all(|pair| pair[0] < pair[1]),
        "out of order: {}",
        shown()
    );
    // A tail of whole turns may be none.
    let keeps = !policy.contains("turns = \"all\"") || entry["summarized"] == false;
    assert!(!keeps || tags.last() == before.keys().last(), "the last message stays: {}", shown());
    // With a summary of this preset, reasoning goes from the answers that stay.
    let drops_reasoning = policy.contains("deepagents-0.7") && entry["summarized"] == true;
    for (place, element) in after.iter().enumerate() {
        let answers =
            place > 0 && tag_of(element).is_none() && show(after[place - 1]).contains(QUESTION);
        let untouched = tag_of(element).map_or(answers, |tag| {
            before[&tag] == *element
                || (drops_reasoning && without_reasoning(before[&tag]) == parse_json(element))
        });
        assert!(
            untouched || TRACES.iter().any(|trace| show(element).contains(trace)),
            "changed: {}\n{}",
            show(element),
            shown()
        );
    }
    let summaries = after
        .iter()
        .filter(|element| TRACES[SUMMARIES].iter().any(|trace| show(element).contains(trace)))
        .count();
    assert_eq!(summaries, usize::from(entry["summarized"] == true), "{}", shown());
    if entry["status"] == "unchanged" {
        assert!(bytes == told.bytes, "unchanged, but other bytes: {}", shown());
    }
    let (first, last) =
        (list(dialect, &told.bytes)[0], list(dialect, &told.bytes)[before.len() - 1]);
    let around = |file: &[u8], first: &[u8], last: &[u8]| {
        let find =
            |part: &[u8]| file.windows(part.len()).position(|window| window == part).unwrap();
        (file[..find(first)].to_vec(), file[find(last) + last.len()..].to_vec())
    };
    // A prompt that stands in two answers is edited in both: `preferences` looks at what is around it.
    let mut windows = told.bytes.windows(first.len());
    if windows.by_ref().filter(|window| *window == first).count() == 1 {
        assert_eq!(
            around(&told.bytes, first, last),
            around(&bytes, after[0], after[after.len() - 1]),
            "what stands around the list: {}",
            shown()
        );
    }

    // All of an exchange goes, or nothing of it.
    for exchange in &told.exchanges {
        let left = exchange.iter().filter(|tag| tags.contains(tag)).count();
        assert!(
            left == 0 || left == exchange.len(),
            "elements {exchange:?} are parted: {}",
            shown()
        );
    }
    // System and developer messages are never summarised away.
    for system in &told.system {
        assert!(tags.contains(system), "a system message went: {}", shown());
    }
    if dialect.alternates && story.is_whole() {
        // What has no tag is of a summary: a user speaks in it, or an assistant who was asked for
        // it.
        let ours = |element: &[u8]| {
            if TRACES[SUMMARIES].iter().any(|trace| show(element).contains(trace)) {
                'u'
            } else {
                'a'
            }
        };
        let who: Vec<char> = after
            .iter()
            .map(|element| tag_of(element).map_or_else(|| ours(element), |tag| told.speakers[&tag]))
            .filter(|who| *who != 's')
            .collect();
        assert_eq!(who.first(), Some(&'u'), "{}", shown());
        assert!(
            who.windows(2).all(|pair| pair[0] != pair[1]),
            "{who:?} does not alternate: {}",
            shown()
        );
    }

    // With the originals the input is back.
    let restored = restored(&bytes, &place.path("out/originals/in.jsonl.originals"));
    assert!(restored == told.bytes, "restored:\n{}\n{}", show(&restored), shown());

    // What was written reads as what was planned.
    place.write("off.toml", OFF.as_bytes());
    let arguments = ["plan", "--json", "out/in.jsonl", "--config", "off.toml", "--quiet"];
    let again =
        json_lines(&epitome(place.directory.path()).args(arguments).output().unwrap().stdout);
    assert_eq!(again.len(), 1, "{}", shown());
    assert_eq!(again[0]["format"], dialect.format, "{}", shown());
    assert_eq!(
        again[0]["messages_before"],
        entry["messages_after"],
        "messages read again: {}",
        shown()
    );
}

/// Five properties a dialect.
macro_rules! dialects {
    ($($name:ident)*) => {
        const TESTED: &[&str] = &[$(stringify!($name)),*];

        $(mod $name {
            use super::*;

            proptest! {
                #![proptest_config(cases(4))]

                #[test]
                fn keeps_the_promises(story in story(), policy in policy(), pretty in any::<bool>()) {
                    check(dialect(stringify!($name)), &story, pretty, &policy);
                }

                #[test]
                fn leaves_as_it_came_where_nothing_is_to_be_done(story in story(), pretty in any::<bool>()) {
                    let told = dialect(stringify!($name)).tell(&story, pretty);
                    prop_assert!(compact(&told, OFF).bytes == told.bytes);
                }
            }

            proptest! {
                // Each case runs the program four times or more.
                #![proptest_config(cases(16))]

                #[test]
                fn converts_to_every_target(story in story(), pretty in any::<bool>()) {
                    super::convert::check(dialect(stringify!($name)), &story, pretty);
                }

                #[test]
                fn compacts_and_converts_at_once(story in story(), policy in policy()) {
                    super::convert::check_compacted(dialect(stringify!($name)), &story, &policy);
                }

                #[test]
                fn says_the_same_after_a_detour(story in story()) {
                    super::convert::check_round_trip(dialect(stringify!($name)), &story);
                }
            }
        })*
    };
}

dialects! {
    openai_chat
    openai_preferences
    openai_batch
    trl_prompt
    preference_pairs
    llamafactory_pairs
    trajectory_in_a_data_set
    openai_responses_request
    openai_responses_items
    tau_bench
    swe_agent
    anthropic_request
    anthropic_messages
    gemini
    gemini_list
    gemini_lines
    ai_sdk_messages
    ai_sdk_lines
    bedrock
    langchain_messages_to_dict
    langgraph_state
    langchain_model_dump_lines
    langchain_dumpd
    sharegpt
    hermes
    llama_factory
}

fn dialect(name: &str) -> &'static Dialect {
    DIALECTS.iter().find(|dialect| dialect.name == name).unwrap()
}
