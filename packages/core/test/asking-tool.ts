import type { AskParams, AskResult } from "@ikigai/protocol";
import type { CallOptions } from "../src/call/options.ts";
import { callTool, type HostApi, type Outcome } from "../src/index.ts";
import { circumstances, schema, world } from "./world.ts";

/** What the tool does: it writes the texts to descriptor 3, waits for some replies after each, and answers with all of them. */
export interface Script {
  readonly send: readonly string[];
  /** How many replies it waits for after each text. Default: one. */
  readonly replies?: number;
  /** How long it waits before each line that cancels a request, in milliseconds. */
  readonly cancelsAfterMs?: number;
  /** It does this when it has all replies. */
  readonly last?: "close" | "hang";
}

const source = `
const { readFileSync, writeSync } = require("node:fs");
const { send, replies = 1, cancelsAfterMs, last } = JSON.parse(readFileSync(0, "utf8"));
const hasRequests = send.length > 0;
const socket = hasRequests ? new (require("node:net").Socket)({ fd: 3 }) : undefined;
let text = "";
let wake = () => {};
socket?.on("data", (chunk) => { text += chunk; wake(); });
const lines = () => text.split("\\n").slice(0, -1);
async function main() {
  let wanted = 0;
  for (const one of send) {
    for (const line of one.split(/(?<=\\n)/)) {
      if (cancelsAfterMs && line.includes('"cancel"')) await new Promise((settle) => setTimeout(settle, cancelsAfterMs));
      await new Promise((settle) => socket.write(line, settle));
    }
    wanted += replies;
    while (lines().length < wanted) await new Promise((settle) => { wake = settle; });
  }
  if (last === "close") socket.destroy();
  if (last === "hang" || last === "close") await new Promise((settle) => setTimeout(settle, 60_000));
  const { IKIGAI_HOST_METHODS: methods } = process.env;
  writeSync(1, JSON.stringify({ methods, replies: lines().map((line) => JSON.parse(line)) }));
  process.exit();
}
main();`;

/** The tool under a name, with more of what a schema says about the host. */
function askingTool(name: string, more: object = {}): string {
  const declared = schema(name, { ikigai: { host: ["ask", "permission", "show", "later"], ...more } });
  return `#!/usr/bin/env node
if (process.argv[2] === "--schema") { console.log(${JSON.stringify(declared)}); process.exit(); }
${source}`;
}

export const asking = askingTool("asking");

/** The same tool, which starts agents as well. */
const relaying = askingTool("relaying", { agent: true });

const { discover } = await world({ "system/asking-tool": asking, "system/relaying-tool": relaying });
const registry = await discover();

/** Calls the tool with this host. */
export async function callAsking(
  script: Script,
  host: HostApi | undefined,
  options: Partial<CallOptions> = {},
  name = "asking",
): Promise<Outcome> {
  const given = await circumstances({ ...(host && { host }), ...options });
  return callTool(registry, name, JSON.stringify(script), given);
}

/** The replies that the tool got. */
export async function repliesTo(
  script: Script,
  host: HostApi,
  options: Partial<CallOptions> = {},
  name = "asking",
): Promise<unknown[]> {
  const { envelope, json } = await callAsking(script, host, options, name);
  if (!envelope.tool_success) throw new Error(json);
  return envelope.result.replies as unknown[];
}

/** A user who gives this answer at once, and the questions they were asked. */
export function answering(result: AskResult | undefined = { answer: "blue" }) {
  const asked: AskParams[] = [];
  const host: HostApi = {
    async ask(params) {
      asked.push(params);
      return result;
    },
  };
  return { asked, host };
}

/** The line of a request. */
export function request(id: unknown, params: unknown = { question: "Which colour?" }, method = "ask"): string {
  return `${JSON.stringify({ id, method, params })}\n`;
}
