"""Detectors: published sample numbers, spoilt digits, headers in four languages, values that only look alike."""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paravent.profiling import checksums
from paravent.profiling.detect import Confidence, Facts, detect
from paravent.profiling.lexicon import Role, concepts, named_by
from paravent.profiling.patterns import PATTERNS, inside
from paravent.profiling.vocabulary import spoken, vocabularies
from paravent.table.kinds import Kind

# Sample numbers that the issuing bodies or their documentation publish.
VALID: list[tuple[Callable[[str], bool], str]] = [
    (checksums.luhn, "4111111111111111"),
    (checksums.luhn, "378282246310005"),
    (checksums.luhn, "046454286"),
    (checksums.luhn, "8112189876"),
    (checksums.iban, "GB82WEST12345698765432"),
    (checksums.iban, "DE89370400440532013000"),
    (checksums.iban, "FR1420041010050500013M02606"),
    (checksums.french_nir, "255081416802538"),
    (checksums.spanish_dni, "12345678Z"),
    (checksums.spanish_dni, "X1234567L"),
    (checksums.italian_fiscal_code, "RSSMRA85T10A562S"),
    (checksums.uk_nhs, "9434765919"),
    (checksums.german_tax_id, "86095742719"),
    (checksums.german_tax_id, "47036892816"),
    (checksums.german_pension, "15070649C103"),
    (checksums.belgian_national, "85073003328"),
    (checksums.dutch_bsn, "111222333"),
    (checksums.swiss_ahv, "7569217076985"),
    (checksums.polish_pesel, "44051401359"),
    (checksums.portuguese_nif, "123456789"),
    (checksums.brazilian_cpf, "11144477735"),
    (checksums.finnish_hetu, "131052308T"),
]
# These schemes catch every wrong digit by their arithmetic; the others (remainders 10 and 11 share a digit) nearly all.
STRICT = {
    "luhn",
    "iban",
    "french_nir",
    "spanish_dni",
    "uk_nhs",
    "german_tax_id",
    "dutch_bsn",
    "swiss_ahv",
    "finnish_hetu",
}
STRICT |= {"italian_fiscal_code", "polish_pesel"}


@pytest.mark.parametrize(("holds", "number"), VALID, ids=lambda case: getattr(case, "__name__", case))
def test_published_numbers_hold_and_spoilt_ones_do_not(holds: Callable[[str], bool], number: str) -> None:
    assert holds(number)
    spoilt = [
        number[:i] + digit + number[i + 1 :]
        for i, old in enumerate(number)
        if old.isdigit()
        for digit in "0123456789"
        if digit != old
    ]
    survivors = sum(map(holds, spoilt))
    assert survivors == 0 if holds.__name__ in STRICT else survivors <= 0.15 * len(spoilt)


def luhn_digit(body: str) -> str:
    total = 0
    for place, digit in enumerate(reversed(body)):
        double = int(digit) * (2 if place % 2 == 0 else 1)
        total += double - 9 if double > 9 else double
    return str(-total % 10)


def ssn(r: random.Random) -> str:
    return f"{r.randint(1, 665):03}-{r.randint(1, 99):02}-{r.randint(1, 9999):04}"


def nir(r: random.Random) -> str:
    body = f"{r.choice('12')}{r.randint(0, 99):02}{r.randint(1, 12):02}{r.randint(1, 95):02}{r.randint(1, 999999):06}"
    return f"{body}{97 - int(body) % 97:02}"


def iban(r: random.Random) -> str:
    body = f"{r.randrange(10**18):018}"
    return f"DE{98 - int(body + '131400') % 97:02}{body}"


def card(r: random.Random) -> str:
    body = f"4{r.randrange(10**14):014}"
    return body + luhn_digit(body)


def dni(r: random.Random) -> str:
    number = r.randrange(10**8)
    return f"{number:08}{'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23]}"


def nino(r: random.Random) -> str:
    return f"AB{r.randrange(10**6):06}{r.choice('ABCD')}"


def mac(r: random.Random) -> str:
    return ":".join(f"{r.randrange(256):02x}" for _ in range(6))


def uk_postcode(r: random.Random) -> str:
    return f"{r.choice(['SW', 'M', 'LS'])}{r.randint(1, 19)} {r.randint(1, 9)}{r.choice('ABD')}H"


def canadian_postcode(r: random.Random) -> str:
    return f"{r.choice('ABCEGH')}{r.randrange(10)}{r.choice('ABC')} {r.randrange(10)}Z{r.randrange(10)}"


