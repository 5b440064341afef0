//! How a model is asked: from options and configuration to a target, with the
//! key from the environment or a file. Nothing after this reads either.

use super::section::Section;
use super::{set, unknown};
use crate::cli::{ModelArgs, ServerArgs};
use crate::model::Prices;
use crate::policy::{CachePlace, Dialect, ModelPolicy, OnFailure, Policy, Price};
use crate::summary::model::{ExtraAuthorities, ModelEndpoint, RequestHeader, Secret};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// More requests at a time only meet rate limits.
const MOST_CONCURRENT: u64 = 256;
/// What a printed configuration says in the place of a header's value.
pub(super) const MASKED: &str = "***";
/// In the names of headers whose values nobody may read.
const TELLING: [&str; 6] = ["auth", "key", "token", "secret", "password", "cookie"];
const DAY: u64 = 24 * 60 * 60;

/// What the configuration says of the model.
pub(super) fn from_config(section: &mut Section, policy: &mut ModelPolicy) -> Result<()> {
    policy.name = section.text("model")?.or(policy.name.take());
    if let Some(name) = section.text("dialect")? {
        policy.dialect = Some(dialect("[summarizer] dialect", &name)?);
    }
    policy.base_url = section.text("base_url")?.or(policy.base_url.take());
    policy.key_env = section.text("api_key_env")?.or(policy.key_env.take());
    policy.key_file = section
        .text("api_key_file")?
        .map(PathBuf::from)
        .or(policy.key_file.take());
    if policy.key_env.is_some() && policy.key_file.is_some() {
        bail!("[summarizer] api_key_env and api_key_file: only one of them");
    }
    policy.ca_file = section
        .text("ca_file")?
        .map(PathBuf::from)
        .or(policy.ca_file.take());
    let mut headers = section.section("headers")?;
    policy.headers.extend(headers.all_texts()?);
    policy.temperature = section.number("temperature")?.or(policy.temperature);
    set(&mut policy.max_output, section.count("max_output_tokens")?);
    set(&mut policy.timeout, section.positive("timeout")?);
    set(&mut policy.deadline, section.positive("deadline")?);
    set(&mut policy.retries, section.count("retries")?);
    if let Some(number) = section.positive("concurrency")? {
        policy.concurrency = concurrency("[summarizer] concurrency", number)?;
    }
    if let Some(text) = section.text("price")? {
        policy.price = Some(price("[summarizer] price", &text)?);
    }
    policy.max_calls = section.count("max_calls")?.or(policy.max_calls);
    if let Some(dollars) = section.number("max_cost")? {
        policy.max_cost = Some(cost("[summarizer] max_cost", dollars)?);
    }
    if let Some(directory) = section.text("cache")? {
        policy.cache = if directory.is_empty() {
            CachePlace::Off
        } else {
            CachePlace::At(directory.into())
        };
    }
    Ok(())
}

/// What the command line says of it.
pub(super) fn from_arguments(arguments: &ModelArgs, policy: &mut ModelPolicy) -> Result<()> {
    policy.name = arguments.summary_model.clone().or(policy.name.take());
    if let Some(name) = &arguments.dialect {
        policy.dialect = Some(dialect("--dialect", name)?);
    }
    server(&arguments.server, policy)?;
    policy.temperature = arguments.temperature.or(policy.temperature);
    if let Some(temperature) = policy.temperature
        && !(0.0..=2.0).contains(&temperature)
    {
        bail!("--temperature {temperature}: it must be from 0 to 2");
    }
    set(&mut policy.max_output, arguments.max_output_tokens);
    for (option, value, place) in [
        ("--timeout", arguments.timeout, &mut policy.timeout),
        ("--deadline", arguments.deadline, &mut policy.deadline),
    ] {
        if value == Some(0) {
            bail!("{option} 0: it must be greater than 0");
        }
        set(place, value);
    }
    set(&mut policy.retries, arguments.retries);
    if let Some(number) = arguments.concurrency {
        policy.concurrency = concurrency("--concurrency", number as u64)?;
    }
    if let Some(text) = &arguments.price {
        policy.price = Some(price("--price", text)?);
    }
    policy.max_calls = arguments.max_calls.or(policy.max_calls);
    if let Some(dollars) = arguments.max_cost {
        policy.max_cost = Some(cost("--max-cost", dollars)?);
    }
    if let Some(directory) = &arguments.cache {
        policy.cache = CachePlace::At(directory.clone());
    }
    if arguments.no_cache {
        policy.cache = CachePlace::Off;
    }
    Ok(())
}

