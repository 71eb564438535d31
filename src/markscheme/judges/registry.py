"""Opening of judges by name; the kinds of judge are in `kinds.py`."""

from collections.abc import Callable
from functools import cache

from markscheme.errors import UsageError
from markscheme.judges.judge import JUDGE_OF_A_FUNCTION, GradingJudge, Identity, Judge, JudgeGroup, replying
from markscheme.judges.judge_context import JudgeContext
from markscheme.judges.kinds import kind_of, known_kind, names_that, panel_names
from markscheme.judges.limited import Limited
from markscheme.judges.price import Price
from markscheme.judges.remembering import Remembering
from markscheme.judges.sight import Unprobed
from markscheme.judges.wrappers import WRAPPERS
from markscheme.plain_data import shown


def open_judge(name: str, *, model: str | None = None, context: JudgeContext | None = None) -> Judge:
    """Open the judge with this name, with limits and cache; nothing heavy is imported before its first reply.

    Args:
        name: Kind of judge and, after a colon, which judge of the kind, as in `openai:MODEL`; several names joined by
            `+` make a panel.
        model: The model, if the name doesn't include it.
        context: Settings that the judges of the run share; None for new settings.

    Raises:
        UsageError: The kind of judge is unknown, a file is missing, a function cannot be imported, there is no batch
            API, or the name is that of several judges asked in turn, such as a cascade, to which no prompt can be sent.
    """
    return replying(open_grading_judge(name, model=model, context=context))


def open_grading_judge(name: str, *, model: str | None = None, context: JudgeContext | None = None) -> GradingJudge:
    """Open the judge, or the group of judges, with this name; takes the arguments of `open_judge`."""
    if not isinstance(name, str):
        raise UsageError(
            f"a judge is opened by its name, such as 'anthropic', got {shown(name)}; {JUDGE_OF_A_FUNCTION}"
        )
    context = context or JudgeContext()
    members = panel_names(name)
    if len(members) > 1:
        from markscheme.judges.panel import Panel

        return Panel([open_judge(member, context=context) for member in members], name=name)
    kind = known_kind(name)
    rest = name.partition(":")[2] or model or ""
    if kind.needs and not rest:
        raise UsageError(f"{kind.name!r} doesn't name {kind.needs}; expected {kind.spelling}")
    opened = kind.open(rest, context)
    if isinstance(opened, JudgeGroup):
        return opened
    if not callable(getattr(opened, "reply", None)):
        raise UsageError(f"judge {kind.name!r} opened {type(opened).__name__}, expected an object with `reply`")
    if not kind.asks and context.batch is None:
        return opened
    adapter = opened if context.tests_sight else Unprobed(opened)
    judge = Limited(adapter, context.limiter, _price_of_calls(opened.identity, context), deadline=kind.deadline)
    if context.batch is not None:
        if not kind.batches:
            expected = names_that(lambda kind: kind.batches)
            raise UsageError(f"judge {opened.identity.name} cannot be asked in batches; expected {expected}")
        for wrapped in WRAPPERS:
            return wrapped(opened, judge, context, price_of(opened.identity, context))
        raise UsageError("judges can't be asked in batches here: leave out --batch")
    memory = context.memory_for(opened.identity)
    return judge if memory is None else Remembering(judge, memory)


def price_of(identity: Identity, context: JudgeContext) -> Price | None:
    """Return the price of a judge's tokens: the stated one, else the list price; None if unknown or for a panel."""
    if not context.wants_list_price:
        return context.price
    is_panel = len(panel_names(identity.name)) > 1
    kind = None if is_panel else kind_of(identity.name)
    return None if kind is None else kind.price(identity)


def _price_of_calls(identity: Identity, context: JudgeContext) -> Price | Callable[[], Price | None] | None:
    """Return the price of a judge's tokens; None if it isn't known.

    If the run needs the list price only to report costs, and not to keep to a budget, return a function that looks the
    price up when it is called.
    """
    if context.wants_list_price and context.limiter.budget is None:
        return cache(lambda: price_of(identity, context))
    return price_of(identity, context)