MAKERS: dict[str, tuple[str, Callable[[random.Random], str]]] = {
    "ssn": ("national number", ssn),
    "nir": ("national number", nir),
    "spaced nir": ("national number", lambda r: (n := nir(r))[:1] + " " + n[1:3] + " " + n[3:5] + " " + n[5:7] + n[7:]),
    "iban": ("iban", iban),
    "iban in fours": ("iban", lambda r: re.sub("(....)(?=.)", r"\1 ", iban(r))),
    "card": ("bank card", card),
    "dni": ("national number", dni),
    "nino": ("national number", nino),
    "e-mail": ("email", lambda r: f"user{r.randrange(10**6)}@mail{r.randrange(9)}.example.org"),
    "phone fr": ("phone", lambda r: f"0{r.randint(1, 7)} " + " ".join(f"{r.randrange(100):02}" for _ in range(4))),
    "phone int": ("phone", lambda r: f"+49 {r.randint(150, 179)} {r.randrange(10**7):07}"),
    "phone us": ("phone", lambda r: f"({r.randint(200, 999)}) {r.randint(200, 999)}-{r.randrange(10**4):04}"),
    "ip": ("ip", lambda r: ".".join(str(r.randrange(256)) for _ in range(4))),
    "ipv6": ("ip", lambda r: ":".join(f"{r.randrange(65536):x}" for _ in range(8))),
    "mac": ("mac", mac),
    "uuid": ("record id", lambda r: str(uuid.UUID(int=r.getrandbits(128)))),
    "url": ("url", lambda r: f"https://example.org/people/{r.randrange(10**6)}"),
    "uk postcode": ("postcode", uk_postcode),
    "ca postcode": ("postcode", canadian_postcode),
    "zip+4": ("postcode", lambda r: f"{r.randrange(10**5):05}-{r.randrange(10**4):04}"),
    "icd-10": ("disease code", lambda r: f"{r.choice('ABCEFGJK')}{r.randrange(100):02}.{r.randrange(10)}"),
}


def facts(name: str, values: list[str], kind: Kind = Kind.NOMINAL, **extra: float) -> Facts:
    different = tuple(dict.fromkeys(values))
    return Facts(name, kind, len(values), 0, len(different), different, **extra)  # type: ignore[arg-type]


@pytest.mark.parametrize("made", MAKERS)
def test_values_speak_without_a_header(made: str) -> None:
    expected, make = MAKERS[made]
    r = random.Random(made)
    proposal = detect(facts("c3", [make(r) for _ in range(200)]))
    assert proposal.concept == expected
    assert proposal.confidence in (Confidence.CERTAIN, Confidence.LIKELY)


@pytest.mark.parametrize("made", ["nir", "iban", "card", "dni"])
def test_spoilt_check_digits_are_not_taken_for_the_real_thing(made: str) -> None:
    expected, make = MAKERS[made]
    r = random.Random(made)
    values = []
    for _ in range(200):
        number = make(r)
        place = next(i for i in range(5, len(number)) if number[i].isdigit())
        values.append(number[:place] + str((int(number[place]) + r.randint(1, 9)) % 10) + number[place + 1 :])
    assert detect(facts("c3", values)).concept != expected


def test_random_numbers_are_no_national_numbers() -> None:
    for width in range(6, 17):
        r = random.Random(width)
        values = [str(r.randrange(10 ** (width - 1), 10**width)) for _ in range(300)]
        proposal = detect(facts("c3", values, Kind.INTEGER, low=float(min(values)), high=float(max(values))))
        assert proposal.concept in ("", "record id"), width


@pytest.mark.parametrize(
    "values",
    [
        ["2020-01-02", "2021-11-30", "1999-05-17"] * 20,
        ["2019/2020", "2020/2021", "2021/2022"] * 20,
        ["12345.678", "99887.25", "10203.75"] * 20,
        ["1-2", "3-4", "5-9"] * 20,
    ],
)
def test_what_is_no_phone_number(values: list[str]) -> None:
    assert detect(facts("c3", values)).concept != "phone"


@given(st.text(max_size=30))
def test_no_text_breaks_a_detector(text: str) -> None:
    for pattern in PATTERNS:
        pattern.fits(text)
    inside([text])
    named_by(text)
    spoken([text])


def test_direct_identifiers_within_text_are_counted() -> None:
    values = ["seen on 2020-01-02, BP 120/80", "reach him at j.doe@example.org or +33 6 12 34 56 78", "SSN 123-45-6789"]
    assert dict(inside(values)) == {"an e-mail address": 1, "a phone number": 1, "a US Social Security number": 1}


