//! Which requests are from the page itself.
//!
//! Every page in the same browser can reach a server on the loopback interface. A request must therefore name this
//! host, by its number or as `localhost`. A foreign name that was made to resolve to this machine does not count. The
//! request must also not come from another page.

use crate::request::Head;

/// Whether a request can come from the page, or from its user.
pub(crate) fn is_own(head: &Head, port: u16) -> bool {
    let one = |name| {
        let mut values = head.all(name);
        let first = values.next();
        // A duplicate header cannot be trusted.
        if values.next().is_some() { Some("?") } else { first }
    };
    let Some(host) = one("host").filter(|host| is_here(host, port)) else { return false };
    let is_same = |origin: &str| origin.strip_prefix("http://") == Some(host);
    one("origin").is_none_or(is_same)
        && one("sec-fetch-site").is_none_or(|site| matches!(site, "same-origin" | "none"))
}

fn is_here(host: &str, port: u16) -> bool {
    let name = match host.strip_suffix(&format!(":{port}")) {
        Some(name) => name,
        None if port == 80 => host,
        None => return false,
    };
    matches!(name, "127.0.0.1" | "localhost" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(pairs: &[(&str, &str)]) -> bool {
        is_own(&Head::of(pairs), 4000)
    }

    #[test]
    fn only_the_page_itself_is_answered() {
        assert!(own(&[("host", "127.0.0.1:4000")]));
        assert!(own(&[("host", "localhost:4000"), ("origin", "http://localhost:4000")]));
        assert!(own(&[("host", "localhost:4000"), ("sec-fetch-site", "same-origin")]));
        for other in [
            &[][..],
            &[("host", "127.0.0.1")],
            &[("host", "127.0.0.1:4001")],
            &[("host", "example.com:4000")],
            &[("host", "localhost.example.com:4000")],
            &[("host", "localhost:4000"), ("host", "example.com:4000")],
            &[("host", "localhost:4000"), ("origin", "http://127.0.0.1:4000")],
            &[("host", "localhost:4000"), ("origin", "http://example.com")],
            &[("host", "localhost:4000"), ("origin", "null")],
            &[("host", "localhost:4000"), ("sec-fetch-site", "cross-site")],
            &[("host", "localhost:4000"), ("sec-fetch-site", "same-site")],
        ] {
            assert!(!own(other), "{other:?}");
        }
    }
}