/// What the command line says of the server.
///
/// # Errors
/// If a header is none.
pub fn server(arguments: &ServerArgs, policy: &mut ModelPolicy) -> Result<()> {
    policy.base_url = arguments.base_url.clone().or(policy.base_url.take());
    if arguments.api_key_env.is_some() || arguments.api_key_file.is_some() {
        policy.key_env.clone_from(&arguments.api_key_env);
        policy.key_file.clone_from(&arguments.api_key_file);
    }
    policy.ca_file = arguments.ca_file.clone().or(policy.ca_file.take());
    for text in &arguments.header {
        let Some((name, value)) = text.split_once(':') else {
            bail!("--header: expected `Name: value`")
        };
        let name = name.trim().to_owned();
        policy
            .headers
            .retain(|(other, _)| !other.eq_ignore_ascii_case(&name));
        policy.headers.push((name, value.trim().to_owned()));
    }
    Ok(())
}

/// Reads `--on-failure`.
pub(super) fn on_failure(option: &str, name: &str) -> Result<OnFailure> {
    let known = || OnFailure::ALL.into_iter().find(|one| one.name() == name);
    known().with_context(|| unknown(option, name, OnFailure::ALL.map(OnFailure::name)))
}

fn dialect(option: &str, name: &str) -> Result<Dialect> {
    let known = || Dialect::ALL.into_iter().find(|one| one.name() == name);
    known().with_context(|| unknown(option, name, Dialect::ALL.map(Dialect::name)))
}

fn concurrency(option: &str, number: u64) -> Result<usize> {
    if !(1..=MOST_CONCURRENT).contains(&number) {
        bail!("{option} {number}: it must be from 1 to {MOST_CONCURRENT}");
    }
    Ok(usize::try_from(number)?)
}

fn cost(option: &str, dollars: f64) -> Result<f64> {
    if !(dollars.is_finite() && dollars >= 0.0) {
        bail!("{option} {dollars}: it must be 0 or greater");
    }
    Ok(dollars)
}

fn price(option: &str, text: &str) -> Result<Price> {
    let number = |text: &str| {
        text.trim()
            .parse::<f64>()
            .ok()
            .filter(|number| number.is_finite() && *number >= 0.0)
    };
    let both = text.split_once(',').and_then(|(input, output)| {
        Some(Price {
            input: number(input)?,
            output: number(output)?,
        })
    });
    both.with_context(|| format!("{option} {text:?}: expected US dollars per million tokens of input and output, for example 1.75,14"))
}

/// What of a target does not depend on a key: dialect and model, as the server knows it.
fn named(policy: &Policy) -> Result<(Dialect, String)> {
    let name = policy
        .summarizer
        .model
        .name
        .as_ref()
        .or(policy.model.as_ref());
    let name = name.context(
        "--summarizer http: which model? Name it with --summary-model (or [summarizer] model)",
    )?;
    let provider = Dialect::ALL
        .into_iter()
        .find_map(|one| Some((one, name.strip_prefix(one.name())?.strip_prefix(':')?)));
    let (by_name, bare) = provider.map_or((None, name.as_str()), |(dialect, bare)| {
        (Some(dialect), bare)
    });
    if bare.is_empty() {
        bail!("--summary-model {name:?} names no model");
    }
    // A bare name of a known model of Anthropic's is meant for them, unless another server is named.
    let by_table = || {
        (policy.summarizer.model.base_url.is_none()
            && policy.models.resolve(bare).provider.as_deref() == Some("anthropic"))
        .then_some(Dialect::Anthropic)
    };
    let dialect = policy
        .summarizer
        .model
        .dialect
        .or(by_name)
        .or_else(by_table)
        .unwrap_or(Dialect::OpenAi);
    Ok((dialect, bare.to_owned()))
}