HEADERS = {
    "person name": "name Nom Prénom first_name lastName Nachname Vorname apellidos 'nom de famille' PatientName"
    " LAST first MAIDEN 'nom de jeune fille' Geburtsname",
    "email": "email E-Mail mail courriel Emailadresse 'correo electrónico'",
    "phone": "phone Telefon tel Téléphone mobile phone2 'número de teléfono' Handynummer",
    "national number": "SSN NIR DNI 'Numéro de sécurité sociale' Sozialversicherungsnummer passport n°sécu VoterID",
    "record id": "id identifiant uuid ticket seq",
    "person number": "patient_id PatientID matricule Kundennummer 'numero dossier' MRN c_case_number"
    " subject_id PERS_NR Fallnummern",
    "birth date": "dob 'date of birth' DateNaissance date_de_naissance Geburtsdatum 'fecha de nacimiento' birthYear",
    "postcode": "zip ZIP_code postcode CP 'code postal' PLZ Postleitzahl 'código postal'",
    "age": "age Âge Alter edad age_group",
    "sex": "sex gender sexe Genre Geschlecht sexo género",
    "race": "race ethnicity ethnie raza",
    "country": "country native-country Nationalité pays Staatsangehörigkeit país country_code",
    "place": "city ville Wohnort municipio birth_place 'lieu de naissance' state",
    "marital status": "marital-status 'état civil' 'situation familiale' Familienstand 'estado civil'",
    "education": "education niveau_d_étude diplôme Bildung estudios education-num",
    "occupation": "occupation job profession métier Beruf trabajo workclass hours-per-week hire_date",
    "health": "disease diagnosis Pathologie maladie Krankheit enfermedad glucose blood_pressure HIV"
    " hypertension HeartDisease Hauptdiagnose antécédents smoking_status diag_1 ChestPain Vorerkrankung",
    "death": "died death_event DEATH Survived décès 'statut vital' verstorben vital_status",
    "conviction": "c_charge_degree is_recid juv_fel_count Vorstrafen",
    "outcome": "y Churn Attrition outcome",
    "disease code": "icd10 ICD-10 cim10 icd_code",
    "religion": "religion Konfession creencia",
    "politics": "party 'political party' parti Partei partido vote",
    "union": "union trade_union syndicat Gewerkschaft sindicato",
    "orientation": "'sexual orientation' orientation_sexuelle",
    "genetic": "genotype DNA BRCA1 adn",
    "money": "salary salary-class income salaire revenu Gehalt Einkommen sueldo capital-gain Jahresnettoeinkommen"
    " HEALTHCARE_EXPENSES charges amount montant Behandlungskosten loyer",
    "free text": "comments notes Remarques Bemerkungen observaciones",
    "survey weight": "fnlwgt sampling_weight household_weights pondération",
}


@pytest.mark.parametrize(
    ("expected", "header"),
    [
        (key, header.strip("'"))
        for key, line in HEADERS.items()
        for header in [
            part for i, chunk in enumerate(line.split("'")) for part in ([chunk] if i % 2 else chunk.split())
        ]
    ],
)
def test_headers_in_four_languages(expected: str, header: str) -> None:
    found = named_by(header)
    assert found is not None
    assert found.key == expected


@pytest.mark.parametrize(
    "header", ["", "x", "col_1", "V12", "column 3", "änderung", "\x00", "🙂", "water", "roof", "comfort"]
)
def test_headers_that_say_nothing(header: str) -> None:
    assert named_by(header) is None


def test_the_lexicon_is_in_order() -> None:
    roles = {each.key: each.role for each in concepts()}
    for pattern in PATTERNS:
        assert pattern.concept == "uuid" or pattern.concept in roles
    for vocabulary in vocabularies():
        assert vocabulary.concept in roles
    for key in ("health", "religion", "politics", "union", "orientation", "genetic", "conviction", "money"):
        assert roles[key] is Role.SENSITIVE
    assert all(phrase for each in concepts() for phrase in each.phrases)


def test_last_and_first_are_names_only_by_themselves() -> None:
    assert named_by("last visit") is not None
    assert named_by("last visit").key == "date"  # type: ignore[union-attr]
    assert named_by("first") is not None
    assert detect(few("last", 50, low=1, high=90)).role is not Role.IDENTIFIER


def test_numbers_of_patients_and_cases_are_identifiers_near_unique_or_repeating() -> None:
    for header in ("patient_id", "Fallnummer", "numéro dossier", "case number", "id"):
        unique = detect(few(header, 1000, rows=1000))
        repeating = detect(few(header, 25, rows=1000))
        assert (unique.role, unique.confidence) == (Role.IDENTIFIER, Confidence.CERTAIN)
        assert (repeating.role, repeating.confidence) == (Role.IDENTIFIER, Confidence.LIKELY)
        assert "several rows" in repeating.reason
    assert detect(few("patient_id", 2, rows=1000)).role is not Role.IDENTIFIER


