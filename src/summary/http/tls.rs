//! Whom a client trusts, and what is said where it can't trust a server.
//! Certificates are checked as the platform does, with its store of authorities;
//! on Linux the variables SSL_CERT_FILE and SSL_CERT_DIR take its place.

use super::wire::causes;
use crate::summary::model::ModelEndpoint;
use reqwest::Certificate;
use reqwest::blocking::ClientBuilder;
use rustls::CertificateError;
use std::error::Error;

const REMEDY: &str = "if its authority is your own (a company's proxy, a server in the house), name the authority's certificate with --ca-file or SSL_CERT_FILE";

/// A client that trusts the system's authorities and those that the target names.
///
/// # Errors
/// If there is no certificate in the file that was named.
pub(super) fn trusting(
    builder: ClientBuilder,
    target: &ModelEndpoint,
) -> Result<ClientBuilder, String> {
    // Set by whoever comes first; it is the same provider.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let Some(authorities) = &target.authorities else {
        if !target.base_url.starts_with("http://") {
            return Ok(builder);
        }
        // No certificates are needed, and a small container has none.
        let config = rustls::ClientConfig::builder()
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth();
        return Ok(builder.tls_backend_preconfigured(config));
    };
    let certificates = Certificate::from_pem_bundle(&authorities.pem).unwrap_or_default();
    if certificates.is_empty() {
        return Err(format!(
            "{} holds no certificate in PEM (--ca-file)",
            authorities.name
        ));
    }
    Ok(builder.tls_certs_merge(certificates))
}

/// Why a client can't be made.
pub(super) fn unusable(error: &reqwest::Error, target: &ModelEndpoint) -> String {
    let why: Vec<String> = causes(error).map(ToString::to_string).collect();
    let remedy = match &target.authorities {
        Some(authorities) => format!("are the certificates in {} whole?", authorities.name),
        None => "are the system's CA certificates installed? Others can be named with --ca-file"
            .to_owned(),
    };
    format!("can't set up HTTPS ({error}: {}); {remedy}", why.join(": "))
}

/// What is wrong with a server's certificate, or that it speaks no TLS, and what may help; none where the trouble is
/// another. It is no accident: every further connection meets it.
pub(super) fn wrong(error: &dyn Error) -> Option<String> {
    let error = causes(error).find_map(|cause| cause.downcast_ref::<rustls::Error>())?;
    let remedy = match error {
        rustls::Error::InvalidCertificate(certificate) => match certificate {
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "is --base-url right?"
            }
            CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. } => "or is this machine's clock wrong?",
            CertificateError::Other(why) if why.to_string().contains("CaUsedAsEndEntity") => {
                "a server can't be its own authority: make its certificate with basicConstraints=critical,CA:FALSE and name that with --ca-file"
            }
            _ => REMEDY,
        },
        rustls::Error::InvalidMessage(_) => {
            return Some(format!(
                "this is no HTTPS ({error}); should --base-url begin with http://?"
            ));
        }
        _ => return None,
    };
    Some(format!(
        "its certificate is not trusted ({error}); {remedy}"
    ))
}
