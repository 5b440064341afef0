//! Exact counters beside tiktoken-rs: same texts, taken in turns, each counted once, in CPU time.
//!
//!     cargo bench --bench counters -- [FILE...]
//!
//! Texts are the string values of 32 bytes and more of JSONL files (default: fixtures/demo, the
//! project's own source, and generated Chinese), and adversarial ones of 1 MB. Each row of the
//! first table is a process of its own and each of the second a thread, so that all caches start
//! cold. Ends with 1 if a count differs.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a report is printed")]

use cpu_time::ThreadTime;
use epitome::CompactionPolicy;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

/// Nothing shorter says anything about speed.
const LEAST_BYTES: usize = 32;
/// So much text is enough.
const MOST_BYTES: usize = 24_000_000;
/// Counters take turns after so much: asking for the time takes time.
const TURN_BYTES: usize = 64_000;
/// For a process that measures one row.
const ONE: &str = "one";

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    if let [one, encoding, corpus, files @ ..] = &arguments[..]
        && one == ONE
    {
        let (_, theirs) =
            ENCODINGS.iter().find(|(name, _)| name == encoding).expect("an encoding of the table");
        let number: usize = corpus.parse().expect("a number");
        let (name, texts) = corpora(files).swap_remove(number);
        return status(compare(&name, &texts, encoding, *theirs));
    }
    let mut equal = true;
    println!(
        "| text | MB | encoding | epitome, MB per CPU s | tiktoken-rs, MB per CPU s | ratio |\n|---|---:|---|---:|---:|---:|"
    );
    for corpus in 0..corpora(&arguments).len() {
        for (encoding, _) in ENCODINGS {
            let program = std::env::current_exe().expect("this program");
            let row = Command::new(program)
                .args([ONE, encoding, &corpus.to_string()])
                .args(&arguments)
                .status();
            equal &= row.is_ok_and(|status| status.success());
        }
    }
    println!("\n| 1 MB of | encoding | ms | times ordinary text |\n|---|---|---:|---:|");
    let ordinary = corpora(&arguments).swap_remove(0).1;
    for (encoding, theirs) in ENCODINGS {
        equal &= adversarial(&ordinary, encoding, *theirs);
    }
    status(equal)
}

fn status(equal: bool) -> ExitCode {
    if equal { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

type Reference = fn() -> &'static tiktoken_rs::CoreBPE;

const ENCODINGS: &[(&str, Reference)] = &[
    ("o200k_base", tiktoken_rs::o200k_base_singleton),
    ("cl100k_base", tiktoken_rs::cl100k_base_singleton),
    ("p50k_base", tiktoken_rs::p50k_base_singleton),
    ("r50k_base", tiktoken_rs::r50k_base_singleton),
];

fn counter(name: &str) -> CompactionPolicy {
    let policy = CompactionPolicy::preset("deepagents").expect("a preset of the table");
    policy.with_counter(name).expect("a counter of the table")
}

/// Returns the CPU time of some work.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = ThreadTime::now();
    let done = work();
    (done, start.elapsed())
}

fn compare(name: &str, texts: &[String], encoding: &str, theirs: Reference) -> bool {
    let (ours, theirs) = (counter(encoding), theirs());
    let (mut our_time, mut their_time, mut bytes, mut different) =
        (Duration::ZERO, Duration::ZERO, 0, 0);
    let mut rest = texts;
    while !rest.is_empty() {
        let mut size = 0;
        let fits = |text: &&String| {
            size += text.len();
            size - text.len() < TURN_BYTES
        };
        let turn = rest.iter().take_while(fits).count();
        let (texts, behind) = rest.split_at(turn);
        let (mine, time) =
            timed(|| texts.iter().map(|text| ours.count_text(text)).collect::<Vec<_>>());
        our_time += time;
        let (wanted, time) = timed(|| {
            texts.iter().map(|text| theirs.encode_ordinary(text).len()).collect::<Vec<_>>()
        });
        their_time += time;
        for ((text, mine), wanted) in texts.iter().zip(mine).zip(wanted) {
            bytes += text.len();
            if mine != wanted {
                different += 1;
                eprintln!(
                    "{encoding}: {mine}, tiktoken-rs says {wanted}: {:?}",
                    text.chars().take(80).collect::<String>()
                );
            }
        }
        rest = behind;
    }
    let speed = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64().max(1e-9);
    let ratio = their_time.as_secs_f64() / our_time.as_secs_f64().max(1e-9);
    println!(
        "| {name} | {:.1} | `{encoding}` | {:.1} | {:.1} | {ratio:.1}x |",
        bytes as f64 / 1e6,
        speed(our_time),
        speed(their_time)
    );
    different == 0
}

fn corpora(files: &[String]) -> Vec<(String, Vec<String>)> {
    if !files.is_empty() {
        return files
            .iter()
            .map(|file| {
                (
                    file.rsplit('/').next().unwrap_or(file).to_owned(),
                    texts_of(&std::fs::read_to_string(file).expect(file)),
                )
            })
            .collect();
    }
    let demo = include_str!("../fixtures/demo/sessions.jsonl");
    let mut code = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut code);
    vec![
        ("fixtures/demo".to_owned(), texts_of(demo)),
        ("src".to_owned(), code),
        ("generated Chinese".to_owned(), chinese()),
    ]
}

