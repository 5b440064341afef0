//! Integration tests: the program as its users run it, one module a feature.
#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

/// Compacting what was compacted: nothing twice.
mod again;
mod agents;
/// Archives that can't be written: the transcript stays as it was.
mod archive;
/// Arrays of conversations: cut, with commas amiss, and where a fault in them is.
mod arrays;
mod audit;
/// Records that can't be read: reported with their place, written as they came.
mod bad_records;
mod bounds;
/// The names that the program lists.
mod catalog;
/// gzip and zstd, told by content.
mod compression;
/// The configuration file: what is wrong in it is named.
mod config;
/// Files that are no JSON and hold conversations.
mod containers;
mod context_editing;
/// `convert`, and `compact --to`.
mod convert;
/// Counters by name and by model, and how far an estimate is off.
mod counters;
/// `dataset`: samples that trainers take.
mod datasets;
/// Which format a file is.
mod detection;
/// README and `docs/`: samples, links, the table of contents, the page of options.
mod documents;
/// `evaluate`: what would have been lost.
mod evaluate;
/// Expected files, compared and written anew.
mod expected;
/// Faults at every system call, and limits of the system.
#[cfg(unix)]
mod faults;
/// Files, directories and stdin: what is read, in which order, under which name.
mod files;
/// Cases as folders: input, policy, and everything that must come out.
mod fixtures;
/// Names and values that would command a terminal.
#[cfg(unix)]
mod foreign_text;
/// The promises in every format.
mod formats;
/// `epitome.toml` that is found, and variables that stand for options.
mod found_config;
/// The private folder and the command line of every test.
mod growth;
mod harness;
/// Help says what there is.
mod help;
/// Runs that are killed or interrupted, and those that go on after them.
mod interrupts;
/// The same bytes for any number of threads.
mod jobs;
/// Journals of agents: cut, broken, forked, compacted before.
mod journals;
/// The preset `langchain` beside the live middleware.
mod langchain;
/// The source's own rules: who may import whom, who may print.
mod layers;
/// The interface of the library beside the program.
mod library;
/// What a model takes, and what is done where that is exceeded.
mod limits;
/// No record decides for others, and no text is overlooked.
mod memory_skills;

mod misreading;
/// Summaries by a model over HTTP.
mod models;
/// Thread and call ids as file names.
mod names;
/// Records that look odd and are good.
mod newest_deepagents;

mod odd_records;
/// Results as other programs write them, and batches that end badly.
mod odd_results;
/// Servers that are slow, broken or hostile.
mod odd_servers;
/// OpenCode's rules: prune, overflow, tail, shape of a summary.
mod opencode;
/// Restoring without the program.
mod originals;
/// What exists stays.
mod overwrite;
mod own_stages;
/// The action for GitHub and the hooks for pre-commit.
#[cfg(unix)]
mod packaging;
/// Who may read the files of a run.
#[cfg(unix)]
mod permissions;
/// stdout as data, and its reader that goes away.
mod pipes;
mod plan_screen;
/// The Python class of a policy.
mod policy_class;
/// Preference data: one prompt, two answers.
mod preferences;
/// The promises as properties, and the conformance to the reference.
mod promises;
/// Every model call, as a policy would have sent it.
mod replay;
/// Reports: their kinds, and where they go.
mod reports;
/// Summaries through batch files.
mod requests;
/// The inputs again, from what a compaction left.
mod restore;
mod resume;
/// The schemas of what the program writes.
mod schemas;
/// What `--redact` masks, wherever it stands.
mod secrets;
mod seeds;
mod selection;
/// A server that does what a test says.
mod server;
/// Help texts and tables as the program prints them.
mod snapshots;
/// What comes from strangers does no harm.
mod strangers;
/// `stream`, and what reads its rows.
mod stream;
/// External summarizers, good and bad.
mod summarizers;
/// Transcripts made for tests.
mod talk;
/// HTTPS, and whom it trusts.
mod tls;
/// Names of public types: no two are equal.
mod transaction;
mod type_names;
/// Options: what is wrong with them is named, and nothing is written.
mod usage;
/// Wording that no text for users has.
mod words;
