//! `epitome convert`: transcripts of any format as chat transcripts of another.
//! The same batch as `compact`, with nothing to decide.

use crate::cli::{CompactArgs, ConvertArgs, PolicyArgs, ToArgs};
use crate::commands::Ending;
use crate::commands::compact::{Writing, write_out};
use crate::conversation::Conversation;
use crate::convert::{Conversion, ConversionSource};
use crate::plan::{Plan, overlay_edits};
use crate::report::{TranscriptReport, TranscriptStatus};
use crate::settings;
use crate::transcript::view::TranscriptView;
use anyhow::Result;

/// Converts.
///
/// # Errors
/// What is wrong with the options or the inputs, or what can't be written.
pub fn run(arguments: &ConvertArgs) -> Result<Ending> {
    let conversion = settings::conversion(arguments.to, arguments.merge_user);
    let writing = CompactArgs {
        input: arguments.input.clone(),
        output: Some(arguments.output.clone()),
        archive: None,
        writing: arguments.writing.clone(),
        to: ToArgs::default(),
        policy: PolicyArgs::default(),
        run: arguments.run.clone(),
        check: arguments.check,
    };
    let settings = settings::policy(&writing.policy)?;
    write_out(
        &writing,
        &settings,
        &arguments.output,
        Writing {
            conversion: Some(conversion),
            plans: false,
        },
        |_| Ok(None),
    )
}

/// Transcripts that leave in another format, one a line.
#[derive(Default)]
pub struct Lines {
    pub bytes: Vec<u8>,
}

impl Lines {
    /// Adds a conversation as a plan leaves it, with the text of the plan's summary. One that can't be converted is not written.
    pub fn add(
        &mut self,
        conversion: Conversion,
        one: &Conversation<'_>,
        (plan, text): (&Plan, Option<&str>),
        entry: &mut TranscriptReport,
    ) {
        let start = self.bytes.len();
        let bytes = &mut self.bytes;
        let converted = one.guarded(|| {
            let overlay = overlay_edits(&one.transcript, &plan.edits);
            let view = TranscriptView {
                transcript: &one.transcript,
                overlay: &overlay,
            };
            let source = ConversionSource {
                view,
                format: one.format.name(),
                thread_id: &one.thread_id,
                summary: plan.summary().zip(text),
            };
            Ok(conversion.convert_transcript(&source, bytes))
        });
        match converted {
            Ok(converted) => entry.converted = Some(converted),
            Err(error) => {
                self.bytes.truncate(start);
                (entry.status, entry.error) = (TranscriptStatus::Failed, Some(error));
            }
        }
    }
}
