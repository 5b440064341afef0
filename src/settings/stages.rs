//! The sections of a configuration, stage by stage.

use crate::policy::{Keep, OnGrowth, Policy, Prune, SummarizerPolicy, Template};
use crate::settings::model;
use crate::settings::section::Section;
use crate::settings::values::{set, summarizer, to_usize, unknown};
use crate::summary;
use crate::transcript::summary_frame::SummaryFrame;
use anyhow::{Context, Result, bail};

/// Takes over what the sections say; what they leave out stays.
pub(super) fn sections(config: &mut Section, policy: &mut Policy) -> Result<()> {
    let mut evict = config.section("evict")?;
    set(&mut policy.evict.tokens, evict.count("tokens")?);
    set(&mut policy.evict.exclude, evict.texts("exclude")?);
    evict.finish()?;

    let mut truncate = config.section("truncate")?;
    policy.truncate.trigger = truncate
        .trigger("trigger")?
        .or(policy.truncate.trigger.take());
    let keep = truncate.keep("keep")?;
    if matches!(keep, Some(Keep::Turns { .. })) {
        bail!(
            "[truncate] keep: turns are a keep of [summarize] only; expected tokens, messages or fraction"
        );
    }
    policy.truncate.keep = keep.or(policy.truncate.keep);
    set(
        &mut policy.truncate.max_length,
        truncate.count("max_length")?.map(to_usize),
    );
    set(&mut policy.truncate.text, truncate.text("text")?);
    set(&mut policy.truncate.tools, truncate.texts("tools")?);
    truncate.finish()?;

    prune(config, &mut policy.prune)?;

    let mut summarize = config.section("summarize")?;
    policy.summarize.trigger = summarize
        .trigger("trigger")?
        .or(policy.summarize.trigger.take());
    policy.summarize.keep = summarize.keep("keep")?.or(policy.summarize.keep);
    set(
        &mut policy.summarize.trim_tokens,
        summarize.count("trim_tokens")?,
    );
    if let Some(name) = summarize.text("frame")? {
        let frame = SummaryFrame::ALL
            .into_iter()
            .find(|frame| frame.name() == name);
        policy.summarize.frame = frame.with_context(|| {
            unknown(
                "[summarize] frame",
                &name,
                SummaryFrame::ALL.map(SummaryFrame::name),
            )
        })?;
    }
    set(&mut policy.summarize.replay, summarize.flag("replay")?);
    if let Some(name) = summarize.text("on_growth")? {
        policy.on_growth = match name.as_str() {
            "skip" => OnGrowth::Skip,
            "allow" => OnGrowth::Allow,
            _ => bail!(unknown("[summarize] on_growth", &name, ["skip", "allow"])),
        };
    }
    summarize.finish()?;

    let mut section = config.section("summarizer")?;
    if let Some(name) = section.text("kind")? {
        policy.summarizer.kind = summarizer("[summarizer] kind", &name)?;
    }
    set(
        &mut policy.summarizer.budget,
        section.count("budget")?.map(to_usize),
    );
    prompts(&mut section, &mut policy.summarizer)?;
    set(&mut policy.summarizer.headings, section.texts("headings")?);
    if let Some(name) = section.text("on_failure")? {
        policy.summarizer.on_failure = model::on_failure("[summarizer] on_failure", &name)?;
    }
    model::from_config(&mut section, &mut policy.summarizer.model)?;
    section.finish()?;

    if let Some(redact) = config.flag("redact")? {
        policy.redact = redact;
    }

    let mut archive = config.section("archive")?;
    set(&mut policy.archive.prefix, archive.text("prefix")?);
    set(
        &mut policy.archive.results_prefix,
        archive.text("results_prefix")?,
    );
    archive.finish()?;

    let mut overflow = config.section("overflow")?;
    set(&mut policy.overflow.limit, overflow.count("limit")?);
    set(
        &mut policy.overflow.max_tokens,
        overflow.count("max_tokens")?,
    );
    set(&mut policy.overflow.context, overflow.count("context")?);
    set(&mut policy.overflow.output, overflow.count("output")?);
    policy.overflow.reserved = overflow.count("reserved")?.or(policy.overflow.reserved);
    set(
        &mut policy.overflow.max_output,
        overflow.positive("max_output")?,
    );
    set(&mut policy.overflow.strict, overflow.flag("strict")?);
    overflow.finish()
}

/// A prompt of the user's own is the only one, and demands no headings unless they are named.
pub(super) fn set_prompt(
    policy: &mut SummarizerPolicy,
    prompt: String,
    option: &str,
) -> Result<()> {
    if !prompt.contains(summary::prompt::PLACE) {
        bail!("{option} must hold {{messages}}: that is where the conversation goes");
    }
    if policy.prompt != prompt {
        policy.headings = Vec::new();
    }
    policy.prompt = prompt;
    policy.merge_prompt.clear();
    Ok(())
}

/// Stage prune: it runs where there is a `[prune]`, unless that says otherwise.
fn prune(config: &mut Section, policy: &mut Prune) -> Result<()> {
    let mut section = config.section("prune")?;
    policy.enabled = section
        .flag("enabled")?
        .unwrap_or(policy.enabled || section.is_given());
    set(&mut policy.protect, section.count("protect")?);
    set(&mut policy.minimum, section.count("minimum")?);
    set(&mut policy.placeholder, section.text("placeholder")?);
    set(&mut policy.protect_tools, section.texts("protect_tools")?);
    set(&mut policy.skip_turns, section.count("skip_turns")?);
    set(&mut policy.rescan, section.flag("rescan")?);
    set(&mut policy.every_result, section.flag("every_result")?);
    set(&mut policy.each_call, section.flag("each_call")?);
    section.finish()
}

/// What a model is asked: a template brings its prompts along, a prompt of the user's own is the only one.
fn prompts(section: &mut Section, policy: &mut SummarizerPolicy) -> Result<()> {
    if let Some(name) = section.text("template")? {
        let template = Template::ALL
            .into_iter()
            .find(|template| template.name() == name);
        policy.use_template(template.with_context(|| {
            unknown(
                "[summarizer] template",
                &name,
                Template::ALL.map(Template::name),
            )
        })?);
    }
    if let Some(prompt) = section.text("prompt")? {
        set_prompt(policy, prompt, "[summarizer] prompt")?;
    }
    set(&mut policy.merge_prompt, section.text("merge_prompt")?);
    set(
        &mut policy.result_chars,
        section.count("result_chars")?.map(to_usize),
    );
    let merges = policy.merge_prompt.contains("{messages}")
        && policy.merge_prompt.contains("{prior_summary}");
    if !merges && !policy.merge_prompt.is_empty() {
        bail!(
            "[summarizer] merge_prompt must hold {{prior_summary}} and {{messages}}; or leave it empty, then an earlier summary is among the messages"
        );
    }
    Ok(())
}
