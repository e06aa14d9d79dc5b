"""`run --executor ray`: the workers of a Ray cluster instead of this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shopdsl.cli.common import USAGE, Trouble
from shopdsl.cli.endpoints import served
from shopdsl.cli.jobs import Job
from shopdsl.runtime.models.usage import Purse
from shopdsl.runtime.remote import NoCluster, Parts, RemoteCast, shared_out
from shopdsl.runtime.watch import Note

if TYPE_CHECKING:
    from shopdsl.cli.playing import Terms


def clustered(job: Job, workers: int, terms: Terms, note: Note) -> RemoteCast:
    """The workers, started; limits of models and what is left of the budget are shared out among them. Trouble where there is no cluster."""
    models = served(list(job.asked.models().values()), "a model", terms.endpoints, terms.purse, note)
    agent = shared_out(job.agent.data, workers)
    customers = {name: shared_out(script.data, workers) for name, script in job.scripts.items()}
    cast = RemoteCast(
        job.agent, Parts(job.world.plan.path.read_bytes(), agent, customers, models.endpoints, _part(terms.purse, workers)),
        workers, terms.concurrency, terms.purse, note,
    )  # fmt: skip
    try:
        cast.open()
    except ImportError:
        raise Trouble("--executor ray needs the package ray; install it with `pip install 'shopdsl[ray]'`", USAGE) from None
    except NoCluster as error:
        raise Trouble(str(error), USAGE) from None
    return cast


def _part(purse: Purse, workers: int) -> Purse:
    cost = (purse.most_cost - purse.cost) / workers if purse.most_cost is not None else None
    tokens = (purse.most_tokens - purse.usage.tokens) // workers if purse.most_tokens is not None else None
    return Purse(cost, tokens)
