"""Serves a plain Diffusers pipeline as POST /v1/images/generations of the OpenAI API.

Standard library only, and only what `servedrift gate --old` asks for: one image at a time, no
batching, loopback. It is for comparing, not for production.

    pipe = StableDiffusionPipeline.from_pretrained(...)
    generator = lambda seed: torch.Generator("cuda").manual_seed(seed)
    serve(pipe, generator, port=8001)
"""

import base64
import io
import json
import re
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BODY = 1 << 20
SIZE = re.compile(r"(\d{1,5})x(\d{1,5})")


def serve(pipe, generator, port, host="127.0.0.1"):
    """Serves until interrupted. generator: makes the pipeline's generator of a seed."""
    server(pipe, generator, port, host).serve_forever()


def server(pipe, generator, port, host="127.0.0.1"):
    """The server, not yet serving; port 0 takes a free one (server_address tells it)."""
    one_at_a_time = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            if self.path == "/health":
                self._answer(200, {"status": "ok"})
            else:
                self._answer(404, _error("unknown path"))

        def do_POST(self):
            body = self._body()
            if body is None:
                self.close_connection = True
                self._answer(413, _error("the body must have a length of at most 1 MiB"))
                return
            if self.path != "/v1/images/generations":
                self._answer(404, _error("unknown path"))
                return
            try:
                arguments = _arguments(json.loads(body), generator)
            except (ValueError, TypeError, AttributeError, ArithmeticError, RuntimeError) as bad:
                self._answer(400, _error(str(bad)))
                return
            try:
                with one_at_a_time:
                    began = time.monotonic()
                    image = pipe(**arguments).images[0]
                    seconds = time.monotonic() - began
            except Exception as failure:
                self._answer(500, _error(type(failure).__name__))
                return
            png = io.BytesIO()
            image.save(png, format="PNG")
            self._answer(200, {
                "id": str(uuid.uuid4()),
                "created": int(time.time()),
                "data": [{"b64_json": base64.b64encode(png.getvalue()).decode("ascii")}],
                "inference_time_s": seconds,
            })

        def _body(self):
            try:
                length = int(self.headers.get("Content-Length", ""))
            except ValueError:
                return None
            return self.rfile.read(length) if 0 <= length <= MAX_BODY else None

        def _answer(self, status, document):
            data = json.dumps(document).encode("utf-8")
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *arguments):
            pass

    return ThreadingHTTPServer((host, port), Handler)


def _arguments(body, generator):
    """The pipeline's arguments; raises ValueError for what one image cannot be made of."""
    prompt = body.get("prompt")
    if not isinstance(prompt, str):
        raise ValueError("prompt: must be a text")
    if body.get("n", 1) != 1:
        raise ValueError("n: must be 1")
    arguments = {"prompt": prompt}
    size = SIZE.fullmatch(body.get("size") or "")
    if size:
        arguments["width"], arguments["height"] = int(size[1]), int(size[2])
    for name in ("num_inference_steps", "guidance_scale", "negative_prompt"):
        if body.get(name) is not None:
            arguments[name] = body[name]
    if body.get("seed") is not None:
        arguments["generator"] = generator(int(body["seed"]))
    return arguments


def _error(message):
    return {"error": {"message": message, "type": "invalid_request_error"}}
