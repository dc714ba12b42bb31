import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { childStdio } from "@ikigai/core/internal";
import type { Inspection, ServerEntry } from "@ikigai/mcp";
import { beforeExit } from "@ikigai/system";
import { Refusal } from "@ikigai/tool-packages";

/** What to start, and where. */
export interface InspectRequest {
  readonly name: string;
  readonly entry: ServerEntry;
  readonly packageDir: string;
  /** The directory that it runs in, which also has its secrets. */
  readonly dataDir: string;
  readonly projectDir: string;
}

/** The program that speaks MCP. The build puts it next to dist/, which contains this file. */
export const bridgePath = fileURLToPath(new URL("../libexec/ikigai-mcp/bridge.mjs", import.meta.url));

/** How long a server may take to say what it has, in milliseconds: the first start by npx fetches it. */
const timeoutMs = 60_000;

/** How long it then gets to end, in milliseconds. */
const graceMs = 5_000;

/**
 * Starts a server, asks what it has, and ends it.
 *
 * @param log gets what the server prints on stderr.
 * @throws Refusal if it cannot be used.
 */
export async function inspectServer(
  request: InspectRequest,
  env: NodeJS.ProcessEnv,
  log: (text: string) => void,
): Promise<Inspection> {
  const { IKIGAI_SERVE: _, ...own } = env;
  const child = spawn(process.execPath, [bridgePath, "inspect"], {
    env: own,
    stdio: childStdio("pipe", "pipe", "pipe"),
  });
  const leave = beforeExit(() => void child.kill("SIGTERM"));
  let isLate = false;
  const term = setTimeout(() => {
    isLate = true;
    child.kill("SIGTERM");
  }, timeoutMs);
  const kill = setTimeout(() => child.kill("SIGKILL"), timeoutMs + graceMs);
  let answer = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    answer += text;
  });
  child.stderr.setEncoding("utf8").on("data", log);
  // It says itself why it could not read.
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify({ ...request, timeoutMs }));
  try {
    await new Promise((settle, fail) => {
      child.once("error", fail);
      child.once("close", settle);
    });
  } finally {
    clearTimeout(term);
    clearTimeout(kill);
    leave();
  }
  if (isLate)
    throw new Refusal(`The MCP server ${request.name} did not say what it has within ${timeoutMs / 1_000} s.`);
  return toInspection(answer, request.name);
}

function toInspection(answer: string, name: string): Inspection {
  let value: Inspection | { readonly error: string };
  try {
    value = JSON.parse(answer);
  } catch {
    throw new Refusal(`The MCP server ${name} could not be asked what it has: the program that speaks MCP failed.`);
  }
  if ("error" in value) throw new Refusal(value.error);
  return value;
}
