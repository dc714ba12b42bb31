import type { UserMessage } from "../model/message.ts";
import type { SessionEvent } from "./session-event.ts";

/** Returns what the user typed: the command after `!` if the message reports one, else the message. */
export function asTyped({ text, command }: Pick<UserMessage, "text" | "command">): string {
  return command === undefined ? text : `!${command}`;
}

/** Returns the command in the arguments of a user's call; undefined for a tool that runs none. */
export function commandOf(args: string): string | undefined {
  try {
    const { command } = JSON.parse(args) as { command?: unknown };
    return typeof command === "string" ? command : undefined;
  } catch {
    return undefined;
  }
}

/** A call by the user, which the next message reports to the model. */
export interface TypedCommand {
  readonly command: string;
  readonly call: Extract<SessionEvent, { type: "typed_call" }>;
  readonly result: Extract<SessionEvent, { type: "tool_result" }>;
}

/**
 * Follows a log from its beginning. The returned function takes every line, and returns the command that a user message
 * reports, from the call and result directly before it.
 */
export function followTypedCommands(): (event: SessionEvent) => TypedCommand | undefined {
  const calls = new Map<string, TypedCommand["call"]>();
  let ended: Pick<TypedCommand, "call" | "result"> | undefined;
  return (event) => {
    if (event.type === "typed_call") calls.set(event.id, event);
    if (event.type === "tool_result") {
      const call = calls.get(event.id);
      ended = call && { call, result: event };
    }
    if (event.type !== "user") return undefined;
    const typed = event.typed && ended;
    ended = undefined;
    const command = typed && commandOf(typed.call.arguments);
    return typed && command !== undefined ? { command, ...typed } : undefined;
  };
}
