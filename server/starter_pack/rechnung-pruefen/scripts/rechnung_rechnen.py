#!/usr/bin/env python3
"""Rechnet eine Rechnung nach und prüft IBAN, deutsche USt-IdNr. und Daten.

Usage: rechnung_rechnen.py RECHNUNG.json
Beträge stehen als Text mit Dezimalpunkt ("617.50"). Abweichungen bis 0.01 je Betrag gelten als
Rundung. Rückgabewert: 0 ohne Beanstandung, 1 mit, 2 wenn die Datei nicht lesbar ist.
"""

import argparse
import json
import re
import sys
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from pathlib import Path

CENT = Decimal("0.01")


def cents(amount):
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


def differs(stated, computed):
    return abs(stated - computed) > CENT


def iban_valid(iban):
    """ISO 13616: die ersten vier Zeichen nach hinten, Buchstaben als Zahlen, Rest 1 bei 97."""
    compact = re.sub(r"\s", "", iban).upper()
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", compact):
        return False
    digits = "".join(str(int(character, 36)) for character in compact[4:] + compact[:4])
    return int(digits) % 97 == 1


def german_vat_id_valid(vat_id):
    """DE und neun Ziffern mit einer Prüfziffer nach ISO 7064, MOD 11,10."""
    match = re.fullmatch(r"DE(\d{8})(\d)", re.sub(r"\s", "", vat_id).upper())
    if match is None:
        return False
    product = 10
    for digit in match[1]:
        total = (int(digit) + product) % 10 or 10
        product = 2 * total % 11
    return (11 - product) % 10 == int(match[2])


def complaints(invoice):
    """Alles, was an der Rechnung nicht stimmt, als Sätze."""
    net_by_rate = {}
    for number, line in enumerate(invoice["positionen"], 1):
        expected = cents(Decimal(line["menge"]) * Decimal(line["preis"]))
        stated = Decimal(line["netto"])
        if differs(stated, expected):
            yield f"Position {number} ({line['text']}): {stated} statt {expected}"
        net_by_rate[line["satz"]] = net_by_rate.get(line["satz"], Decimal(0)) + stated
    net, tax = sum(net_by_rate.values()), Decimal(0)
    for rate, amount in net_by_rate.items():
        expected = cents(amount * Decimal(rate) / 100)
        stated = Decimal(invoice["steuer"].get(rate, "0"))
        tax += stated
        if differs(stated, expected):
            yield f"Steuer {rate} %: {stated} statt {expected} auf {amount}"
        if Decimal(rate) not in (0, 7, 19):
            yield f"Steuersatz {rate} % gibt es in Deutschland derzeit nicht"
    for rate in invoice["steuer"].keys() - net_by_rate.keys():
        yield f"Steuer zu {rate} % ohne Position"
    if differs(Decimal(invoice["netto"]), net):
        yield f"Summe netto: {invoice['netto']} statt {net}"
    if differs(Decimal(invoice["brutto"]), net + tax):
        yield f"Summe brutto: {invoice['brutto']} statt {net + tax}"
    if invoice.get("iban") and not iban_valid(invoice["iban"]):
        yield "IBAN: Prüfziffer falsch"
    vat_id = invoice.get("ust_idnr", "")
    if vat_id.upper().startswith("DE") and not german_vat_id_valid(vat_id):
        yield "USt-IdNr.: Prüfziffer falsch"
    issued = date.fromisoformat(invoice["datum"])
    if not invoice.get("leistung_bis"):
        yield "Leistungszeitpunkt fehlt"
    elif date.fromisoformat(invoice["leistung_bis"]) > issued:
        yield "Leistung liegt nach dem Rechnungsdatum: Anzahlung? Dann muss es so heißen"
    if issued > date.today():
        yield "Rechnungsdatum liegt in der Zukunft"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, metavar="RECHNUNG.json")
    path = parser.parse_args().file
    try:
        found = list(complaints(json.loads(path.read_text(encoding="utf-8"))))
    except (OSError, ValueError, InvalidOperation) as problem:
        print(f"{path}: nicht lesbar: {problem}", file=sys.stderr)
        return 2
    except KeyError as missing:
        print(f"{path}: Angabe {missing} fehlt", file=sys.stderr)
        return 2
    print("\n".join(f"- {text}" for text in found) or "rechnerisch ohne Beanstandung")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
