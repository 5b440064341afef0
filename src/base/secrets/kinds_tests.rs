//! A line for each kind of secret: a text with its secrets between `«` and `»`. These are masked, and
//! the rest stays. The name of its kind may precede a secret, as in `«jwt|eyJ»`.
//!
//! `%30` is replaced by 30 letters and digits, `#30` by hexadecimal digits, `^30` by upper-case letters
//! and digits, so that no scanner takes this file for a leak.

use crate::base::secrets::mask_secrets;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use std::borrow::Cow;

/// Secrets of each form, with their kinds. Each is found behind any escape of a line end: arguments
/// of calls are JSON in JSON, and histories hold them as Python strings.
const KINDS: &[&str] = &[
    "«aws_key|AKIA^16»",
    "«github_token|ghp_%40»",
    "«github_token|github_pat_%40»",
    "«gitlab_token|glpat-%20»",
    "«api_key|sk-proj-%40»",
    "«api_key|sk-ant-api03-%40»",
    "«api_key|hf_%40»",
    "«stripe_key|sk_live_%24»",
    "«slack_token|xoxb-1234567890-%20»",
    "«google_key|AIza%35»",
    "«package_token|npm_%36»",
    "«jwt|eyJ%17.eyJ%17.%12»",
    "postgres://app:«password|pa55w0rd»@db/x",
    "«private_key|-----BEGIN RSA %0PRIVATE KEY-----\nMIIE\nabc==\n-----END RSA %0PRIVATE KEY-----»",
    r"«private_key|-----BEGIN OPENSSH %0PRIVATE KEY-----\nb3BlbnNz\nc2g=\n-----END OPENSSH %0PRIVATE KEY-----»y",
    "Authorization: Bearer «credentials|abcdefgh12345678»",
];

/// Tokens with a prefix.
const TOKENS: &[&str] = &[
    "«AKIA^16» «ASIA^16»",
    "«ABSK%120» «bedrock-api-key-%60»",
    "«AIza%35» «ya29.%60» «GOCSPX-%28» «1//0%60»",
    "alibaba «LTAI%20», tencent «AKID%32», yandex «AQVN%35» «YCAJ%30»",
    "«dop_v1_#64» «doo_v1_#64» «dor_v1_#64»",
    "«HRKU-AA%58» «fo1_%43» «fm2_%100» «rnd_%32» «nfp_%36» «tk-us-%48»",
    "«ghp_%36» «gho_%36» «ghu_%36» «ghs_%36» «ghr_%36» «github_pat_%22_%59»",
    "«glpat-%20» «glptt-#40» «glrt-%20» «gldt-%20» «glcbt-%20» «glsoat-%20»",
    "«glffct-%20» «glft-%20» «glimt-%25» «glagent-%50» «gloas-%64» «GR1348941%20»",
    "«_gitlab_session=#32»",
    "«ATATT3%60» «ATBB%32» «sgp_#40» «sntryu_#64» «squ_#40» «AKCp%69» «cmVmd%59»",
    "«API-^26» «pul-#40» «pat.%22.%24.%20» «s-s4t2ud-#64» «ico-%32»",
    "«hvs.%90» «hvb.%140» «dp.pt.%43» «sha256~%43» «pnu_%36»",
    "«npm_%36» «pypi-%60» «dckr_pat_%27» «dckr_oat_%27» «cio%32» «oy2%43» «rubygems_#48» «CLOJARS_%60»",
    "«sk-%48» «sk-proj-%60» «sk-ant-api03-%90» «sk-or-v1-#64»",
    "«gsk_%52» «xai-%80» «fw_%40» «nvapi-%60» «pplx-%48» «csk-%48» «r8_%37» «hf_%34» «tvly-%32»",
    "«api_org_%34» «lsv2_pt_#32_#10» «jina_%60» «pcsk_%60» «tgp_v1_%43» «e2b_#40» «fc-#32» «sk_#48»",
    "databricks «dapi#32»",
    "«sk_live_%24» «rk_test_%24» «pk_live_%24» «whsec_%32»",
    "«sq0atp-%22» «sq0csp-%43» «EAAA%60» «shippo_live_#40» «EZAK%54» «duffel_live_%43»",
    "«FLWSECK_TEST-#32» «access-sandbox-#8-#4-#4-#4-#12» lob «live_#35»",
    "«shpat_#32» «shpca_#32» «shppa_#32» «shpss_#32»",
    "«xoxb-1234567890-%24» «xoxp-12-34-56-#32» «xapp-1-A1-2-#64»",
    "facebook «EAAC%100», «SG.%22.%43», «xkeysib-#64-%16», mailgun «key-#32», twilio «SK#32»",
    "«glc_%60» «glsa_%32_#8» «dt0c01.%24.%64» «NRAK-^27» «phx_%43»",
    "«lin_api_%40» «ntn_%46» «secret_%43» «PMAK-#24-#34» «rdme_%70» «tfp_%44» «fio-u-%64»",
    "«p8e-%32» «sm_aat_%16» clickhouse «4b1d%38», mapbox «sk.eyJ%60.%22»",
    "«pscale_tkn_%43» «pscale_pw_%43» «sbp_#40» «sb_secret_%31»",
    "«AGE-SECRET-KEY-1^58» 1password «ops_eyJ%250» grafana «eyJrIjoi%70»",
    "telegram «1234567890:AA%33» and https://api.telegram.org/bot«1234567890:AA%33»/getMe",
    "mailchimp «#32-us12», maxmind «%6_%29_mmk», azure «a1B7Q~%34», terraform «%14.atlasv1.%64»",
    "«authress_%20.%6.acc_%12.%40»",
    "«eyJ%20.eyJ%40.%43»",
    "«figd_%22-%22» fireworks «fw_%24» vault «s.a1%22» «xoxc-12-34-#32» «xoxd-%60»",
    "root:«$6$%8$%80»:19000:0:99999:7::: me:«$apr1$%8$%22» «$2y$10$%53» «$y$j9T$%22$%43»",
    "firebase «AAAA%7:APA91b%120»",
];