/// The model that the policy names, how it is asked, and with which key.
///
/// # Errors
/// If no model is named, the address is none, the key is not there, or there is no place for the cache.
pub fn target(policy: &Policy) -> Result<ModelEndpoint> {
    let asked = &policy.summarizer.model;
    let (key, headers, authorities) = (
        key(asked, named(policy)?.0)?,
        headers(asked)?,
        authorities(asked)?,
    );
    let target = ModelEndpoint {
        key,
        headers,
        authorities,
        cache: cache(&asked.cache)?,
        ..keyless(policy)?
    };
    if asked.max_cost.is_some() && target.price.is_none() {
        bail!(
            "--max-cost: no price is known for {:?}; give --price INPUT,OUTPUT",
            target.model
        );
    }
    Ok(target)
}

/// The same, for those who only make requests and don't send them.
///
/// # Errors
/// As [`target`], but for the key.
pub fn keyless(policy: &Policy) -> Result<ModelEndpoint> {
    let asked = &policy.summarizer.model;
    let (dialect, model) = named(policy)?;
    let full = [dialect.name(), ":", &model].concat();
    let known = policy
        .models
        .lookup(&full)
        .or_else(|| policy.models.lookup(&model));
    Ok(ModelEndpoint {
        dialect,
        base_url: base_url(asked, dialect)?,
        key: None,
        headers: Vec::new(),
        authorities: None,
        temperature: asked.temperature,
        max_output: asked.max_output,
        input_limit: known.map(|model| model.max_input_tokens),
        timeout: Duration::from_secs(asked.timeout.min(DAY)),
        deadline: Duration::from_secs(asked.deadline.min(DAY)),
        retries: asked.retries,
        concurrency: asked.concurrency,
        price: asked.price.or_else(|| price_of(dialect, &model, asked)),
        max_calls: asked.max_calls,
        max_cost: asked.max_cost,
        // Who asks nobody can do without.
        cache: cache(&asked.cache).ok().flatten(),
        headings: policy.summarizer.headings.clone(),
        model,
    })
}

/// The table's price; it is the provider's own, so another server has none.
fn price_of(dialect: Dialect, model: &str, asked: &ModelPolicy) -> Option<Price> {
    let known = Prices::default()
        .of(&[dialect.name(), ":", model].concat())
        .filter(|_| asked.base_url.is_none())?;
    Some(Price {
        input: known.input,
        output: known.output?,
    })
}

/// The address, as people write it: with or without a slash at the end, and without the version where it has no path.
fn base_url(asked: &ModelPolicy, dialect: Dialect) -> Result<String> {
    let default = match dialect {
        Dialect::OpenAi => "https://api.openai.com/v1",
        Dialect::Anthropic => "https://api.anthropic.com/v1",
    };
    let Some(url) = &asked.base_url else {
        return Ok(default.to_owned());
    };
    let shown = || crate::summary::model::url_without_credentials(url);
    let url = url.trim().trim_end_matches('/');
    let Some((scheme, rest)) = url
        .split_once("://")
        .filter(|(scheme, rest)| ["http", "https"].contains(scheme) && !rest.is_empty())
    else {
        bail!(
            "--base-url {:?}: expected http://HOST or https://HOST, perhaps with a path",
            shown()
        );
    };
    if rest
        .split('/')
        .next()
        .is_some_and(|host| host.contains('@'))
    {
        bail!(
            "--base-url {:?}: no user or password in the address; give the key with --api-key-env or --api-key-file",
            shown()
        );
    }
    if rest.contains(['?', '#']) {
        bail!(
            "--base-url {:?}: an address without a query, please; --header takes what must be sent along",
            shown()
        );
    }
    let version = if rest.contains('/') { "" } else { "/v1" };
    Ok(format!("{scheme}://{rest}{version}"))
}

