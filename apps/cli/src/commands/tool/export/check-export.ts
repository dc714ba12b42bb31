// `ikigai tool export --check`: starts the agent with the exported tool and a model of ikigai's own, which calls the tool, and compares what the
// tool has answered with what the model got. The agent gets a home of its own: no key, no request to a server, none of the user's sessions.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findProgram, isMacOs, makeDirectories, runProgram, tellingLine } from "@ikigai/system";
import { Refusal } from "@ikigai/tool-packages";
import type { ExportTarget } from "../../../args/command-groups.ts";
import { type Exported, exportFormats } from "./export-formats.ts";
// biome-ignore lint/correctness/useImportExtensions: JavaScript, for the benchmarks.
import { type ModelCall, type ModelTool, startModelServer } from "./model-server.mjs";

/** An agent that can be started with another model. */
export interface CheckedAgent {
  readonly program: string;
  /** The files of a user who talks to the model at this URL, by their path in the home. */
  readonly files: (url: string) => Readonly<Record<string, string>>;
  /** The command line for one task without a terminal, in which the agent may call this tool of a server. */
  readonly args: (server: string, tool: string) => readonly string[];
  readonly env: (url: string) => Readonly<Record<string, string>>;
}

const key = "sk-not-a-key";

export const claude: CheckedAgent = {
  program: "claude",
  files: () => ({}),
  args: (server, tool) => ["-p", "go", "--allowedTools", `mcp__${server}__${tool},WaitForMcpServers`],
  env: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  }),
};

export const codex: CheckedAgent = {
  program: "codex",
  files(url) {
    const provider = `[model_providers.test]\nname="test"\nbase_url="${url}/v1"\nenv_key="TEST_KEY"\nwire_api="responses"`;
    return { ".codex/config.toml": `model_provider="test"\nmodel="test"\n${provider}\n` };
  },
  args: (server) => [
    ...["exec", "--skip-git-repo-check", "-c", "features.apps=false", "-c", "features.plugins=false"],
    // It would ask about each call, and denies all where it cannot ask.
    ...["-c", `mcp_servers.${server}.default_tools_approval_mode="approve"`, "go"],
  ],
  env: () => ({ TEST_KEY: key }),
};

export const gemini: CheckedAgent = {
  program: "gemini",
  files: () => ({
    ".gemini/settings.json": JSON.stringify({
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
    }),
  }),
  args: () => ["-p", "go", "--yolo", "--skip-trust", "--model", "gemini-2.5-pro"],
  env: (url) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" }),
};

export const opencode: CheckedAgent = {
  program: "opencode",
  files(url) {
    const options = { baseURL: `${url}/v1`, apiKey: key };
    const settings = {
      autoupdate: false,
      permission: "allow",
      small_model: "local/test",
      provider: { local: { npm: "@ai-sdk/openai-compatible", options, models: { test: {} } } },
    };
    return { ".config/opencode/opencode.json": JSON.stringify(settings) };
  },
  args: () => ["run", "--model", "local/test", "go"],
  env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1" }),
};

export const pi: CheckedAgent = {
  program: "pi",
  files(url) {
    const local = { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: key, models: [{ id: "test" }] };
    return { ".pi/agent/models.json": JSON.stringify({ providers: { local } }) };
  },
  args: () => ["-p", "--offline", "--provider", "local", "--model", "test", "go"],
  env: () => ({ PI_TELEMETRY: "0" }),
};

/** Those that an export can be checked with. */
const checkedAgents: Readonly<Partial<Record<ExportTarget, CheckedAgent>>> = {
  "claude-code": claude,
  codex,
  gemini,
  opencode,
  pi,
};

/** No request leaves this computer: each goes to a proxy that does not exist, except those to the model. */
export const onlyLoopback: Readonly<Record<string, string>> = {
  HTTPS_PROXY: "http://127.0.0.1:9",
  HTTP_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
};

/** Variables that lead an agent to its user's files or to another model. */
const ofAgents = /^(?:ANTHROPIC|CLAUDE|CODEX|OPENAI|GEMINI|GOOGLE|OPENCODE|PI|XDG|IKIGAI)_|_PROXY$/i;

