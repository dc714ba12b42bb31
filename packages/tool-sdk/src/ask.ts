import type { Socket } from "node:net";
import {
  type AskParams,
  type AskResult,
  type HostRequestErrorCode,
  isJsonObject,
  type JsonObject,
  progressFd,
} from "@ikigai/protocol";
import { ToolFailure } from "./tool-failure.ts";

/** The connection to the host: opened by the first question, and kept for the next ones. */
let socket: Socket | undefined;
let isClosed = false;
let received = "";
let lastId = 0;
let previous: Promise<unknown> = Promise.resolve();
let wake = () => {};

/**
 * Puts a question to the user and waits for the answer; the time of the call stands still meanwhile. Questions are asked one after
 * the other. The tool must declare `"host": ["ask"]`, and has one process per call.
 *
 * @returns the answer, or `refused` if the user does not want to give one. The answer to a `choice` can be something else than one
 * of its options.
 * @throws ToolFailure with the host's code: `NO_USER` if there is no user to ask, as in print mode and under hosts that do not have this
 * method; `NO_ANSWER` if the user did not answer in time.
 *
 * @example
 * const said = await ask({ question: "Deploy to production?", kind: "confirm" });
 * if (!("answer" in said) || said.answer !== "yes") return { output: "The user does not want to deploy." };
 */
export function ask(params: AskParams): Promise<AskResult> {
  const asked = previous.then(() => request(params));
  previous = asked.catch(() => {});
  return asked;
}

async function request(params: AskParams): Promise<AskResult> {
  const methods = (process.env.IKIGAI_HOST_METHODS ?? "").split(" ");
  if (!methods.includes("ask")) throw failure("NO_USER", "There is no user to ask here.");
  const id = ++lastId;
  const connection = open();
  connection.ref();
  connection.write(`${JSON.stringify({ id, method: "ask", params })}\n`);
  try {
    const reply = await replyTo(id);
    if (isJsonObject(reply.error)) throw failure(String(reply.error.code), String(reply.error.message));
    return reply.result as unknown as AskResult;
  } finally {
    // Nothing is read while no question is open, so it does not keep the process alive.
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
