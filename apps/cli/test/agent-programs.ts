import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import type { McpClient } from "../src/args/mcp-commands.ts";
import { bin, cleanEnv } from "./ikigai.ts";

/** Another agent: a program that talks to a model and calls tools. */
export interface AgentProgram {
  readonly name: Extract<McpClient, "claude" | "codex" | "gemini" | "opencode">;
  /** Prepares its home with what `ikigai mcp serve --setup` prints. */
  setUp(place: AgentPlace, part: string): void;
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
    setUp: ({ project, env }, part) => void execFileSync("sh", ["-c", part], { cwd: project, env, stdio: "ignore" }),
    args: ["-p", "go", "--allowedTools", "mcp__ikigai__file_read,WaitForMcpServers"],
    env: claudeEnv,
  },
  {
    name: "codex",
    setUp({ home, url }, part) {
      const provider = `[model_providers.test]\nname="test"\nbase_url="${url}/v1"\nenv_key="TEST_KEY"\nwire_api="responses"`;
      write(join(home, ".codex/config.toml"), `model_provider="test"\nmodel="test"\n${provider}\n${part}`);
    },
    args: ["exec", "--skip-git-repo-check", "-c", "features.apps=false", "-c", "features.plugins=false", "go"],
    env: () => ({ TEST_KEY: key }),
  },
  {
    name: "gemini",
    setUp({ home }, part) {
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
    setUp({ home, url }, part) {
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

/** Whether a program is in PATH. */
export function isInstalled(name: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((directory) => existsSync(join(directory, name)));
}

/** Runs one task in a new home and project; returns what the program printed. */
export async function runAgent(program: AgentProgram, url: string, files: Readonly<Record<string, string>>) {
  const [home, project] = [await tempDir(), await tempDir(files)];
  const env = { ...(await cleanEnv(home)), CI: "1", ...program.env(url) };
  const setup = [bin, "mcp", "serve", "--setup", program.name];
  const part = execFileSync(process.execPath, setup, { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  program.setUp({ home, project, env, url }, part);
  return new Promise<string>((settle) => {
    const child = execFile(program.name, program.args, { cwd: project, env }, (_, stdout, stderr) =>
      settle(`${stdout}${stderr}`),
    );
    child.stdin?.end();
  });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
