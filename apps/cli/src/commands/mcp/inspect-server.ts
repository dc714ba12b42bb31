import type { Inspection, ServerEntry } from "@ikigai/mcp";
import type { JsonObject } from "@ikigai/protocol";
import { Refusal } from "@ikigai/tool-packages";
import { type BridgeError, startBridge } from "./bridge-process.ts";

/** What to start, and where. */
export interface InspectRequest {
  readonly name: string;
  readonly entry: ServerEntry;
  readonly packageDir: string;
  /** The directory that it runs in, which also has its secrets. */
  readonly dataDir: string;
  readonly projectDir: string;
  /** The command that logs the user in. */
  readonly loginCommand?: string;
  /** The command that starts it by hand; absent if its program is not kept. */
  readonly tryCommand?: string | undefined;
  /** A call to make, of a tool as the model calls it. */
  readonly call?: { readonly tool: string; readonly arguments: JsonObject };
}

/** How long a server may take to list its tools, in milliseconds: the first start by npx fetches it. */
const listMs = 60_000;

/** How long a call may take, in milliseconds: as long as one of a conversation. */
const callMs = 120_000;

/** How long the program that speaks MCP has to say itself that it was too long, in milliseconds. */
const reserveMs = 3_000;

/** How long it then gets to end, in milliseconds. */
const graceMs = 5_000;

/**
 * Starts a server, lists its tools, makes the call of the request if there is one, and ends it.
 *
 * @param log gets what the server prints on stderr.
 * @throws Refusal if it cannot be used.
 */
export async function inspectServer(
  request: InspectRequest,
  env: NodeJS.ProcessEnv,
  log: (text: string) => void,
): Promise<Inspection> {
  const { child, ended } = startBridge("inspect", { env, projectDir: request.projectDir }, log);
  const timeoutMs = listMs + (request.call ? callMs : 0);
  let isLate = false;
  const term = setTimeout(() => {
    isLate = true;
    child.kill("SIGTERM");
  }, timeoutMs + reserveMs);
  const kill = setTimeout(() => child.kill("SIGKILL"), timeoutMs + reserveMs + graceMs);
  let answer = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    answer += text;
  });
  const call = request.call && { ...request.call, timeoutMs: callMs };
  child.stdin.end(JSON.stringify({ ...request, isLogShown: true, call, timeoutMs: listMs }));
  try {
    await ended;
  } finally {
    clearTimeout(term);
    clearTimeout(kill);
  }
  if (isLate)
    throw new Refusal(
      `The MCP server ${request.name} did not ${request.call ? "answer" : "list its tools"} within ${timeoutMs / 1_000} s.`,
    );
  return toInspection(answer, request.name);
}

function toInspection(answer: string, name: string): Inspection {
  let value: Inspection | BridgeError;
  try {
    value = JSON.parse(answer);
  } catch {
    throw new Refusal(`Cannot list the tools of the MCP server ${name}: the program that speaks MCP failed.`);
  }
  if ("error" in value) {
    const [step] = value.help?.steps ?? [];
    throw new Refusal(step === undefined ? value.error : `${value.error} Run: ${step}`);
  }
  return value;
}
