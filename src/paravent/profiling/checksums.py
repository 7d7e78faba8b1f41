"""Numbers that carry their own proof: national numbers, bank accounts, payment cards.

Every function takes the number without separators, letters in capitals, and says whether its check digit holds. A
random number passes one time in ten to a hundred, so a whole column that passes leaves no doubt about what it is.
"""

from __future__ import annotations

from collections.abc import Sequence


def _weighted(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=False))


def luhn(number: str) -> bool:
    """Payment cards, the Canadian SIN, the Swedish personnummer (ISO/IEC 7812-1).

    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    doubled = "".join(digit if i % 2 == 0 else str(2 * int(digit)) for i, digit in enumerate(reversed(number)))
    return number.strip("0") != "" and sum(map(int, doubled)) % 10 == 0


def iban(number: str) -> bool:
    """ISO 13616: moved to the end and read as a number, the first four signs leave 1 modulo 97."""
    moved = number[4:] + number[:4]
    return int("".join(str(int(sign, 36)) for sign in moved)) % 97 == 1


def french_nir(number: str) -> bool:
    """The French social-security number: 13 signs and their key; 2A and 2B (Corsica) count as 19 and 18."""
    digits = number.replace("2A", "19").replace("2B", "18")
    return digits.isdigit() and 97 - int(digits[:13]) % 97 == int(digits[13:])


def spanish_dni(number: str) -> bool:
    """DNI (eight digits) and NIE (X, Y or Z and seven digits), each with a letter for the remainder modulo 23."""
    digits = number[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(digits) % 23] == number[-1]


_ITALIAN_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)


def italian_fiscal_code(number: str) -> bool:
    """Codice fiscale: signs in odd places count by a table, in even places by their rank; the sum names a letter."""
    total = 0
    for place, sign in enumerate(number[:15]):
        rank = int(sign) if sign.isdigit() else ord(sign) - ord("A")
        total += _ITALIAN_ODD[rank] if place % 2 == 0 else rank
    return chr(ord("A") + total % 26) == number[15]


def uk_nhs(number: str) -> bool:
    """The NHS number of England and Wales."""
    check = 11 - _weighted(number, range(10, 1, -1)) % 11
    return (0 if check == 11 else check) == int(number[9])


def german_tax_id(number: str) -> bool:
    """Steuer-Identifikationsnummer (ISO 7064, modulo 11, 10)."""
    product = 10
    for digit in number[:10]:
        rest = (int(digit) + product) % 10 or 10
        product = rest * 2 % 11
    return (11 - product) % 10 == int(number[10])


def german_pension(number: str) -> bool:
    """Sozialversicherungsnummer: eight digits, the letter of the birth name, two digits, the check digit."""
    digits = number[:8] + f"{ord(number[8]) - ord('A') + 1:02}" + number[9:11]
    weights = (2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1)
    products = (int(digit) * weight for digit, weight in zip(digits, weights, strict=True))
    return sum(product // 10 + product % 10 for product in products) % 10 == int(number[11])


def belgian_national(number: str) -> bool:
    """Rijksregisternummer: 97 less the remainder; people born from 2000 on have a 2 put in front."""
    check = int(number[9:])
    return any(97 - int(front + number[:9]) % 97 == check for front in ("", "2"))


def dutch_bsn(number: str) -> bool:
    """Burgerservicenummer, the eleven-test."""
    return int(number) > 0 and _weighted(number, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def swiss_ahv(number: str) -> bool:
    """AHV/AVS number: an EAN-13 that begins with 756."""
    return _weighted(number, (1, 3) * 6 + (1,)) % 10 == 0


def polish_pesel(number: str) -> bool:
    return int(number) > 0 and _weighted(number, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def portuguese_nif(number: str) -> bool:
    check = 11 - _weighted(number, range(9, 1, -1)) % 11
    return (0 if check >= 10 else check) == int(number[8])


def brazilian_cpf(number: str) -> bool:
    def check(length: int) -> int:
        return _weighted(number[:length], range(length + 1, 1, -1)) * 10 % 11 % 10

    return len(set(number)) > 1 and check(9) == int(number[9]) and check(10) == int(number[10])


def finnish_hetu(number: str) -> bool:
    """Six digits of the birth date, three of the person, one of 31 signs (the century sign is a separator)."""
    return "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(number[:9]) % 31] == number[9]


def us_ssn(number: str) -> bool:
    """No check digit; the numbers that the Social Security Administration never gives out are refused."""
    return number[:3] not in ("000", "666") and number[0] != "9" and number[3:5] != "00" and number[5:] != "0000"


def uk_nino(number: str) -> bool:
    """No check digit; prefixes that are not given out are refused."""
    return number[:2] not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ")
