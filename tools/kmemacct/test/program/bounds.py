# SPDX-License-Identifier: GPL-2.0
"""The intervals of estimates, computed apart from the reader: slowly, and by other means."""
import functools
import math

LOW, HIGH = 0.025, 0.975


def gamma_below(shape, x):
    """The probability of a value below x, by the power series for any x."""
    term = total = 1 / shape
    i = 0
    while term > total * 1e-17:
        i += 1
        term *= x / (shape + i)
        total += term
    return total * math.exp(shape * math.log(x) - x - math.lgamma(shape))


def root(function, low, high):
    """Where a falling function is 0, by bisection."""
    for _ in range(100):
        middle = (low + high) / 2
        if function(middle) > 0:
            low = middle
        else:
            high = middle
    return low


@functools.cache
def quantile(shape, probability):
    return root(lambda x: probability - gamma_below(shape, x), 0,
                shape + 10 * math.sqrt(shape) + 20)


def jump_of(deviation, unit):
    """Compute the number that a sampled object counts as from the standard deviation of one sample.
    """
    if deviation >= unit:
        return unit
    half = root(lambda h: h / math.sinh(h) - deviation / unit, 1e-9, 300)
    return unit * half * (1 + 1 / math.tanh(half))


def distances(estimate, variance, samples, unit, mixed=False, part=False, change=False):
    """How far the true value may be below the estimate, and above it."""
    deviation = math.sqrt(variance / samples)
    unit = max(unit, deviation)
    if mixed:
        jump = (1 + math.sqrt(1 + 4 * variance / samples)) / 2
    else:
        jump = jump_of(deviation, unit)
        if not part and not change:
            jump = max(deviation, min(jump, estimate / samples))
    larger = unit if mixed else max(unit, jump)
    rest = variance / (unit if mixed else jump)
    extra = min(0.1, 2 * variance / larger**2)
    mean = rest + unit + extra * (larger - unit)
    spread = variance + unit**2 + extra * (larger**2 - unit**2)
    above = quantile(mean**2 / spread, HIGH) * spread / mean - rest
    if change:
        return above, above
    equal = estimate**2 / variance
    if part:
        jump = min(jump, max(deviation, estimate))
    else:
        equal = min(equal, samples)
    below = math.sqrt(variance / equal) * (equal - quantile(equal, LOW))
    return below + min(0.75, 2 * variance / jump**2) * (jump - deviation), above


def interval(estimate, se, samples, unit, least=0, **kind):
    """The ends of an interval, rounded outwards.  The module rounds standard errors down."""
    if not se:
        return estimate, estimate
    below, above = distances(estimate, (se + 1)**2, samples, unit, **kind)
    if kind.get("change"):
        return estimate - math.ceil(below), estimate + math.ceil(above)
    return (max(estimate - math.ceil(below), min(least, estimate)),
            estimate + math.ceil(above))
