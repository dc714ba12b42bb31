import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { callMarks, killLeftovers, markedBy, startProgram } from "@ikigai/core/internal";
import { beforeExit } from "@ikigai/system";
import { bridgePath } from "../../host/bridge-path.ts";

/** The program that speaks MCP, running for a command. */
export interface BridgeProcess {
  readonly child: ReturnType<typeof spawnBridge>;
  /** Settles when it has ended, and what its server has left running. @throws the system's error if it cannot be started. */
  readonly ended: Promise<unknown>;
}

/**
 * Starts the program that speaks MCP. It ends with ikigai, and its PATH finds no server of the project, as that of a tool.
 *
 * @param log gets what it and the server print on stderr.
 */
export function startBridge(
  verb: "inspect" | "login" | "logout",
  { env, projectDir }: { readonly env: NodeJS.ProcessEnv; readonly projectDir: string },
  log: (text: string) => void,
): BridgeProcess {
  const marks = callMarks(randomUUID());
  const child = spawnBridge(verb, { ...env, ...Object.fromEntries(marks.map((mark) => mark.split("="))) }, projectDir);
  const leave = beforeExit(() => {
    child.kill("SIGTERM");
    return ended;
  });
  child.stderr.setEncoding("utf8").on("data", log);
  // It says itself why it could not read.
  child.stdin.on("error", () => {});
  const ended = new Promise((settle, fail) => {
    child.once("error", fail);
    child.once("close", settle);
  })
    .then(() => killLeftovers(markedBy(marks), child.pid ?? 0))
    .finally(leave);
  return { child, ended };
}

function spawnBridge(verb: string, { IKIGAI_SERVE: _, ...env }: NodeJS.ProcessEnv, projectDir: string) {
  return startProgram(process.execPath, [bridgePath, verb], { env, projectDir }, "pipe", "pipe", "pipe");
}

/** An answer of the program that speaks MCP. */
export interface BridgeError {
  readonly error: string;
  readonly help?: { readonly steps: readonly string[] };
}

/** The lines of a login or logout, until it ends. @throws the system's error if the program cannot be started. */
export async function* bridgeEvents<Event>({ child, ended }: BridgeProcess): AsyncGenerator<Event> {
  for await (const line of createInterface({ input: child.stdout })) yield JSON.parse(line);
  await ended;
}
