// Requests of a tool to its host, over the descriptor for progress: questions, pictures, jobs.
import type { Socket } from "node:net";
import {
  type AskParams,
  type AskResult,
  type HostMethod,
  type HostRequestErrorCode,
  isJsonObject,
  type JobParams,
  type JobResult,
  type JsonObject,
  progressFd,
  type Visual,
} from "@ikigai/protocol";
import { ToolFailure } from "./failure.ts";

/** The host's methods that the tool of this process declares; `undefined` before `serve` runs it. */
let declared: readonly string[] | undefined;

/** Notes which of the host's methods the tool declares. */
export function declareHostMethods(methods: readonly string[]): void {
  declared = methods;
}

/** @throws Error if the tool does not declare this method: no host has it then, whoever is there. */
export function checkDeclared(method: HostMethod): void {
  if (declared?.includes(method) === false)
    throw new Error(`${method} needs ikigai: { host: ["${method}"] } in defineTool.`);
}

/** The connection to the host: opened by the first question, and kept for the next ones. */
let socket: Socket | undefined;
let isClosed = false;
let received = "";
let lastId = 0;
let previous: Promise<unknown> | undefined;
let wake = () => {};

/**
 * Whether the host has a method in this call.
 *
 * @throws Error if the tool does not declare the method.
 */
function hasHostMethod(method: HostMethod): boolean {
  checkDeclared(method);
  return (process.env.IKIGAI_HOST_METHODS ?? "").split(" ").includes(method);
}

/**
 * Makes a request of the host, after those before it, and waits for the result. The host must have the method.
 *
 * @throws ToolFailure with the host's code.
 */
function requestHost(method: HostMethod, params: object): Promise<unknown> {
  const asked = previous ? previous.then(() => request(method, params)) : request(method, params);
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

function failure(code: string, message: string): ToolFailure<HostRequestErrorCode> {
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

/**
 * Puts a question to the user and waits for the answer; the time of the call stands still meanwhile. Questions are asked one after
 * the other. The tool must declare `"host": ["ask"]`, and has one process per call.
 *
 * @returns the answer, or `refused` if the user does not want to give one. The answer to a `choice` can be something other than one
 * of its options.
 * @throws ToolFailure with the host's code: `NO_USER` if there is no user to ask, as in print mode and under hosts that do not have this
 * method; `NO_ANSWER` if the user did not answer in time. Error if the tool does not declare the method.
 *
 * @example
 * const said = await ask({ question: "Deploy to production?", kind: "confirm" });
 * if (!("answer" in said) || said.answer !== "yes") return { output: "The user does not want to deploy." };
 */
export async function ask(params: AskParams): Promise<AskResult> {
  if (!hasHostMethod("ask")) throw failure("NO_USER", "There is no user to ask here.");
  return (await requestHost("ask", params)) as AskResult;
}

/**
 * Draws something for the user at once, during the call; see `visual` in the protocol. The tool must declare `"host": ["show"]`, and has
 * one process per call. The model does not get it: what it needs to know belongs in the answer.
 *
 * @returns whether it was drawn: not in print mode, under hosts that do not have this method, and for an image that cannot be read.
 * @throws ToolFailure with the host's code: `INVALID_REQUEST` for a visual that the protocol does not permit. Error if the tool does
 * not declare the method.
 *
 * @example
 * await show({ type: "chart", kind: "bar", labels: ["a.ts"], series: [{ name: "%", values: [80] }], alt: "a.ts 80 %" });
 */
export async function show(visual: Visual): Promise<boolean> {
  if (!hasHostMethod("show")) return false;
  const result = (await requestHost("show", { visual })) as { readonly shown?: boolean } | undefined;
  return result?.shown === true;
}
