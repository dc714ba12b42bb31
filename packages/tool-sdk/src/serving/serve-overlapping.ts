import { basename } from "node:path";
import {
  BrokenFrame,
  type CancelFrame,
  type Progress,
  toCallOrCancel,
  toolSuffix,
  type UncheckedCall,
} from "@ikigai/protocol";
import { lineReader, within, writeAll } from "@ikigai/system";
import { answerCall } from "../answer-call.ts";
import type { BuiltTool } from "../any-tool.ts";
import { fitFailure } from "../fit-failure.ts";
import { InvalidCall } from "../invalid-call.ts";
import { toArguments } from "../read-arguments.ts";
import { complain, describeFailure, exitFailed } from "../report-failure.ts";
import { progressText } from "../report-progress.ts";
import type { ServiceDefinition } from "../service-definition.ts";
import type { StopSignal } from "../stop-signal.ts";
import { type CallParts, createContext } from "../tool-context.ts";
import { ToolFailure } from "../tool-failure.ts";
import { closeMs, closeState } from "./close-state.ts";
import { endedEarly, parseLine } from "./frames.ts";

/** The reply to a call that was cancelled and has no answer of its own. */
const cancelled = `"answer":${JSON.stringify({ error: "The call was cancelled.", error_code: "CANCELLED" })}`;

/** How long cancelled calls may take to answer before the state is closed, in milliseconds. */
const lastAnswersMs = 300;

/** The open calls of a service, by id. */
type OpenCalls = Map<string, OpenCall>;

interface OpenCall {
  readonly stop: CancelSignal;
  /** Settles when the call has its reply. */
  readonly ended: Promise<void>;
}

/**
 * Answers the calls that arrive on stdin, several at a time, with the state that the service opens. At the end of stdin and at
 * SIGTERM it cancels the open calls, closes the state and exits.
 */
export async function serveOverlapping<State>(service: ServiceDefinition<State>, built: BuiltTool): Promise<never> {
  // Processes that the tool starts must not take it for theirs.
  delete process.env.IKIGAI_SERVE;
  process.on("uncaughtException", (error) => exitBroken(service.name, error));
  const starting = cancelSignal();
  const opened = openState(service, starting);
  const calls: OpenCalls = new Map();
  const exitCode = await readFrames((frame) => {
    if ("cancel" in frame) calls.get(frame.cancel)?.stop.cancel();
    else beginCall(built, frame, opened, calls);
  });
  starting.cancel();
  const open = [...calls.values()];
  for (const { stop } of open) stop.cancel();
  await within(lastAnswersMs, Promise.all(open.map(({ ended }) => ended)));
  await within(
    closeMs,
    opened.then((state) => closeState(service, state)),
  );
  process.exit(exitCode);
}

/** Opens the state and says ready; if that fails, says why and exits. */
async function openState<State>(service: ServiceDefinition<State>, starting: CancelSignal): Promise<State> {
  let isReady = false;
  const progress = (update: Progress) => {
    if (!isReady) say(`{"progress":${progressText(update)}}`);
  };
  try {
    const state = await service.open(createContext(process.env, { stop: starting, state: undefined, progress }));
    isReady = true;
    say('{"ready":true}');
    return state;
  } catch (error) {
    if (starting.isCauseOf(error)) process.exit(0);
    if (!(error instanceof ToolFailure)) return exitBroken(service.name, error);
    say(fitFailure(error, Number.POSITIVE_INFINITY));
    process.exit(0);
  }
}

