"""What every test shares: how long properties are looked for, and an environment that is nobody's own."""

import os

import hypothesis
import pytest

from dagster_contracts.orchestration.settings import ENV_PREFIX

hypothesis.settings.register_profile(
    "short", deadline=None, derandomize=True, suppress_health_check=[hypothesis.HealthCheck.too_slow], print_blob=True
)
hypothesis.settings.register_profile("long", parent=hypothesis.settings.get_profile("short"), max_examples=2000)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "short"))


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the person who runs the tests reaches them."""
    for name in list(os.environ):
        if name.startswith(ENV_PREFIX) or name == "DAGSTER_HOME":
            monkeypatch.delenv(name)
    monkeypatch.setenv("DAGSTER_DISABLE_TELEMETRY", "1")
