//! Logs of a made-up program, Pier: `{"talk": [{"who": "me" | "pier", "said": ...}], "ship": ...}`.

use crate::reading::format::prelude::*;

/// Logs of Pier.
pub(super) struct PierFormat;

const ROLES: [(&str, Role); 2] = [("me", Role::User), ("pier", Role::Assistant)];

impl Format for PierFormat {
    fn name(&self) -> &'static str {
        "pier"
    }

    fn help_line(&self) -> &'static str {
        "logs of Pier: {\"talk\": [{\"who\": ..., \"said\": ...}]}"
    }

    fn recognize_record(&self, record: JsonNode<'_>) -> Option<Recognition> {
        let first = record.items_of("talk").next()?;
        (first.has_key("who") && first.has_key("said")).then(|| {
            Recognition::by_envelope(
                Shape::Conversation,
                "a list talk of objects with who and said",
            )
        })
    }

    fn read_transcript<'a>(&self, records: Vec<Record<'a>>, _: Shape) -> Result<Transcript<'a>> {
        read_as_trees(
            records,
            Shape::Conversation,
            Some("ship"),
            |transcript, record| {
                let root = record.node;
                let list = root
                    .get("talk")
                    .ok_or_else(|| no_messages_error(root.bytes(), "talk"))?;
                for_each_element(
                    transcript,
                    list,
                    record.record,
                    "talk",
                    |transcript, element| {
                        transcript.messages.push(read_message(element)?);
                        Ok(())
                    },
                )
            },
        )
    }

    fn render_message(
        &self,
        _: &Transcript<'_>,
        _: &SummaryPlace<'_>,
        role: Role,
        text: &str,
    ) -> Vec<u8> {
        let who = match role {
            Role::Assistant => "pier",
            _ => "me",
        };
        let start = format!("{{\"who\": \"{who}\", \"said\": ");
        fill_json("$$}", &[start.as_bytes(), &encode_literal(text)])
    }
}

fn read_message(element: LocatedNode<'_>) -> Result<Message> {
    let role = element.read_role("who", &ROLES)?;
    // A list of blocks would be read as well: the closure says what kind a block is.
    let (content, content_span) = element.read_content("said", |_| BlockKind::Other)?;
    Ok(Message {
        content,
        content_span,
        ..element.new_message(role)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example_reads_its_records() {
        let record = r#"{"ship": "Alma", "talk": [{"who": "me", "said": "Which pump?"}, {"who": "pier", "said": "P-7."}]}"#;
        let bytes = record.as_bytes();
        let tree = JsonTree::new(bytes).unwrap();
        assert!(PierFormat.recognize_record(tree.root()).is_some());
        let records = vec![Record { bytes, line: 1 }];
        let transcript = PierFormat
            .read_transcript(records, Shape::Conversation)
            .unwrap();
        assert_eq!(transcript.thread_id.as_deref(), Some("Alma"));
        let roles: Vec<Role> = transcript
            .messages
            .iter()
            .map(|message| message.role)
            .collect();
        assert_eq!(roles, [Role::User, Role::Assistant]);
    }

    #[test]
    fn an_error_of_the_worked_example_names_the_field() {
        let record = r#"{"talk": [{"who": "crew", "said": "Ahoy."}]}"#;
        let records = vec![Record {
            bytes: record.as_bytes(),
            line: 1,
        }];
        let error = PierFormat.read_transcript(records, Shape::Conversation);
        assert_eq!(
            error.unwrap_err().reason,
            "talk[0].who is \"crew\", it must be one of me, pier"
        );
    }
}