/// Values that only the text around them shows to be secrets.
const SURROUNDINGS: &[&str] = &[
    "psql postgres://app:«password|pa55w0rd»@db:5432/x",
    r"«private_key|-----BEGIN %0PRIVATE KEY-----\nMIIEabc\nabc»",
    r#"{\"password\": \"«assigned_secret|correct4horse5»\"}"#,
    "DB_PASSWORD=«assigned_secret|s3cr3tpassw0rd»\nx",
    "deploy --password «assigned_secret|s3cr3tpassw0rd» --verbose",
    "x --api-key '«assigned_secret|abcdef123456789»'",
    "curl -u admin:«assigned_secret|hunter2hunter2» https://h/",
    "secret: postgres://app:«password|pa(55w0rd»@db/x",
    r#"{"secret": "https:\/\/app:«password|pa55w0rd»@db\/x"}"#,
    "token=«aws_key|AKIA%0ABCDEFGHIJKLMNOP» password=«aws_key|AKIA%0ABCDEFGHIJKLMNOP» «aws_key|AKIA^16»",
    "aws_secret_access_key = «wJalrXUtnFEMI/K7MDENG/%18»\n",
    "export AWS_SECRET_ACCESS_KEY=\"«wJalrXUtnFEMI/K7MDENG/%18»\"",
    r#"{\"SecretAccessKey\": \"«wJalrXUtnFEMI/K7MDENG/%18»\"}"#,
    "AccountName=x;AccountKey=«%63/K1SZFPTOtr/%12==»;EndpointSuffix=y",
    "SharedAccessKey=«%63/K1SZFPTOtr/%12==»",
    "DB_PASS=«hunter2»\nx",
    "MYSQL_PWD=«hunter22» POSTGRES_PASSWORD=«postgres» PGPASSWORD='«letmein»'",
    "passwd: «Tr0ub4dor»",
    "password = \"«c0rrect!horse»\"",
    "the password is «Tr0ub4dor3», don't share it",
    "{\"user\": \"me\", \"pass\": \"«hunter2x»\"}",
    "db.pass=«hunter2x» userPass: '«hunter2x»'",
    "os.environ[\"API_KEY\"] = \"«abcdef123456789»\"",
    "os.environ['DB_PASSWORD']='«hunter2x»'",
    "os.environ.setdefault(\"API_KEY\", \"«abcdef123456789»\")",
    "process.env.API_KEY = '«abcdef123456789»';",
    "export SECRET_KEY_BASE=«#64»",
    "setenv API_KEY «abcdef123456789»",
    "ENV API_KEY «abcdef123456789»",
    "STRIPE_KEY=«abcdef123456»",
    "AZURE_DEVOPS_EXT_PAT=«abcdef123456»",
    "id,key\n«AKIA^16»,«a1%38»",
    "client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo%80»",
    "define('DB_PASSWORD', '«hunter2x»');",
    "db.example.org:5432:app:me:«hunter2x»\n*:*:app:me:«hunter2x»\n",
    "Authorization: SSWS «00abcdef123456789»",
    "co = cohere.Client(\"«%40»\")",
    "wandb login «#40»; redis-cli -h h -a «hunter2x» ping; mongosh -u me -p «hunter2x»",
    "ldapsearch -D cn=me -w «hunter2x» -b dc=x; keytool -list -storepass «hunter2x»",
    "set -x API_TOKEN «abcdef123456789»",
    "the password for admin is «Tr0ub4dor3»",
    "(user: admin, pass: «Tr0ub4dor3»)",
    "密码：«hunter2x»",
    "你的新密码：«aB3fG7kL9»。请把它保存好。",
    "seed phrase: «legal winner thank year wave sausage worth useful legal winner thank yellow»",
    "FROM x\\nENV API_KEY «abcdef123456789»\\nRUN y",
    "#!/bin/csh\\nsetenv API_KEY «abcdef123456789»",
    "- name: DB_PASSWORD\\n  value: «hunter2x»\\n",
    "api_key: str = \"«abcdef123456789»\"",
    "api_key=b\"«abcdef123456789»\"",
    "x-api-key: «abcdef123456789»",
    "{\"name\": \"DB_PASSWORD\", \"value\": \"«hunter2x»\"}",
    "- name: DB_PASSWORD\n  value: «hunter2x»\n",
    "<password>«hunter2x»</password>",
    "<add key=\"Password\" value=\"«hunter2x»\"/>",
    "{\\\"client_secret\\\": \\\"«abcdef123456789»\\\"}",
    "Cookie: «session=abcdef123456; theme=dark»\nHost: x",
    "Set-Cookie: sid=«s%3Aabcdef123456»; Path=/; HttpOnly",
    "curl --cookie '«session=abcdef123456»' https://h/",
    "{\"Cookie\": \"«session=abcdef123456»\"}",
    "{\"auths\": {\"ghcr.io\": {\"auth\": \"«bWU6aHVudGVyMng=»\"}}}",
    "//registry.npmjs.org/:_authToken=«abcdef12-3456-7890»",
    "_auth=«bWU6aHVudGVyMng=»",
    "machine example.com login me password «hunter2x»",
    "machine example.com\n  login me\n  password «hunter2x»",
    "Authorization: Basic «bWU6aHVudGVyMng=»",
    "-H 'Authorization: «abcdef1234567890»'",
    "Proxy-Authorization: Bearer «abcdefgh»",
    "curl -u me:«hunter2x» https://h/",
    "curl --user \"me:«hunter2x»\" https://h/",
    "sshpass -p '«hunter2x»' ssh me@h",
    "mysql -u root -p«hunter2x» db",
    "CREATE USER me IDENTIFIED BY '«hunter2x»';",
    "redis://:«hunter2x»@h:6379/0",
    "mongodb+srv://me:«p@ss»@h/x",
    "https://«%40»@github.com/o/r",
    "https://hooks.slack.com/services/«T0000A1BC/B0000A1BC/%24»",
    "https://discord.com/api/webhooks/«123456789012345678/%60»",
    "https://acc.blob.core.windows.net/c?sv=2020&sig=«%40%3D»&se=1",
    "https://b.s3.amazonaws.com/k?X-Amz-Signature=«#64»",
    "DISCORD_BOT: «%40», heroku_id = «#8-#4-#4-#4-#12»",
    "kind: Secret\nmetadata:\n  name: x\ndata:\n«  user: bWU=\n  pw: aHVudGVyMng=»\n---\n",
    "-----BEGIN «»PRIVATE",
];

