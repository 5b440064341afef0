//! Files of each shape, made from conversations.

use super::conversation::{Conversation, conversation};
use super::drafts::settled;
use super::layout::{BOM, File, Layout, bad_element, bad_line, layout};
use super::pen::Pen;
use super::sample::{Bad, Message, Sample, Shape, Thread};
use super::words::IDS;
use crate::promises::reader::value;
use proptest::collection::vec;
use proptest::prelude::*;

/// One file of a shape, with at most so many turns a conversation.
pub(crate) fn sample_of(shape: Shape, turns: usize) -> impl Strategy<Value = Sample> {
    let most = if shape == Shape::Messages { 2 } else { 5 };
    (vec(conversation(turns), 1..most), layout())
        .prop_map(move |(conversations, layout)| build(shape, &conversations, &layout))
        .prop_filter("a message with nothing in it is of no known format", says_something)
}

/// Returns true if a file says something, besides roles.
fn says_something(sample: &Sample) -> bool {
    let mut messages = sample.threads.iter().flat_map(|thread| &thread.messages);
    sample.shape != Shape::MessageLines
        || messages.any(|message| {
            let keys = ["content", "tool_calls", "function_call"];
            keys.iter().any(|key| value(message.raw.as_bytes(), key).is_some())
        })
}

/// One file of any shape.
pub(crate) fn sample() -> impl Strategy<Value = Sample> {
    prop_oneof![
        3 => sample_of(Shape::Lines, 14),
        1 => sample_of(Shape::Array, 14),
        1 => sample_of(Shape::Messages, 20),
        2 => sample_of(Shape::MessageLines, 14),
    ]
}

/// One file of lines.
pub(crate) fn sample_of_lines() -> impl Strategy<Value = Sample> {
    prop_oneof![2 => sample_of(Shape::Lines, 12), 1 => sample_of(Shape::MessageLines, 12)]
}

fn build(shape: Shape, conversations: &[Conversation], layout: &Layout) -> Sample {
    let mut pen = Pen::new(layout.seed, matches!(shape, Shape::Array | Shape::Messages));
    let mut sample = match shape {
        Shape::Lines => build_lines(conversations, layout, &mut pen),
        Shape::MessageLines => build_message_lines(conversations, layout, &mut pen),
        Shape::Array => build_array(conversations, layout, &mut pen),
        Shape::Messages => build_messages(&conversations[0], layout, &mut pen),
    };
    if layout.bom {
        sample.bytes.splice(0..0, BOM.bytes());
    }
    sample
}

/// Where bad records go: before the record of that number.
fn bad_before(
    layout: &Layout,
    place: usize,
    records: usize,
) -> impl Iterator<Item = (usize, usize)> {
    layout
        .bad
        .iter()
        .enumerate()
        .filter(move |(_, (at, _))| at % (records + 1) == place)
        .map(|(number, (_, kind))| (number, *kind))
}

fn push_bad(
    file: &mut File<'_>,
    layout: &Layout,
    place: usize,
    records: usize,
    shape: Shape,
    bad: &mut Vec<Bad>,
) {
    for (number, kind) in bad_before(layout, place, records) {
        let bytes = bad_line(kind, number, shape);
        file.line(&bytes, layout.crlf);
        bad.push(Bad { bytes });
    }
}

fn finish(file: File<'_>, layout: &Layout, sample: Sample) -> Sample {
    let File { mut bytes, mut untouched, .. } = file;
    if layout.cut_end {
        bytes.truncate(bytes.len() - if bytes.ends_with(b"\r\n") { 2 } else { 1 });
        untouched.pop();
    }
    Sample { bytes, untouched, ..sample }
}

fn empty(shape: Shape) -> Sample {
    Sample { shape, bytes: Vec::new(), untouched: Vec::new(), threads: Vec::new(), bad: Vec::new() }
}

fn build_lines(conversations: &[Conversation], layout: &Layout, pen: &mut Pen) -> Sample {
    let mut sample = empty(Shape::Lines);
    let records: Vec<(String, Vec<Message>)> =
        conversations.iter().map(|conversation| pen.record(conversation)).collect();
    let mut file = File { pen, bytes: Vec::new(), untouched: Vec::new(), line: 1 };
    file.blank_lines();
    // A file of one bare array on one line is another shape only where it stands alone; it reads
    // the same.
    for (place, (record, messages)) in records.iter().enumerate() {
        push_bad(&mut file, layout, place, records.len(), Shape::Lines, &mut sample.bad);
        let crlf = layout.crlf && file.pen.roll(4) != 1;
        let line = file.record(record, crlf);
        sample.threads.push(Thread { messages: settled(messages.clone()), line, key: None });
    }
    push_bad(&mut file, layout, records.len(), records.len(), Shape::Lines, &mut sample.bad);
    finish(file, layout, sample)
}

