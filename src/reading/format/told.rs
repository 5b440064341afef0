//! What the logs become, told in files of `fixtures/told/`: one for each log, with its cases.
//!
//! A case is a line `# TITLE`, the records of a log, one a line, and what comes of them, in lines
//! that begin with `= `. Of a case `#? TITLE` only is told whether its records are recognized.
//! `EPITOME_FIXTURES=overwrite cargo test --lib -- told` writes what comes of them anew.

#[cfg(test)]
mod tests {
    use crate::reading::format::FORMATS;
    use crate::reading::format::interface::Format;
    use crate::reading::format::journal::{Journal, JournalFormat, JournalThread, rebuild_journal};
    use crate::reading::format::tree::JsonTree;
    use crate::reading::format::worked_log::QUAY;
    use crate::reading::transcript::Record;
    use std::collections::BTreeSet;
    use std::fmt::Write;

    /// A title and the records below it.
    struct ToldCase<'f> {
        title: &'f str,
        records: Vec<&'f str>,
    }

    #[test]
    fn logs_become_what_their_cases_tell() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/told");
        let mut told = 0;
        // The example of the documentation is in no table.
        let example: &dyn Format = &JournalFormat(QUAY);
        for format in FORMATS.iter().copied().chain([example]) {
            let path = format!("{folder}/{}.txt", format.name());
            let (Some(log), Ok(file)) = (format.as_journal(), std::fs::read_to_string(&path))
            else {
                continue;
            };
            told += 1;
            let anew: Vec<String> = cases(&file).iter().map(|case| tell(log, case)).collect();
            let anew = anew.join("\n");
            if std::env::var("EPITOME_FIXTURES").is_ok_and(|mode| mode == "overwrite") {
                std::fs::write(&path, anew).unwrap();
            } else {
                assert_eq!(file, anew, "{path}");
            }
        }
        assert_eq!(told, std::fs::read_dir(folder).unwrap().count());
    }

    fn cases(file: &str) -> Vec<ToldCase<'_>> {
        let mut cases: Vec<ToldCase<'_>> = Vec::new();
        for line in file.lines() {
            if line.starts_with('#') {
                cases.push(ToldCase {
                    title: line,
                    records: Vec::new(),
                });
            } else if !line.is_empty() && !line.starts_with("= ") {
                cases.last_mut().unwrap().records.push(line);
            }
        }
        cases
    }

    /// Returns the case with what comes of it.
    fn tell(log: &dyn Journal, case: &ToldCase<'_>) -> String {
        let mut out = format!("{}\n", case.title);
        for record in &case.records {
            let tree = JsonTree::new(record.as_bytes()).unwrap();
            let recognized = log.recognize_record(tree.root());
            out += &format!("{record}\n");
            match recognized {
                Some(_) if case.title.starts_with("#?") => out += "= recognized\n",
                None => out += "= not recognized\n",
                Some(_) => {}
            }
        }
        if !case.title.starts_with("#?") {
            tell_threads(log, &case.records, &mut out);
            tell_unread(log, &case.records, &mut out);
        }
        out
    }

    fn tell_threads(log: &dyn Journal, records: &[&str], out: &mut String) {
        let bytes: Vec<&[u8]> = records.iter().map(|record| record.as_bytes()).collect();
        let rebuilt = rebuild_journal(log, &bytes);
        for (at, error) in rebuilt.bad {
            writeln!(out, "= record {} is not read: {}", at + 1, error.reason).unwrap();
        }
        let records: Vec<Record<'_>> = (1..)
            .zip(bytes)
            .map(|(line, bytes)| Record { bytes, line })
            .collect();
        for thread in &rebuilt.threads {
            tell_thread(thread, &records, out);
        }
    }

    /// Tells the places in the records that the row of the log doesn't name.
    fn tell_unread(log: &dyn Journal, records: &[&str], out: &mut String) {
        let mut unread = BTreeSet::new();
        for record in records {
            let tree = JsonTree::new(record.as_bytes()).unwrap();
            unread.extend(log.unread_places(tree.root()).into_iter().flatten());
        }
        if !unread.is_empty() {
            let places: Vec<String> = unread.into_iter().collect();
            writeln!(out, "= unread: {}", places.join(", ")).unwrap();
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
