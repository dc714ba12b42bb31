// The calls of a tool that `serves`: one after the other, with nothing left between them.
import { lineReader, writeAll } from "@ikigai/system";
import { answerCall, warmUp } from "../answer.ts";
import { type Arguments, readStdin, stdinChunkBytes, toArguments } from "../arguments.ts";
import type { BuiltTool } from "../built-tool.ts";
import { complain, exitAfter, exitFailed, InvalidCall, stopSignal } from "../failure.ts";
import { jobPlace, type LeftJob, processContext, type ToolContext } from "../tool-context.ts";
import { BrokenFrame, endedEarly, parseFrame, toCall, type UncheckedCall } from "./frames.ts";
import { noteState, type ProcessState } from "./process-state.ts";

const exitOk = 0;

/** How long after an answer the process may take to get back to its state before the call, in milliseconds. */
const cleanUpMs = 500;

/** The longest pause between two looks at the state, in milliseconds. */
const maxPauseMs = 20;

/** How often the event loop runs after the warm-up, so that what it closed is gone. */
const warmUpTurns = 3;

/** The signals by which a host, terminal or shell ends a process. */
const endSignals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

/**
 * Answers call after call from stdin, until it ends. Between calls the process waits in a blocking read, so it gets back to its
 * first state before it says that it is ready; if it cannot, or got SIGTERM during the call, it exits. With a call that leaves a
 * job it becomes that job, and takes no more calls.
 *
 * @returns the exit code.
 */
export async function serveCalls(built: BuiltTool): Promise<number> {
  // Processes that the tool starts must not take it for theirs.
  delete process.env.IKIGAI_SERVE;
  await warmUp(built);
  for (let turns = 0; turns < warmUpTurns; turns++) await turn();
  const listener = endSignals.find((signal) => process.listenerCount(signal) > 0);
  if (listener !== undefined) {
    complain(`Cannot serve calls: a ${listener} listener outside a call. Use the context's signal in run.`);
    return exitFailed;
  }
  const state = noteState();
  const sigterm = watchSigterm();
  const frames = new FrameReader();
  for (;;) {
    writeAll(1, '{"ready":true}\n');
    const { exitCode, job } = await serveNext(built, frames, state);
    if (exitCode !== undefined) return exitCode;
    if (job) {
      if (job.takeInput) passInput(job.takeInput);
      process.exit(await job.until);
    }
    const difference = await untilClean(state, sigterm);
    if (difference === undefined) continue;
    // After SIGTERM the host knows why, and stderr is still that of the call.
    if (!sigterm.wasReceived()) complain(`Stopped serving calls: ${difference}.`);
    process.exit(exitOk);
  }
}

/** Passes on the lines that the host writes for a job, each in a frame. */
function passInput(take: (line: string) => void): void {
  const lines = lineReader(stdinChunkBytes, (line) => {
    const { input } = parseFrame(line);
    if (typeof input === "string") take(input);
  });
  process.stdin.on("error", () => {}).on("data", (chunk: Buffer) => lines.add(chunk));
  // The job continues without its host.
  process.stdin.unref();
}

/** Waits for the next call and does it. Returns the exit code if the process has to end, and the job that the call leaves. */
async function serveNext(
  built: BuiltTool,
  frames: FrameReader,
  state: ProcessState,
): Promise<LeftJob & { readonly exitCode?: number }> {
  const stop = stopSignal();
  try {
    const frame = frames.next();
    if (frame === undefined) process.exit(exitOk);
    state.setVariables(frame.env);
    const left = jobPlace();
    const context = processContext(stop, undefined, left);
    writeAll(1, `{"call":${JSON.stringify(frame.call)},${await reply(built, frame, context, left)}}\n`);
    state.restoreVariables();
    return left ?? {};
  } catch (error) {
    if (!(error instanceof BrokenFrame)) return await exitAfter(error, stop);
    complain(error.message);
    return { exitCode: exitFailed };
  } finally {
    stop.release();
  }
}

/** The second field of the reply to a call. The answer goes in as it is: it is JSON without newlines. */
async function reply(
  built: BuiltTool,
  call: UncheckedCall,
  context: ToolContext<string>,
  left: LeftJob | undefined,
): Promise<string> {
  const { tool, compiled } = built;
  let args: Arguments;
  try {
    args = toArguments(call.arguments, compiled, tool);
  } catch (error) {
    if (error instanceof InvalidCall) return `"refused":${JSON.stringify(error.message)}`;
    throw error;
  }
  return `"answer":${await answerCall(built, args, context, left)}`;
}

/** Waits until the call has left no state in the process. Returns what is left if that takes too long. */
async function untilClean(state: ProcessState, sigterm: Sigterm): Promise<string | undefined> {
  // At least once: what the call has scheduled runs, and signals that have arrived are delivered.
  await turn();
  const untilMs = performance.now() + cleanUpMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    if (sigterm.wasReceived()) return "it got SIGTERM";
    const difference = state.difference();
    if (difference === undefined || performance.now() >= untilMs) return difference;
    await new Promise((settle) => setTimeout(settle, pauseMs));
  }
}

/** Lets the event loop run once. */
function turn(): Promise<void> {
  return new Promise((settle) => setImmediate(settle));
}

/** Whether this process got SIGTERM while something listened for it; otherwise it would have ended. */
interface Sigterm {
  wasReceived(): boolean;
}

/** Notes SIGTERM without a listener, which would change what the tool's own listeners do. */
function watchSigterm(): Sigterm {
  let wasReceived = false;
  const { emit } = process;
  Object.assign(process, {
    emit(...event: unknown[]) {
      if (event[0] === "SIGTERM") wasReceived = true;
      return Reflect.apply(emit, process, event);
    },
  });
  return { wasReceived: () => wasReceived };
}

/** Reads call frames from stdin. */
class FrameReader {
  readonly #chunk = Buffer.allocUnsafe(stdinChunkBytes);
  readonly #lines: Buffer[] = [];
  readonly #reader = lineReader(Number.POSITIVE_INFINITY, (line) => this.#lines.push(line));

  /**
   * Waits for the next call; `undefined` at the end of stdin. Blocks: nothing else runs in the process until a frame arrives.
   *
   * @throws BrokenFrame if it is not a call.
   */
  next(): UncheckedCall | undefined {
    for (;;) {
      const line = this.#lines.shift();
      if (line) return toCall(parseFrame(line));
      const count = readStdin(this.#chunk);
      if (count > 0) this.#reader.add(this.#chunk.subarray(0, count));
      else if (this.#reader.rest().length > 0) throw new BrokenFrame(endedEarly);
      else return undefined;
    }
  }
}
