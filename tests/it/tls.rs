//! HTTPS with an authority of one's own: a company's proxy, a server in the house.

use crate::harness::{Dir, Epitome};
use crate::models::{KEY, error, good, keeps_the_key, one_talk};
use crate::server::Server;
use crate::talk::{CUT, talk};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::io::Write;
use std::sync::Arc;

/// An authority that no system knows.
struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn pem(&self) -> String {
        self.0.pem()
    }

    /// A server for this name.
    fn server(&self, name: &str, change: impl Fn(&mut CertificateParams)) -> rustls::ServerConfig {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap();
        config(certificate.der().clone(), &key)
    }
}

fn config(certificate: CertificateDer<'static>, key: &KeyPair) -> rustls::ServerConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    builder.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap()
}

fn compact(dir: &Dir, server: &Server, options: &str) -> Epitome {
    let url = server.url();
    dir.epitome(&format!("compact in.jsonl -o out {CUT} --summarizer http --set summarizer.model=small --set summarizer.base_url={url} --set summarizer.cache=cache {options}"))
        .env("OPENAI_API_KEY", KEY)
}

#[test]
fn an_authority_of_ones_own_is_trusted_where_it_is_named() {
    let authority = Authority::new("Ours");
    let server = Server::tls(authority.server("127.0.0.1", |_| {}), &[&good()]);
    let named = || {
        let dir = one_talk();
        dir.write("ca.pem", authority.pem());
        dir
    };
    let asked = |dir: &Dir, ran: Epitome| {
        let ran = ran.ok();
        assert_eq!(
            (&dir.entries()[0]["status"], &dir.entries()[0]["asked"]["retries"]),
            (&"compacted".into(), &0.into())
        );
        keeps_the_key(dir, &[&ran.stderr, ran.stdout()]);
    };
    let dir = named();
    asked(&dir, compact(&dir, &server, "--set summarizer.ca_file=ca.pem"));
    let dir = named();
    dir.write("policy.toml", "[summarizer]\nca_file = \"ca.pem\"\n");
    asked(&dir, compact(&dir, &server, "--config policy.toml"));
    assert!(
        compact(&dir, &server, "--config policy.toml --print-config")
            .ok()
            .stdout()
            .contains("ca_file = \"ca.pem\"")
    );
    // As other programs take it, where the system has no store of its own that must be asked.
    if cfg!(target_os = "linux") {
        let dir = named();
        asked(&dir, compact(&dir, &server, "").env("SSL_CERT_FILE", "ca.pem"));
    }
    assert!(
        server.came().iter().all(|request| {
            request.headers.contains(&format!("authorization: Bearer {KEY}\r\n"))
        })
    );
}

#[test]
fn a_certificate_that_nobody_vouches_for_ends_the_run_at_once() {
    let (authority, dir) = (Authority::new("Ours"), Dir::new());
    dir.write("in.jsonl", (0..40).map(|number| talk(&format!("t{number}"), 8)).collect::<String>());
    let server = Server::tls(authority.server("127.0.0.1", |_| {}), &[&good()]);
    let before = dir.read("in.jsonl");
    let ran = compact(&dir, &server, "--set summarizer.concurrency=1").fails(2).says([
        "stopped early",
        "certificate",
        &server.url(),
        "summarizer.ca_file",
        "SSL_CERT_FILE",
    ]);
    keeps_the_key(&dir, &[&ran.stderr, ran.stdout()]);
    assert_eq!(
        (server.connections(), server.calls()),
        (1, 0),
        "one try, and nothing was sent: {}",
        ran.stderr
    );
    assert_eq!(dir.read("in.jsonl"), before);
    assert!(!dir.exists("out/in.jsonl"));
    // The run goes on once the authority is named.
    dir.write("ca.pem", authority.pem());
    compact(&dir, &server, "--set summarizer.ca_file=ca.pem --force").ok();
    assert_eq!((server.calls(), &dir.report()["totals"]["compacted"]), (40, &40.into()));
}

