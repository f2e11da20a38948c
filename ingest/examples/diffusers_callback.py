"""Reports what a plain Diffusers pipeline serves to servedrift's POST /v1/events.

Standard library only; copy this file beside your code.

    reporter = Reporter("http://127.0.0.1:8080", deployment="image-gen")
    pipe = reporter.wrap(StableDiffusionPipeline.from_pretrained(...))
    images = pipe("a red circle", num_inference_steps=28).images

Events wait in a bounded queue for one thread that posts them. Nothing here waits for the
monitor or raises into the pipeline: what cannot be reported is dropped and counted
(reporter.dropped). Prompts are never sent; with a key file their keyed hash is.
"""

import atexit
import hashlib
import hmac
import inspect
import json
import queue
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from datetime import datetime, timezone

BATCH = 100
TRIES = 3


class Reporter:
    """Posts request events of one node. Thread-safe."""

    def __init__(self, url, deployment, node=None, config=None, model=None,
                 prompt_hash_key_file=None, token_file=None, waiting=1000, timeout=5.0):
        """url: where `servedrift run` listens. config, model: objects of the contract; what is
        not given is read from the pipeline where it says so. waiting: events that may wait."""
        self._url = url.rstrip("/") + "/v1/events"
        self._deployment = deployment
        self._node = node
        self._config = config
        self._model = model
        self._key = _read(prompt_hash_key_file)
        if self._key is not None and len(self._key) < 32:
            raise ValueError("the prompt hash key must have at least 32 bytes")
        token = _read(token_file)
        self._token = None if token is None else token.decode("ascii")
        self._timeout = timeout
        self._queue = queue.Queue(maxsize=waiting)
        self._closing = threading.Event()
        self._counting = threading.Lock()
        self.posted = 0
        self.dropped = 0
        self._thread = threading.Thread(target=self._run, name="servedrift", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def wrap(self, pipe):
        """The pipeline as it is, but every call of it is reported."""
        return _Reported(self, pipe)

    def offer(self, event):
        """Puts an event into the queue, or drops and counts it when there is no room, when it is
        no JSON, or when the reporter is closed."""
        try:
            line = json.dumps(event, allow_nan=False)
            if self._closing.is_set():
                self.drop(1)
            else:
                self._queue.put_nowait(line)
        except (queue.Full, TypeError, ValueError):
            self.drop(1)

    def drop(self, count):
        """Counts events that are not posted."""
        with self._counting:
            self.dropped += count

    def close(self, timeout=5.0):
        """Posts what waits, for `timeout` seconds at most, and counts the rest as dropped. May be
        called twice."""
        self._closing.set()
        self._thread.join(timeout)
        try:
            while True:
                self._queue.get_nowait()
                self.drop(1)
        except queue.Empty:
            pass

    def _run(self):
        while not (self._closing.is_set() and self._queue.empty()):
            events = self._take()
            if events:
                self._post(events)

    def _take(self):
        events = []
        try:
            events.append(self._queue.get(timeout=0.2))
            while len(events) < BATCH:
                events.append(self._queue.get_nowait())
        except queue.Empty:
            pass
        return events

    def _post(self, events):
        body = "\n".join(events).encode("utf-8")
        headers = {"Content-Type": "application/x-ndjson"}
        if self._token is not None:
            headers["Authorization"] = "Bearer " + self._token
        for attempt in range(TRIES):
            try:
                request = urllib.request.Request(self._url, body, headers)
                with urllib.request.urlopen(request, timeout=self._timeout) as answer:
                    accepted = json.load(answer).get("accepted", 0)
                self.posted += accepted
                self.drop(len(events) - accepted)
                return
            except urllib.error.HTTPError as refused:
                refused.close()
                if refused.code != 429 and refused.code < 500:
                    break
            except Exception:  # the monitor is away, or is no monitor
                pass
            if self._closing.wait(0.5 * (attempt + 1)):
                break
        self.drop(len(events))

    def _hash(self, prompt):
        if self._key is None or not isinstance(prompt, str):
            return None
        return hmac.new(self._key, prompt.encode("utf-8"), hashlib.sha256).hexdigest()


class _Reported:
    """Stands for the pipeline; everything but the call is the pipeline's own."""

    def __init__(self, reporter, pipe):
        self._reporter = reporter
        self._pipe = pipe

    def __getattr__(self, name):
        return getattr(self._pipe, name)

    def __call__(self, *args, prompt_class=None, **kwargs):
        call = _Call()
        theirs = kwargs.get("callback_on_step_end")

        def step(pipe, index, timestep, tensors):
            call.step()
            if theirs is None:
                return tensors
            return theirs(pipe, index, timestep, tensors)

        if _takes_callbacks(self._pipe):
            kwargs["callback_on_step_end"] = step
            # A PipelineCallback names the tensors it wants; Diffusers asks only its own class.
            wanted = getattr(theirs, "tensor_inputs", None)
            if wanted is not None:
                kwargs.setdefault("callback_on_step_end_tensor_inputs", wanted)
        error = None
        try:
            return self._pipe(*args, **kwargs)
        except BaseException as failure:
            error = failure
            raise
        finally:
            try:
                call.end()
                for event in self._events(call, args, kwargs, prompt_class, error):
                    self._reporter.offer(event)
            except Exception:  # a report that fails must not look like a pipeline that fails
                self._reporter.drop(1)

    def _events(self, call, args, kwargs, prompt_class, error):
        prompt = kwargs.get("prompt", args[0] if args else None)
        prompts = prompt if isinstance(prompt, list) else [prompt]
        images = kwargs.get("num_images_per_prompt") or 1
        ids = [str(uuid.uuid4()) for _ in prompts]
        for index, each in enumerate(prompts):
            event = {
                "type": "request",
                "request_id": ids[index],
                "deployment": self._reporter._deployment,
                "node": self._reporter._node,
                "arrived_at": call.began_at.isoformat(),
                "finished_at": call.ended_at.isoformat(),
                "latency_seconds": call.seconds,
                "status": _status(error),
                "error": None if _status(error) != "error" else type(error).__name__,
                "stage_seconds": call.stages(),
                "workload": {
                    "modality": "image",
                    "prompt_hash": self._reporter._hash(each),
                    "prompt_class": prompt_class,
                    "width": _whole(kwargs.get("width")),
                    "height": _whole(kwargs.get("height")),
                    "images": _whole(images),
                    "steps": _whole(kwargs.get("num_inference_steps")),
                    "guidance_scale": _number(kwargs.get("guidance_scale")),
                    "seed": _seed(kwargs.get("generator")),
                },
                "batch": {
                    "size_min": len(prompts) * images,
                    "size_mean": len(prompts) * images,
                    "size_max": len(prompts) * images,
                    "neighbours": (ids[:index] + ids[index + 1:])[:256],
                },
            }
            config = self._reporter._config or _config(self._pipe)
            model = self._reporter._model or _model(self._pipe)
            if config:
                event["config"] = config
            if model:
                event["model"] = model
            yield event


class _Call:
    """The times of one call: wall clock for when, monotonic clock for how long."""

    def __init__(self):
        self.began_at = datetime.now(timezone.utc)
        self._began = time.monotonic()
        self._steps = []

    def step(self):
        self._steps.append(time.monotonic())

    def end(self):
        self._ended = time.monotonic()
        self.seconds = self._ended - self._began
        self.ended_at = datetime.fromtimestamp(
            self.began_at.timestamp() + self.seconds, timezone.utc)

    def stages(self):
        """What the callbacks tell apart; encoding the prompt is in the first."""
        if not self._steps:
            return {}
        return {
            "to_first_step": self._steps[0] - self._began,
            "further_steps": self._steps[-1] - self._steps[0],
            "after_last_step": self._ended - self._steps[-1],
        }


def _takes_callbacks(pipe):
    """Whether it tells its steps; without them the event has no stages."""
    try:
        parameters = inspect.signature(pipe.__call__).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(p.name == "callback_on_step_end" or p.kind == p.VAR_KEYWORD for p in parameters)


def _status(error):
    if error is None:
        return "ok"
    return "cancelled" if isinstance(error, (KeyboardInterrupt, GeneratorExit)) else "error"


def _whole(value):
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value):
    return float(value) if isinstance(value, (int, float)) else None


def _seed(generator):
    """Of one torch.Generator; of a list nothing single can be said."""
    try:
        return int(generator.initial_seed())
    except Exception:
        return None


def _config(pipe):
    """What the pipeline and the loaded libraries say; nothing is imported for it."""
    config = {"runtime": {"name": "diffusers"}}
    version = getattr(sys.modules.get("diffusers"), "__version__", None)
    if version is not None:
        config["runtime"]["version"] = str(version)
    torch = getattr(sys.modules.get("torch"), "__version__", None)
    if torch is not None:
        config["runtime"]["libraries"] = {"torch": str(torch)}
    dtype = getattr(pipe, "dtype", None)
    if dtype is not None:
        config["precision"] = {"weights": str(dtype).replace("torch.", "")}
    scheduler = getattr(pipe, "scheduler", None)
    if scheduler is not None:
        config["sampling"] = {"sampler": type(scheduler).__name__}
    return config


def _model(pipe):
    try:
        name = pipe.config["_name_or_path"]
        return {"name": str(name)} if name else None
    except Exception:
        return None


def _read(path):
    if path is None:
        return None
    with open(path, "rb") as file:
        return file.read().strip()