@pytest.mark.parametrize(
    "header", ["hypertension", "died", "décès", "verstorben", "HeartDisease", "diabetes", "stroke"]
)
def test_flags_of_diseases_and_deaths_are_sensitive(header: str) -> None:
    assert detect(few(header, 2)).role is Role.SENSITIVE


def test_names_are_known_by_their_values() -> None:
    first = ["Marie", "Pierre", "Jean", "Camille", "Lucas", "Chloé", "Hugo", "Louise", "Zoltan", "Aurélie"]
    last = ["Müller", "Schmidt", "Fischer", "Weber", "Wagner", "Becker", "Hoffmann", "Koch", "Xylander"]
    for values in (first, last):
        proposal = detect(facts("c3", values * 5))
        assert (proposal.role, proposal.concept) == (Role.IDENTIFIER, "person name")


WORDS = {
    "sex": ["Homme", "Femme"],
    "marital status": ["Ledig", "Verheiratet", "Geschieden"],
    "race": ["White", "Black", "Asian", "Other"],
    "religion": ["Catholic", "Muslim", "None", "Jewish"],
    "country": ["France", "Germany", "Côte d'Ivoire", "Spain"],
    "health": ["flu", "stomach cancer", "ulcer"],
}


@pytest.mark.parametrize("expected", WORDS)
def test_small_vocabularies(expected: str) -> None:
    assert detect(facts("c3", WORDS[expected] * 10)).concept == expected


def few(name: str, distinct: int, rows: int = 100, kind: Kind = Kind.INTEGER, **extra: float) -> Facts:
    return Facts(name, kind, rows, 0, distinct, tuple(map(str, range(distinct))), **extra)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("column", "role", "confidence"),
    [
        (few("x", 0, 0), Role.INSENSITIVE, Confidence.CERTAIN),
        (few("age", 1), Role.INSENSITIVE, Confidence.CERTAIN),
        (few("age", 50, low=0, high=99), Role.QUASI, Confidence.CERTAIN),
        (few("age", 50, low=-5, high=4000), Role.QUASI, Confidence.GUESS),
        (few("row", 100, low=1, high=100), Role.IDENTIFIER, Confidence.CERTAIN),
        (few("x", 100, low=1, high=100), Role.IDENTIFIER, Confidence.LIKELY),
        (few("x", 100, low=10_000, high=99_999), Role.IDENTIFIER, Confidence.LIKELY),
        (few("x", 100, low=3, high=99_999), Role.QUASI, Confidence.GUESS),
        (few("x", 100, kind=Kind.FLOAT, low=0.0, high=1.0), Role.QUASI, Confidence.GUESS),
        (few("department_id", 5), Role.QUASI, Confidence.LIKELY),
        (few("status_id", 5), Role.QUASI, Confidence.GUESS),
        (few("household_id", 40), Role.IDENTIFIER, Confidence.LIKELY),
        (few("hid", 40), Role.IDENTIFIER, Confidence.LIKELY),
        (few("phone", 2), Role.QUASI, Confidence.GUESS),
        (few("fnlwgt", 90, low=10_000, high=900_000), Role.IDENTIFIER, Confidence.GUESS),
        (few("fnlwgt", 4, low=1, high=4), Role.INSENSITIVE, Confidence.LIKELY),
        (few("weight", 4, low=50, high=120), Role.QUASI, Confidence.LIKELY),
        (few("diagnosis date", 90, kind=Kind.DATE), Role.QUASI, Confidence.LIKELY),
        (few("dob", 90, kind=Kind.DATE), Role.QUASI, Confidence.CERTAIN),
        (few("salary", 90, low=1000, high=9000), Role.SENSITIVE, Confidence.CERTAIN),
    ],
)
def test_what_counts_and_ranges_say(column: Facts, role: Role, confidence: Confidence) -> None:
    proposal = detect(column)
    assert (proposal.role, proposal.confidence) == (role, confidence)
    assert proposal.reason
    assert not proposal.reason.endswith(".")


def test_sentences_are_dropped_whatever_the_header_says() -> None:
    r = random.Random(1)
    words = ["patient", "reports", "strong", "pain", "in", "the", "left", "knee", "since", "last", "week"]
    values = [" ".join(r.choices(words, k=12)) for _ in range(60)]
    for header in ("diagnosis", "notes", "c3"):
        proposal = detect(facts(header, values, Kind.TEXT))
        assert (proposal.role, proposal.concept) == (Role.IDENTIFIER, "free text")


def test_counts_of_a_web_account_are_no_account() -> None:
    assert detect(few("twitter_followers", 80, low=3, high=99_999)).role is not Role.IDENTIFIER
    assert detect(few("twitter_id", 100, low=3, high=99_999)).role is Role.IDENTIFIER
