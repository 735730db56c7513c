"""An independent recount of every row that ``bench run`` writes: plain loops and sets over documents, tokens and mentions.

Nothing of the packages under test is imported. The input is what lies on disk: the corpus's Parquet files, spans exported as
JSONL, and the offsets of release B. The definitions are those of docs/measures.md, written down a second time in the
slowest and plainest way, so that a shared mistake is unlikely. Where the definition leaves room, the comment says which reading
is counted.
"""

from __future__ import annotations

import math
import statistics
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise
from typing import Any, TypeAlias

import numpy as np

from tests.reference.recount_data import (
    STATUSES,
    Gold,
    Member,
    Mention,
    Span,
)
from tests.reference.recount_spans import span_score

TYPES = ["PERSON", "LOCATION", "ORGANISATION", "DATE", "AGE", "ID", "CONTACT", "DEMOGRAPHIC", "PROFESSION", "QUANTITY", "OTHER"]
SCHEMES = ("strict", "exact", "partial", "type")
#: The two-sided 5 % point of the normal distribution.
Z = 1.959963984540054

#: A token, as document index and position in the document.
Token: TypeAlias = tuple[int, int]
#: Figures per document: numerator and denominator.
PerDocument: TypeAlias = Sequence[tuple[int, int]]

# -- intervals ---------------------------------------------------------------------------------------------------------------


def wilson(count: float, total: float) -> tuple[float, float]:
    """Wilson's score interval: the roots p of (count / total - p)² = z² p (1 - p) / total."""
    a, b, c = 1 + Z * Z / total, -(2 * count / total + Z * Z / total), (count / total) ** 2
    root = math.sqrt(max(0.0, b * b - 4 * a * c))
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


def quantile(values: Sequence[float], q: float) -> float:
    """Quantile with linear interpolation between order statistics."""
    ordered = sorted(values)
    at = q * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


# -- expected rows -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """What a row of the results must hold; `method` is the beginning of its text."""

    value: float | None
    numerator: float | None = None
    denominator: float | None = None
    low: float | None = None
    high: float | None = None
    sd: float | None = None
    method: str = ""
    seed: int | None = None
    ensemble: str = ""
    condition: str = ""


#: (measurement, metric, subset) to the expected row.
Rows: TypeAlias = dict[tuple[str, str, str], Row]
MISSING = "not measurable"


@dataclass(frozen=True)
class Settings:
    """What a run was started with."""

    expression: str
    k: int
    replaced: frozenset[str]
    seed: int = 0
    resamples: int = 1000
    largest: int = 3


