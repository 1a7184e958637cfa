"""Renders a verification, and the scores of many, as text."""

from collections.abc import Mapping

from rarr.evals.claim_scores import ClaimScores
from rarr.evals.metrics import Measured
from rarr.evals.verified_claims import VerificationReport
from rarr.records import Part
from rarr.records.verification import Verification
from rarr.views.terminal.evaluation_tables import aligned_table, shown_interval, shown_number
from rarr.views.terminal.revision import one_line

_HEAD = ("measure", "value", "95% interval", "claims", "not judged")


def verification_text(verification: Verification) -> str:
    """Renders the label with its probability, the deciding sentence, and each sentence with its parts."""
    lines = [_headline(verification)]
    if decided := verification.decided_by:
        source = next(each.source for each in verification.evidence if each.id == decided.evidence_id)
        word = "nearest" if verification.label == "extrapolatory" else "decided by"
        lines.append(f"{word}: {one_line(decided.text)} [{decided.evidence_id}, {one_line(source)}]")
    for sentence in verification.sentences:
        lines += ["", f"{sentence.status}: {one_line(sentence.text)}"]
        lines += [f"  {_part(verification.claim, part)}" for part in sentence.parts]
    return "\n".join(lines) + "\n"


def _headline(verification: Verification) -> str:
    """Renders the label, with the support where a judge gave it."""
    support = "" if verification.probability is None else f" (support {verification.probability:.2f})"
    return f"{verification.label or 'not judged'}{support}"


def _part(claim: str, part: Part) -> str:
    words = one_line(claim[part.start : part.end])
    says = f", the evidence says: {one_line(part.says)}" if part.says else ""
    return f"{part.state}: {words}{says}{f' [{part.evidence_id}]' if part.evidence_id else ''}"


def report_text(report: VerificationReport) -> str:
    """Renders the number of claims by label, and the scores if people labelled some."""
    counts = dict.fromkeys(("attributable", "extrapolatory", "contradictory", "not judged"), 0)
    for row in report.rows:
        if not row.error:
            counts[row.label or "not judged"] += 1
    errors = sum(bool(row.error) for row in report.rows)
    lines = [
        f"claims: {len(report.rows)}, with an error: {errors}, lines left out: {len(report.unreadable)}",
        ", ".join(f"{name}: {count}" for name, count in counts.items()),
    ]
    if report.scores is None:
        return "\n".join([*lines, "no claim has a label or supported: nothing is scored", ""])
    if unlabelled := sum(row.supported is None for row in report.rows):
        lines.append(f"without a judgement of people, not scored: {unlabelled}")
    return "\n".join([*lines, "", scores_text(report.scores)])


def scores_text(scores: ClaimScores) -> str:
    """Renders all measures with their 95% intervals, the thresholds, and the reliability of probabilities."""
    parts = [
        _measures("three classes", scores.three_way),
        _measures("supported or not", scores.two_way),
        _measures("probability of support", scores.probabilities),
    ]
    for name, chosen in scores.thresholds.items():
        title = f"threshold {chosen.threshold:.3f}, best {name} of {chosen.chosen_on} claims, on the others"
        parts.append(_measures(title, {"f1": chosen.f1, "balanced_accuracy": chosen.balanced_accuracy}))
    if scores.bins:
        rows = [("probability", "mean", "supported", "claims")]
        rows += [
            (
                f"{each.low:.1f} to {each.high:.1f}",
                f"{each.probability:.3f}",
                f"{each.share:.3f}",
                str(each.n),
            )
            for each in scores.bins
        ]
        parts.append(aligned_table(rows))
    return "\n".join(part for part in parts if part)


def _measures(title: str, measures: Mapping[str, Measured]) -> str:
    if not measures:
        return ""
    rows = [
        (name, shown_number(each.value), shown_interval(each), str(each.n), str(each.unjudged))
        for name, each in measures.items()
    ]
    return f"{title}\n{aligned_table([_HEAD, *rows])}"
