"""The figures that papers print, beside which the benchmarks of the same name put ours.

Every entry tells how the paper's rows differ from those of the benchmark: none of them is a like-for-like
comparison.
"""

from rarr.records import Record


class PublishedFigures(Record):
    """Figures of a paper: the measures of each system, by their names. `differ` tells how its rows differ."""

    paper: str
    differ: str
    systems: dict[str, dict[str, float]]


def _classes(
    attributable: float, contradictory: float, extrapolatory: float, overall: float
) -> dict[str, float]:
    """Turns the per cent of a row of AttrScore's table into shares."""
    return {
        "attributable_f1": attributable / 100,
        "contradictory_f1": contradictory / 100,
        "extrapolatory_f1": extrapolatory / 100,
        "micro_f1": overall / 100,
    }


ATTRSCORE = PublishedFigures(
    paper="AttrScore (Yue et al. 2023), AttrEval-Simulation",
    differ="their 4,000 rows are made from PopQA, EntityQuestions, HotpotQA, TriviaQA, WebQuestions and TREC,"
    " the classes have other shares, and a language model rewrote answers as sentences",
    systems={
        "ChatGPT, zero-shot": _classes(45.7, 17.9, 52.7, 43.2),
        "GPT-4, zero-shot (500 rows)": _classes(58.7, 23.2, 61.5, 55.6),
        "GPT-4, few-shot": _classes(61.1, 31.3, 68.8, 60.0),
        "RoBERTa-330M, tuned": _classes(62.5, 54.6, 74.7, 65.0),
        "Flan-T5-770M, tuned": _classes(57.3, 50.1, 70.5, 59.3),
        "Flan-T5-3B, tuned": _classes(48.1, 48.7, 67.1, 55.7),
        "Vicuna-13B, tuned": _classes(66.2, 49.1, 78.6, 66.0),
    },
)


def _zero_shot(
    precision: float, recall: float, f1: float, autoais: float | None, n: int = 0
) -> dict[str, float]:
    """Makes a row of ExpertQA's tables 5 and 6; `n` is the number of claims of the AutoAIS."""
    figures = {"precision": precision, "recall": recall, "f1": f1}
    return figures if autoais is None else figures | {"autoais": autoais, "claims": n}


FACTSCORE = PublishedFigures(
    paper="ExpertQA (Malaviya et al. 2023), table 8, FActScore with evidence from web search",
    differ="their rows are claims of ExpertQA with the experts' word on correctness; ours are those of"
    " Factcheck-GPT, with the evidence that its annotators saw",
    systems={
        name: {"f1_true": true, "f1_false": false, "micro_f1": micro}
        for name, true, false, micro in (
            ("gpt4", 0.919, 0.108, 0.852),
            ("bing_chat", 0.912, 0.134, 0.841),
            ("rr_sphere_gpt4", 0.884, 0.106, 0.795),
            ("rr_gs_gpt4", 0.927, 0.068, 0.865),
            ("post_hoc_sphere_gpt4", 0.898, 0.132, 0.817),
            ("post_hoc_gs_gpt4", 0.939, 0.158, 0.886),
            ("all", 0.915, 0.119, 0.844),
        )
    },
)


def _article(
    meteor: float, rouge_l: float, rate: float, recall: float, precision: float, words: float
) -> dict[str, float]:
    """Turns a row of WikiGenBench's table 2 into shares."""
    per_cent = {"meteor": meteor, "rouge_l": rouge_l, "rate": rate, "recall": recall, "precision": precision}
    return {name: value / 100 for name, value in per_cent.items()} | {"words": words}


WIKIGENBENCH = PublishedFigures(
    paper="WikiGenBench (Zhang et al. 2024), table 2, and appendix G for GPT-4",
    differ="their rows are 309 other events, with more pages for each; TrueTeacher 11B judges citations"
    " there, and the verifier of the run here; their METEOR knows synonyms",
    systems={
        "RR GPT-3.5": _article(10.73, 17.81, 42.09, 38.78, 36.70, 579),
        "RR Vicuna-13B": _article(9.80, 17.33, 16.88, 11.03, 10.70, 492),
        "PRR GPT-3.5": _article(22.29, 22.26, 50.96, 53.47, 52.43, 1991),
        "PRR Vicuna-13B": _article(24.50, 23.29, 18.96, 24.93, 23.37, 4183),
        "Tuned Vicuna-13B": _article(12.80, 17.26, 34.68, 29.58, 26.73, 945),
        "RR GPT-4": _article(10.74, 18.08, 54.27, 46.65, 40.84, 569),
    },
)
EXPERTQA = PublishedFigures(
    paper="ExpertQA (Malaviya et al. 2023), tables 5 and 6, TRUE T5-11B without tuning",
    differ="their rows are claims of 2,177 questions; ours are the 308 claims, of the readable splits, that"
    " have the text of a passage",
    systems={
        "gpt4": _zero_shot(0.33, 0.02, 0.05, 0.156, 149),
        "bing_chat": _zero_shot(0.97, 0.26, 0.41, 0.320, 992),
        "rr_sphere_gpt4": _zero_shot(0.89, 0.59, 0.71, 0.689, 732),
        "rr_gs_gpt4": _zero_shot(0.86, 0.74, 0.79, 0.778, 1415),
        "post_hoc_sphere_gpt4": _zero_shot(0.92, 0.28, 0.43, 0.281, 1158),
        "post_hoc_gs_gpt4": _zero_shot(0.87, 0.17, 0.29, 0.241, 1500),
        "all": _zero_shot(0.88, 0.38, 0.53, None),
    },
)
KALMA = PublishedFigures(
    paper="KaLMA (Li et al. 2023), tables 3 and 5, specific questions",
    differ="their precision and recall are over the evolved minimum knowledge of all 1,085 rows, which is not"
    " public; ours are over questions that we evolved by templates, and their alignment is judged by TRUE"
    " T5-11B",
    systems={
        name: {
            "aligned": aligned / 100,
            "correctness": correctness / 100,
            "micro_f1": micro / 100,
            "macro_f1": macro / 100,
        }
        for name, aligned, correctness, micro, macro in (
            ("GPT-4", 92.0, 97.6, 39.4, 42.3),
            ("ChatGPT, temperature 0.5", 84.5, 94.8, 37.2, 40.4),
        )
    },
)