/// What a server with this certificate meets, where its authority is trusted.
fn refused(server: &Server, pem: &str, reasons: [&str; 2]) {
    let dir = one_talk();
    dir.write("ca.pem", pem);
    let ran = compact(&dir, server, "--set summarizer.ca_file=ca.pem")
        .fails(2)
        .says(["stopped early"])
        .says(reasons);
    assert_eq!((server.connections(), server.calls()), (1, 0), "{}", ran.stderr);
}

#[test]
fn what_is_wrong_with_a_certificate_is_told() {
    let authority = Authority::new("Ours");
    let elsewhere = Server::tls(authority.server("models.example.com", |_| {}), &[&good()]);
    refused(&elsewhere, &authority.pem(), ["models.example.com", "summarizer.base_url"]);
    let expired = Server::tls(
        authority.server("127.0.0.1", |params| params.not_after = rcgen::date_time_ymd(2001, 1, 1)),
        &[&good()],
    );
    refused(&expired, &authority.pem(), ["expired", "clock"]);
    let other = Server::tls(authority.server("127.0.0.1", |_| {}), &[&good()]);
    refused(&other, &Authority::new("Others").pem(), ["UnknownIssuer", "summarizer.ca_file"]);
    // As `openssl req -x509` makes them: an authority that is a server, too.
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let both = params.self_signed(&key).unwrap();
    refused(
        &Server::tls(config(both.der().clone(), &key), &[&good()]),
        &both.pem(),
        ["CaUsedAsEndEntity", "basicConstraints=critical,CA:FALSE"],
    );
    // A server that is no authority may vouch for itself.
    let key = KeyPair::generate().unwrap();
    let own = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap().self_signed(&key).unwrap();
    let (dir, server) = (one_talk(), Server::tls(config(own.der().clone(), &key), &[&good()]));
    dir.write("ca.pem", own.pem());
    compact(&dir, &server, "--set summarizer.ca_file=ca.pem").ok();
}

#[test]
fn a_server_without_tls_is_told() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            // What it reads is no request to it.
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n").unwrap();
        }
    });
    let command = format!(
        "compact in.jsonl -o out {CUT} --summarizer http --set summarizer.model=small --set summarizer.base_url=https://127.0.0.1:{port} --set summarizer.cache="
    );
    one_talk().epitome(&command).fails(2).says(["stopped early", "not HTTPS", "http://"]);
}

#[test]
fn a_file_without_certificates_is_refused_before_anything_is_written() {
    let (dir, server) = (one_talk(), Server::start(&[&good()]));
    compact(&dir, &server, "--set summarizer.ca_file=nowhere.pem").fails(2).says(["nowhere.pem"]);
    for text in [
        "",
        "no certificate",
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\n!!\n",
    ] {
        dir.write("ca.pem", text);
        compact(&dir, &server, "--set summarizer.ca_file=ca.pem")
            .fails(2)
            .says(["ca.pem", "certificate"]);
    }
    assert!(!dir.exists("out"));
}

/// The batch interface goes the same way.
#[test]
fn batches_trust_the_same_authority() {
    let (authority, dir) = (Authority::new("Ours"), one_talk());
    dir.write("ca.pem", authority.pem());
    let server = Server::tls(
        authority.server("127.0.0.1", |_| {}),
        &[&error("401 Unauthorized", "", "who are you?")],
    );
    dir.epitome(&format!(
        "requests export in.jsonl -o requests {CUT} --set summarizer.model=small --set summarizer.cache="
    ))
    .ok();
    let submit = |options: &str| {
        dir.epitome(&format!(
            "requests submit requests --set summarizer.base_url={} {options}",
            server.url()
        ))
        .env("OPENAI_API_KEY", KEY)
    };
    submit("").fails(2).says(["certificate", "summarizer.ca_file"]);
    assert_eq!((server.connections(), server.calls()), (1, 0));
    submit("--set summarizer.ca_file=ca.pem").fails(2).says(["who are you?"]);
}
