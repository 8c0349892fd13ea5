"""Texts with secrets by kind, and engineering text that has none."""

from __future__ import annotations

SECRETS: list[tuple[str, str]] = [
    ("private", "note <private>the secret</private> end"),
    ("private", "note <PRIVATE>two\nlines</Private> end"),
    ("private", "before <private>never closed, with sk-abcdefgh12345678"),
    ("pem_key", "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn\n-----END RSA PRIVATE KEY-----"),
    ("pem_key", "-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MZ0oyM"),
    ("pem_key", 'key = "-----BEGIN EC PRIVATE KEY-----\\nMHcCAQEEIIrYSSNQFaA2Hwf1duRSxKtLYX5CB04f\\n-----END EC PRIVATE KEY-----"'),
    ("url_password", "postgres://user:s3cret@db/app"),
    ("url_password", "clone https://bob:pw@host.example/x"),
    ("url_password", "redis://:hunter2@cache:6379/0"),
    ("url_password", "mongodb+srv://app:p%40ss@cluster0.example.net/test"),
    ("api_key", "token sk-abcdefgh12345678 end"),
    ("api_key", "Authorization: mmw_" + "0123456789abcdef" * 4),
    ("api_key", "OPENAI_API_KEY=sk-proj-Ab12Cd34Ef56"),
    ("api_key", "stripe sk_live_abcdefgh12345678 and pk_live_abcdefgh12345678 and rk_live_abcdefgh12345678"),
    ("github_token", "ghp_abcdefghijklmnop1234 end"),
    ("github_token", "gho_abcdefghijklmnop1234"),
    ("github_token", "ghs_abcdefghijklmnop1234"),
    ("github_token", "ghu_abcdefghijklmnop1234"),
    ("github_token", "ghr_abcdefghijklmnop1234"),
    ("github_token", "github_pat_11ABCDEFG0abcdefghij_KLMNOP"),
    ("gitlab_token", "glpat-abcdefghij1234567890"),
    ("npm_token", "//registry/:_authToken=npm_abcdefghijklmnopqrstuvwxyz0123456789"),
    ("hf_token", "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"),
    ("aws_key", "key AKIAABCDEFGHIJKLMNOP end"),
    ("aws_secret", "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("aws_secret", "the aws secret is wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY, rotate it"),
    ("bearer", "Authorization: Bearer abcdef1234567890"),
    ("bearer", "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_123"),
    ("bearer", "bearer abcdefghijklmnopqrstuvwxyz"),
    ("slack_token", "slack xoxb-1234567890-abcdef end"),
    ("slack_token", "xoxe-1234567890-abcdef"),
    ("slack_token", "xapp-1-A0123456789-abcdef"),
    ("google_api_key", "AIza" + "SyA1234567890abcdefghijklmnopqrstuv"),
    ("jwt", "cookie eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def_123"),
    ("secret", "PASSWORD=hunter2"),
    ("secret", "export DB_PASSWORD=correct-horse-battery"),
    ("secret", "api_key: 'abc123def456'"),
    ("secret", '{"password": "hunter2", "user": "ann"}'),
    ("secret", 'client_secret = "Zm9vYmFy"'),
    ("secret", "token: 8f14e45fceea167a5a36dedd4bea2543"),
    ("secret", "Server=db;User=sa;Password=Str0ng!Pass;"),
    ("card", "card 4111 1111 1111 1111 ok"),
    ("card", "pay with 5500005555555559."),
    ("card", "amex 3782-822463-10005"),
    ("iban", "iban DE89 3704 0044 0532 0130 00 thanks"),
    ("iban", "to GB82WEST12345698765432"),
    ("email", "mail me at a.b@example.com please"),
    ("email", "Ann <ann+news@mail.example.co.uk>"),
    ("phone", "call +1 415 555 0100 now"),
    ("phone", "+14155550100"),
    ("phone", "phone: 415 555 0100"),
    ("phone", "415-555-0100 and (415) 555-0100"),
    ("phone", "+44 (0)20 7946 0958"),
]

CLEAN = """\
risk-assessment and task-scheduling and disk-encryption
sizes 128 256 1024
128 256 1024 4096 16384 65536
use bearer authentication here
we send a bearer token with each call
clone git@github.com:acme/api.git
git remote add origin git@gitlab.example.com:team/sub/repo.git
ssh://git@github.com/acme/x.git
host 192.168.100.12
bind to 192.168.100.1234 fails
10.0.0.1:8080 and 255.255.255.255
import @types/node 18.2.1 on 2026-09-20T10:00:00Z
id 3f2b8c1e-9d4a-4c1b-8f7e-2a6d5b4c3e2f
amount 1,234.56 at 12:34:56
password = get_password()
password = getpass.getpass()
api_key: str
api_key: str | None = None
os.environ["PASSWORD"]
password: ${DB_PASSWORD}
password=$DB_PASSWORD
PASSWORD=${PASSWORD:-}
token=$TOKEN
token: <token>
token: {{ secrets.TOKEN }}
password: ********
password=None
secret: null
max_tokens=4096
tokens: 8000
token_count: 12345
token: the value of the header
password: must be at least 12 characters
the password: we never store it
commit 9fceb02d0ae598e95dc970b74767f19372d61af8
aws deploy of 9fceb02d0ae598e95dc970b74767f19372d61af8 used the new key
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
sk-learn-pipeline is our fork
keys begin with mmw_ and have 64 hexadecimal digits
the secret: we never ship on fridays
primary key: id
foreign_key=user_id
npm_config_registry is set
hf_hub_download caches files
if token == "abcdef123":
assert secret != "other"
@app.route("/x") def view(): pass
react@18.2.0 and lodash@4.17.21
--token-file /etc/token
1609459200000 and 1609459200000000000
2026-11-30 12:00:00 +0200
bearer tokens are refreshed hourly
pwd=/home/user
const token: string = await x()
chr1:1000000-2000000
pip install foo==1.2.3
range 100-200-3000
order 4111111111111112 failed
build 20260920.1234567
xoxa- is a prefix, eyJ another, AIza a third
-----BEGIN CERTIFICATE-----
v1.2.3-beta.4+build.567
std::vector<int> v{1, 2, 3};
http://localhost:8888/banks/default
http://[::1]:8080/path?x=1:2@3
C:\\Users\\ann\\AppData
a@b is not an address
0x7fff5fbff8c0 0xdeadbeef
latency 415.555.0100.2 of node
key=value pairs and key: value pairs
session_key = derive(master)
cfg.token = self.token
password=password
token=token, secret=secret
PGPASSWORD=
the API key is stored in the vault
rotate the access key: see the runbook
passphrase: optional
authToken: undefined
error code 4155550100
sum of 1000000 + 2000000
isbn 978-3-16-148410-0
""".splitlines()