/** Adds a call to the open ones, until it has its reply. */
function beginCall<State>(built: BuiltTool, frame: UncheckedCall, opened: Promise<State>, calls: OpenCalls): void {
  const id = JSON.stringify(frame.call);
  let finish: (reply: string) => void = () => {};
  const stop = cancelSignal(() => finish(cancelled));
  const ended = new Promise<void>((settle) => {
    finish = (reply) => {
      if (calls.delete(frame.call)) say(`{"call":${id},${reply}}`);
      settle();
    };
  });
  calls.set(frame.call, { stop, ended });
  const progress = (update: Progress) => {
    if (calls.has(frame.call)) say(`{"call":${id},"progress":${progressText(update)}}`);
  };
  const env = { ...process.env, ...frame.env };
  void opened.then(async (state) => {
    // A call that was cancelled before it began does nothing.
    if (calls.has(frame.call)) finish(await replyTo(built, frame, { stop, state, progress, env }));
  });
}

/** The second field of the reply to a call. A bug is the result of its call; the service continues. */
async function replyTo<State>(
  built: BuiltTool,
  frame: UncheckedCall,
  { env, ...parts }: CallParts<State> & { readonly stop: CancelSignal; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  const { tool, compiled } = built;
  try {
    if (!namesOf(built).includes(frame.tool)) throw new InvalidCall(`This service has no tool "${frame.tool}".`);
    const args = toArguments(frame.arguments, compiled, tool);
    return `"answer":${await answerCall(built, args, createContext(env, parts))}`;
  } catch (error) {
    if (parts.stop.isCauseOf(error)) return cancelled;
    const reason = describeFailure(error);
    if (!(error instanceof InvalidCall)) complain(reason);
    return `"refused":${JSON.stringify(reason)}`;
  }
}

/** The names by which a host may call the tool: its own, and that of a renamed file. */
function namesOf({ tool }: BuiltTool): readonly (string | undefined)[] {
  const file = basename(process.argv[1] ?? "", toolSuffix).replaceAll("-", "_");
  return [tool.name, file, process.env.IKIGAI_TOOL_NAME];
}

/** Ends the process because of a bug outside a call. The host shows the last line. */
function exitBroken(name: string, error: unknown): never {
  complain(`${describeFailure(error)}\nThe service ${name} stopped: ${String(error).split("\n")[0]}`);
  process.exit(exitFailed);
}

function say(line: string): void {
  try {
    writeAll(1, `${line}\n`);
  } catch {
    // The host is gone: its end of stdin is closed as well.
  }
}

/** How a host stops one call of several: by a frame. */
interface CancelSignal extends Pick<StopSignal, "signal" | "isCauseOf"> {
  /** Aborts the signal. */
  cancel(): void;
}

/** The signal of a call. `onUnread` runs when the call is cancelled before it has asked for its signal. */
function cancelSignal(onUnread: () => void = () => {}): CancelSignal {
  const controller = new AbortController();
  let isRead = false;
  return {
    signal() {
      isRead = true;
      return controller.signal;
    },
    cancel() {
      controller.abort();
      if (!isRead) onUnread();
    },
    isCauseOf: (error) => controller.signal.aborted && error instanceof Error && error.name === "AbortError",
  };
}

/**
 * Passes on the frames on stdin as they arrive.
 *
 * @returns the exit code, when stdin has ended, or at SIGTERM; if a frame is broken, after the reason is on stderr.
 */
function readFrames(take: (frame: UncheckedCall | CancelFrame) => void): Promise<number> {
  return new Promise((settle) => {
    const lines = lineReader(Number.POSITIVE_INFINITY, (line) => take(toCallOrCancel(parseLine(line))));
    const fail = (reason: string) => {
      complain(reason);
      settle(exitFailed);
    };
    process.once("SIGTERM", () => settle(0));
    process.stdin.on("data", (chunk: Buffer) => {
      try {
        lines.add(chunk);
      } catch (error) {
        if (!(error instanceof BrokenFrame)) throw error;
        process.stdin.destroy();
        fail(error.message);
      }
    });
    process.stdin.on("end", () => (lines.rest().length === 0 ? settle(0) : fail(endedEarly)));
    // A reset connection is the end of the host, too.
    process.stdin.on("error", () => settle(0));
  });
}
