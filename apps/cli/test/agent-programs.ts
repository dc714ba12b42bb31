import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import type { McpClient } from "../src/args/commands.ts";
import { runBounded } from "./bounded-program.ts";
import { cleanEnv, ikigai } from "./ikigai.ts";

/** Another agent: a program that talks to a model and calls tools. */
export interface AgentProgram {
  readonly name: Extract<McpClient, "claude" | "codex" | "gemini" | "opencode">;
  /** The npm package that has been tried. */
  readonly npm: string;
  /** Prepares its home with what `ikigai mcp serve --setup` prints. */
  setUp(place: AgentPlace, part: string): Promise<unknown>;
  /** The command line for one task without a terminal. */
  readonly args: readonly string[];
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

export const agentPrograms: readonly AgentProgram[] = [
  {
    name: "claude",
    npm: "@anthropic-ai/claude-code@2.1.197",
    setUp: ({ project, env }, part) => runBounded("sh", ["-c", part], { cwd: project, env }),
    args: ["-p", "go", "--allowedTools", "mcp__ikigai__file_read,WaitForMcpServers"],
    env: claudeEnv,
  },
  {
    name: "codex",
    npm: "@openai/codex@0.169.0",
    async setUp({ home, url }, part) {
      const provider = `[model_providers.test]\nname="test"\nbase_url="${url}/v1"\nenv_key="TEST_KEY"\nwire_api="responses"`;
      write(join(home, ".codex/config.toml"), `model_provider="test"\nmodel="test"\n${provider}\n${part}`);
    },
    args: ["exec", "--skip-git-repo-check", "-c", "features.apps=false", "-c", "features.plugins=false", "go"],
    env: () => ({ TEST_KEY: key }),
  },
  {
    name: "gemini",
    npm: "@google/gemini-cli@0.61.0",
    async setUp({ home }, part) {
      const settings = {
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
      };
      write(join(home, ".gemini/settings.json"), JSON.stringify({ ...settings, ...JSON.parse(part) }));
    },
    args: ["-p", "go", "--yolo", "--skip-trust", "--model", "gemini-2.5-pro"],
    env: (url) => ({ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" }),
  },
  {
    name: "opencode",
    npm: "opencode-ai@1.18.33",
    async setUp({ home, url }, part) {
      const options = { baseURL: `${url}/v1`, apiKey: key };
      const settings = {
        autoupdate: false,
        permission: "allow",
        small_model: "local/test",
        provider: { local: { npm: "@ai-sdk/openai-compatible", options, models: { test: {} } } },
      };
      write(join(home, ".config/opencode/opencode.json"), JSON.stringify({ ...settings, ...JSON.parse(part) }));
    },
    args: ["run", "--model", "local/test", "go"],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: "1" }),
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

/** Runs one task in a new home and project; returns what the program printed. @throws Error if it does not end in time. */
export async function runAgent(program: AgentProgram, url: string, files: Readonly<Record<string, string>>) {
  const [home, project] = [await tempDir(), await tempDir(files)];
  const env = { ...(await cleanEnv(home)), ...onlyLoopback, CI: "1", ...program.env(url) };
  const { stdout } = await ikigai(["mcp", "serve", "--setup", program.name], { cwd: project, env });
  await program.setUp({ home, project, env, url }, stdout);
  return runBounded(program.name, program.args, { cwd: project, env });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
