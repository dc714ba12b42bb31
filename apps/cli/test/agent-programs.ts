import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import type { McpClient } from "../src/args/mcp-commands.ts";
import type { ExportTarget } from "../src/args/tool-commands.ts";
import { runBounded } from "./bounded-program.ts";
import { cleanEnv } from "./ikigai.ts";

/** Another agent: a program that talks to a model and calls tools. */
export interface AgentProgram {
  readonly name: Extract<McpClient, "claude" | "codex" | "gemini" | "opencode"> | "pi";
  /** What `ikigai tool export` calls it. */
  readonly target: ExportTarget;
  /** The npm package that has been tried. */
  readonly npm: string;
  /** The files of a user who talks to this model, by their path in the home. */
  readonly files: (url: string) => Readonly<Record<string, string>>;
  /** Adds what `ikigai mcp serve --setup` prints to them; absent if the agent has no MCP. */
  setUp?(place: AgentPlace, part: string): Promise<unknown>;
  /** The command line for one task without a terminal, in which the agent may call these tools of a server. */
  readonly args: (server: string, tool: string) => readonly string[];
  readonly env: (url: string) => Readonly<Record<string, string>>;
}

export interface AgentPlace {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  /** The URL of the model. */
  readonly url: string;
}

const key = "sk-not-a-key";

const codexFile = ".codex/config.toml";
const geminiFile = ".gemini/settings.json";
const openCodeFile = ".config/opencode/opencode.json";

export const agentPrograms: readonly AgentProgram[] = [
  {
    name: "claude",
    target: "claude-code",
    npm: "@anthropic-ai/claude-code@2.1.197",
    files: () => ({}),
    setUp: ({ project, env }, part) => runBounded("sh", ["-c", part], { cwd: project, env }),
    args: (server, tool) => ["-p", "go", "--allowedTools", `mcp__${server}__${tool},WaitForMcpServers`],
    env: claudeEnv,
  },
  {
    name: "codex",
    target: "codex",
    npm: "@openai/codex@0.169.0",
    files(url) {
      const provider = `[model_providers.test]\nname="test"\nbase_url="${url}/v1"\nenv_key="TEST_KEY"\nwire_api="responses"`;
      return { [codexFile]: `model_provider="test"\nmodel="test"\n${provider}\n` };
    },
    setUp: async ({ home }, part) => appendFileSync(join(home, codexFile), part),
    args: (server) => [
      ...["exec", "--skip-git-repo-check", "-c", "features.apps=false", "-c", "features.plugins=false"],
      // It would ask about each call, and denies all where it cannot ask.
      ...["-c", `mcp_servers.${server}.default_tools_approval_mode="approve"`, "go"],
    ],
    env: () => ({ TEST_KEY: key }),
  },
  {
    name: "gemini",
    target: "gemini",
    npm: "@google/gemini-cli@0.61.0",
    files: () => ({
      [geminiFile]: JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
      }),
    }),
    setUp: async ({ home }, part) => mergeInto(join(home, geminiFile), part),
    args: () => ["-p", "go", "--yolo", "--skip-trust", "--model", "gemini-2.5-pro"],
    env: (url) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" }),
  },
  {
    name: "opencode",
    target: "opencode",
    npm: "opencode-ai@1.18.33",
    files(url) {
      const options = { baseURL: `${url}/v1`, apiKey: key };
      const settings = {
        autoupdate: false,
        permission: "allow",
        small_model: "local/test",
        provider: { local: { npm: "@ai-sdk/openai-compatible", options, models: { test: {} } } },
      };
      return { [openCodeFile]: JSON.stringify(settings) };
    },
    setUp: async ({ home }, part) => mergeInto(join(home, openCodeFile), part),
    args: () => ["run", "--model", "local/test", "go"],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1" }),
  },
  {
    name: "pi",
    target: "pi",
    npm: "@mariozechner/pi-coding-agent@0.73.1",
    files(url) {
      const local = { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: key, models: [{ id: "test" }] };
      return { ".pi/agent/models.json": JSON.stringify({ providers: { local } }) };
    },
    args: () => ["-p", "--offline", "--provider", "local", "--model", "test", "go"],
    env: () => ({ PI_TELEMETRY: "0" }),
  },
];

/** The variables that make Claude Code use this model. */
export function claudeEnv(url: string): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  };
}

/** No request leaves this computer: each goes to a proxy that does not exist, except those to the model. */
export const onlyLoopback: Readonly<Record<string, string>> = {
  HTTPS_PROXY: "http://127.0.0.1:9",
  HTTP_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1,localhost",
};

/** Whether a program is in PATH, and the end of a test's title that says how to install it. */
export function isInstalled(name: AgentProgram["name"]): { readonly isHere: boolean; readonly note: string } {
  const directories = (process.env.PATH ?? "").split(delimiter);
  const isHere = directories.some((directory) => existsSync(join(directory, name)));
  const npm = agentPrograms.find((one) => one.name === name)?.npm;
  return { isHere, note: isHere ? "" : ` (needs ${npm} in PATH)` };
}

/**
 * Runs one task in a new home and project; returns what the program printed.
 *
 * @param offer gives it a tool of ikigai.
 * @throws Error if it does not end in time.
 */
export async function runAgent(
  program: AgentProgram,
  url: string,
  { files = {}, args, offer }: AgentTask,
): Promise<string> {
  const [home, project] = [await tempDir(program.files(url)), await tempDir(files)];
  const env = { ...(await cleanEnv(home)), ...onlyLoopback, CI: "1", ...program.env(url) };
  await offer({ home, project, env, url });
  return runBounded(program.name, args, { cwd: project, env });
}

interface AgentTask {
  /** The project's files. */
  readonly files?: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly offer: (place: AgentPlace) => Promise<unknown>;
}

function mergeInto(path: string, part: string): void {
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...JSON.parse(part) }));
}
