"""An agent as a server: each request holds what has happened since its last answer, which holds what it does next."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PORT = 8765


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "call", "id": tool, "tool": tool, "arguments": arguments}


def answer(event: dict[str, Any]) -> list[dict[str, Any]]:
    """The next actions after a message of the customer or the result of a call."""
    if event["type"] == "customer":
        closing = any(word in event["text"].lower() for word in ("check out", "checkout", "order"))
        return [call("checkout", confirm=True) if closing else call("search_products", query=event["text"], top_k=1)]
    if event.get("error"):
        return [{"type": "say", "text": f"That did not work: {event['error']}"}]
    if event.get("id") == "search_products" and event["result"]:
        return [call("add_to_cart", product_id=event["result"][0]["product_id"])]
    return [{"type": "say", "text": "It is done."}]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps({"actions": answer(request["events"][-1])}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing: the terminal is the run's."""


if __name__ == "__main__":
    print(f"listening on port {PORT}", flush=True)
    ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