/** What an agent may take for a task, in milliseconds: the slowest needs 20 s, on a loaded machine more. */
const boundMs = 180_000;

/** How much an agent's output is kept, in bytes. */
const maxBytes = 1_048_576;

/** A check that is about to be made. */
interface CheckedExport {
  readonly target: ExportTarget;
  readonly tool: Exported;
  readonly args: object;
  readonly env: NodeJS.ProcessEnv;
  readonly projectDir: string;
}

/** Finds the agent's program. @throws Refusal if it cannot be checked here. */
export function requireAgent({ target, env, projectDir }: Pick<CheckedExport, "target" | "env" | "projectDir">): {
  readonly agent: CheckedAgent;
  readonly path: string;
} {
  const agent = checkedAgents[target];
  if (!agent) throw new Refusal(`--check starts one of ${Object.keys(checkedAgents).join(", ")}, and not ${target}.`);
  const path = findProgram(agent.program, env.PATH, projectDir);
  if (path === undefined) throw new Refusal(`${agent.program} is not on your PATH, so nothing can be checked.`);
  return { agent, path };
}

/** Makes one call through the agent. Returns what its model got from the tool. @throws Refusal if it got nothing, or something else. */
export async function checkExport(checked: CheckedExport): Promise<string> {
  const { agent, path } = requireAgent(checked);
  const { tool, args, target, env } = checked;
  const home = mkdtempSync(join(tmpdir(), "ikigai-check-"));
  const server = await startModelServer({ calls: 4, shell: (tools) => callOf(tools, tool.name, args) });
  try {
    const [projectDir, answers] = [join(home, "project"), join(home, "answers")];
    mkdirSync(projectDir);
    const logged = { ...tool, args: [...tool.args, "--log", answers] };
    const places = { userHome: home, projectDir, env: {}, isMac: isMacOs, isHere: false };
    const { path: file = "", text, isExecutable } = exportFormats[target](logged, places);
    for (const [name, content] of Object.entries(agent.files(server.url))) write(join(home, name), content);
    write(file, text(existsSync(file) ? readFileSync(file, "utf8") : ""), isExecutable);
    const own = Object.fromEntries(Object.entries(env).filter(([name]) => !ofAgents.test(name)));
    const end = await runProgram(path, agent.args(tool.name, tool.name), {
      cwd: projectDir,
      env: { ...own, ...onlyLoopback, HOME: home, CI: "1", ...agent.env(server.url) },
      detached: true,
      timeoutMs: boundMs,
      maxBytes,
    });
    const said = tellingLine(`${end.stdout}\n${end.stderr}`);
    const got = existsSync(answers) ? readFileSync(answers, "utf8").trimEnd().split("\n").at(-1) : undefined;
    if (got === undefined) throw new Refusal(`${agent.program} has not called ${tool.name}: ${end.failure ?? said}`);
    const answer = JSON.parse(got) as { readonly text: string; readonly isError: boolean };
    if (!textsIn(server.bodies.at(-1)).some((one) => one.includes(answer.text)))
      throw new Refusal(
        `${agent.program} has called ${tool.name}, and its model got something else than ${answer.text}`,
      );
    if (answer.isError) throw new Refusal(`${agent.program} has called ${tool.name}, which failed: ${answer.text}`);
    return answer.text;
  } finally {
    server.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

function write(path: string, text: string, isExecutable = false): void {
  makeDirectories(dirname(path));
  writeFileSync(path, text);
  if (isExecutable) chmodSync(path, 0o755);
}

/** The call of the tool under the name that the agent gives it; where the agent does not wait for its servers, of a tool that does. */
export function callOf(tools: readonly ModelTool[], name: string, args: object): ModelCall {
  const isIt = (tool: ModelTool) => tool.name === name || tool.name.endsWith(`_${name}`);
  const namespace = tools.find(({ members }) => members?.some(isIt));
  const member = namespace?.members?.find(isIt);
  if (namespace && member) return { namespace: namespace.name, name: member.name, args };
  const tool = tools.find(isIt);
  if (tool) return { name: tool.name, args };
  const waits = ["WaitForMcpServers", "list_mcp_resources"].find((one) => tools.some((other) => other.name === one));
  return { name: waits ?? "none", args: {} };
}

/** All texts in a request. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
