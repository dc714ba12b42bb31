"""ikigai as an installed agent of Harbor, which runs Terminal-Bench. See README.md."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

from harbor.agents.installed.base import BaseInstalledAgent, with_prompt_template

PACKAGE = "/installed-agent/ikigai.tgz"
ANSWER = "/logs/agent/ikigai.json"

# The key of the provider in the model's name; the task's container has no other variable of yours.
KEYS = {
    "anthropic": ["ANTHROPIC_API_KEY"],
    "openai": ["OPENAI_API_KEY"],
    "google": ["GEMINI_API_KEY"],
    "openai-compatible": ["OPENAI_COMPATIBLE_API_KEY", "OPENAI_COMPATIBLE_BASE_URL"],
}


class Ikigai(BaseInstalledAgent):
    """Installs the packed command, and runs one task with `ikigai -p`."""

    SUPPORTS_ATIF = False

    @staticmethod
    def name() -> str:
        return "ikigai"

    def get_version_command(self) -> str | None:
        return "ikigai --version"

    async def install(self, environment) -> None:
        packed = Path(os.environ["IKIGAI_PACKAGE"]).resolve(strict=True)
        await self.exec_as_root(environment, command="mkdir -p /installed-agent")
        await environment.upload_file(packed, PACKAGE)
        await self.exec_as_root(
            environment,
            command=(
                "set -e; export DEBIAN_FRONTEND=noninteractive; "
                "command -v curl >/dev/null || { apt-get update && apt-get install -y curl ca-certificates; }; "
                "command -v node >/dev/null || { curl -fsSL https://deb.nodesource.com/setup_22.x | bash - && apt-get install -y nodejs; }; "
                f"npm install -g {PACKAGE}"
            ),
        )

    def command(self, instruction: str) -> str:
        """The container is the sandbox, and is thrown away."""
        model = f"--model {shlex.quote(self.model_name)} " if self.model_name else ""
        words = f"ikigai -p {model}--permission-mode allow --output-format json"
        return f"printf %s {shlex.quote(instruction)} | {words} > {ANSWER}"

    @with_prompt_template
    async def run(self, instruction: str, environment, context) -> None:
        provider = (self.model_name or "").split("/", 1)[0]
        env = {name: os.environ[name] for name in KEYS.get(provider, []) if name in os.environ}
        await self.exec_as_agent(environment, command=self.command(instruction), env=env)

    def populate_context_post_run(self, context) -> None:
        path = Path(self.logs_dir) / "ikigai.json"
        if not path.exists():
            return
        usage = json.loads(path.read_text() or "{}").get("usage") or {}
        context.n_input_tokens = usage.get("input_tokens")
        context.n_output_tokens = usage.get("output_tokens")
