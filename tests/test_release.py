"""What a release consists of agrees with itself: one version everywhere, templates and workflows that can be read."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

import regretless as rg

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def read(path: Path) -> Any:
    return yaml.safe_load(path.read_text())


def test_one_version_everywhere() -> None:
    cited = read(ROOT / "CITATION.cff")
    assert PROJECT["version"] == rg.__version__ == str(cited["version"])
    assert cited["license"] == PROJECT["license"]
    assert cited["title"] == PROJECT["name"]
    assert f"## [{rg.__version__}]" in (ROOT / "CHANGELOG.md").read_text()


def test_every_extra_is_explained() -> None:
    page = (ROOT / "docs" / "guides" / "versions.md").read_text()
    for extra in PROJECT["optional-dependencies"]:
        assert f"`{extra}`" in page, f"docs/guides/versions.md does not name the extra {extra!r}"


@pytest.mark.parametrize("name", ["bug.yml", "idea.yml"])
def test_issue_templates_have_what_a_form_needs(name: str) -> None:
    form = read(ROOT / ".github" / "ISSUE_TEMPLATE" / name)
    assert form["name"]
    assert form["description"]
    fields = [field["id"] for field in form["body"]]
    assert len(fields) == len(set(fields))
    assert any(field.get("validations", {}).get("required") for field in form["body"])


def test_workflows_run_programs_that_are_here() -> None:
    programs = set()
    for workflow in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        jobs = read(workflow)["jobs"]
        for job in jobs.values():
            assert "timeout-minutes" in job or job.get("needs"), f"{workflow.name}: a job without a time limit"
            for step in job["steps"]:
                text = step.get("run", "")
                programs |= set(re.findall(r"\.ci/\w+", text))
                for path in re.findall(r"\btests/[\w/.]+", text):
                    assert (ROOT / path).exists(), f"{workflow.name} names {path}"
    assert programs == {".ci/run", ".ci/package"}
    for program in programs:
        assert os.access(ROOT / program, os.X_OK), program