class Recount:
    """Recount of one run over one corpus.

    Parameters
    ----------
    gold, members
        Corpus, and the ensemble's members.
    settings
        The ensemble's canonical expression, its votes, replaced types, and what the bootstrap and the front need.
    released
        Lines of ``B.jsonl`` under the run's key.
    """

    def __init__(self, gold: Gold, members: Sequence[Member], settings: Settings, released: Sequence[dict[str, Any]]) -> None:
        self.gold, self.members, self.settings, self.released = gold, list(members), settings, released
        self.n = len(gold.texts)
        #: Token of every character that is in one.
        self.token_at: list[dict[int, int]] = [
            {at: number for number, (start, end) in enumerate(tokens) for at in range(start, end)} for tokens in gold.tokens
        ]
        self.tokens = {(doc, number) for doc in range(self.n) for number in range(len(gold.tokens[doc]))}
        self.mentions = [m for m in gold.mentions if m.type in settings.replaced]
        self.tokens_of = {m: self.touched(m.doc, m.start, m.end) for m in self.mentions}
        self.gold_tokens = set[Token]().union(*self.tokens_of.values())
        #: Tokens that a detector flags, with the types it gives them.
        self.flags: dict[str, dict[Token, set[str]]] = {}
        for member in self.members:
            given: dict[Token, set[str]] = defaultdict(set)
            for doc, spans in enumerate(member.spans):
                for start, end, kind in spans:
                    if kind in settings.replaced:
                        for token in self.touched(doc, start, end):
                            given[token].add(kind)
            self.flags[member.name] = given
        votes = Counter(token for given in self.flags.values() for token in given)
        self.hit = {token for token, count in votes.items() if count >= settings.k}
        self.exposure = {m: self.exposure_of(m) for m in self.mentions}
        self.rows: Rows = {}

    def touched(self, doc: int, start: int, end: int) -> frozenset[Token]:
        """Tokens that share at least one character with an interval."""
        at = self.token_at[doc]
        return frozenset((doc, at[char]) for char in range(start, end) if char in at)

    def exposure_of(self, mention: Mention) -> str:
        """``replaced`` if all tokens were, ``clear`` if none was, else ``partial``; without a token nothing can be replaced."""
        own = self.tokens_of[mention]
        replaced = own & self.hit
        return "clear" if not replaced else "replaced" if replaced == own else "partial"

    # -- merged spans ------------------------------------------------------------------------------------------------------

    @cached_property
    def segments(self) -> list[list[Span]]:
        """Merged spans per document: neighbouring flagged tokens are one if a member's span covers both (our reading)."""
        joined: set[tuple[Token, Token]] = set()
        for member in self.members:
            for doc, spans in enumerate(member.spans):
                for start, end, kind in spans:
                    if kind in self.settings.replaced:
                        touched = sorted(self.touched(doc, start, end))
                        joined.update(pairwise(touched))
        found: list[list[Span]] = []
        for doc in range(self.n):
            groups: list[list[Token]] = []
            for token in sorted(t for t in self.hit if t[0] == doc):
                if groups and (groups[-1][-1], token) in joined:
                    groups[-1].append(token)
                else:
                    groups.append([token])
            places = self.gold.tokens[doc]
            found.append([(places[g[0][1]][0], places[g[-1][1]][1], self.plurality(g)) for g in groups])
        return found

    def plurality(self, group: Sequence[Token]) -> str:
        """Most frequent type over (detector, token) votes, ties in the order of the taxonomy."""
        votes = Counter(kind for given in self.flags.values() for token in group for kind in given.get(token, ()))
        return min(votes, key=lambda kind: (-votes[kind], TYPES.index(kind)))

    # -- adding rows -------------------------------------------------------------------------------------------------------

    def add(self, measurement: str, metric: str, subset: str, row: Row) -> None:
        """Add one row."""
        key = (measurement, metric, subset)
        if key in self.rows:
            raise ValueError(f"{key} is counted twice")
        self.rows[key] = row

    def share(
        self, measurement: str, metric: str, subset: str, count: int, total: int, sd: float | None = None, condition: str = ""
    ) -> None:
        """A share of units, with Wilson's interval."""
        whole = self.settings.expression
        if total:
            row = Row(count / total, count, total, *wilson(count, total), sd, "wilson", None, whole, condition)
        else:
            # Stability says in its own words what there is none of.
            method = MISSING if measurement != "stability" else "no entity "
            row = Row(None, count, total, method=method, ensemble=whole, condition=condition)
        self.add(measurement, metric, subset, row)

    @cached_property
    def draws(self) -> list[list[int]]:
        """The documents of every resample."""
        rng = np.random.default_rng(self.settings.seed)
        return [rng.integers(0, self.n, size=self.n).tolist() for _ in range(self.settings.resamples)]

    def ratio(self, metric: str, subset: str, per_document: PerDocument) -> None:
        """A ratio of sums over documents: document bootstrap, or Wilson over documents where no document differs."""
        count, total = sum(top for top, _ in per_document), sum(bottom for _, bottom in per_document)
        rates = [top / bottom for top, bottom in per_document if bottom]
        sd = statistics.stdev(rates) if len(rates) > 1 else None
        whole = self.settings.expression
        if not total:
            row = Row(None, count, total, method=MISSING, ensemble=whole)
        elif len(rates) < 2:
            row = Row(count / total, count, total, method="exact (fewer", ensemble=whole)
        elif count in (0, total):
            low, high = wilson(len(rates) if count else 0, len(rates))
            row = Row(count / total, count, total, low, high, sd, "wilson-documents", ensemble=whole)
        else:
            values = []
            for draw in self.draws:
                bottom = sum(per_document[doc][1] for doc in draw)
                if bottom:
                    values.append(sum(per_document[doc][0] for doc in draw) / bottom)
            low, high = quantile(values, 0.025), quantile(values, 0.975)
            row = Row(count / total, count, total, low, high, sd, "bootstrap-documents", self.settings.seed, whole)
        self.add("detection", metric, subset, row)

    # -- subsets -----------------------------------------------------------------------------------------------------------

    @property
    def types(self) -> list[str]:
        """Replaced types."""
        return [kind for kind in TYPES if kind in self.settings.replaced]

    def subsets(self) -> Iterator[tuple[str, list[Mention], set[int]]]:
        """Key, mentions and documents of every subset; a type or language without gold is there too."""
        everywhere = set(range(self.n))
        yield "", self.mentions, everywhere
        for kind in self.types:
            yield f"type={kind}", [m for m in self.mentions if m.type == kind], everywhere
        if any(m.identifier in ("DIRECT", "QUASI") for m in self.mentions):
            for identifier in ("DIRECT", "QUASI"):
                yield f"identifier={identifier}", [m for m in self.mentions if m.identifier == identifier], everywhere
        for language in sorted(set(self.gold.languages)):
            here = {doc for doc in everywhere if self.gold.languages[doc] == language}
            there = [m for m in self.mentions if m.doc in here]
            yield f"language={language}", there, here
            for kind in self.types:
                yield f"type={kind};language={language}", [m for m in there if m.type == kind], here

    def by_document(self, tokens: Iterable[Token]) -> list[int]:
        """Tokens per document."""
        counts = Counter(doc for doc, _ in tokens)
        return [counts[doc] for doc in range(self.n)]

    # -- detection ---------------------------------------------------------------------------------------------------------

    def count_all(self) -> Rows:
        """Every row of the run."""
        self.count_detection()
        self.count_typed_specificity()
        self.count_span_scores()
        self.count_exposure()
        self.count_cost_and_status()
        self.count_stability()
        self.count_front()
        return self.rows

    def count_detection(self) -> None:
        """Sensitivity, specificity, precision, mentions replaced and entities protected."""
        other = self.tokens - self.gold_tokens
        for key, mentions, here in self.subsets():
            wanted = set[Token]().union(*(self.tokens_of[m] for m in mentions))
            self.ratio("sensitivity", key, self.pairs(wanted & self.hit, wanted))
            if key == "" or key.startswith("language="):
                outside = {t for t in other if t[0] in here}
                flagged = {t for t in self.hit if t[0] in here}
                self.ratio("specificity", key, self.pairs(outside - self.hit, outside))
                self.ratio("precision", key, self.pairs(flagged & self.gold_tokens, flagged))
            replaced = [m for m in mentions if self.exposure[m] == "replaced"]
            docs = {m.doc for m in mentions}
            rates = [sum(m.doc == doc for m in replaced) / sum(m.doc == doc for m in mentions) for doc in docs]
            sd = statistics.stdev(rates) if len(rates) > 1 else None
            self.share("detection", "mention_replaced", key, len(replaced), len(mentions), sd)
            entities = {m.entity for m in mentions}
            unprotected = {m.entity for m in mentions if self.exposure[m] != "replaced"}
            self.share("detection", "entity_protected", key, len(entities - unprotected), len(entities))

    def pairs(self, top: Iterable[Token], bottom: Iterable[Token]) -> PerDocument:
        """Counts per document."""
        return list(zip(self.by_document(top), self.by_document(bottom), strict=True))

    def count_typed_specificity(self) -> None:
        """Of the tokens outside a type's gold, the share that was not replaced as that type (our reading)."""
        for kind in self.types:
            outside = self.tokens - set[Token]().union(*(self.tokens_of[m] for m in self.mentions if m.type == kind))
            taken = {
                token
                for doc, segments in enumerate(self.segments)
                for start, end, given in segments
                if given == kind
                for token in self.touched(doc, start, end)
            }
            self.ratio("specificity", f"type={kind}", self.pairs(outside - taken, outside))

    # -- span scores -------------------------------------------------------------------------------------------------------

    def count_span_scores(self) -> None:
        """F1 of SemEval-2013 task 9: 2 credit / (gold + predicted), a partial pair counting half."""
        gold = [{(m.start, m.end, m.type) for m in self.mentions if m.doc == doc} for doc in range(self.n)]
        found = [set(spans) for spans in self.segments]
        for scheme in SCHEMES:
            whole = [span_score(gold[doc], found[doc], scheme) for doc in range(self.n)]
            self.ratio(f"f1_{scheme}", "", whole)
            for kind in self.types:
                part = [
                    span_score({s for s in gold[doc] if s[2] == kind}, {s for s in found[doc] if s[2] == kind}, scheme)
                    for doc in range(self.n)
                ]
                self.ratio(f"f1_{scheme}", f"type={kind}", part)
            for language in set(self.gold.languages):
                there = [score if self.gold.languages[doc] == language else (0, 0) for doc, score in enumerate(whole)]
                self.ratio(f"f1_{scheme}", f"language={language}", there)

    # -- exposure ----------------------------------------------------------------------------------------------------------

    def count_exposure(self) -> None:
        """What is still readable, at every denominator."""
        for key, mentions, here in self.subsets():
            exposed = [m for m in mentions if self.exposure[m] != "replaced"]

            def count(metric: str, units: Callable[[Mention], object], total: int | None, subset: str, bad: list[Mention],
                      every: list[Mention] = mentions) -> None:  # fmt: skip
                spoiled = len({units(m) for m in bad})
                whole = len({units(m) for m in every}) if total is None else total
                self.share("exposure", metric, subset, spoiled, whole)

            count("mentions", lambda m: m.row, None, key, exposed)
            for kind in ("clear", "partial"):
                split = f"{key};exposure={kind}" if key else f"exposure={kind}"
                count("mentions", lambda m: m.row, None, split, [m for m in mentions if self.exposure[m] == kind])
            count("entity_documents", lambda m: (m.entity, m.doc), None, key, exposed)
            count("documents", lambda m: m.doc, len(here), key, exposed)
            count("cases", lambda m: self.gold.cases[m.doc], len({self.gold.cases[doc] for doc in here}), key, exposed)
            count("entities", lambda m: m.entity, None, key, exposed)

    # -- cost and status ---------------------------------------------------------------------------------------------------

    def count_cost_and_status(self) -> None:
        """Seconds per document of members and ensemble; documents by status."""
        whole = self.settings.expression
        name = "seconds_per_document"
        ran = [member for member in self.members if member.ran]
        for member in self.members:
            for status in STATUSES:
                count = member.status.count(status)
                subset = f"detector={member.name};status={status}"
                self.add("detection", "status", subset, Row(count, count, self.n, method="count", ensemble=whole))
        for member in ran:
            one, middle = f"detector={member.name}", f"detector={member.name};statistic=median"
            times = member.timed
            if not times:
                for subset in (one, middle):
                    self.add("cost", name, subset, Row(None, method="not measured", ensemble=whole))
                continue
            sd = statistics.stdev(times) if len(times) > 1 else None
            mean = Row(member.cost, sum(times), len(times), sd=sd, method="measured", ensemble=whole)
            self.add("cost", name, one, mean)
            median = Row(statistics.median(times), None, len(times), method="measured", ensemble=whole)
            self.add("cost", name, middle, median)
        costs = [member.cost for member in ran]
        for mode, combine in (("parallel", max), ("serial", sum)):
            known = bool(costs) and None not in costs
            value = combine([cost for cost in costs if cost is not None]) if known else None
            method = "measured" if known else "not measured"
            self.add("cost", name, f"mode={mode}", Row(value, method=method, ensemble=whole))

    # -- stability of release B --------------------------------------------------------------------------------------------

    @cached_property
    def surrogates(self) -> dict[Mention, tuple[str, ...]]:
        """Surrogates that stand in release B where a mention stood, for every mention that was replaced whole."""
        found = {}
        for mention in self.mentions:
            if self.exposure[mention] != "replaced":
                continue
            line = self.released[mention.doc]
            inside = [o for o in line["offsets"] if o[0] < mention.end and mention.start < o[1]]
            found[mention] = tuple(spelling(line["text"][new_start:new_end]) for _, _, new_start, new_end, _ in inside)
        return found

    def count_stability(self) -> None:
        """Collision, fragmentation and drift of the surrogates of B: in all, by type, for DIRECT and QUASI mentions."""
        present = {m.type for m in self.gold.mentions}
        subsets = [("", set(self.mentions))]
        subsets += [(f"type={t}", {m for m in self.mentions if m.type == t}) for t in self.types if t in present]
        if any(m.identifier in ("DIRECT", "QUASI") for m in self.mentions):
            subsets += [(f"identifier={i}", {m for m in self.mentions if m.identifier == i}) for i in ("DIRECT", "QUASI")]
        for key, chosen in subsets:
            given = {m: names for m, names in self.surrogates.items() if m in chosen}

            # Collision. Where ids reach no further than a document, only entities of one document are compared.
            owners: dict[tuple[int, tuple[str, ...]], set[tuple[str, ...]]] = defaultdict(set)
            for m, names in given.items():
                owners[m.doc if self.gold.scope == "document" else 0, names].add(m.entity)
            sharing = {entity for entities in owners.values() if len(entities) > 1 for entity in entities}
            self.share("stability", "collision", key, len(sharing), len({m.entity for m in given}), condition="B")

            # Fragmentation.
            inside: dict[tuple[tuple[str, ...], int], list[tuple[str, ...]]] = defaultdict(list)
            for m, names in given.items():
                inside[m.entity, m.doc].append(names)
            several = [names for names in inside.values() if len(names) >= 2]
            broken = sum(len(set(names)) >= 2 for names in several)
            self.share("stability", "fragmentation", key, broken, len(several), condition="B")

            # Drift: no one surrogate is a most frequent one in all documents of the entity.
            modes: dict[tuple[str, ...], list[set[tuple[str, ...]]]] = defaultdict(list)
            for (entity, _), every in inside.items():
                counts = Counter(every)
                modes[entity].append({name for name, count in counts.items() if count == max(counts.values())})
            wide = [sets for sets in modes.values() if len(sets) >= 2]
            drifting = sum(not set.intersection(*sets) for sets in wide)
            self.share("stability", "drift", key, drifting, len(wide), condition="B")

    # -- the front ---------------------------------------------------------------------------------------------------------

    @cached_property
    def candidates(self) -> list[dict[str, Any]]:
        """Every subset of up to `Settings.largest` members that ran, under every number of votes, with its counts."""
        ran = sorted((m for m in self.members if m.ran), key=lambda m: m.name)
        voters: dict[Token, frozenset[str]] = {
            token: frozenset(m.name for m in ran if token in self.flags[m.name]) for token in self.tokens
        }
        person = set[Token]().union(*(self.tokens_of[m] for m in self.mentions if m.type == "PERSON"))
        # Tokens with the same voters share their fate, so they are counted together.
        sums = {
            "tp": Counter(voters[t] for t in self.gold_tokens),
            "fp": Counter(voters[t] for t in self.tokens - self.gold_tokens),
            "person_tp": Counter(voters[t] for t in person),
        }
        none: set[frozenset[str]] = {frozenset()}
        mentions = {m: {voters[t] for t in own} or none for m, own in self.tokens_of.items()}
        entities: dict[tuple[str, ...], set[frozenset[str]]] = defaultdict(set)
        for m, masks in mentions.items():
            entities[m.entity] |= masks
        found = []
        for size in range(1, min(self.settings.largest, len(ran)) + 1):
            for chosen in combinations(range(len(ran)), size):
                names = {ran[i].name for i in chosen}
                costs = [ran[i].cost for i in chosen]
                for k in range(1, size + 1):
                    counts = {c: sum(n for mask, n in sums[c].items() if len(mask & names) >= k) for c in sums}
                    found.append(
                        {
                            "ensemble": expression([ran[i].name for i in chosen], k),
                            "members": [ran[i].name for i in chosen],
                            "k": k,
                            "size": size,
                            "mask": sum(1 << i for i in chosen),
                            "tp": counts["tp"],
                            "gold_tokens": len(self.gold_tokens),
                            "tn": len(self.tokens - self.gold_tokens) - counts["fp"],
                            "non_gold_tokens": len(self.tokens - self.gold_tokens),
                            "person_tp": counts["person_tp"],
                            "person_gold": len(person),
                            "mentions_replaced": sum(all(len(v & names) >= k for v in masks) for masks in mentions.values()),
                            "mentions": len(mentions),
                            "entities_protected": sum(all(len(v & names) >= k for v in masks) for masks in entities.values()),
                            "entities": len(entities),
                            "cost_parallel": None if None in costs else max(c for c in costs if c is not None),
                            "cost_serial": None if None in costs else math.fsum(c for c in costs if c is not None),
                        }
                    )
        priced = all(m.cost is not None for m in ran)
        for one in found:
            one["on_front"] = not any(beats(other, one, priced) for other in found)
        return found

    def count_front(self) -> None:
        """The four operating points."""
        found = self.candidates
        if not found:
            return
        gold, outside = found[0]["gold_tokens"], found[0]["non_gold_tokens"]
        priced = all(one["cost_parallel"] is not None for one in found)
        able = [one for one in found if 2 * one["tp"] >= gold] if gold and outside else []

        def best(among: list[dict[str, Any]], main: str, other: str) -> dict[str, Any] | None:
            ranked = sorted(
                among, key=lambda c: (-c[main], -c[other], c["cost_parallel"] if priced else 0, c["size"], c["mask"], c["k"])
            )
            return ranked[0] if ranked else None

        def cheapest(among: list[dict[str, Any]], main: str, other: str) -> dict[str, Any] | None:
            if not among or not priced:
                return None
            most = max(c[main] for c in among)
            near = [c for c in among if Fraction(c[main]) >= Fraction(9, 10) * most]
            return min(near, key=lambda c: (c["cost_parallel"], -c[main], -c[other], c["size"], c["mask"], c["k"]))

        everyone = found if gold else []
        points = {
            "max_sensitivity": best(everyone, "tp", "tn"),
            "fast_sensitivity": cheapest(everyone, "tp", "tn"),
            "max_specificity": best(able, "tn", "tp"),
            "fast_specificity": cheapest(able, "tn", "tp"),
        }
        for point, chosen in points.items():
            subset = f"point={point}"
            if chosen is None:
                for metric in ("sensitivity", "specificity", "seconds_per_document"):
                    self.add("front", metric, subset, Row(None, method=MISSING))
                continue
            for metric, top, bottom in (("sensitivity", "tp", gold), ("specificity", "tn", outside)):
                value = chosen[top] / bottom if bottom else None
                row = Row(value, chosen[top], bottom, method="exact", ensemble=chosen["ensemble"])
                self.add("front", metric, subset, row)
            cost = chosen["cost_parallel"]
            method = "not measured" if cost is None else "measured"
            self.add("front", "seconds_per_document", subset, Row(cost, method=method, ensemble=chosen["ensemble"]))

    # -- the other files of a run ------------------------------------------------------------------------------------------

    def documents(self) -> dict[tuple[str, str], tuple[float | None, int, int]]:
        """Value, numerator and denominator of every row of ``documents-<corpus>.parquet``, by metric and subset."""
        found: dict[tuple[str, str], tuple[float | None, int, int]] = {}
        for doc, doc_id in enumerate(self.gold.doc_ids):
            own = {t for t in self.tokens if t[0] == doc}
            gold = own & self.gold_tokens
            person = set[Token]().union(*(self.tokens_of[m] for m in self.mentions if m.doc == doc and m.type == "PERSON"))
            name = doc_id.replace(";", "%3B").replace("=", "%3D")
            for metric, subset, top, bottom in (
                ("sensitivity", f"document={name}", gold & self.hit, gold),
                ("specificity", f"document={name}", own - gold - self.hit, own - gold),
                ("sensitivity", f"type=PERSON;document={name}", person & self.hit, person),
            ):
                value = len(top) / len(bottom) if bottom else None
                found[metric, subset] = (value, len(top), len(bottom))
        return found

    def survivors(self) -> list[dict[str, Any]]:
        """Rows of ``survivors-<corpus>.parquet``."""
        return [
            {
                "doc": m.doc,
                "mention": m.row,
                "type": m.type,
                "kind": self.exposure[m],
                "tokens": len(self.tokens_of[m]),
                "left": len(self.tokens_of[m] - self.hit),
            }
            for m in self.mentions
            if self.exposure[m] != "replaced"
        ]


