import type { UserMessage } from "../model/message.ts";
import type { SessionEvent } from "./session-event.ts";

/** What the user typed: the command behind its `!` where the message tells of one, else the message. */
export function asTyped({ text, command }: Pick<UserMessage, "text" | "command">): string {
  return command === undefined ? text : `!${command}`;
}

/** The command of a call of the user's, from its arguments; undefined for a tool that runs none. */
export function commandOf(args: string): string | undefined {
  try {
    const { command } = JSON.parse(args) as { command?: unknown };
    return typeof command === "string" ? command : undefined;
  } catch {
    return undefined;
  }
}

/** A call that the user made, of which the message that follows it tells the model. */
export interface TypedCommand {
  readonly command: string;
  readonly call: Extract<SessionEvent, { type: "typed_call" }>;
}

/**
 * Follows a log from its beginning: the function that it returns is given every line, and says of one of the user's which
 * command it tells of. The log has that in the call and its result, which come right before.
 */
export function followTypedCommands(): (event: SessionEvent) => TypedCommand | undefined {
  const calls = new Map<string, TypedCommand["call"]>();
  let ended: TypedCommand["call"] | undefined;
  return (event) => {
    if (event.type === "typed_call") calls.set(event.id, event);
    if (event.type === "tool_result") ended = calls.get(event.id);
    if (event.type !== "user") return undefined;
    const call = event.typed && ended;
    ended = undefined;
    const command = call && commandOf(call.arguments);
    return call && command !== undefined ? { command, call } : undefined;
  };
}
