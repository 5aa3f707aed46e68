"""The web application: which page answers which request, and how errors are shown."""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Awaitable, Callable
from importlib import import_module

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from regretless.apps.explorer.pages.layout import message
from regretless.apps.explorer.web.explorer import Explorer, NotReady
from regretless.apps.explorer.web.requests import PageRequest, read_request
from regretless.apps.languages.choice import Language
from regretless.apps.views.library import NotFound
from regretless.errors import RegretlessError

__all__ = ["ROUTES", "application", "warm_up"]

ROUTES = {
    ("GET", "/convergence"): "convergence.convergence_page",
    ("GET", "/strategy"): "strategy.strategy_page",
    ("GET", "/best-response"): "response.response_page",
    ("GET", "/compare"): "comparing.compare_page",
    ("GET", "/play"): "play_table.play_page",
    ("POST", "/play/new"): "play_table.new_table",
    ("POST", "/play/act"): "play_table.act",
    ("GET", "/drill"): "studio.drill_page.drill_page",
    ("POST", "/drill/new"): "studio.drill_page.new_drill",
    ("POST", "/drill/answer"): "studio.drill_page.answer_question",
    ("POST", "/drill/next"): "studio.drill_page.next_question",
    ("GET", "/hands"): "studio.hands_page.hands_page",
    ("POST", "/hands/review"): "studio.hands_page.review_hands",
    ("POST", "/hands/stop"): "studio.hands_page.stop_review",
    ("GET", "/report"): "studio.report_page.report_page",
    ("GET", "/push-fold"): "studio.push_fold_page.push_fold_page",
    ("GET", "/spot"): "studio.setup.setup_page",
    ("POST", "/spot/size"): "studio.setup.show_size",
    ("POST", "/spot/range"): "studio.setup.paint_range",
    ("POST", "/spot/solve"): "studio.setup.start_spot",
    ("POST", "/spot/file"): "studio.setup.spot_file",
    ("POST", "/spot/open"): "studio.setup.open_spot",
    ("GET", "/spot/lock"): "studio.lock_page.lock_page",
    ("POST", "/spot/lock/solve"): "studio.lock_page.solve_locked",
    ("POST", "/spot/lock/file"): "studio.lock_page.lock_file",
    ("GET", "/solve"): "solving.solve_page",
    ("GET", "/solve/settings"): "solving.show_settings",
    ("GET", "/solve/size"): "solving.show_game_size",
    ("POST", "/solve/start"): "solving.start_job",
    ("POST", "/solve/stop"): "solving.stop_job",
    ("POST", "/solve/continue"): "solving.continue_job",
    ("POST", "/solve/save"): "solving.save_job",
}
"""The function of `pages/` that answers. Its module is imported on first use, so the first page is shown quickly."""

SOLVING = ("/solve", "/spot")
"""Addresses that begin so are there only where the explorer may solve."""

Page = Callable[[Explorer, PageRequest], Response]
Endpoint = Callable[[Request], Awaitable[Response]]

WAIT_FOR_FIRST_PAGE = 5.0
"""Seconds after which the background work starts even if no page has been shown."""

BROWSER_SECONDS = 1.0
"""Seconds in which the browser has the processor to draw the first page."""


def application(explorer: Explorer) -> Starlette:
    """The ASGI application of an explorer, without the guards of `web.guards`."""
    pages = {key: name for key, name in ROUTES.items() if explorer.may_solve or not key[1].startswith(SOLVING)}
    routes = [Route(path, _page(explorer, name), methods=[method]) for (method, path), name in pages.items()]
    routes += [
        Route("/", _first_page(explorer)),
        Route("/alive", _alive),
        Route("/static/{version}/{name}", _static_file(explorer)),
    ]

    async def not_found(request: Request, error: Exception) -> Response:
        asked = PageRequest(request.scope["path"])
        return _translated(explorer, message(explorer, asked, "Not found", f"there is no page {asked.path[:80]}", 404))

    app = Starlette(routes=routes, exception_handlers={404: not_found})
    app.router.redirect_slashes = False
    app.state.first_page_shown = threading.Event()
    return app


def _page(explorer: Explorer, name: str) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        asked = await read_request(request)
        answer = await run_in_threadpool(_translated_answer, explorer, name, asked)
        request.app.state.first_page_shown.set()
        return answer

    return endpoint


def _translated_answer(explorer: Explorer, name: str, asked: PageRequest) -> Response:
    return _translated(explorer, _answer(explorer, name, asked))


def _translated(explorer: Explorer, answer: Response) -> Response:
    """A page in the language of the explorer."""
    if explorer.language == Language.en or not isinstance(answer, HTMLResponse):
        return answer
    from regretless.apps.languages.page_labels import page_in_chinese

    answer.body = page_in_chinese(bytes(answer.body).decode()).encode()
    answer.headers["content-length"] = str(len(answer.body))
    return answer


def _answer(explorer: Explorer, name: str, asked: PageRequest) -> Response:
    """A page. Every error becomes a page that says what is wrong; tracebacks go to the terminal only."""
    try:
        return _function(name)(explorer, asked)
    except NotReady as error:
        page = message(explorer, asked, "One moment", str(error), 503)
        page.headers.update({"Refresh": "1", "Retry-After": "1"})
        return page
    except NotFound as error:
        return message(explorer, asked, "Not found", str(error), 404)
    except RegretlessError as error:
        return message(explorer, asked, "This is not possible", explorer.library.hide_folders(str(error)), 422)
    except Exception:
        traceback.print_exc(file=sys.stderr)
        return message(explorer, asked, "Internal error", "something went wrong; the terminal shows the details", 500)


def _function(name: str) -> Page:
    module, _, function = name.rpartition(".")
    page: Page = getattr(import_module(f"regretless.apps.explorer.pages.{module}"), function)
    return page


def _first_page(explorer: Explorer) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        has_runs = await run_in_threadpool(explorer.library.entries)
        return RedirectResponse("/convergence" if has_runs or not explorer.may_solve else "/solve", 303)

    return endpoint


async def _alive(request: Request) -> Response:
    return PlainTextResponse("yes")


def _static_file(explorer: Explorer) -> Endpoint:
    async def endpoint(request: Request) -> Response:
        found = explorer.files.response(request.path_params["version"], request.path_params["name"])
        if found is None:
            raise HTTPException(404)
        return found

    return endpoint


def warm_up(app: Starlette, explorer: Explorer) -> None:
    """After the first page has been shown, import the other pages and load the first runs in the background."""

    def warm() -> None:
        app.state.first_page_shown.wait(WAIT_FOR_FIRST_PAGE)
        time.sleep(BROWSER_SECONDS)
        for name in ROUTES.values():
            _function(name)
        explorer.warm()

    threading.Thread(target=warm, daemon=True).start()
