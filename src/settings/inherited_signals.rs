//! The signals that whoever started the program lets it ignore, as `nohup` does.

/// Returns the signals that are ignored, as a mask. None where the system does not tell.
pub(crate) fn ignored_signals() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(ignored.trim(), 16).ok()
}
