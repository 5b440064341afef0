//! Trust in servers, and messages about servers that can't be trusted.
//!
//! Certificates are checked as the platform does, with its store of authorities.
//! On Linux the variables SSL_CERT_FILE and SSL_CERT_DIR take its place.

use crate::summary::http::prelude::*;
use anyhow::{anyhow, bail};
use reqwest::Certificate;
use reqwest::blocking::ClientBuilder;
use rustls::{CertificateError, OtherError};
use std::error::Error;
use std::io;

const REMEDY: &str = "if its authority is your own (a company's proxy, a server in the house), name the authority's certificate with summarizer.ca_file or SSL_CERT_FILE";

/// Makes a client trust the system's authorities and those of the endpoint. Fails if the endpoint's
/// authorities hold no certificate.
pub(super) fn trust_authorities(
    builder: ClientBuilder,
    target: &ModelEndpoint,
) -> anyhow::Result<ClientBuilder> {
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
        bail!("{} holds no certificate in PEM (summarizer.ca_file)", authorities.name);
    }
    Ok(builder.tls_certs_merge(certificates))
}

/// Returns the error of a client that can't be built, with a remedy.
pub(super) fn client_error(error: &reqwest::Error, target: &ModelEndpoint) -> anyhow::Error {
    let causes: Vec<String> = error_causes(error).map(ToString::to_string).collect();
    let remedy = match &target.authorities {
        Some(authorities) => format!("are the certificates in {} whole?", authorities.name),
        None => "are the system's CA certificates installed? Others can be named with summarizer.ca_file"
            .to_owned(),
    };
    anyhow!("can't set up HTTPS ({error}: {}); {remedy}", causes.join(": "))
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
