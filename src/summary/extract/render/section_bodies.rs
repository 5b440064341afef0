//! The sections of a summary and their headings.

use crate::policy::SummaryTemplate;

/// The text of a section without facts.
pub(crate) const EMPTY_SECTION: &str = "None";
/// Approximate number of bytes of all headings and empty sections.
const FRAME_LENGTH: usize = 256;

/// The lines of the sections.
#[derive(Default)]
pub(crate) struct SectionBodies {
    /// The goal and the newest request.
    pub(crate) goal: Vec<String>,
    /// The user's other requests.
    pub(crate) requests: Vec<String>,
    /// The wishes and the prose of earlier summaries.
    pub(crate) earlier: Vec<String>,
    pub(crate) findings: Vec<String>,
    pub(crate) calls: Vec<String>,
    pub(crate) definitions: Vec<String>,
    pub(crate) outlines: Vec<String>,
    pub(crate) passages: Vec<String>,
    pub(crate) records: Vec<String>,
    pub(crate) errors: Vec<String>,
    pub(crate) references: Vec<String>,
    pub(crate) files: Vec<String>,
    pub(crate) state: Vec<String>,
    pub(crate) last_action: Vec<String>,
}

/// A field of `SectionBodies`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    Goal,
    Requests,
    Earlier,
    Findings,
    Calls,
    Definitions,
    Outlines,
    Passages,
    Records,
    Errors,
    References,
    Files,
    State,
    LastAction,
}

/// A heading and the bodies under it.
struct TemplateSection {
    heading: &'static str,
    bodies: &'static [Body],
}

const DEEP_AGENTS_SECTIONS: &[TemplateSection] = &[
    TemplateSection {
        heading: "## SESSION INTENT\n",
        bodies: &[Body::Goal],
    },
    TemplateSection {
        heading: "\n\n## SUMMARY\n",
        bodies: &[
            Body::Requests,
            Body::Earlier,
            Body::Findings,
            Body::Calls,
            Body::Records,
            Body::Errors,
            Body::Definitions,
            Body::Outlines,
            Body::Passages,
            Body::References,
        ],
    },
    TemplateSection {
        heading: "\n\n## ARTIFACTS\n",
        bodies: &[Body::Files],
    },
    TemplateSection {
        heading: "\n\n## NEXT STEPS\n",
        bodies: &[Body::State, Body::LastAction],
    },
];

const OPEN_CODE_SECTIONS: &[TemplateSection] = &[
    TemplateSection {
        heading: "## Objective\n",
        bodies: &[Body::Goal],
    },
    TemplateSection {
        heading: "\n\n## Important Details\n",
        bodies: &[
            Body::Requests,
            Body::Earlier,
            Body::Findings,
            Body::Records,
            Body::Definitions,
            Body::Outlines,
            Body::Passages,
            Body::References,
        ],
    },
    TemplateSection {
        heading: "\n\n## Work State\n### Completed\n",
        bodies: &[Body::Calls],
    },
    TemplateSection {
        heading: "\n### Active\n",
        bodies: &[],
    },
    TemplateSection {
        heading: "\n### Blocked\n",
        bodies: &[Body::Errors],
    },
    TemplateSection {
        heading: "\n\n## Next Move\n",
        bodies: &[Body::State, Body::LastAction],
    },
    TemplateSection {
        heading: "\n\n## Relevant Files\n",
        bodies: &[Body::Files],
    },
];

/// Returns the sections of a template in their order.
const fn sections_of(template: SummaryTemplate) -> &'static [TemplateSection] {
    match template {
        SummaryTemplate::DeepAgents => DEEP_AGENTS_SECTIONS,
        SummaryTemplate::OpenCode => OPEN_CODE_SECTIONS,
    }
}

/// Returns true if the final state stands in the last section, before the messages that stay.
pub(crate) fn ends_with_state(template: SummaryTemplate) -> bool {
    let last = sections_of(template).last();
    last.is_some_and(|section| section.bodies.contains(&Body::State))
}

impl SectionBodies {
    /// Renders the complete summary, with `empty` under headings without lines.
    pub(crate) fn render(&self, template: SummaryTemplate, empty: &str) -> String {
        let sections = sections_of(template);
        let length: usize = sections
            .iter()
            .flat_map(|section| self.lines_of(section))
            .map(|line| line.len() + 1)
            .sum();
        let mut text = String::with_capacity(FRAME_LENGTH + length);
        for section in sections {
            text.push_str(section.heading);
            let start = text.len();
            for line in self.lines_of(section) {
                text.push_str(if text.len() > start { "\n" } else { "" });
                text.push_str(line);
            }
            text.push_str(if text.len() > start { "" } else { empty });
        }
        text
    }

    /// Returns the lines under a heading.
    fn lines_of(&self, section: &TemplateSection) -> impl Iterator<Item = &String> {
        section.bodies.iter().flat_map(|body| match body {
            Body::Goal => &self.goal,
            Body::Requests => &self.requests,
            Body::Earlier => &self.earlier,
            Body::Findings => &self.findings,
            Body::Calls => &self.calls,
            Body::Definitions => &self.definitions,
            Body::Outlines => &self.outlines,
            Body::Passages => &self.passages,
            Body::Records => &self.records,
            Body::Errors => &self.errors,
            Body::References => &self.references,
            Body::Files => &self.files,
            Body::State => &self.state,
            Body::LastAction => &self.last_action,
        })
    }
}
