"""Pairing two sets of spans: which overlap, and the best one-to-one assignment among those.

Compiled with numba and kept on disk; both kernels are compared with enumeration of all pairings in
``tests/reference/spanscores_naive.py``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from bench.core.tables import I32, I64, Bool


@njit(cache=True)  # type: ignore[untyped-decorator]
def overlaps(
    g_indptr: I64, g_start: I32, g_end: I32, p_indptr: I64, p_start: I32, p_end: I32, out_g: I64, out_p: I64, fill: bool
) -> int:
    """Overlapping pairs by a sweep over both sides; counts them, or writes them with `fill`.

    Work is proportional to spans plus overlaps: whatever a scan of the open spans meets has either ended and is dropped for
    good, or shares a character with the span that opens. A span over a whole long document therefore costs nothing extra.
    """
    n = 0
    open_g = np.empty(max(1, len(g_start)), np.int64)
    open_p = np.empty(max(1, len(p_start)), np.int64)
    for d in range(len(g_indptr) - 1):
        n_g = n_p = 0
        i, j = g_indptr[d], p_indptr[d]
        while i < g_indptr[d + 1] or j < p_indptr[d + 1]:
            gold_opens = j == p_indptr[d + 1] or (i < g_indptr[d + 1] and g_start[i] <= p_start[j])
            position = g_start[i] if gold_opens else p_start[j]
            kept = 0
            for k in range(n_p if gold_opens else n_g):
                g, p = (i, open_p[k]) if gold_opens else (open_g[k], j)
                if (p_end[p] if gold_opens else g_end[g]) <= position:
                    continue
                if gold_opens:
                    open_p[kept] = p
                else:
                    open_g[kept] = g
                kept += 1
                shared = min(g_end[g], p_end[p]) - position
                if shared > 0 and 100 * shared >= g_end[g] - g_start[g]:
                    if fill:
                        out_g[n], out_p[n] = g, p
                    n += 1
            if gold_opens:
                n_p = kept
                open_g[n_g] = i
                n_g += 1
                i += 1
            else:
                n_g = kept
                open_p[n_p] = j
                n_p += 1
                j += 1
    return n


@njit(cache=True)  # type: ignore[untyped-decorator]
def assign(indptr: I64, right: I64, correct: Bool, n_right: int) -> I64:
    """Best pairing of a bipartite graph: most correct edges, then most edges.

    Gold spans enter one by one; each time the best alternating path from the newcomer keeps the pairing optimal for those that
    have entered (the symmetric difference of two optima is such a path). The gain can never pass the newcomer's best edge,
    so a free partner over that edge settles it without a search, which is nearly always so.

    Parameters
    ----------
    indptr, right, correct
        Edges by gold span: prediction, and whether the pair would be correct.
    n_right
        Number of predictions.

    Returns
    -------
    edge
        Edge of every gold span, -1 for none, shape (gold spans,).
    """
    heavy = 1 << 32
    n_left = len(indptr) - 1
    edge = np.full(n_left, -1, np.int64)
    owner = np.full(n_right, -1, np.int64)
    gain = np.full(n_left, -1, np.int64)
    reached = np.zeros(n_left, np.bool_)
    queued = np.zeros(n_left, np.bool_)
    before = np.empty(n_left, np.int64)
    through = np.empty(n_left, np.int64)
    queue = np.empty(n_left + 1, np.int64)
    touched = np.empty(n_left, np.int64)
    for v in range(n_left):
        limit = 0
        for e in range(indptr[v], indptr[v + 1]):
            limit = max(limit, heavy if correct[e] else 1)
        if limit == 0:
            continue
        best, best_left, best_edge = 0, -1, -1
        for e in range(indptr[v], indptr[v + 1]):
            if owner[right[e]] < 0 and (heavy if correct[e] else 1) == limit:
                best, best_left, best_edge = limit, v, e
                break
        if best < limit:
            head, tail = 0, 1
            queue[0] = v
            gain[v], reached[v], queued[v] = 0, True, True
            touched[0], n_touched = v, 1
            while head != tail and best < limit:
                u = queue[head]
                head = (head + 1) % (n_left + 1)
                queued[u] = False
                for e in range(indptr[u], indptr[u + 1]):
                    if e == edge[u]:
                        continue
                    reach = gain[u] + (heavy if correct[e] else 1)
                    m = owner[right[e]]
                    if m < 0:
                        if reach > best:
                            best, best_left, best_edge = reach, u, e
                        continue
                    reach -= heavy if correct[edge[m]] else 1
                    if reached[m] and reach <= gain[m]:
                        continue
                    if not reached[m]:
                        reached[m] = True
                        touched[n_touched] = m
                        n_touched += 1
                    gain[m], before[m], through[m] = reach, u, e
                    if reach > best:  # the path may end here: m gives up its partner
                        best, best_left, best_edge = reach, m, -1
                    if not queued[m]:
                        queued[m] = True
                        queue[tail] = m
                        tail = (tail + 1) % (n_left + 1)
            for k in range(n_touched):
                reached[touched[k]] = queued[touched[k]] = False
        if best > 0:
            u = best_left
            edge[u] = best_edge
            if best_edge >= 0:
                owner[right[best_edge]] = u
            while u != v:
                e, u = through[u], before[u]
                edge[u] = e
                owner[right[e]] = u
    return edge
