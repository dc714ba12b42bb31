import { createInterface } from "node:readline";
import { isJsonObject } from "@ikigai/protocol";
import { writeAll } from "@ikigai/system";
import { BrokenFrame } from "./frames.ts";
import { inspect } from "./inspect.ts";
import { MessageReader } from "./message-reader.ts";
import { callOnce } from "./one-shot.ts";
import { openBridge } from "./open-bridge.ts";
import { runLogin } from "./run-login.ts";
import { serve } from "./serve-calls.ts";

const usage = `This program calls the tools of an MCP server. The tools that \`ikigai mcp add\` creates start it.
Usage: bridge.mjs PACKAGE TOOL < ARGUMENTS
`;

/** As shells report SIGTERM. */
const terminated = 143;

void main(process.argv.slice(2)).then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    complain(`${error instanceof BrokenFrame ? error.message : String((error as Error).stack ?? error)}\n`);
    process.exit(1);
  },
);

async function main([first = "", name, ...rest]: readonly string[]): Promise<number> {
  const { env, stdin } = process;
  if (first === "inspect" && name === undefined) {
    const context = { env, signal: whenTerminated(), log: complain };
    const request: unknown = JSON.parse(await readAll(context.signal));
    writeAll(1, JSON.stringify(await inspect(isJsonObject(request) ? request : {}, context)));
    return 0;
  }
  if ((first === "login" || first === "logout") && name === undefined) {
    await runLogin(first, { env, lines: createInterface({ input: stdin }), write, log: complain });
    return 0;
  }
  if (name === undefined || rest.length > 0 || stdin.isTTY) {
    complain(usage);
    return 2;
  }
  const bridge = openBridge(first, env);
  const tool = bridge.pack.tools.tools.find((one) => one.tool === name);
  if (!tool) {
    complain(`The MCP server ${bridge.pack.server.name} has no tool ${JSON.stringify(name)}.\n`);
    return 1;
  }
  if (env.IKIGAI_SERVE === "1") {
    delete env.IKIGAI_SERVE;
    return serve(bridge, { lines: frames(), write, log: complain });
  }
  const signal = whenTerminated();
  const end = await readAll(signal)
    .then((input) => callOnce(bridge, { tool, input, signal, log: complain }))
    .catch((error) => {
      if (signal.aborted) return undefined;
      throw error;
    });
  if (end === undefined) return terminated;
  if ("refusal" in end) complain(`${end.refusal}\n`);
  else writeAll(1, `${end.answer}\n`);
  return "refusal" in end ? 1 : 0;
}

/** Aborted by SIGTERM, and by Ctrl-C in the terminal: the server has a process group of its own. */
function whenTerminated(): AbortSignal {
  const abort = new AbortController();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => abort.abort());
  return abort.signal;
}

/** The lines of stdin; SIGTERM is an end of it, too. */
async function* frames(): AsyncGenerator<string> {
  const { stdin } = process;
  process.once("SIGTERM", () => stdin.destroy());
  const reader = new MessageReader();
  try {
    for await (const chunk of stdin) yield* reader.push(chunk);
  } catch (error) {
    // Destroyed by SIGTERM.
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}

/** Reads all of stdin. @throws if the signal ends it before. */
async function readAll(signal: AbortSignal): Promise<string> {
  const { stdin } = process;
  signal.addEventListener("abort", () => stdin.destroy());
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(chunk);
  signal.throwIfAborted();
  return Buffer.concat(chunks).toString("utf8");
}

function write(line: string): void {
  writeAll(1, `${line}\n`);
}

function complain(text: string): void {
  try {
    writeAll(2, text);
  } catch {
    // stderr is closed.
  }
}
