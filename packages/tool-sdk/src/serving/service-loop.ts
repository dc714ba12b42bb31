// The loop of a service: calls that may overlap arrive on stdin, and one state answers them. Its order: it opens the state, says
// ready, answers, and at the end of stdin cancels what is open, closes the state and exits.
import type { CancelFrame, Progress } from "@ikigai/protocol";
import { lineReader, within, writeAll } from "@ikigai/system";
import { fitFailure } from "../answer.ts";
import {
  type CancelSignal,
  cancelSignal,
  complain,
  describeFailure,
  exitFailed,
  InvalidCall,
  ToolFailure,
} from "../failure.ts";
import { createContext, progressText, type ToolContext } from "../tool-context.ts";
import { BrokenFrame, endedEarly, parseFrame, toCallOrCancel, type UncheckedCall } from "./frames.ts";

/** What `open` gets: `signal` aborts when the host no longer wants the service, `progress` reports how the start goes. */
export type ServiceContext = Pick<ToolContext, "signal" | "progress" | "fail">;

/**
 * What a service keeps between calls, and how it begins and ends.
 *
 * @typeParam State what it keeps: a connection, a browser, a count.
 */
export interface ServiceDefinition<State> {
  /** The name of the service: letters, digits, dots, dashes and underscores. */
  readonly name: string;
  /**
   * Makes the state, once in a process, before the first call. A service that takes long should report progress: the host waits
   * 60 seconds.
   *
   * @throws ToolFailure if it cannot start: the answer to the call.
   */
  open(context: ServiceContext): State | Promise<State>;
  /** Ends what the state has opened: a connection, a child process. Has 1.5 seconds. */
  close?(state: State): void | Promise<void>;
}

/** A service, and how it answers. */
export interface AnsweringService<State> extends ServiceDefinition<State> {
  /**
   * Answers a call with an object as JSON.
   *
   * @throws InvalidCall if it refuses the call. Anything else is a bug, unless the call was cancelled.
   */
  answer(call: ServiceCall<State>): Promise<string>;
  /** Settles when the state cannot answer any more. The process then ends with 1, and its open calls get no answer. */
  ended?(state: State): Promise<unknown>;
}

/** A call of a service. */
interface ServiceCall<State> {
  readonly frame: UncheckedCall;
  readonly state: State;
  readonly stop: CancelSignal;
  readonly progress: (update: Progress) => void;
}

/** The reply to a call that was cancelled and has no answer of its own. */
const cancelled = `"answer":${JSON.stringify({ error: "The call was cancelled.", error_code: "TOOL_CANCELLED" })}`;

/** How long cancelled calls may take to answer before the state is closed, in milliseconds. */
const lastAnswersMs = 300;

/** How long `close` may take, in milliseconds: with the last answers, less than the 2,000 after which a host sends SIGTERM. */
const closeMs = 1_500;

/** The open calls of a service, by id. */
type OpenCalls = Map<string, OpenCall>;

interface OpenCall {
  readonly stop: CancelSignal;
  /** Settles when the call has its reply. */
  readonly ended: Promise<void>;
}

/** Answers the calls that arrive on stdin, several at a time, until it ends, the state does, or SIGTERM comes. */
export async function runService<State>(service: AnsweringService<State>): Promise<never> {
  // Processes that the service starts must not take it for theirs.
  delete process.env.IKIGAI_SERVE;
  process.on("uncaughtException", (error) => exitBroken(service.name, error));
  const starting = cancelSignal();
  const opened = openState(service, starting);
  const calls: OpenCalls = new Map();
  const broken = new Promise<number>((settle) => {
    void opened.then(async (state) => {
      if (!service.ended) return;
      await service.ended(state);
      process.stdin.destroy();
      calls.clear();
      settle(exitFailed);
    });
  });
  const read = readFrames((frame) => {
    if ("cancel" in frame) calls.get(frame.cancel)?.stop.cancel();
    else beginCall(service, frame, opened, calls);
  });
  const exitCode = await Promise.race([read, broken]);
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

/** Closes the state. A failure goes to stderr: the calls are answered, so it is the result of none. */
export async function closeState<State>(service: ServiceDefinition<State>, state: State): Promise<void> {
  try {
    await within(closeMs, Promise.resolve(service.close?.(state)));
  } catch (error) {
    complain(`Cannot close ${service.name}: ${describeFailure(error)}`);
  }
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
function beginCall<State>(
  service: AnsweringService<State>,
  frame: UncheckedCall,
  opened: Promise<State>,
  calls: OpenCalls,
): void {
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
  void opened.then(async (state) => {
    // A call that was cancelled before it began does nothing.
    if (calls.has(frame.call)) finish(await replyTo(service, { frame, state, stop, progress }));
  });
}

/** The second field of the reply to a call. A bug is the result of its call; the service continues. */
async function replyTo<State>(service: AnsweringService<State>, call: ServiceCall<State>): Promise<string> {
  try {
    return `"answer":${await service.answer(call)}`;
  } catch (error) {
    if (call.stop.isCauseOf(error)) return cancelled;
    const reason = describeFailure(error);
    if (!(error instanceof InvalidCall)) complain(reason);
    return `"refused":${JSON.stringify(reason)}`;
  }
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

/**
 * Passes on the frames on stdin as they arrive.
 *
 * @returns the exit code, when stdin has ended, or at SIGTERM; if a frame is broken, after the reason is on stderr.
 */
function readFrames(take: (frame: UncheckedCall | CancelFrame) => void): Promise<number> {
  return new Promise((settle) => {
    const lines = lineReader(Number.POSITIVE_INFINITY, (line) => take(toCallOrCancel(parseFrame(line))));
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
