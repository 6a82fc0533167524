"""E-mail addresses, told from the other things that are written with an `@`.

What is around an address decides, not a list of local parts. No address of a mailbox:

- the user of a URL (`postgres://app@db.host.tld/`), an scp or clone target
  (`git@host.tld:team/repo.git`), the operand of `ssh` and its kin
- a package, action or image at a version (`team/step@v4.1.io`, `image@sha256.ab`), a file
  (`icon@2x.png`), a unit (`user@1000.service`), a product of matrices (`q@k.transpose(…)`)

Documentation survives: every address at exactly example.com, example.org or example.net
(RFC 2606 reserves them, so nobody has a mailbox there), a generic local part at a generic
or a free-mail domain (`user@domain.com`, `name@gmail.com`), what says `your`
(`your.name@gmail.com`, `agent@yourdomain.com`), `a@b.co`, and senders that nobody reads
(`noreply@`). Subdomains of the three, the `.example` top level and all else are masked.
"""

from __future__ import annotations

from collections.abc import Iterator

from catalog.injection.redaction.boundary import continues_word
from catalog.injection.redaction.linear_pattern import LinearPattern, Span
from catalog.injection.redaction.rule import MOST_EXAMINED

_LETTERS = r"\p{Latin}\p{Cyrillic}\p{Greek}\p{Arabic}\p{Hebrew}\p{Devanagari}\p{M}"
# These are written without blanks before the next word, so only known endings end a domain.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Hangul}"
_UNSPACED_ENDINGS = (
    "中国|中國|公司|网络|網絡|中文网|在线|商城|网址|网站|手机|香港|台湾|台灣|新加坡|广东|佛山|集团|"
    "我爱你|移动|政务|公益|慈善|时尚|商标|招聘|信息|健康|企业|购物|游戏|娱乐|广告|测试|한국|닷컴|みんな"
)
_ADDRESS = LinearPattern(
    r"(?:\"[0-9A-Za-z][^\"\n@,:{}\[\]]*[0-9A-Za-z.]\"@"
    rf"|[0-9A-Za-z_{_LETTERS}][\w.+\-{_LETTERS}]*(?:@|%40))"
    rf"(?:[0-9A-Za-z{_LETTERS}{_UNSPACED}\-]+\.)+"
    r"(?:xn--[0-9A-Za-z\-]+|[A-Za-z]{2,24}"
    r"|[\p{Cyrillic}\p{Greek}\p{Arabic}\p{Hebrew}\p{Devanagari}\p{M}]{2,12}"
    rf"|{_UNSPACED_ENDINGS})"
    rf"|[{_UNSPACED}]+@(?:[0-9A-Za-z{_UNSPACED}\-]+\.)+(?:{_UNSPACED_ENDINGS})"
)
_VERSION = LinearPattern(r"v?\d+\.\d.*|v\d+\..*")
_TARGET_PATH = LinearPattern(r"[^\s\"'`<>()|,;]*[/~.][^\s\"'`<>()|,;]*")

_RESERVED_DOMAINS = frozenset(("example.com", "example.org", "example.net"))
_DIGESTS = frozenset(("sha1", "sha256", "sha384", "sha512", "md5", "blake3"))
_NOT_TOP_LEVEL = frozenset(
    [
        "png",
        "jpg",
        "jpeg",
        "gif",
        "svg",
        "webp",
        "avif",
        "ico",
        "bmp",
        "pdf",
        "js",
        "mjs",
        "cjs",
        "ts",
        "tsx",
        "jsx",
        "css",
        "scss",
        "html",
        "json",
        "jsonl",
        "yml",
        "yaml",
        "toml",
        "xml",
        "txt",
        "csv",
        "lock",
        "gz",
        "tgz",
        "tar",
        "bak",
        "tmp",
        "pem",
        "bz",
        "whl",
        "jar",
        "war",
        "exe",
        "dll",
        "conf",
        "cfg",
        "ini",
        "log",
        "service",
        "socket",
        "timer",
        "target",
        "mount",
        "slice",
        "automount",
    ]
)
_FREQUENT_TOP_LEVEL = frozenset(
    ("com", "org", "net", "edu", "gov", "mil", "int", "info", "biz", "dev", "app", "cloud")
)
_ENDINGS_OF_SOURCES = frozenset(("md", "sh", "py", "rb", "rs", "pl"))
"""Of files, and of domains too."""
_GENERIC_LOCALS = frozenset(
    [
        "user",
        "username",
        "name",
        "me",
        "someone",
        "somebody",
        "email",
        "mail",
        "admin",
        "test",
        "first.last",
        "example",
        "fake",
        "new",
        "firstname.lastname",
        "firstname",
        "lastname",
        "user1",
        "user2",
        "foo",
        "bar",
    ]
)
_GENERIC_DOMAINS = frozenset(
    [
        "domain",
        "company",
        "email",
        "mail",
        "host",
        "hostname",
        "server",
        "site",
        "website",
        "mycompany",
        "mydomain",
        "org",
        "organization",
        "test",
        "foo",
        "bar",
        "test-domain",
        "gmail",
        "outlook",
        "hotmail",
        "yahoo",
        "icloud",
        "fastmail",
        "kindle",
    ]
)
_UNREAD = frozenset(("noreply", "no-reply", "donotreply", "do-not-reply"))
_LOGIN_COMMANDS = frozenset(("ssh", "scp", "sftp", "rsync", "mosh", "autossh", "ssh-copy-id"))
_LOOK_BACK = 256
_LOOK_AHEAD = 128


