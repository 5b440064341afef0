//! The endpoint of a model: the policy becomes an endpoint, with the key from the
//! environment or a file. Nothing after this reads either.

use super::config::MASKED;
use super::environment;
use crate::deciding::model::Prices;
use crate::deciding::policy::{CachePlace, CallPrice, Dialect, ModelPolicy, Policy};
use crate::summary::http::is_loopback;
use crate::summary::model::{
    ExtraAuthorities, ModelEndpoint, RequestHeader, Secret, url_without_credentials,
};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Words in the names of headers whose values are secret.
const SECRET_WORDS: [&str; 6] = ["auth", "key", "token", "secret", "password", "cookie"];
/// The longest time that is waited for an answer.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns the model that the policy names, how it is asked, and with which key. Fails if no model
/// is named, the address is wrong, there is no key, or there is no place for the cache.
pub(crate) fn resolve_endpoint(policy: &Policy) -> Result<ModelEndpoint> {
    let asked = &policy.summarizer.model;
    let (dialect, _) = dialect_and_name(policy)?;
    let key = read_key(asked, dialect)?;
    let headers = asked.headers.iter().map(|(name, value)| resolve_header(name, value));
    let headers = headers.collect::<Result<Vec<_>>>()?;
    let authorities = read_authorities(asked)?;
    let cache = cache_directory(&asked.cache)?;
    let has_secret = key.is_some() || headers.iter().any(|header| header.is_secret);
    if has_secret && !asked.allow_plain_http {
        refuse_plain_http(asked, dialect)?;
    }
    let endpoint = ModelEndpoint { key, headers, authorities, cache, ..keyless_endpoint(policy)? };
    if asked.max_cost.is_some() && endpoint.price.is_none() {
        let model = endpoint.model;
        bail!(
            "summarizer.max_cost: no price is known for {model:?}; give summarizer.price INPUT,OUTPUT"
        );
    }
    Ok(endpoint)
}

/// Returns the same endpoint without key, headers and certificates, for those who make requests and
/// don't send them. Fails if no model is named, or the address is wrong.
pub(crate) fn keyless_endpoint(policy: &Policy) -> Result<ModelEndpoint> {
    let asked = &policy.summarizer.model;
    let (dialect, model) = dialect_and_name(policy)?;
    let full_name = [dialect.name(), ":", &model].concat();
    let known = policy.models.lookup(&full_name).or_else(|| policy.models.lookup(&model));
    Ok(ModelEndpoint {
        dialect,
        base_url: base_url(asked, dialect)?,
        key: None,
        headers: Vec::new(),
        authorities: None,
        temperature: asked.temperature,
        max_output: asked.max_output,
        input_limit: known.map(|model| model.max_input_tokens),
        timeout: Duration::from_secs(asked.timeout).min(DAY),
        deadline: Duration::from_secs(asked.deadline).min(DAY),
        retries: asked.retries,
        concurrency: asked.concurrency,
        price: asked.price.or_else(|| known_price(dialect, &model, asked)),
        max_calls: asked.max_calls,
        max_cost: asked.max_cost,
        // Without a server a missing cache directory is no error.
        cache: cache_directory(&asked.cache).ok().flatten(),
        headings: policy.summarizer.headings.clone(),
        model,
    })
}

/// Returns the interface of the model and its name as the server knows it.
fn dialect_and_name(policy: &Policy) -> Result<(Dialect, String)> {
    let asked = &policy.summarizer.model;
    let name = asked.name.as_ref().or(policy.model.as_ref());
    let name =
        name.context("the summarizer http asks a model: name it with --set summarizer.model=NAME")?;
    let prefixed = Dialect::ALL.into_iter().find_map(|dialect| {
        let bare = name.strip_prefix(dialect.name())?.strip_prefix(':')?;
        Some((Some(dialect), bare))
    });
    let (dialect_of_name, bare) = prefixed.unwrap_or((None, name.as_str()));
    if bare.is_empty() {
        bail!("summarizer.model {name:?} names no model");
    }
    let dialect = asked
        .dialect
        .or(dialect_of_name)
        .or_else(|| dialect_of_table(policy, bare))
        .unwrap_or(Dialect::OpenAi);
    Ok((dialect, bare.to_owned()))
}

/// Returns Anthropic's interface for the bare name of one of their models, unless another server is
/// named.
fn dialect_of_table(policy: &Policy, bare: &str) -> Option<Dialect> {
    let is_providers_own = policy.summarizer.model.base_url.is_none();
    let is_anthropic = || policy.models.resolve(bare).provider.as_deref() == Some("anthropic");
    (is_providers_own && is_anthropic()).then_some(Dialect::Anthropic)
}

/// Returns the price in the embedded table, which is the provider's: another server has none.
fn known_price(dialect: Dialect, model: &str, asked: &ModelPolicy) -> Option<CallPrice> {
    if asked.base_url.is_some() {
        return None;
    }
    let name = [dialect.name(), ":", model].concat();
    let known = Prices::default().find_price(&name)?;
    Some(CallPrice { input: known.input, output: known.output? })
}

