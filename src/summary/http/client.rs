//! The HTTP client, with the headers of an endpoint.

use crate::summary::http::prelude::*;
use crate::summary::http::tls::{client_error, trust_authorities};
use anyhow::anyhow;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use std::net::IpAddr;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Builds a client that follows no redirects, so that the key reaches the named server only. Fails
/// if a header is invalid, or the certificates can't be used.
pub(super) fn build_client(target: &ModelEndpoint) -> anyhow::Result<Client> {
    let mut builder = Client::builder()
        .default_headers(default_headers(target)?)
        .user_agent(concat!("epitome/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_max_idle_per_host(target.concurrency);
    if is_on_this_machine(target) {
        // What is sent to this machine in plain text does not leave it for a proxy.
        builder = builder.no_proxy();
    }
    trust_authorities(builder, target)?.build().map_err(|error| client_error(&error, target))
}

fn is_on_this_machine(target: &ModelEndpoint) -> bool {
    let address = reqwest::Url::parse(&target.base_url);
    address.is_ok_and(|address| address.host_str().is_some_and(is_loopback))
}

fn default_headers(target: &ModelEndpoint) -> anyhow::Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    match (target.dialect, &target.key) {
        (Dialect::OpenAi, Some(key)) => {
            let bearer = format!("Bearer {}", key.reveal());
            insert_header(&mut headers, "authorization", &bearer)?;
        }
        (Dialect::Anthropic, Some(key)) => {
            insert_header(&mut headers, "x-api-key", key.reveal())?;
        }
        (_, None) => {}
    }
    if target.dialect == Dialect::Anthropic {
        insert_header(&mut headers, "anthropic-version", ANTHROPIC_VERSION)?;
    }
    for header in &target.headers {
        insert_header(&mut headers, &header.name, header.value.reveal())?;
    }
    Ok(headers)
}

fn insert_header(headers: &mut HeaderMap, name: &str, value: &str) -> anyhow::Result<()> {
    let invalid = || {
        anyhow!("the header {name:?} can't be sent: a name is a token, a value has no line ends")
    };
    let header_name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid())?;
    let mut value = HeaderValue::from_str(value).map_err(|_| invalid())?;
    value.set_sensitive(true);
    headers.insert(header_name, value);
    Ok(())
}

/// Returns true if a host, perhaps with a port, is this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || name.parse::<IpAddr>().is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_loopback() {
        let local = "localhost LOCALHOST:11434 a.localhost. 127.0.0.1:80 127.9.9.9 [::1] [::1]:8000 \
                     [::ffff:127.0.0.1]:80";
        let remote = "example.com localhost.example.com 192.168.0.2:80 127.0.0.1.example.com \
                      [2001:db8::1]:80 0.0.0.0 mylocalhost";
        for host in local.split(' ') {
            assert!(is_loopback(host), "{host}");
        }
        for host in remote.split(' ').chain([""]) {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
