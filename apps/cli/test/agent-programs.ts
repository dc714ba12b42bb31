import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { tempDir } from "@ikigai/testing";
import type { ExportTarget, McpClient } from "../src/args/command-groups.ts";
import {
  type CheckedAgent,
  claude,
  codex,
  gemini,
  onlyLoopback,
  opencode,
  pi,
} from "../src/commands/tool/export/check-export.ts";
import { runBounded } from "./bounded-program.ts";
import { cleanEnv } from "./ikigai.ts";

/** Another agent: a program that talks to a model and calls tools. */
export interface AgentProgram extends CheckedAgent {
  readonly name: Extract<McpClient, "claude" | "codex" | "gemini" | "opencode"> | "pi";
  /** What `ikigai tool export` calls it. */
  readonly target: ExportTarget;
  /** The npm package that has been tried. */
  readonly npm: string;
  /** Adds what `ikigai mcp serve --setup` prints to them; absent if the agent has no MCP. */
  setUp?(place: AgentPlace, part: string): Promise<unknown>;
}

export interface AgentPlace {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
  /** The URL of the model. */
  readonly url: string;
}

const codexFile = ".codex/config.toml";
const geminiFile = ".gemini/settings.json";
const openCodeFile = ".config/opencode/opencode.json";

export const agentPrograms: readonly AgentProgram[] = [
  {
    ...{ ...claude, name: "claude", target: "claude-code", npm: "@anthropic-ai/claude-code@2.1.197" },
    setUp: ({ project, env }, part) => runBounded("sh", ["-c", part], { cwd: project, env }),
  },
  {
    ...{ ...codex, name: "codex", target: "codex", npm: "@openai/codex@0.169.0" },
    setUp: async ({ home }, part) => appendFileSync(join(home, codexFile), part),
  },
  {
    ...{ ...gemini, name: "gemini", target: "gemini", npm: "@google/gemini-cli@0.61.0" },
    setUp: async ({ home }, part) => mergeInto(join(home, geminiFile), part),
  },
  {
    ...{ ...opencode, name: "opencode", target: "opencode", npm: "opencode-ai@1.18.33" },
    setUp: async ({ home }, part) => mergeInto(join(home, openCodeFile), part),
  },
  { ...pi, name: "pi", target: "pi", npm: "@mariozechner/pi-coding-agent@0.73.1" },
];

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
