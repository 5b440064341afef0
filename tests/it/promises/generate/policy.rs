//! Policies as TOML.

use crate::catalog::PRESETS;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// A policy as TOML.
#[derive(Clone)]
pub(crate) struct Policy {
    pub(crate) toml: String,
    pub(crate) pin: Option<Pin>,
}

/// Which messages a policy pins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pin {
    /// Those of a role.
    Role(&'static str),
    /// The results of a tool.
    Tool(&'static str),
    /// Those in whose text this is found.
    Pattern(&'static str),
}

impl Policy {
    /// True if histories are XML.
    pub(crate) fn is_xml(&self) -> bool {
        self.toml.contains("form = \"xml\"")
    }
}

impl std::fmt::Debug for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.toml)
    }
}

/// The policy under which nothing changes.
pub(crate) const ALL_OFF: &str = "[patch]\ncalls = \"off\"\n[evict]\ntokens = 0\n[truncate]\ntrigger = []\n[summarize]\ntrigger = []\n";

fn amount(limit: bool) -> impl Strategy<Value = String> {
    let fraction = select(if limit {
        vec!["fraction = 0.1", "fraction = 0.5", "fraction = 0.85", "fraction = 1"]
    } else {
        vec!["messages = 3"]
    });
    prop_oneof![
        (1..9u32).prop_map(|number| format!("messages = {number}")),
        (5..1500u32).prop_map(|number| format!("tokens = {number}")),
        fraction.prop_map(str::to_owned),
    ]
}

fn trigger(limit: bool) -> impl Strategy<Value = Option<String>> {
    let clause = prop_oneof![
        4 => amount(limit).prop_map(|amount| format!("{{ {amount} }}")),
        1 => (1..9u32, 5..900u32).prop_map(|(messages, tokens)| format!("{{ messages = {messages}, tokens = {tokens} }}")),
        1 => Just("{ overflow = true }".to_owned()),
    ];
    prop_oneof![
        1 => Just(None),
        1 => Just(Some("trigger = []".to_owned())),
        8 => vec(clause, 1..3).prop_map(|clauses| Some(format!("trigger = [{}]", clauses.join(", ")))),
    ]
}

/// The keep of a stage; only some take turns.
fn keep(limit: bool, takes_turns: bool) -> impl Strategy<Value = Option<String>> {
    let turns =
        prop_oneof![Just("\"all\"".to_owned()), (0..4u32).prop_map(|turns| turns.to_string())];
    let turns = (turns, option::of(0..600u32)).prop_map(|(turns, tokens)| {
        let tokens = tokens.map(|tokens| format!(", tokens = {tokens}")).unwrap_or_default();
        format!("keep = {{ turns = {turns}{tokens} }}")
    });
    option::weighted(
        0.9,
        prop_oneof![3 => amount(limit).prop_map(|amount| format!("keep = {{ {amount} }}")), u32::from(takes_turns) => turns],
    )
}

/// `[prune]` with small numbers, so that there is something to clear.
fn prune() -> impl Strategy<Value = Option<String>> {
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    option::weighted(0.6, (0..300u32, 0..100u32, 0..3u32, flags)).prop_map(|prune| {
        let (protect, minimum, turns, (rescan, every, each, tools)) = prune?;
        let tools = if tools { "protect_tools = [\"grep\"]\n" } else { "" };
        Some(format!(
            "[prune]\nprotect = {protect}\nminimum = {minimum}\nskip_turns = {turns}\nrescan = {rescan}\nevery_result = {every}\neach_call = {each}\n{tools}"
        ))
    })
}

