import { randomUUID } from "node:crypto";
import { redact } from "@ikigai/agent";
import { callTool } from "@ikigai/core";
import { EventView } from "./event-view.ts";
import type { Session } from "./session.ts";

/**
 * Runs what the user typed behind `!`, by the bash tool and without a question. Both the command and what came of it become
 * part of the conversation.
 */
export async function runTypedCommand(command: string, session: Session, signal: AbortSignal): Promise<void> {
  const { agent, screen } = session;
  if (command === "") return screen.print("Expected a command behind the !, for instance: !git status\n");
  const { places, config, conversation, env, overflowDir } = agent;
  const id = `typed-${randomUUID()}`;
  const args = JSON.stringify({ command });
  const registry = await agent.toolbox.current();
  const view = new EventView({ screen, cwd: places.projectDir, withOutput: true });
  const outcome = await callTool(registry, "bash", args, {
    ...config.tools?.bash,
    cwd: places.projectDir,
    projectDir: places.projectDir,
    sessionId: conversation.id,
    callId: id,
    env,
    overflowDir,
    signal,
  });
  view.show({ type: "tool_result", id, name: "bash", ...outcome });
  const text = redact(
    `I ran a command myself, by the bash tool:\n${args}\nIts result:\n${outcome.json}`,
    agent.secrets,
  );
  conversation.log.append({ type: "user", text });
  conversation.messages.push({ role: "user", text });
}
