"""The certificate of an audit in plain words: what no attacker can exceed, and whether groups can be told at all."""

from __future__ import annotations

from latentveil.report.words import number, percent, plain
from latentveil.results.audit import AuditResults
from latentveil.results.certificate import Exchangeability, NoiseBound

SIGNIFICANCE = 0.05


def certificate_in_words(audit: AuditResults) -> list[str]:
    """A sentence or two for each part of the certificate; nothing where none was asked for."""
    found = audit.certificate
    if found is None:
        return []
    bound = (
        f"No bound holds for every attacker: {found.why_no_bound}."
        if found.bound is None
        else _bound_in_words(found.bound)
    )
    tests = [_test_in_words(test) for test in found.exchangeability]
    if found.why_not_tested:
        tests.append(f"Whether groups can be told in the release was not tested: {found.why_not_tested}.")
    return [bound, *tests]


def _bound_in_words(bound: NoiseBound) -> str:
    held = f"This holds if {'; '.join(bound.conditions)}."
    if bound.is_vacuous:
        return (
            f"The noise guarantees nothing: codes lie up to {bound.mu:.1f} standard deviations apart (mu), and the "
            f"bound allows {percent(bound.accuracy)} right answers to a question with two answers. {held}"
        )
    told = (
        f"No attacker, whatever they know or try, is right about a secret with two equally frequent values more than "
        f"{percent(bound.accuracy)} of the time (guessing: 50%), or tells more than "
        f"{percent(bound.true_accept_at_1_percent)} of videos from others at 1% false alarms (mu = {bound.mu:.2f})."
    )
    if bound.identity is not None and bound.num_people:
        told += (
            f" Naming one of {bound.num_people} people succeeds at most {percent(bound.identity)} of the time "
            f"(guessing: {percent(1 / bound.num_people)})."
        )
    return f"{told} {held}"


def _test_in_words(test: Exchangeability) -> str:
    within = f", compared within {plain(test.within)}" if test.within else ""
    power = ", ".join(f"{percent(share)} for {size}" for size, share in test.power.items())
    amount = f"{test.num_videos} videos of {test.num_groups} groups ({plain(test.groups)}{within})"
    if test.p_value < SIGNIFICANCE:
        score = test.scores[test.learner]
        alike = "more" if score > 0 else "less"
        told = (
            f"Groups can be told in the release: {amount} differ from permuted groups (p = "
            f"{number(test.p_value, digits=3)}; by {test.learner}, videos of one group are {alike} alike than others)."
        )
    else:
        told = (
            f"No learner tells {amount} from permuted groups (p = {number(test.p_value, digits=3)}). "
            "That is no proof that nobody could."
        )
    return (
        f"{told} The test finds a planted offset of each group in this share of trials, by its size: {power}."
    )
