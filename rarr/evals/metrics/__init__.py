"""Computes metrics from judgements, by pure functions. None (not judged) stays out of means, and is counted.

name                                range   what, and its source
auto_ais, best_support              0..1    best entailment by one evidence, mean over sentences:
                                              Gao et al. 2023
pres_lev, pres_lev_by_parts         0..1    characters kept: Gao et al. 2023
f1_ap                               0..1    harmonic mean of attribution and preservation: Gao et al. 2023
f1_ap_of_set, measured_f1_ap,       0..1    the same of a set, from its two averages: Gao et al. 2023
  paired_f1_ap
edit_kinds, is_kind                 kinds   huge, bad, unnecessary, good: Chen et al. 2023 (PURR)
citation_recall, citation_precision 0..1    sentences that a citation entails, and citations that do:
                                              Zhang et al. 2024 (WikiGenBench)
citation_rate                       0..1    recall weighted by words: Zhang et al. 2024 (WikiGenBench)
triple_correctness,                 0..1    citations of triples that the graph has, and those of the minimum
  micro_triple_scores,                        knowledge: Li et al. 2023 (KaLMA)
  macro_triple_scores
gap_scores                          0..1    [NA] statements that tell an absent triple: Li et al. 2023
classification                      0..1    scores of three classes: Yue et al. 2023 (AttrScore)
detection                           0..1    AutoAIS against people: Malaviya et al. 2023 (ExpertQA)
roc_auc                             0..1    true rows that score above false ones: Mann and Whitney 1947
reliability                         0..1    probability and share of true rows, by bins
expected_calibration_error          0..1    distance of probability and share, in bins: Naeini et al. 2015
brier_score                         0..1    squared distance of probability and label: Brier 1950
best_threshold, called_from         any     the threshold with the highest F1 or balanced accuracy
restored                            bool    the human revision, exactly
word_edits, in_all                  0..1    precision and recall of the words taken out and put in
sari                                0..1    n-grams kept, added and deleted: Xu et al. 2016
rouge_l                             0..1    longest common subsequence of words: Lin 2004, by a library
meteor                              0..1    words and stems in order: Banerjee and Lavie 2005, by a library
krippendorff_alpha, agreement      -1..1    people beyond chance, of any number: Krippendorff 2011
memorisation_ratio                  0..1    answers from memory: Longpre et al. 2021; Chen 2023, chapter 5
exact_match, token_f1               0..1    words of two short answers: Rajpurkar et al. 2016 (SQuAD)
answer_score, is_same_answer        0..1    values and words of a right answer
percent_agreement                   0..1    pairs of values of one item that are equal
accuracy_at, recall_at,             0..1    a search among namesakes: right documents found, and found first:
  mean_reciprocal_rank, all_correct           Chen et al. 2021 (AmbER sets)
entity_confusion                    0..1    another entity of the name stands above the right one: the same
by_gap                             -1..1    what tails lose against their heads, by popularity: the same
mean, bootstrap, bootstrap_each     any     percentile bootstrap interval: Efron and Tibshirani 1993
share                               0..1    Wilson interval: Wilson 1927
paired                              any     two systems on the same rows, permuted: Phipson and Smyth 2010
"""

from rarr.evals.metrics.agreement import (
    Distance,
    RaterAgreement,
    agreement,
    krippendorff_alpha,
    percent_agreement,
)
from rarr.evals.metrics.answers import answer_score, exact_match, is_same_answer, token_f1
from rarr.evals.metrics.classification import (
    ATTRIBUTION_CLASSES,
    Classification,
    ClassScores,
    Detection,
    classification,
    detection,
    roc_auc,
)
from rarr.evals.metrics.conflicts import memorisation_ratio
from rarr.evals.metrics.corpus_f1_ap import Scored, f1_ap_of_set, measured_f1_ap, paired_f1_ap
from rarr.evals.metrics.corrections import (
    Correction,
    WordEdits,
    in_all,
    restored,
    word_edits,
)
from rarr.evals.metrics.meteor import meteor
from rarr.evals.metrics.reliability import (
    Called,
    ReliabilityBin,
    best_threshold,
    brier_score,
    called_from,
    expected_calibration_error,
    reliability,
)
from rarr.evals.metrics.retrieval import (
    RankedQuery,
    accuracy_at,
    all_correct,
    by_gap,
    entity_confusion,
    mean_reciprocal_rank,
    recall_at,
)
from rarr.evals.metrics.revision_quality_classes import EDIT_KINDS, EditKind, edit_kinds, is_kind
from rarr.evals.metrics.rouge import rouge_l
from rarr.evals.metrics.sari import sari
from rarr.evals.metrics.statistics import Measured, Paired, bootstrap, bootstrap_each, mean, paired, share
from rarr.evals.metrics.triples import (
    MarkedGaps,
    TripleCitations,
    TripleScores,
    gap_scores,
    macro_triple_scores,
    micro_triple_scores,
    triple_correctness,
)
from rarr.ledger.scores import (
    CitedSentence,
    auto_ais,
    best_support,
    citation_precision,
    citation_rate,
    citation_recall,
    f1_ap,
)
from rarr.records.edits import pres_lev, pres_lev_by_parts

__all__ = [
    "ATTRIBUTION_CLASSES",
    "EDIT_KINDS",
    "Called",
    "CitedSentence",
    "ClassScores",
    "Classification",
    "Correction",
    "Detection",
    "Distance",
    "EditKind",
    "MarkedGaps",
    "Measured",
    "Paired",
    "RankedQuery",
    "RaterAgreement",
    "ReliabilityBin",
    "Scored",
    "TripleCitations",
    "TripleScores",
    "WordEdits",
    "accuracy_at",
    "agreement",
    "all_correct",
    "answer_score",
    "auto_ais",
    "best_support",
    "best_threshold",
    "bootstrap",
    "bootstrap_each",
    "brier_score",
    "by_gap",
    "called_from",
    "citation_precision",
    "citation_rate",
    "citation_recall",
    "classification",
    "detection",
    "edit_kinds",
    "entity_confusion",
    "exact_match",
    "expected_calibration_error",
    "f1_ap",
    "f1_ap_of_set",
    "gap_scores",
    "in_all",
    "is_kind",
    "is_same_answer",
    "krippendorff_alpha",
    "macro_triple_scores",
    "mean",
    "mean_reciprocal_rank",
    "measured_f1_ap",
    "memorisation_ratio",
    "meteor",
    "micro_triple_scores",
    "paired",
    "paired_f1_ap",
    "percent_agreement",
    "pres_lev",
    "pres_lev_by_parts",
    "recall_at",
    "reliability",
    "restored",
    "roc_auc",
    "rouge_l",
    "sari",
    "share",
    "token_f1",
    "triple_correctness",
    "word_edits",
]