/// The file of authorities, whole; whoever connects reads the certificates in it.
fn authorities(asked: &ModelPolicy) -> Result<Option<ExtraAuthorities>> {
    let Some(path) = &asked.ca_file else {
        return Ok(None);
    };
    let pem = std::fs::read(path)
        .with_context(|| format!("can't read the certificates from {}", path.display()))?;
    Ok(Some(ExtraAuthorities {
        name: path.display().to_string(),
        pem,
    }))
}

/// The key. A server of the user's own may want none.
fn key(asked: &ModelPolicy, dialect: Dialect) -> Result<Option<Secret>> {
    if let Some(path) = &asked.key_file {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("can't read the key from {}", path.display()))?;
        return Ok(Some(sendable(
            Secret::new(&text),
            &path.display().to_string(),
        )?));
    }
    let default = match dialect {
        Dialect::OpenAi => "OPENAI_API_KEY",
        Dialect::Anthropic => "ANTHROPIC_API_KEY",
    };
    let name = asked.key_env.as_deref().unwrap_or(default);
    match variable(name)? {
        Some(key) => Ok(Some(sendable(key, name)?)),
        None if asked.key_env.is_none() && asked.base_url.is_some() => Ok(None),
        None => bail!(
            "there is no key: set {name} in the environment, or name a variable with --api-key-env or a file with --api-key-file"
        ),
    }
}

/// A key as a header can carry it.
fn sendable(key: Secret, place: &str) -> Result<Secret> {
    if key.is_empty() || !key.reveal().bytes().all(|byte| byte.is_ascii_graphic()) {
        bail!(
            "{place} holds no key: expected one line of letters, digits and signs, without blanks"
        );
    }
    Ok(key)
}

fn headers(asked: &ModelPolicy) -> Result<Vec<RequestHeader>> {
    let header = |(name, value): &(String, String)| {
        let says_so = || {
            TELLING
                .iter()
                .any(|word| name.to_ascii_lowercase().contains(word))
        };
        let is_secret = value.starts_with('$') || says_so();
        let value = match value.strip_prefix('$') {
            Some(variable_name) => variable(variable_name)?.with_context(|| {
                format!("the header {name:?} wants ${variable_name}, which is not set")
            })?,
            None if value == MASKED => bail!(
                "the header {name:?} was masked in this configuration; give it with --header, or write $NAME for a variable"
            ),
            None => Secret::new(value),
        };
        Ok(RequestHeader {
            name: name.clone(),
            value,
            is_secret,
        })
    };
    asked.headers.iter().map(header).collect()
}

/// A secret from the environment; an empty one is none.
fn variable(name: &str) -> Result<Option<Secret>> {
    let Some(value) = std::env::var_os(name) else {
        return Ok(None);
    };
    let Some(value) = value.to_str() else {
        bail!("{name} in the environment is no text")
    };
    Ok(Some(Secret::new(value)).filter(|secret| !secret.is_empty()))
}

fn cache(place: &CachePlace) -> Result<Option<PathBuf>> {
    let below = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let user = || {
        below("XDG_CACHE_HOME")
            .or_else(|| below("LOCALAPPDATA"))
            .or_else(|| {
                Some(below("HOME")?.join(if cfg!(target_os = "macos") {
                    "Library/Caches"
                } else {
                    ".cache"
                }))
            })
    };
    match place {
        CachePlace::Off => Ok(None),
        CachePlace::At(directory) => Ok(Some(directory.clone())),
        CachePlace::User => match user() {
            Some(directory) => Ok(Some(directory.join(Path::new("epitome").join("answers")))),
            None => bail!(
                "there is no home directory for the cache of answers: name one with --cache, or give --no-cache"
            ),
        },
    }
}
