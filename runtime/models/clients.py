"""The clients of a run: one for each model at its endpoint, however many ask it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shopdsl.runtime.models.client import ModelClient
from shopdsl.runtime.models.endpoint import Endpoint
from shopdsl.runtime.models.usage import Purse
from shopdsl.runtime.watch import Note, unwatched


@dataclass
class Models:
    """Makes clients when they are first needed. `endpoints` are by the names of model documents."""

    endpoints: dict[str, Endpoint] = field(default_factory=dict)
    purse: Purse = field(default_factory=Purse)
    note: Note = unwatched
    _clients: dict[str, ModelClient] = field(default_factory=dict)

    def client(self, model: dict[str, Any]) -> ModelClient:
        """The client of a model; a KeyError where nobody said where it is served."""
        name = model["name"]
        if name not in self._clients:
            self._clients[name] = ModelClient(model, self.endpoints[name], self.purse, self.note)
        return self._clients[name]

    async def close(self) -> None:
        """Close all connections; clients are made afresh in the next event loop."""
        clients, self._clients = list(self._clients.values()), {}
        for client in clients:
            await client.close()
