import type { TypedCall, UserMessage } from "@ikigai/models";
import type { SessionEvent } from "./session-event.ts";

/** Returns what the user typed: the command after `!`, or `/load`, if the message reports a call, else the message. */
export function asTyped({ text, typed }: Pick<UserMessage, "text" | "typed">): string {
  return (typed && typedForm(typed)) ?? text;
}

/** What the user types for a call; undefined if nothing typed makes such a call. */
export function typedForm({ name, arguments: args }: TypedCall): string | undefined {
  const { command, background, name: loaded, arguments: words } = parsedObject(args);
  if (typeof command === "string") return `!${command}${background === true ? " &" : ""}`;
  if (name !== "load" || typeof loaded !== "string") return undefined;
  return typeof words === "string" ? `/load ${loaded} ${words}` : `/load ${loaded}`;
}

function parsedObject(json: string): Record<string, unknown> {
  try {
    return { ...JSON.parse(json) };
  } catch {
    return {};
  }
}

type CallEvent = Extract<SessionEvent, { type: "typed_call" }>;

/** A call by the user, as the message that reports it has it, and its line of the log. */
export interface ReportedCall {
  readonly report: Required<Pick<UserMessage, "typed" | "ended">>;
  readonly call: CallEvent;
}

/**
 * Follows a log from its beginning. The returned function takes every line, and returns the call that a user message
 * reports: the one directly before it, with its result.
 */
export function followTypedCalls(): (event: SessionEvent) => ReportedCall | undefined {
  const calls = new Map<string, CallEvent>();
  let ended: ReportedCall | undefined;
  return (event) => {
    if (event.type === "typed_call") calls.set(event.id, event);
    if (event.type === "tool_result") {
      const call = calls.get(event.id);
      ended = call && { call, report: reportOf(call, event) };
    }
    if (event.type !== "user") return undefined;
    const reported = event.typed && ended;
    ended = undefined;
    return reported && typedForm(reported.call) !== undefined ? reported : undefined;
  };
}

/** What a message has of the call that it reports. */
export function reportOf(
  { name, arguments: args }: TypedCall,
  { json, durationMs }: Required<ReportedCall["report"]["ended"]>,
): ReportedCall["report"] {
  return { typed: { name, arguments: args }, ended: { json, durationMs } };
}
