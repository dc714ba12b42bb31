// The lines between a host and a process that answers several calls.

import type { Progress } from "./environment.ts";
import { isJsonObject, type JsonObject } from "./json.ts";

/** What the name of a service must look like: it becomes part of a file name. */
export const serviceNamePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** A call to a process that answers several: one line on its stdin. */
export interface CallFrame {
  /** Identifies the call on this wire. */
  call: string;
  /** The tool's name: a service may answer for several tools. */
  tool: string;
  /** The variables of this call, added to the environment of the process until it has answered. */
  env: Readonly<Record<string, string>>;
  /** What a one-shot call would get on stdin. */
  arguments: JsonObject;
}

/** The end of a call that the host no longer waits for: one line on the stdin of a service. */
export interface CancelFrame {
  /** The `call` of the frame that began it. */
  cancel: string;
}

/** A line on stdout of a process that answers several calls. */
export type ServeReply = ReadyReply | AnswerReply | RefusedReply | ProgressReply | FailedReply;

/** The process accepts a call. */
interface ReadyReply {
  /** Always true. */
  ready: true;
}

/** The answer to a call: the object that the tool prints when it runs one call per process. */
interface AnswerReply {
  /** The `call` of the frame. */
  call: string;
  /** The object. */
  answer: JsonObject;
}

/** The call is invalid. */
interface RefusedReply {
  /** The `call` of the frame. */
  call: string;
  /** What the tool otherwise prints on stderr before it exits with 1, without the last newline. */
  refused: string;
}

/** Progress of a service's call, or of its start if there is no `call`. */
interface ProgressReply {
  /** The `call` of the frame. */
  call?: string;
  /** The fields of a progress line. */
  progress: JsonObject;
}

/** The service cannot start: the answer to the calls that wait for it. */
interface FailedReply {
  /** Why, for people and models. */
  error: string;
  /** What kind of failure it is. */
  error_code: string;
}

/** Reads a line of a process that answers several calls; `undefined` if the protocol does not know such a line. Never throws. */
export function readServeReply(line: JsonObject): ServeReply | undefined {
  const { ready, call, answer, refused, progress, error, error_code } = line;
  if (ready === true) return { ready };
  if (typeof call === "string") {
    if (isJsonObject(answer)) return { call, answer };
    if (typeof refused === "string") return { call, refused };
    return isJsonObject(progress) ? { call, progress } : undefined;
  }
  if (call !== undefined) return undefined;
  if (isJsonObject(progress)) return { progress };
  return typeof error === "string" && typeof error_code === "string" ? { error, error_code } : undefined;
}

/** The fields of a progress line that the protocol knows. One that only has a message is at 0, and its message is shown. Never throws. */
export function readProgressFields({ progress = 0, total, message }: JsonObject): Progress | undefined {
  if (typeof progress !== "number") return undefined;
  return {
    progress,
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message }),
  };
}
