//! What the records of the formats become, told in files of `fixtures/told/`: one for each format,
//! with its cases, and one that says which format records are of.
//!
//! A case is a line `# TITLE`, the records of a log, one a line, and what comes of them, in lines
//! that begin with `= `. Of a case `#? TITLE` only is told whether its records are recognized.
//! `EPITOME_FIXTURES=overwrite cargo test --lib -- told` writes what comes of them anew.

#[cfg(test)]
mod tests {
    use crate::reading::format::answers_beside::answer_key;
    use crate::reading::format::asked_values::AskedValues;
    use crate::reading::format::foreign_log::recognize_foreign_log;
    use crate::reading::format::interface::Format;
    use crate::reading::format::journal::{Journal, JournalThread, rebuild_journal};
    use crate::reading::format::message_builder::filled_keys;
    use crate::reading::format::recognition::Shape;
    use crate::reading::format::tree::{JsonNode, JsonTree};
    use crate::reading::format::worked_example::PIER;
    use crate::reading::format::worked_log::QUAY;
    use crate::reading::format::{FORMATS, FormatVerdict};
    use crate::reading::transcript::{Record, Transcript};
    use std::collections::BTreeSet;
    use std::fmt::Write;

    /// A title and the records below it.
    struct ToldCase<'f> {
        title: &'f str,
        records: Vec<&'f str>,
    }

    const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/told");

    #[test]
    fn records_become_what_their_cases_tell() {
        let mut told = 1;
        check("detected", tell_verdict);
        // The examples of the documentation are in no table.
        let examples: [&dyn Format; 2] = [&QUAY, &PIER];
        for format in FORMATS.iter().copied().chain(examples) {
            told += usize::from(check(format.name(), |case| match format.as_journal() {
                Some(log) => tell(log, case),
                None => tell_chat(format, case),
            }));
        }
        assert_eq!(told, std::fs::read_dir(FOLDER).unwrap().count());
    }

    /// Compares the cases of a file with what is told of them. Returns false if there is no file.
    fn check(name: &str, tell: impl Fn(&ToldCase<'_>) -> String) -> bool {
        let path = format!("{FOLDER}/{name}.txt");
        let Ok(file) = std::fs::read_to_string(&path) else {
            return false;
        };
        let anew: Vec<String> = cases(&file).iter().map(tell).collect();
        let anew = anew.join("\n");
        if std::env::var("EPITOME_FIXTURES").is_ok_and(|mode| mode == "overwrite") {
            std::fs::write(&path, anew).unwrap();
        } else {
            assert_eq!(file, anew, "{path}");
        }
        true
    }

    fn cases(file: &str) -> Vec<ToldCase<'_>> {
        let mut cases: Vec<ToldCase<'_>> = Vec::new();
        for line in file.lines() {
            if line.starts_with('#') {
                cases.push(ToldCase { title: line, records: Vec::new() });
            } else if !line.is_empty() && !line.starts_with("= ") {
                cases.last_mut().unwrap().records.push(line);
            }
        }
        cases
    }

    /// Returns the case with what comes of it.
    fn tell(log: &dyn Journal, case: &ToldCase<'_>) -> String {
        let mut out = format!("{}\n", case.title);
        let trees = case.records.iter();
        let trees: Vec<JsonTree<'_>> =
            trees.map(|record| JsonTree::new(record.as_bytes()).unwrap()).collect();
        let roots: Vec<JsonNode<'_>> = trees.iter().map(JsonTree::root).collect();
        let is_recognized_only = case.title.starts_with("#?");
        let asked = AskedValues::of(|| {
            for (record, root) in case.records.iter().zip(&roots) {
                out += &format!("{record}\n");
                match log.recognize_event(*root) {
                    Some(_) if is_recognized_only => out += "= recognized\n",
                    None => out += "= not recognized\n",
                    Some(_) => {}
                }
            }
            if !is_recognized_only {
                tell_threads(log, &case.records, &mut out);
            }
        });
        let mut unread = BTreeSet::new();
        for root in &roots {
            find_unread(&asked, *root, "", &mut unread);
        }
        if !is_recognized_only && !unread.is_empty() {
            let places: Vec<String> = unread.into_iter().collect();
            writeln!(out, "= unread: {}", places.join(", ")).unwrap();
        }
        out
    }

    /// Adds the places below `path` that nobody asked for. A value of which nothing was asked for is
    /// read as a whole.
    fn find_unread(
        asked: &AskedValues,
        node: JsonNode<'_>,
        path: &str,
        places: &mut BTreeSet<String>,
    ) {
        if asked.has_whole(node.unasked_bytes()) {
            return;
        }
        for item in node.items() {
            find_unread(asked, item, path, places);
        }
        for (key, value) in filled_keys(node, &[]) {
            let path = match path {
                "" => key,
                path => format!("{path}.{key}"),
            };
            if !asked.has_asked(value.unasked_bytes()) {
                places.insert(path);
            } else if is_asked_below(asked, value) {
                find_unread(asked, value, &path, places);
            }
        }
    }

    fn is_asked_below(asked: &AskedValues, node: JsonNode<'_>) -> bool {
        let mut below = node.items().chain(node.members().map(|(_, value)| value));
        below.any(|it| asked.has_asked(it.unasked_bytes()) || is_asked_below(asked, it))
    }

    /// Tells which format records are of, together.
    fn tell_verdict(case: &ToldCase<'_>) -> String {
        let mut verdict = FormatVerdict::new(FORMATS);
        verdict.observe_records(case.records.iter().map(|record| record.as_bytes()));
        let mut out = format!("{}\n{}\n", case.title, case.records.join("\n"));
        match verdict.winner() {
            Some((format, hit)) => {
                writeln!(out, "= {}: {:?}", format.name(), hit.certainty).unwrap();
            }
            None if verdict.has_known_records() => out += "= some are known\n",
            None => out += "= none is known\n",
        }
        let first = case.records[0].as_bytes();
        if let Some(log) = recognize_foreign_log(JsonTree::new(first).unwrap().root()) {
            writeln!(out, "= it is {}", log.name).unwrap();
        }
        if let Some(key) = answer_key(first) {
            writeln!(out, "= answers under {key}").unwrap();
        }
        out
    }

    /// Returns the case of a format whose messages are edited in place.
    fn tell_chat(format: &dyn Format, case: &ToldCase<'_>) -> String {
        let mut out = format!("{}\n", case.title);
        for line in &case.records {
            let (bytes, line) = (line.as_bytes(), writeln!(out, "{line}").map_or(0, |()| 1));
            let tree = JsonTree::new(bytes).unwrap();
            let recognized = format.recognize_record(tree.root());
            let shape = recognized.map_or(Shape::Conversation, |found| found.shape);
            match recognized {
                None => out += "= not recognized\n",
                Some(_) if !case.title.starts_with("#?") => {}
                Some(found) => writeln!(out, "= {:?}", found.shape).unwrap(),
            }
            if !case.title.starts_with("#?") {
                match format.read_transcript(vec![Record { bytes, line }], shape) {
                    Ok(transcript) => tell_messages(&transcript, &mut out),
                    Err(error) => writeln!(out, "= error: {}", error.reason).unwrap(),
                }
            }
        }
        out
    }

    fn tell_messages(transcript: &Transcript<'_>, out: &mut String) {
        let id = transcript.thread_id.as_deref().unwrap_or("without an id");
        writeln!(out, "= thread {id}").unwrap();
        for (index, message) in transcript.messages.iter().enumerate() {
            let json = String::from_utf8_lossy(transcript.bytes(index, message.span));
            write!(out, "= {json}").unwrap();
            if message.incomplete {
                out.push_str(" is incomplete");
            }
            if let Some(usage) = &message.usage {
                write!(out, " used {} tokens", usage.total_tokens).unwrap();
            }
            out.push('\n');
        }
        if let Some(noticed) = transcript.noticed.filter(|it| it.units || it.times) {
            writeln!(out, "= units: {}, times: {}", noticed.units, noticed.times).unwrap();
        }
        if let Some(repeated) = &transcript.repeated {
            writeln!(out, "= copies of the prompt: {}", repeated.copies.len()).unwrap();
        }
        let searched = Transcript { noticed: None, ..transcript.clone() };
        let units = [transcript, &searched].map(Transcript::has_lone_surrogate);
        assert_eq!(units[0], units[1]);
    }

    fn tell_threads(log: &dyn Journal, records: &[&str], out: &mut String) {
        let bytes: Vec<&[u8]> = records.iter().map(|record| record.as_bytes()).collect();
        let rebuilt = rebuild_journal(log, &bytes);
        for (at, error) in rebuilt.bad {
            writeln!(out, "= record {} is not read: {}", at + 1, error.reason).unwrap();
        }
        let records: Vec<Record<'_>> =
            (1..).zip(bytes).map(|(line, bytes)| Record { bytes, line }).collect();
        for thread in &rebuilt.threads {
            tell_thread(thread, &records, out);
        }
    }

    fn tell_thread(thread: &JournalThread, records: &[Record<'_>], out: &mut String) {
        let read = thread.read_transcript(records).unwrap();
        let transcript = read.transcript;
        let id = transcript.thread_id.as_deref().unwrap_or("without an id");
        write!(out, "= thread {id}").unwrap();
        if let Some(model) = &transcript.model {
            write!(out, " of {model}").unwrap();
        }
        out.push('\n');
        for warning in &transcript.warnings {
            writeln!(out, "= warning: {warning}").unwrap();
        }
        for element in thread.rendered_elements() {
            writeln!(out, "= {element}").unwrap();
        }
        for (at, error) in &read.left_out {
            writeln!(out, "= not read in record {}: {}", at + 1, error.reason).unwrap();
        }
        for omitted in &transcript.omitted {
            writeln!(out, "= left out: {} ({})", omitted.what, omitted.times).unwrap();
        }
    }
}
