"""What single values look like: addresses, numbers and codes that can be told by their shape."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from paravent.profiling import checksums

_SEPARATORS = re.compile(r"[\s.\-/_+]")
_NUMBER_LIKE = re.compile(r"-?\d+[.,]\d+|\d{4}[-/]\d{4}")
_DATE_LIKE = re.compile(r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))(?:[T ].*)?")


@dataclass(frozen=True)
class Pattern:
    """A shape, and where one exists the check that its digits must pass.

    `concept` is what such a value is (a key of the lexicon), `title` how it is called in a sentence. A pattern that
    is not `telling` fits ordinary numbers too: it only confirms what the header says.
    """

    concept: str
    title: str
    shape: re.Pattern[str]
    check: Callable[[str], bool] | None = None
    strip: bool = True
    telling: bool = True

    def fits(self, text: str) -> bool:
        """Whether one value, as text, looks like this."""
        found = self.shape.fullmatch(text.strip())
        if found is None:
            return False
        if self.check is None:
            return True
        body = _SEPARATORS.sub("", text).upper() if self.strip else text.strip()
        return self.check(body)

    def share(self, values: Sequence[str]) -> float:
        """The share of the values that look like this."""
        return sum(map(self.fits, values)) / len(values) if values else 0.0


def _is_ip(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_phone(text: str) -> bool:
    """Eight to fifteen digits that are written as a phone number, not as a plain number, a range of years or a date."""
    digits = sum(sign.isdigit() for sign in text)
    written = text[0] in "+(0" or any(sign in text for sign in " ()-./")
    other = _DATE_LIKE.fullmatch(text) or _NUMBER_LIKE.fullmatch(text)
    return 8 <= digits <= 15 and written and other is None


def _pattern(
    concept: str,
    title: str,
    shape: str,
    check: Callable[[str], bool] | None = None,
    *,
    strip: bool = True,
    telling: bool = True,
) -> Pattern:
    return Pattern(concept, title, re.compile(shape, re.IGNORECASE | re.ASCII), check, strip, telling)


# The order matters where shapes overlap: the first that fits nearly all values names the column.
PATTERNS: tuple[Pattern, ...] = (
    _pattern("email", "an e-mail address", r"[^@\s,;<>()]+@[^@\s,;<>()]+\.[a-z]{2,}"),
    _pattern("url", "a web address", r"(?:https?://|www\.)\S+"),
    _pattern("uuid", "a UUID", r"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?"),
    _pattern("ip", "an IP address", r"[0-9a-f:.]{7,45}|[0-9a-f]*::?[0-9a-f:]*", _is_ip, strip=False),
    _pattern("mac", "a network card's address", r"(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}"),
    _pattern("iban", "an IBAN whose check holds", r"[a-z]{2}\d{2}(?:[ -]?[a-z0-9]){11,30}", checksums.iban),
    _pattern(
        "national number",
        "a French social-security number whose key holds",
        r"[1-478] ?\d\d ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?[ /-]?\d\d",
        checksums.french_nir,
    ),
    _pattern(
        "national number",
        "a Spanish DNI or NIE whose letter holds",
        r"(?:\d{8}|[XYZ][ -]?\d{7})[ -]?[A-HJ-NP-TV-Z]",
        checksums.spanish_dni,
    ),
    _pattern(
        "national number",
        "an Italian fiscal code whose check letter holds",
        r"[a-z]{6}[0-9lmnpqrstuv]{2}[abcdehlmprst][0-9lmnpqrstuv]{2}[a-z][0-9lmnpqrstuv]{3}[a-z]",
        checksums.italian_fiscal_code,
    ),
    _pattern(
        "national number",
        "a UK National Insurance number",
        r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]",
        checksums.uk_nino,
    ),
    _pattern("national number", "a US Social Security number", r"\d{3}[- ]\d\d[- ]\d{4}", checksums.us_ssn),
    _pattern(
        "national number",
        "a Swiss AHV number whose check digit holds",
        r"756[. ]?\d{4}[. ]?\d{4}[. ]?\d\d",
        checksums.swiss_ahv,
    ),
    _pattern(
        "national number",
        "a German pension number whose check digit holds",
        r"\d\d ?\d{6} ?[a-z] ?\d{3}",
        checksums.german_pension,
    ),
    _pattern(
        "national number",
        "a Finnish personal code whose check sign holds",
        r"\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]",
        lambda text: checksums.finnish_hetu(text[:6] + text[-4:]),
        strip=False,
    ),
    _pattern(
        "national number",
        "a Brazilian CPF whose check digits hold",
        r"\d{3}\.?\d{3}\.?\d{3}-?\d\d",
        checksums.brazilian_cpf,
    ),
    _pattern(
        "national number",
        "a Belgian national number whose check holds",
        r"\d\d\.?\d\d\.?\d\d-?\d{3}[. -]?\d\d",
        checksums.belgian_national,
    ),
    _pattern(
        "national number",
        "a German tax number whose check digit holds",
        r"[1-9]\d ?\d{3} ?\d{3} ?\d{3}",
        checksums.german_tax_id,
    ),
    _pattern("national number", "a Polish PESEL whose check digit holds", r"\d{11}", checksums.polish_pesel),
    _pattern(
        "national number",
        "an NHS number whose check digit holds",
        r"\d{3}[ -]?\d{3}[ -]?\d{4}",
        checksums.uk_nhs,
    ),
    _pattern("bank card", "a payment-card number whose check digit holds", r"\d{4}(?:[ -]?\d){9,15}", checksums.luhn),
    _pattern(
        "national number",
        "a Swedish personal number whose check digit holds",
        r"\d{6}[-+]\d{4}",
        checksums.luhn,
    ),
    _pattern(
        "national number",
        "a Canadian SIN whose check digit holds",
        r"\d{3}[ -]?\d{3}[ -]?\d{3}",
        checksums.luhn,
    ),
    _pattern("national number", "a Dutch BSN whose check digit holds", r"\d{9}", checksums.dutch_bsn),
    _pattern(
        "national number", "a Portuguese NIF whose check digit holds", r"[1235689]\d{8}", checksums.portuguese_nif
    ),
    _pattern("postcode", "a UK postcode", r"[a-z]{1,2}\d[a-z\d]? ?\d[abd-hjlnp-uw-z]{2}"),
    _pattern("postcode", "a Canadian postal code", r"[abceghj-nprstvxy]\d[a-z] ?\d[a-z]\d"),
    _pattern("postcode", "a US ZIP+4 code", r"\d{5}-\d{4}"),
    _pattern("postcode", "a country-coded postcode", r"(?:D|F|CH|A|E|I|B|L|NL)-\d{4,5}"),
    _pattern("coordinates", "a pair of coordinates", r"[(\[]?-?\d{1,3}\.\d{2,}[,; ]+-?\d{1,3}\.\d{2,}[)\]]?"),
    _pattern("phone", "a phone number", r"\+?[\d(][\d\s().\-/]{5,20}\d", _is_phone, strip=False),
    _pattern("plate", "a French number plate", r"[a-hj-np-tv-z]{2}[- ]\d{3}[- ][a-hj-np-tv-z]{2}"),
    _pattern("disease code", "an ICD-10 code", r"[A-TV-Z]\d[0-9AB]\.[0-9A-Z]{1,4}"),
    _pattern("disease code", "an ICD-10 code", r"[A-TV-Z]\d[0-9AB](?:\.?[0-9A-Z]{1,4})?", telling=False),
    _pattern("postcode", "a postcode", r"[a-z0-9][a-z0-9 *-]{1,8}[a-z0-9*]", telling=False),
    _pattern("national number", "a US Social Security number", r"\d{9}", checksums.us_ssn, telling=False),
    _pattern("iban", "an account number", r"[a-z]{0,2}\d[\d -]{4,30}", telling=False),
    _pattern("phone", "a phone number", r"\+?[\d(][\d\s().\-/]{5,20}", telling=False),
)


_INSIDE: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("an e-mail address", re.compile(r"[^@\s,;<>()]+@[^@\s,;<>()]+\.[a-zA-Z]{2,}")),
    ("a phone number", re.compile(r"(?<![\d.])(?:\+\d{1,3}[ .-]?|0)(?:\(?\d{1,4}\)?[ .-]?){2,5}\d{2,4}(?![\d.])")),
    ("a US Social Security number", re.compile(r"(?<!\d)\d{3}-\d\d-\d{4}(?!\d)")),
    ("a web address", re.compile(r"https?://|www\.")),
)


def inside(values: Sequence[str]) -> list[tuple[str, int]]:
    """What direct identifiers stand somewhere within the values, and in how many of them.

    >>> inside(["call +33 6 12 34 56 78 after noon", "fine"])
    [('a phone number', 1)]
    """
    found = []
    for title, shape in _INSIDE:
        holding = sum(
            any(title != "a phone number" or _DATE_LIKE.search(hit[0]) is None for hit in shape.finditer(value))
            for value in values
        )
        if holding:
            found.append((title, holding))
    return found
