//! Hosts that are this machine: what is sent to them does not leave it.

use std::net::IpAddr;

/// Returns true if a host, perhaps with a port, is this machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost"
        || name.ends_with(".localhost")
        || name
            .parse::<IpAddr>()
            .is_ok_and(|address| address.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_loopback() {
        let local = [
            "localhost",
            "LOCALHOST:11434",
            "a.localhost.",
            "127.0.0.1:80",
            "127.9.9.9",
            "[::1]",
            "[::1]:8000",
            "[::ffff:127.0.0.1]:80",
        ];
        let remote = [
            "example.com",
            "localhost.example.com",
            "192.168.0.2:80",
            "127.0.0.1.example.com",
            "[2001:db8::1]:80",
            "0.0.0.0",
            "mylocalhost",
            "",
        ];
        for host in local {
            assert!(is_loopback(host), "{host}");
        }
        for host in remote {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
