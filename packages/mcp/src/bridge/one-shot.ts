import { writeSync } from "node:fs";
import { isJsonObject, type JsonObject, type Progress } from "@ikigai/protocol";
import { redactJson } from "@ikigai/system";
import type { AddedTool } from "../server/server-file.ts";
import { BridgeError, toErrorAnswer } from "./bridge-error.ts";
import { callServer, checkArguments, serverTimeMs, untilHostEnds } from "./call-server.ts";
import type { Connection } from "./connect.ts";
import { type Bridge, connectPackage } from "./open-bridge.ts";

/** What a call gives: the answer for stdout, or the line for stderr of a call that is refused. */
export type CallEnd = { readonly answer: string } | { readonly refusal: string };

export interface LoneCall {
  readonly tool: AddedTool;
  /** What stdin had. */
  readonly input: string;
  readonly signal: AbortSignal;
  /** Gets what the server prints on stderr. */
  readonly log: (text: string) => void;
}

/** Makes one call with a server of its own: starts it, calls, ends it. @throws the reason of `signal`, which ends the call. */
export async function callOnce(bridge: Bridge, { tool, input, signal, log }: LoneCall): Promise<CallEnd> {
  const { env } = bridge;
  const startedMs = performance.now();
  const given = parse(input);
  if (typeof given === "string") return { refusal: given };
  const checked = checkArguments(given, tool.definition.inputSchema);
  if ("refusal" in checked) return checked;
  let connection: Connection | undefined;
  let secrets: readonly string[] = [];
  try {
    const opened = await connectPackage(bridge, { log, signal });
    connection = opened.connection;
    secrets = opened.place.secrets;
    const timeoutMs = Math.max(1, serverTimeMs(env) - (performance.now() - startedMs));
    const call = { tool, arguments: checked.arguments, timeoutMs, signal, report: reporter(env) };
    const answer = await callServer(connection, opened.place, call);
    return { answer: redactJson(JSON.stringify(answer), secrets) };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof BridgeError)) throw error;
    if (error.code === "TOOL_TIMEOUT") await untilHostEnds(env, signal);
    return { answer: redactJson(JSON.stringify(toErrorAnswer(error)), secrets) };
  } finally {
    await connection?.close();
  }
}

/** The arguments, or why they are not a JSON object. */
function parse(input: string): JsonObject | string {
  if (input.trim() === "") return "Expected a JSON object on stdin, got nothing.";
  try {
    const value: unknown = JSON.parse(input);
    if (isJsonObject(value)) return value;
  } catch {
    return "Expected a JSON object on stdin, got a text that is not JSON.";
  }
  return "Expected a JSON object on stdin, got another JSON value.";
}

/** Returns a function that writes progress to the descriptor that the host has opened for it. */
function reporter({ IKIGAI_PROGRESS_FD: descriptor }: NodeJS.ProcessEnv): (progress: Progress) => void {
  let isOpen = /^\d+$/.test(descriptor ?? "");
  return (progress) => {
    if (!isOpen) return;
    try {
      writeSync(Number(descriptor), `${JSON.stringify(progress)}\n`);
    } catch {
      isOpen = false;
    }
  };
}
