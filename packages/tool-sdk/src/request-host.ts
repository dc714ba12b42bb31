import type { Socket } from "node:net";
import {
  type HostMethod,
  type HostRequestErrorCode,
  isJsonObject,
  type JobParams,
  type JobResult,
  type JsonObject,
  progressFd,
} from "@ikigai/protocol";
import { checkDeclared } from "./declared-methods.ts";
import { ToolFailure } from "./tool-failure.ts";

/** The connection to the host: opened by the first question, and kept for the next ones. */
let socket: Socket | undefined;
let isClosed = false;
let received = "";
let lastId = 0;
let previous: Promise<unknown> = Promise.resolve();
let wake = () => {};

/**
 * Whether the host has a method in this call.
 *
 * @throws Error if the tool does not declare the method.
 */
export function hasHostMethod(method: HostMethod): boolean {
  checkDeclared(method);
  return (process.env.IKIGAI_HOST_METHODS ?? "").split(" ").includes(method);
}

/**
 * Makes a request of the host, after those before it, and waits for the result. The host must have the method.
 *
 * @throws ToolFailure with the host's code.
 */
export function requestHost(method: HostMethod, params: object): Promise<unknown> {
  const asked = previous.then(() => request(method, params));
  previous = asked.catch(() => {});
  return asked;
}

async function request(method: HostMethod, params: object): Promise<unknown> {
  const id = ++lastId;
  const connection = open();
  connection.ref();
  connection.write(`${JSON.stringify({ id, method, params })}\n`);
  try {
    const reply = await replyTo(id);
    if (isJsonObject(reply.error)) throw failure(String(reply.error.code), String(reply.error.message));
    return reply.result;
  } finally {
    // Nothing is read while no request is open, so it does not keep the process alive.
    connection.unref();
  }
}

/** @throws ToolFailure `NO_USER` if the host has closed the connection. */
async function replyTo(id: number): Promise<JsonObject> {
  for (;;) {
    const reply = takeLine();
    // A host that could not read the request does not know its ID.
    if (isJsonObject(reply) && (reply.id === id || reply.id === null)) return reply;
    if (reply !== undefined) continue;
    if (isClosed) throw failure("NO_USER", "The host has closed the connection.");
    await new Promise<void>((settle) => {
      wake = settle;
    });
  }
}

function takeLine(): unknown {
  const end = received.indexOf("\n");
  if (end < 0) return undefined;
  const line = received.slice(0, end);
  received = received.slice(end + 1);
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function open(): Socket {
  if (socket) return socket;
  const { Socket } = process.getBuiltinModule("node:net");
  socket = new Socket({ fd: progressFd });
  socket.setEncoding("utf8");
  socket.on("data", (text: string) => {
    received += text;
    wake();
  });
  for (const event of ["end", "error", "close"]) {
    socket.on(event, () => {
      isClosed = true;
      wake();
    });
  }
  return socket;
}

export function failure(code: string, message: string): ToolFailure<HostRequestErrorCode> {
  return new ToolFailure<HostRequestErrorCode>(code as HostRequestErrorCode, message);
}

/** The parameters of `job`, of which any may be missing. */
export type JobRequest = Pick<JobParams, "action"> & {
  readonly [Name in keyof JobParams]?: JobParams[Name] | undefined;
};

/**
 * Does something with the jobs of the conversation; the time of the call stands still meanwhile. The tool must declare `"host": ["job"]`,
 * and has one process per call.
 *
 * @param request what to do, as in the protocol, section 15.
 * @returns what the host says, with `error` and `error_code` if it cannot be done; `undefined` under hosts that keep no jobs.
 * @throws ToolFailure with the host's code: `INVALID_REQUEST`. Error if the tool does not declare the method.
 */
export async function requestJob(request: JobRequest): Promise<JobResult | undefined> {
  return hasHostMethod("job") ? ((await requestHost("job", request)) as JobResult) : undefined;
}
