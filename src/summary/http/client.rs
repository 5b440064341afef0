//! The HTTP client, with the headers of an endpoint.
//!
//! Trust in servers, and messages about servers that can't be trusted.
//!
//! Certificates are checked as the platform does, with its store of authorities.
//! On Linux the variables SSL_CERT_FILE and SSL_CERT_DIR take its place.

use crate::summary::http::prelude::*;
use reqwest::Certificate;
use reqwest::blocking::ClientBuilder;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use rustls::{CertificateError, OtherError};
use std::error::Error;
use std::io;
use std::net::IpAddr;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// Builds a client that follows no redirects, so that the key reaches the named server only. Fails
/// if a header is invalid, or the certificates can't be used.
pub(super) fn build_client(target: &ModelEndpoint) -> Result<Client, HttpSetupError> {
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

fn default_headers(target: &ModelEndpoint) -> Result<HeaderMap, HttpSetupError> {
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

fn insert_header(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), HttpSetupError> {
    let invalid = || HttpSetupError::InvalidHeader(name.to_owned());
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

const REMEDY: &str = "if its authority is your own (a company's proxy, a server in the house), name the authority's certificate with summarizer.ca_file or SSL_CERT_FILE";

/// Makes a client trust the system's authorities and those of the endpoint. Fails if the endpoint's
/// authorities hold no certificate.
pub(super) fn trust_authorities(
    builder: ClientBuilder,
    target: &ModelEndpoint,
) -> Result<ClientBuilder, HttpSetupError> {
    // Fails if another thread was faster, which has set the same provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Some(authorities) = &target.authorities else {
        if !target.base_url.starts_with("http://") {
            return Ok(builder);
        }
        // No certificates are needed, and a small container may have none.
        let config = rustls::ClientConfig::builder()
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth();
        return Ok(builder.tls_backend_preconfigured(config));
    };
    let certificates = Certificate::from_pem_bundle(&authorities.pem).unwrap_or_default();
    if certificates.is_empty() {
        return Err(HttpSetupError::NoCertificate(authorities.name.clone()));
    }
    Ok(builder.tls_certs_merge(certificates))
}

/// Returns the error of a client that can't be built, with a remedy.
pub(super) fn client_error(error: &reqwest::Error, target: &ModelEndpoint) -> HttpSetupError {
    let causes: Vec<String> = error_causes(error).map(ToString::to_string).collect();
    let remedy = match &target.authorities {
        Some(authorities) => format!("are the certificates in {} whole?", authorities.name),
        None => "are the system's CA certificates installed? Others can be named with summarizer.ca_file"
            .to_owned(),
    };
    HttpSetupError::Client { error: error.to_string(), causes: causes.join(": "), remedy }
}

/// Describes an untrusted certificate, or a server that does not speak TLS, with a remedy. Returns
/// none if the error has another cause. Such a failure is permanent.
pub(super) fn describe_tls_failure(error: &dyn Error) -> Option<String> {
    let error = error_causes(error).find_map(|cause| cause.downcast_ref::<rustls::Error>())?;
    let remedy = match error {
        rustls::Error::InvalidCertificate(certificate) => match certificate {
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "is summarizer.base_url right?"
            }
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => "or is this machine's clock wrong?",
            CertificateError::Other(OtherError(cause)) if is_authority(cause.as_ref()) => {
                "a server can't be its own authority: make its certificate with basicConstraints=critical,CA:FALSE and name that with summarizer.ca_file"
            }
            _ => REMEDY,
        },
        rustls::Error::InvalidMessage(_) => {
            return Some(format!(
                "this is not HTTPS ({error}); should summarizer.base_url begin with http://?"
            ));
        }
        _ => return None,
    };
    Some(format!("its certificate is not trusted ({error}); {remedy}"))
}

/// Returns true if a certificate is refused because it is that of an authority.
fn is_authority(refusal: &(dyn Error + Send + Sync + 'static)) -> bool {
    refusal.downcast_ref() == Some(&webpki::Error::CaUsedAsEndEntity)
}

/// Returns the causes of an error, the nearest first. An error that an I/O error wraps counts as
/// its cause.
pub(super) fn error_causes(error: &dyn Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |cause| next_cause(*cause))
}

fn next_cause<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(wrapped) => Some(wrapped),
        None => error.source(),
    }
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
