"""Computes metrics from judgements, by pure functions. None (not judged) stays out of means, and is counted.

module          name                            range  what, and its source
statistics      mean, bootstrap                 any    percentile bootstrap: Efron and Tibshirani 1993
                share                           0..1   Wilson interval: Wilson 1927
                f1_ap_of_set                    0..1   F1 of two averages: Gao et al. 2023 (RARR)
classification  classification                  0..1   three classes: Yue et al. 2023 (AttrScore)
                detection                       0..1   AutoAIS: Malaviya et al. 2023 (ExpertQA)
                roc_auc                         0..1   ranks: Mann and Whitney 1947
texts           restored                        bool   the human revision, exactly
                sari                            0..1   n-grams kept, added, deleted: Xu et al. 2016
                rouge_l                         0..1   common subsequence: Lin 2004, by a library
                edit_kinds, is_kind             kinds  huge, bad, unnecessary, good: Chen et al. 2023
answers         exact_match, token_f1           0..1   words: Rajpurkar et al. 2016 (SQuAD)
                answer_score, is_same_answer    0..1   values and words of a right answer
agreement       krippendorff_alpha, agreement  -1..1   people beyond chance: Krippendorff 2011
retrieval       accuracy, confusion             0..1   namesakes: Chen et al. 2021 (AmbER sets)
triples         correctness, micro, macro       0..1   citations of triples: Li et al. 2023 (KaLMA)

`rarr.ledger` has those that a revision itself carries: AIS and auto-AIS (`ais_scores`), Pres_Lev and F1_AP of
a text (`preservation`), recall, precision and rate of citations (`citation_scores`).
"""

from rarr.evals.metrics.statistics import Measured

__all__ = ["Measured"]