/// Texts without secrets.
const HARMLESS: &[&str] = &[
    "password: string, passwd: required, \"password\": \"Password\", password = None",
    "password = getpass.getpass(), token = request.headers.get(\"x1\"), key = keys[0]",
    "api_key = settings.OPENAI_API_KEY_2, secret=os.environ['A1_KEY']",
    "DB_PASS=$DB_PASS PASSWORD=${PASSWORD} password=<password1> password: {{ vault_1 }}",
    "postgres://user:{password}@host/db redis://:$PASS@h http://[::1]:80/@x",
    "tests: pass=120 fail=3, pass: 12ms, bypass: abc123def, compass=n0rth1",
    "tokens: 128000/200000, max_tokens=4096, token_count: abc123456789012",
    "the cookie is set, Cookie: a=b, cookies = response.cookies",
    "auth: true, author: abc123, \"auth\": \"required\", authorization: none",
    "machine learning password policy 2024a, login and password fields",
    "task-force-1234567890abcdefgh, disk-usage, ask-1234567890-abcdef",
    "commit 0123456789abcdef0123456789abcdef01234567, sha256:0123456789abcdef",
    "secret_name: my-secret, secretName: db-creds, kind: SecretList\ndata:\n  a: b",
    "created_token_at: 2024-01-01T00:00:00Z, token: 2024-01-01T10:20:30Z",
    "import discord, telegram.ext, sentry_sdk.init(), twitter: https://twitter.com/x",
    "mysql -u root -p, docker run -p 8080:80, mkdir -p /tmp/a1, mysql -P 3306",
    "-u root:root, --user 1000:1000, docker run -u 1000:1000",
    "a key-value store, key-0123, test_abc, live_abc, API-DOCS",
    "PWD=/home/me/x1 OLDPWD=/tmp/a1b2",
    "secret: see docs/secrets/v2/readme",
    "max_tokens=128000, token: string, api_key = os.environ[\"KEY\"]",
    "https://example.com:8080/a@b, mail me@example.com",
    r"C:\new\task-force, a\nsk-learn",
    "task-force sk-1 ghp_short, the password is required",
    "the secret number 1234567890ab is public, --password-file /etc/pw12345678",
    "pub frag_token: crate::__u32x4, fn parse(tokens: proc_macro2::TokenStream)",
    "pub const DEVCONF_SECRET: _bindgen_ty_3 = 0; SYS_memfd_secret: c_long = __X32_SYSCALL_BIT_447",
    "the named pipe identified by `addr1`, a library identified by 'name'",
    "[\"a:CreateAccessToken\",\n \"route53resolver:GetView\"], ['ssh2_auth_password', 'ssh2_auth_pubkey2']",
    "const DEPTH_PASS: u32 = 34819u64; const MAX_PASSWORD: u32 = -256i32; enum Secrets::Chacha20Poly1305",
    "arn:aws:secretsmanager:*:*:secret:aws-ssm-3p-*, the_cookie, cls=self.dict_class_1234",
];