# -- small things ------------------------------------------------------------------------------------------------------------


def expression(members: Sequence[str], k: int) -> str:
    """Canonical spelling of an ensemble."""
    if len(members) == 1:
        return members[0]
    rule = "union" if k == 1 else "intersection" if k == len(members) else f"atleast{k}"
    return f"{rule}({','.join(members)})"


def beats(other: dict[str, Any], one: dict[str, Any], priced: bool) -> bool:
    """Whether `other` is nowhere worse and somewhere better; of exact ties the smaller, lower mask, lower k beats the other."""
    if other is one:
        return False
    better = [-one["tp"] + other["tp"], -one["tn"] + other["tn"]]
    if priced:
        better.append(one["cost_parallel"] - other["cost_parallel"])
    if any(difference < 0 for difference in better):
        return False
    order = ("size", "mask", "k")
    return any(difference > 0 for difference in better) or [other[o] for o in order] < [one[o] for o in order]


def spelling(surrogate: str) -> str:
    """A surrogate without case, punctuation and surplus space: two spellings of one surrogate are one."""
    folded = unicodedata.normalize("NFKC", surrogate).casefold()
    kept = ("" if c in "'\u2019" else " " if unicodedata.category(c)[0] == "P" else c for c in folded)
    return " ".join("".join(kept).split())
