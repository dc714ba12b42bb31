import { closeSync, existsSync, readSync } from "node:fs";
import type { Message } from "@ikigai/models";
import { openRegularFile } from "@ikigai/system";
import { AgentError } from "../agent-error.ts";
import type { Conversation } from "./conversation.ts";
import { findUndone, parseLine } from "./parse-line.ts";
import type { HostUse, SessionLine } from "./session-event.ts";
import type { SessionLog } from "./session-log.ts";

/**
 * Yields the valid lines of a session: readable and not rewound, and also those that could not be written to the file yet.
 *
 * @throws the system's error if the file exists but cannot be read.
 */
export function* readKeptLines(log: Pick<SessionLog, "path" | "unwritten">): Generator<SessionLine> {
  const isUndone = findUndone(allLines(log));
  let index = 0;
  for (const line of allLines(log)) {
    const event = isUndone(index++) ? undefined : parseLine(line);
    if (event) yield event;
  }
}

/** Yields the valid lines of a session, rewound ones too. @throws as `readKeptLines` does. */
export function* readAllLines(log: Pick<SessionLog, "path" | "unwritten">): Generator<SessionLine> {
  for (const line of allLines(log)) {
    const event = parseLine(line);
    if (event) yield event;
  }
}

/** A call, and the hosts that it reached or was refused. */
export interface NetworkedCall {
  readonly call: { readonly name: string; readonly arguments: string };
  readonly hosts: readonly HostUse[];
}

/** Returns the calls that used the network, in order, also those of turns that were rewound. @throws as `readKeptLines` does. */
export function networkedCalls({ log }: Pick<Conversation, "log">): NetworkedCall[] {
  const calls = new Map<string, NetworkedCall["call"]>();
  const found: NetworkedCall[] = [];
  for (const line of readAllLines(log)) {
    if (line.type === "tool_call") calls.set(line.id, { name: line.name, arguments: line.arguments });
    const call = line.type === "network" ? calls.get(line.id) : undefined;
    if (call && line.type === "network") found.push({ call, hosts: line.hosts });
  }
  return found;
}

function* allLines({ path, unwritten }: Pick<SessionLog, "path" | "unwritten">): Generator<string> {
  if (path !== undefined && existsSync(path)) yield* readLines(path);
  yield* unwritten;
}

/** Returns the model's last answer, even if a summary replaced it; `undefined` without one. */
export function lastAnswer({ messages, log }: Conversation): string | undefined {
  const text = messages.map(textOf).findLast((found) => found !== "");
  return text ?? lastLoggedAnswer(log);
}

function textOf(message: Message): string {
  if (message.role !== "assistant") return "";
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

function lastLoggedAnswer(log: Conversation["log"]): string | undefined {
  let last: string | undefined;
  let step = "";
  for (const event of readKeptLines(log)) {
    if (event.type === "text") step += event.text;
    if (event.type !== "step_end") continue;
    last = step || last;
    step = "";
  }
  return last;
}

const chunkBytes = 1_048_576;
const newline = 0x0a;

/** Longer lines are not ikigai's, in bytes. */
const maxLineBytes = 64 * 1_048_576;

/**
 * Yields the whole lines of a file one by one, holding only the longest in memory. Text after the last newline is not a
 * line: `torn` is called if there is any.
 *
 * @throws the system's error; AgentError `session_unreadable` if it is not a regular file.
 */
export function* readLines(path: string, torn: () => void = () => {}): Generator<string> {
  const fd = openRegularFile(path);
  if (fd === undefined) throw new AgentError("session_unreadable", `${path} is not a regular file.`);
  try {
    let rest: Buffer[] = [];
    let restBytes = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const bytes = readSync(fd, chunk);
      if (bytes === 0) break;
      const data = chunk.subarray(0, bytes);
      let start = 0;
      for (let end = data.indexOf(newline); end >= 0; end = data.indexOf(newline, start)) {
        const piece = data.subarray(start, end);
        yield rest.length > 0 ? Buffer.concat([...rest, piece]).toString("utf8") : piece.toString("utf8");
        rest = [];
        restBytes = 0;
        start = end + 1;
      }
      if (start < bytes && restBytes < maxLineBytes) rest.push(data.subarray(start));
      restBytes += bytes - start;
    }
    if (restBytes > 0) torn();
  } finally {
    closeSync(fd);
  }
}