/// Returns the address without a slash at the end, and with a version if it has no path.
fn base_url(asked: &ModelPolicy, dialect: Dialect) -> Result<String> {
    let default = match dialect {
        Dialect::OpenAi => "https://api.openai.com/v1",
        Dialect::Anthropic => "https://api.anthropic.com/v1",
    };
    let Some(given) = &asked.base_url else {
        return Ok(default.to_owned());
    };
    let shown = url_without_credentials(given);
    let wrong = |problem| bail!("summarizer.base_url {shown:?}: {problem}");
    let url = given.trim().trim_end_matches('/');
    let Some((scheme, rest)) = url
        .split_once("://")
        .filter(|(scheme, rest)| ["http", "https"].contains(scheme) && !rest.is_empty())
    else {
        return wrong("expected http://HOST or https://HOST, perhaps with a path");
    };
    let host = rest.split('/').next().unwrap_or_default();
    if host.contains('@') {
        return wrong(
            "no user or password in the address; give the key with summarizer.api_key_env or summarizer.api_key_file",
        );
    }
    if rest.contains(|letter: char| letter == '\\' || letter.is_whitespace() || letter.is_control())
    {
        // Such letters end a host, or are left out, where the address is read to connect.
        return wrong("the address must not have blanks or backslashes");
    }
    if rest.contains(['?', '#']) {
        return wrong("the address must not have a query; use summarizer.headers");
    }
    let version = if rest.contains('/') { "" } else { "/v1" };
    Ok(format!("{scheme}://{rest}{version}"))
}

/// Refuses an address that is not encrypted, unless the server is on this machine.
fn refuse_plain_http(asked: &ModelPolicy, dialect: Dialect) -> Result<()> {
    let url = base_url(asked, dialect)?;
    let host = url.strip_prefix("http://").and_then(|rest| rest.split('/').next());
    if host.is_none_or(is_loopback) {
        return Ok(());
    }
    bail!(
        "summarizer.base_url {url:?}: the API key would be sent unencrypted; use https, or summarizer.allow_plain_http if you trust the network"
    )
}

/// Reads the file of certificate authorities. Whoever connects parses it.
fn read_authorities(asked: &ModelPolicy) -> Result<Option<ExtraAuthorities>> {
    let Some(path) = &asked.ca_file else {
        return Ok(None);
    };
    let name = path.display().to_string();
    let pem = std::fs::read(path);
    let pem = pem.with_context(|| format!("can't read the certificates from {name}"))?;
    Ok(Some(ExtraAuthorities { name, pem }))
}

/// Reads the key from its file or variable. A server of the user's own may want none.
fn read_key(asked: &ModelPolicy, dialect: Dialect) -> Result<Option<Secret>> {
    if let Some(path) = &asked.key_file {
        let place = path.display().to_string();
        let text = std::fs::read_to_string(path);
        let text = text.with_context(|| format!("can't read the key from {place}"))?;
        return check_key(Secret::new(&text), &place).map(Some);
    }
    let default = match dialect {
        Dialect::OpenAi => "OPENAI_API_KEY",
        Dialect::Anthropic => "ANTHROPIC_API_KEY",
    };
    let name = asked.key_env.as_deref().unwrap_or(default);
    match secret_variable(name)? {
        Some(key) => check_key(key, name).map(Some),
        None if asked.key_env.is_none() && asked.base_url.is_some() => Ok(None),
        None => bail!(
            "no API key: set {name} in the environment, or name a variable with summarizer.api_key_env or a file with summarizer.api_key_file"
        ),
    }
}

/// Returns the key if a header can carry it.
fn check_key(key: Secret, place: &str) -> Result<Secret> {
    if key.is_empty() || !key.reveal().bytes().all(|byte| byte.is_ascii_graphic()) {
        // It is not shown.
        bail!(
            "{place} holds no API key: expected a single line of letters, digits and signs, without blanks"
        );
    }
    Ok(key)
}

/// Returns a header, whose value is taken from the environment if it is `$NAME`.
fn resolve_header(name: &str, value: &str) -> Result<RequestHeader> {
    let lowercase_name = name.to_ascii_lowercase();
    let is_secret =
        value.starts_with('$') || SECRET_WORDS.iter().any(|word| lowercase_name.contains(word));
    let value = match value.strip_prefix('$') {
        Some(variable) => secret_variable(variable)?
            .with_context(|| format!("the header {name:?} wants ${variable}, which is not set"))?,
        None if value == MASKED => bail!(
            "the header {name:?} was masked in this configuration; give it with --set, or write $NAME for a variable"
        ),
        None => Secret::new(value),
    };
    Ok(RequestHeader { name: name.to_owned(), value, is_secret })
}

/// Reads a secret from the environment. An empty variable counts as unset.
fn secret_variable(name: &str) -> Result<Option<Secret>> {
    let Some(value) = std::env::var_os(name) else {
        return Ok(None);
    };
    let Some(value) = value.to_str() else {
        bail!("the environment variable {name} is not valid UTF-8");
    };
    Ok(Some(Secret::new(value)).filter(|secret| !secret.is_empty()))
}

/// Returns the directory of cached answers, or none if there is no cache.
fn cache_directory(place: &CachePlace) -> Result<Option<PathBuf>> {
    match place {
        CachePlace::Off => Ok(None),
        CachePlace::At(directory) => Ok(Some(directory.clone())),
        CachePlace::User => {
            let directory = environment::cache_directory().context(
                "there is no home directory for the cache of answers: name a directory with summarizer.cache, or give an empty one",
            )?;
            Ok(Some(directory.join(Path::new("epitome").join("answers"))))
        }
    }
}
