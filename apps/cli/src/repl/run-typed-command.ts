import { randomUUID } from "node:crypto";
import { callTool, type Outcome } from "@ikigai/core";
import { createEventView } from "./event-view.ts";
import type { Session } from "./session.ts";

/** Runs what the user typed behind `!`, by the bash tool and without a question. The model sees it with the next message. */
export async function runTypedCommand(command: string, session: Session, signal: AbortSignal): Promise<void> {
  const { agent, screen, asides, env } = session;
  if (command === "") return screen.print("Expected a command behind the !, for instance: !git status\n");
  const { projectDir } = agent.places;
  const id = randomUUID();
  const args = JSON.stringify({ command });
  const view = createEventView(screen);
  view.show({ type: "tool_call", id, name: "bash", arguments: args });
  const outcome = await callTool(await agent.toolbox.current(), "bash", args, {
    ...agent.config.tools?.bash,
    cwd: projectDir,
    projectDir,
    sessionId: agent.conversation.id,
    callId: id,
    env,
    signal,
  });
  view.show({ type: "tool_result", id, name: "bash", ...outcome });
  asides.push(describe(command, outcome));
}

/** What the model is told of it. */
function describe(command: string, { json }: Outcome): string {
  return `I ran this command myself: ${command}\nThis is what came: ${json}`;
}
