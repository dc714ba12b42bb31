import type { TypedCall } from "@ikigai/models";
import { realPathOf } from "@ikigai/system";
import { AgentError } from "../agent-error.ts";
import type { Conversation } from "../session/conversation.ts";
import { readAllLines, readKeptLines } from "../session/read-kept-lines.ts";
import { readSession } from "../session/read-session.ts";
import type { SessionEvent } from "../session/session-event.ts";
import { followTypedCalls } from "../session/typed-calls.ts";
import { contentHash } from "./checkpoints.ts";
import type { ChangedFile } from "./restore-file.ts";

type Checkpoint = Extract<SessionEvent, { type: "checkpoint" }>;

/** A user message that a conversation can be rewound to. */
export interface UserTurn {
  /** Identifies the line. */
  readonly seq: number;
  readonly time: Date;
  readonly text: string;
  /** The call that the user made, if the text reports one. */
  readonly typed?: TypedCall;
}

/**
 * Returns the user's messages in a conversation, without rewound ones.
 *
 * @throws the system's error if the session cannot be read; AgentError `session_not_saved`.
 */
export function userTurns(conversation: Conversation): UserTurn[] {
  const turns: UserTurn[] = [];
  const typedIn = followTypedCalls();
  for (const event of readKeptLines(wholeFile(conversation))) {
    const reported = typedIn(event);
    if (event.type !== "user") continue;
    const { seq, time, text } = event;
    turns.push({ seq, time: new Date(time), text, ...(reported && { typed: reported.report.typed }) });
  }
  return turns;
}

/**
 * Returns the files that calls naming them have changed since a message. Changes by commands are unknown.
 *
 * @throws as `userTurns` does.
 */
export function changedFiles(conversation: Conversation, to: number): ChangedFile[] {
  const log = wholeFile(conversation);
  const files = new Map<string, { checkpoint: Checkpoint; left: string | null | undefined }>();
  for (const event of readKeptLines(log)) {
    if (event.seq < to) continue;
    const known = "path" in event ? files.get(event.path) : undefined;
    if (event.type === "checkpoint" && !known) files.set(event.path, { checkpoint: event, left: undefined });
    if (event.type === "changed" && known) known.left = event.sha256;
  }
  const places = { projectDir: realPathOf(conversation.cwd), logPath: log.path };
  return [...files].flatMap(([path, { checkpoint, left }]) => {
    const { kept, parent, mode, uid, gid } = checkpoint;
    const now = contentHash(path);
    if (now === (kept === null ? null : contentHash(kept))) return [];
    return [{ path, kept, isChangedSince: left !== undefined && now !== left, parent, mode, uid, gid, ...places }];
  });
}

/**
 * Rewinds a conversation to before a user message. The log keeps everything.
 *
 * @throws as `userTurns` does; AgentError `session_not_saved` if the log cannot be written at the moment.
 */
export function rewindConversation(conversation: Conversation, to: number): void {
  wholeFile(conversation);
  conversation.log.append({ type: "rewind", to });
  const { messages, introduced, measured } = readSession(wholeFile(conversation).path);
  conversation.messages.splice(0, conversation.messages.length, ...messages);
  conversation.introduced.splice(0, conversation.introduced.length, ...introduced);
  conversation.measured = measured;
}

/**
 * Returns the `seq` of the rewind after which there is no message yet: rewinding to it takes it back.
 *
 * @throws as `userTurns` does.
 */
export function lastRewind(conversation: Conversation): number | undefined {
  let last: number | undefined;
  for (const event of readAllLines(wholeFile(conversation))) {
    if (event.type === "rewind") last = event.seq;
    if (event.type === "user") last = undefined;
  }
  return last;
}

/** The file of a conversation, which must have all of it: what is missing there could not be rewound. */
function wholeFile({ log }: Conversation): { readonly path: string; readonly unwritten: readonly [] } {
  log.retry();
  const { path, problem } = log;
  if (path === undefined || problem !== undefined)
    throw new AgentError("session_not_saved", problem ?? "This session is not being saved.");
  return { path, unwritten: [] };
}