class EmailRule:
    entity = "EMAIL"
    patterns = (_ADDRESS,)

    def spans(self, text: str) -> Iterator[Span]:
        for position, ((start, stop),) in enumerate(_ADDRESS.matches(text)):
            end = _before_file_ending(text, start, stop)
            if position >= MOST_EXAMINED or _is_mailbox(text, start, end, stop):
                yield start, end


def _before_file_ending(text: str, start: int, stop: int) -> int:
    """Where the address ends in the name of a file that is called after one."""
    labels = text[start:stop].lower().split(".")
    kept = len(labels)
    while labels[kept - 1] in _NOT_TOP_LEVEL:
        kept -= 1
    last = labels[kept - 1]
    if "@" in last or not (last in _FREQUENT_TOP_LEVEL or (len(last) == 2 and last.isalpha())):
        return stop
    return start + len(".".join(labels[:kept]))


def _names_file(written: str, ending: int) -> bool:
    """Whether the name of a file holds an address: behind a slash all else is part of a URL."""
    labels = written.lower().rpartition("@")[2].split(".")
    return ending > 0 or (len(labels) > 2 and labels[-1] in _ENDINGS_OF_SOURCES)


def _is_mailbox(text: str, start: int, end: int, stop: int) -> bool:
    before = text[start - 1 : start] if start else ""
    if before == "@" or (before == "/" and not _names_file(text[start:stop], stop - end)):
        return False
    after = text[stop : stop + 2]
    if after[:1] == "(" or (after[:1] == "." and continues_word(after[1:])):
        return False
    local, _, domain = text[start:end].lower().replace("%40", "@").partition("@")
    if not _is_host(domain) or _is_documentation(local, domain):
        return False
    if _is_url_user(text, start):
        return False
    if after[:1] == ":" and after[1:].strip() and _is_path(text, stop + 1):
        return False
    return not (before in (" ", "\t") and _is_login(text, start))


def _is_host(domain: str) -> bool:
    first, _, _ = domain.partition(".")
    _, _, last = domain.rpartition(".")
    return not (
        last in _NOT_TOP_LEVEL
        or first in _DIGESTS
        or first == "self"
        or (first[0] in "v0123456789" and _VERSION.covers(domain))
    )


def _is_documentation(local: str, domain: str) -> bool:
    if domain in _RESERVED_DOMAINS or local in _UNREAD:
        return True
    first, _, _ = domain.partition(".")
    if local == "you" or local.startswith("your") or first.startswith("your"):
        return True
    return (local in _GENERIC_LOCALS and first in _GENERIC_DOMAINS) or len(local + first) == 2


def _is_url_user(text: str, start: int) -> bool:
    head = text[max(0, start - _LOOK_BACK) : start]
    _, mark, authority = head.rpartition("://")
    return bool(mark) and not any(
        character.isspace() or character in "/?#\"'`<>()@,;" for character in authority
    )


def _is_path(text: str, start: int) -> bool:
    ahead = text[start : start + _LOOK_AHEAD].split(maxsplit=1)[0]
    return ahead[-1:] != "." and _TARGET_PATH.covers(ahead.rstrip("\"'`)>,;"))


def _is_login(text: str, start: int) -> bool:
    head = text[max(0, start - _LOOK_BACK) : start]
    words = head[head.rfind("\n") + 1 :].split()
    for index in range(len(words) - 1, -1, -1):
        if words[index].strip("`$(\"'") in _LOGIN_COMMANDS:
            options = words[index + 1 :]
            return not options or options[0].startswith("-")
    return False