fn build_message_lines(conversations: &[Conversation], layout: &Layout, pen: &mut Pen) -> Sample {
    let mut sample = empty(Shape::MessageLines);
    let is_single = conversations.len() == 1 && pen.roll(2) == 0;
    let shift = pen.roll(IDS.len() as u64) as usize;
    let mut waiting: Vec<(usize, std::vec::IntoIter<Message>)> = Vec::new();
    let ids: Vec<&str> = (0..)
        .map(|at| IDS[(shift + at) % IDS.len()])
        .filter(|id| !id.is_empty())
        .take(conversations.len())
        .collect();
    for (number, conversation) in conversations.iter().enumerate() {
        let key = (!is_single)
            .then(|| if number == 1 { "17".to_owned() } else { pen.string(ids[number]) });
        let messages = pen.messages(conversation, key.as_deref());
        waiting.push((number, messages.clone().into_iter()));
        sample.threads.push(Thread { messages: settled(messages), line: 0, key });
    }
    let records: usize = sample.threads.iter().map(|thread| thread.messages.len()).sum();
    let mut file = File { pen, bytes: Vec::new(), untouched: Vec::new(), line: 1 };
    let mut order = Vec::new();
    for place in 0..records {
        push_bad(&mut file, layout, place, records, Shape::MessageLines, &mut sample.bad);
        let which = file.pen.roll(waiting.len() as u64) as usize;
        let (number, messages) = &mut waiting[which];
        let (number, message) = (*number, messages.next());
        if messages.len() == 0 {
            waiting.remove(which);
        }
        let line =
            file.record(&message.map(|message| message.raw).unwrap_or_default(), layout.crlf);
        if sample.threads[number].line == 0 {
            sample.threads[number].line = line;
            order.push(number);
        }
    }
    push_bad(&mut file, layout, records, records, Shape::MessageLines, &mut sample.bad);
    sample.threads = order.into_iter().map(|number| sample.threads[number].clone()).collect();
    finish(file, layout, sample)
}

fn build_array(conversations: &[Conversation], layout: &Layout, pen: &mut Pen) -> Sample {
    let mut sample = empty(Shape::Array);
    let mut elements = Vec::new();
    let count = conversations.len();
    for (place, conversation) in conversations.iter().enumerate() {
        // The first element tells the format: it is a good one.
        let (record, messages) = pen
            .record(&Conversation { bare: conversation.bare && place > 0, ..conversation.clone() });
        elements.push(record);
        sample.threads.push(Thread { messages: settled(messages), line: 0, key: None });
        for (_, kind) in bad_before(layout, place, count) {
            elements.push(bad_element(kind).to_owned());
            sample.bad.push(Bad { bytes: bad_element(kind).as_bytes().to_vec() });
        }
    }
    let end = if layout.crlf { "\r\n" } else { "\n" };
    let text =
        format!("{}{}{}", pen.blank(), pen.list(&elements), if layout.cut_end { "" } else { end });
    Sample { untouched: text.clone().into_bytes(), bytes: text.into_bytes(), ..sample }
}

fn build_messages(conversation: &Conversation, layout: &Layout, pen: &mut Pen) -> Sample {
    let sample = empty(Shape::Messages);
    let (text, messages) = pen.record(&Conversation { bare: true, ..conversation.clone() });
    let threads = vec![Thread { messages: settled(messages), line: 1, key: None }];
    if text.contains('\n') {
        let end = if layout.crlf { "\r\n" } else { "\n" };
        let text = text + if layout.cut_end { "" } else { end };
        return Sample {
            threads,
            untouched: text.clone().into_bytes(),
            bytes: text.into_bytes(),
            ..sample
        };
    }
    let mut file = File { pen, bytes: Vec::new(), untouched: Vec::new(), line: 1 };
    file.line(text.as_bytes(), layout.crlf);
    finish(file, layout, Sample { threads, ..sample })
}