/// The source files of a folder, in the order of their names.
fn sources(folder: &Path, texts: &mut Vec<String>) {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            sources(&path, texts);
        } else {
            texts.extend(std::fs::read_to_string(path));
        }
    }
}

/// All string values of JSONL that are long enough.
fn texts_of(jsonl: &str) -> Vec<String> {
    fn walk(value: serde_json::Value, texts: &mut Vec<String>) {
        match value {
            serde_json::Value::String(text) if text.len() >= LEAST_BYTES => texts.push(text),
            serde_json::Value::Array(items) => items.into_iter().for_each(|item| walk(item, texts)),
            serde_json::Value::Object(entries) => {
                entries.into_iter().for_each(|(_, value)| walk(value, texts))
            }
            _ => {}
        }
    }
    let mut texts = Vec::new();
    jsonl
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .for_each(|value| walk(value, &mut texts));
    let mut bytes = 0;
    texts.retain(|text| {
        bytes += text.len();
        bytes <= MOST_BYTES
    });
    texts
}

/// A generator of numbers: the same at every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }
}

const CHINESE: &str = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处队南给色光门即保治北造百规热领七海口东导器压志世金增争济阶油思术极交受联什认六共权收证改清己美再采转更单风切打白教速花带安场身车例真务具万每目至达走积示议声报斗完类八离华名确才科张信马节话米整空元况今集温传土许步群广石记需段研界拉林律叫且究观越织装影算低持音众书布复容儿须际商非验连断深难近矿千周委素技备半办青省列习响约支般史感劳便团往酸历市克何除消构府称太准精值号率族维划选标写存候毛亲快效斯院查江型眼王按格养易置派层片始却专状育厂京识适属圆包火住调满县局照参红细引听该铁价严";

fn chinese() -> Vec<String> {
    let characters: Vec<char> = CHINESE.chars().collect();
    let mut numbers = Numbers(7);
    let sentence = |numbers: &mut Numbers| {
        let length = 6 + numbers.next(20);
        // Frequent characters first, as in language.
        let text: String = (0..length)
            .map(|_| {
                let most = 1 + numbers.next(characters.len());
                characters[numbers.next(most)]
            })
            .collect();
        text + ["，", "。", "：", "！", "\n"][numbers.next(5)]
    };
    (0..2000).map(|_| (0..12).map(|_| sentence(&mut numbers)).collect()).collect()
}

const MEGABYTE: usize = 1_000_000;