/// Dedup and cut, with small numbers, and pins.
fn own_stages() -> impl Strategy<Value = (Vec<String>, Option<Pin>)> {
    let dedup = option::weighted(0.4, 0..30u32);
    let cut = option::weighted(0.4, (5..120u32, 0..3u32));
    let pin = select(vec![
        Pin::Role("user"),
        Pin::Role("assistant"),
        Pin::Role("tool"),
        Pin::Tool("grep"),
        Pin::Tool("read_file"),
        // The mark of a message ends so.
        Pin::Pattern("3»"),
        Pin::Pattern("[02468]»"),
    ]);
    (dedup, cut, option::weighted(0.3, pin)).prop_map(|(dedup, cut, pin)| {
        let mut tables = Vec::new();
        tables.extend(dedup.map(|least| format!("[dedup]\nenabled = true\nleast = {least}")));
        tables.extend(cut.map(|(tokens, keep)| format!("[cut]\ntokens = {tokens}\nkeep = {keep}")));
        tables.extend(pin.map(|pin| match pin {
            Pin::Role(role) => format!("[pin]\nroles = [\"{role}\"]"),
            Pin::Tool(tool) => format!("[pin]\ntools = [\"{tool}\"]"),
            Pin::Pattern(pattern) => format!("[pin]\npatterns = [\"{pattern}\"]"),
        }));
        (tables, pin)
    })
}

/// How a summary is shown, and what of the usual shape is left out.
pub(crate) fn shape() -> impl Strategy<Value = String> {
    let frame = option::of(select(vec!["archived", "plain", "opencode"]))
        .prop_map(|frame| frame.map(|frame| format!("frame = \"{frame}\"\n")).unwrap_or_default());
    (frame, option::of(any::<bool>())).prop_map(|(frame, replay)| {
        frame + &replay.map(|replay| format!("replay = {replay}\n")).unwrap_or_default()
    })
}

/// A policy of any preset; where `skip` is given, with that choice about growth.
pub(crate) fn policy(skip: Option<bool>) -> impl Strategy<Value = Policy> {
    let skip = skip.map_or_else(|| any::<bool>().boxed(), |skip| Just(skip).boxed());
    (option::of(150..4000u32), skip).prop_flat_map(|(limit, skip_growth)| {
        let known = limit.is_some();
        let preset = select(PRESETS.as_slice());
        let evict = prop_oneof![1 => Just(None), 1 => Just(Some(0)), 5 => (5..400u32).prop_map(Some)];
        let truncate = (trigger(known), keep(known, false), option::weighted(0.8, 5..200u32));
        let summarize = (trigger(known), keep(known, true), prop_oneof![2 => Just(0), 1 => 20..400u32], shape());
        let overflow = (prop_oneof![5 => Just(0), 1 => 200..2000u32], option::of((200..3000u32, 10..300u32, any::<bool>())));
        let rest = (overflow, prop_oneof![3 => Just(0), 1 => 10..300u32], any::<(bool, bool)>(), option::of(any::<bool>()));
        (preset, evict, truncate, (prune(), own_stages()), summarize, rest).prop_map(
            move |(preset, evict, truncate, (prune, (own, pin)), summarize, ((overflow, room), budget, (one_directory, xml), template))| {
                let mut rows = vec![format!("preset = \"{preset}\"")];
                rows.extend(limit.map(|limit| format!("max_input_tokens = {limit}")));
                // A replay with added answers has messages that `plan` does not see.
                rows.push("[patch]\ncalls = \"off\"".to_owned());
                rows.push("[evict]".to_owned());
                rows.extend(evict.map(|tokens| format!("tokens = {tokens}")));
                rows.push("[truncate]".to_owned());
                rows.extend(truncate.0.into_iter().chain(truncate.1));
                rows.extend(truncate.2.map(|length| format!("max_length = {length}")));
                rows.extend(prune);
                rows.extend(own);
                rows.push("[summarize]".to_owned());
                rows.extend(summarize.0.into_iter().chain(summarize.1));
                rows.push(format!("{}trim_tokens = {}\non_growth = \"{}\"", summarize.3, summarize.2, if skip_growth { "skip" } else { "allow" }));
                rows.push(format!("[summarizer]\nkind = \"extract\"\nbudget = {budget}"));
                rows.extend(template.map(|opencode| format!("template = \"{}\"", if opencode { "opencode" } else { "deepagents" })));
                rows.push(format!("[overflow]\nlimit = {overflow}"));
                rows.extend(room.map(|(context, output, strict)| format!("context = {context}\noutput = {output}\nreserved = {output}\nstrict = {strict}")));
                rows.push(format!("[archive]\nform = \"{}\"", if xml { "xml" } else { "lines" }));
                if one_directory {
                    rows.push("results_prefix = \"/large_tool_results\"".to_owned());
                }
                Policy { toml: rows.join("\n") + "\n", pin }
            },
        )
    })
}