/// Replaces the signs for random text.
fn expand(row: &str) -> String {
    let (mut out, mut rest) = (String::new(), row);
    while let Some(at) = rest.find(['%', '#', '^']) {
        let alphabet: &[u8] = match rest.as_bytes()[at] {
            b'%' => b"aB3dEf7HiJ2kLmN9oPqR5sTu",
            b'#' => b"0a9b3c7d1e5f",
            _ => b"Q7RZ2YP3XV5",
        };
        out.push_str(&rest[..at]);
        let digits: String = rest[at + 1..].chars().take_while(char::is_ascii_digit).collect();
        rest = &rest[at + 1 + digits.len()..];
        let Ok(length) = digits.parse::<usize>() else {
            out.push('%');
            continue;
        };
        out.extend(alphabet.iter().cycle().take(length).map(|byte| char::from(*byte)));
    }
    out + rest
}

/// Returns a row without marks, and with `[kind]` for each secret: `[]` if the row names none.
fn text_and_masked(row: &str) -> (String, String) {
    let (mut text, mut masked) = (String::new(), String::new());
    for (number, part) in expand(row).split(['«', '»']).enumerate() {
        let is_secret = number % 2 == 1 && !part.is_empty();
        let (kind, part) = part.split_once('|').filter(|_| is_secret).unwrap_or(("", part));
        text += part;
        masked += &match is_secret {
            true => format!("[{kind}]"),
            false => part.to_owned(),
        };
    }
    (text, masked)
}