fn adversarial(ordinary: &[String], encoding: &str, theirs: Reference) -> bool {
    let (ours, theirs) = (counter(encoding), theirs());
    let mut numbers = Numbers(1);
    let repeat = |unit: &str| unit.repeat(MEGABYTE / unit.len());
    let mut random = |from: &dyn Fn(&mut Numbers) -> char| {
        let mut text = String::with_capacity(MEGABYTE + 4);
        while text.len() < MEGABYTE {
            text.push(from(&mut numbers));
        }
        text
    };
    let any = |numbers: &mut Numbers| char::from_u32(numbers.next(0x11_0000) as u32).unwrap_or('x');
    let blank = |numbers: &mut Numbers| {
        [' ', '\t', '\n', '\r', '\u{a0}', '\u{3000}', '\u{2028}', '\u{85}'][numbers.next(8)]
    };
    let base64 = |numbers: &mut Numbers| {
        char::from(
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[numbers.next(64)],
        )
    };
    let mixed = |numbers: &mut Numbers| {
        [
            'a', 'B', '1', ' ', '\n', '\'', 's', '/', '中', '\u{301}', 'ǅ', 'ʰ', '-', '\u{a0}',
            '😀', 'ſ',
        ][numbers.next(16)]
    };
    let letters = |numbers: &mut Numbers| char::from(b'a' + numbers.next(26) as u8);
    let cjk =
        |numbers: &mut Numbers| char::from_u32(0x4E00 + numbers.next(0x5000) as u32).unwrap_or('x');
    let texts = [
        (
            "ordinary text",
            ordinary
                .iter()
                .cycle()
                .flat_map(|text| text.chars().chain(['\n']))
                .take(MEGABYTE)
                .collect(),
        ),
        ("one sentence", repeat("The quick brown fox jumps over the lazy dog, and 42 more. ")),
        ("one letter", repeat("a")),
        ("one capital", repeat("A")),
        ("spaces", repeat(" ")),
        ("tabs", repeat("\t")),
        ("line ends", repeat("\n")),
        ("spaces, then x", repeat(" ") + "x"),
        ("equals signs", repeat("=")),
        ("emoji", repeat("😀")),
        ("one Chinese character", repeat("中")),
        ("random Chinese", random(&cjk)),
        ("random code points", random(&any)),
        ("mixed white space", random(&blank)),
        ("base64", random(&base64)),
        ("mixed classes", random(&mixed)),
        ("random letters", random(&letters)),
        (
            "long runs",
            (0..)
                .map(|at| ["=", "-", "*", "#"][at % 4].repeat(40 + at * 7 % 90))
                .take(MEGABYTE / 84)
                .collect(),
        ),
        ("minified code", repeat("function a(b,c){return b?c[0]:d.e(f=>{g(h)})};")),
        ("special tokens", repeat("<|endoftext|>")),
        ("marks", repeat("\u{301}")),
        ("digits", repeat("1234567890")),
    ];
    let (mut equal, mut ordinary) = (true, Duration::ZERO);
    for (name, text) in &texts {
        let cold =
            std::thread::scope(|scope| scope.spawn(|| timed(|| ours.count_text(text))).join());
        let (mine, time) = cold.expect("a counter never panics");
        if ordinary.is_zero() {
            ordinary = time;
        }
        println!(
            "| {name} | `{encoding}` | {:.1} | {:.1}x |",
            time.as_secs_f64() * 1e3,
            time.as_secs_f64() / ordinary.as_secs_f64()
        );
        // Where it panics there is no answer to compare with.
        let wanted = catch_unwind(AssertUnwindSafe(|| theirs.encode_ordinary(text).len()));
        if let Ok(wanted) = wanted
            && wanted != mine
        {
            eprintln!("{encoding}, {name}: {mine}, tiktoken-rs says {wanted}");
            equal = false;
        }
    }
    equal
}
