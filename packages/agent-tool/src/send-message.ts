import { randomBytes } from "node:crypto";
import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { lockHolder, makePrivateDirectory, writePrivateFile } from "@ikigai/system";
import { AgentFailure } from "./agent-failure.ts";
import type { SessionAgent } from "./session-agents.ts";

/** The longest message, in bytes. */
const maxMessageBytes = 16_384;

/** How many messages wait for an agent at most. */
const maxWaiting = 100;

/**
 * Sends a message to a running agent, which reads it before its next request.
 *
 * @throws AgentFailure `INVALID_ARG` for a message that is empty or too long; `NOT_SENT` if the agent is not running, or too many
 *   messages wait. The system's error if it cannot be written.
 */
export function sendMessage({ session, inbox, lock }: SessionAgent, text: string, from: string): void {
  const bytes = Buffer.byteLength(text);
  if (text.trim() === "") throw new AgentFailure("INVALID_ARG", "The message is empty");
  if (bytes > maxMessageBytes) {
    throw new AgentFailure("INVALID_ARG", `The message has ${bytes} bytes. At most ${maxMessageBytes} are allowed.`);
  }
  const isRunning = () => lockHolder(lock) !== undefined;
  if (!isRunning()) throw notRunning(session);
  makePrivateDirectory(inbox);
  if (readdirSync(inbox).length >= maxWaiting) {
    const why = `The agent ${session} has ${maxWaiting} messages that it has not read`;
    throw new AgentFailure("NOT_SENT", why, { hint: "Wait until it has read them." });
  }
  // Named by time: messages are read in the order they were sent.
  const path = join(inbox, `${Date.now()}-${process.hrtime.bigint()}-${randomBytes(4).toString("hex")}.json`);
  writePrivateFile(`${path}.part`, JSON.stringify({ from, text }));
  renameSync(`${path}.part`, path);
  if (isRunning()) return;
  rmSync(path, { force: true });
  throw notRunning(session);
}

function notRunning(session: string): AgentFailure {
  return new AgentFailure("NOT_SENT", `The agent ${session} is not running`, {
    hint: "Start another one; with from it knows what this one knew.",
  });
}