/// Checks that exactly the secrets of a text are masked.
fn check(text: &str, wanted: &str) -> Result<(), String> {
    let masked = mask_secrets(text).0.replace("[REDACTED ", "[");
    let mut left = masked.as_str();
    for (number, part) in wanted.split("[]").enumerate() {
        let behind = match number {
            0 => Some(left),
            _ => left
                .strip_prefix('[')
                .and_then(|left| left.split_once(']'))
                .map(|(_, behind)| behind),
        };
        left = behind
            .and_then(|behind| behind.strip_prefix(part))
            .ok_or_else(|| format!("wanted {wanted}\nis     {masked}"))?;
    }
    match left {
        "" => Ok(()),
        _ => Err(format!("wanted {wanted}\nis     {masked}")),
    }
}

#[test]
fn each_kind_is_masked_and_the_rest_stays() {
    let rows = KINDS.iter().chain(TOKENS).chain(SURROUNDINGS);
    let failures: Vec<String> = rows
        .map(|row| text_and_masked(row))
        .filter_map(|(text, masked)| check(&text, &masked).err())
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn text_without_secrets_stays_borrowed() {
    for text in HARMLESS {
        let masked = mask_secrets(text);
        assert!(matches!(masked, (Cow::Borrowed(same), 0) if same == *text), "{}", masked.0);
    }
}

#[test]
fn escapes_before_a_secret_do_not_hide_it() {
    for (text, masked) in KINDS.iter().map(|row| text_and_masked(row)) {
        for before in ["", r"\n", r"\t", r"\r\n", r"\\n", r"\\\\n", r"\u000a", r"\x0a"] {
            let wrap = |inner: &str| format!(r#"{{"content": "A=1;{before}{inner}\n"}}"#);
            assert_eq!(check(&wrap(&text), &wrap(&masked)), Ok(()));
        }
    }
}

#[test]
fn a_sign_of_assignment_may_be_escaped_as_in_an_address() {
    let (masked, _) = mask_secrets("user=me&password%3Dhunter2x&x=1");
    assert_eq!(masked, "user=me&password%3D[REDACTED assigned_secret]&x=1");
}

#[test]
fn a_secret_in_base64_is_masked_with_all_of_it() {
    let env = expand("MODE=test\nAPI_KEY=%30\nDEBUG=1\n");
    for encoded in [STANDARD.encode(&env), URL_SAFE_NO_PAD.encode(&env)] {
        let (masked, count) = mask_secrets(&encoded);
        assert_eq!(count, 1, "{masked}");
        assert!(masked.trim_end_matches('=').ends_with(']'), "{masked}");
    }
    let harmless = STANDARD.encode("All of this is a text as any other, without a key.");
    assert_eq!(mask_secrets(&harmless).1, 0);
}

#[test]
fn secrets_are_found_in_json_and_behind_escapes() {
    for row in TOKENS {
        let escaped = serde_json_like(&text_and_masked(row).0);
        let (masked, count) = mask_secrets(&escaped);
        let wanted = row.matches('«').count() as u64;
        assert_eq!(count, wanted, "{masked}");
    }
}

/// Spells a text as JSON in JSON.
fn serde_json_like(text: &str) -> String {
    format!("{{\"a\": \"x\\\\n{}\\\\n\"}}", text.replace(' ', "\\\\n"))
}
