import { randomUUID } from "node:crypto";
import { runTypedCall } from "@ikigai/agent/internal";
import type { Session } from "../session/session.ts";
import { typedCallOptions } from "../session/typed-call.ts";
import { EventView } from "./event-view.ts";

/**
 * Runs what the user typed behind `!`, by the bash tool and without a question. Both the command and what came of it become
 * part of the conversation.
 */
export async function runTypedCommand(command: string, session: Session, signal: AbortSignal): Promise<void> {
  const { agent, screen } = session;
  if (command === "") return screen.print("Expected a command behind the !, for instance: !git status\n");
  const { places, conversation, secrets } = agent;
  const id = `typed-${randomUUID()}`;
  const registry = await agent.toolbox.current();
  const view = new EventView({ screen, cwd: places.projectDir, withOutput: true, isEchoed: session.input.canAsk });
  const call = { name: "bash", arguments: JSON.stringify({ command }) };
  const outcome = await runTypedCall(conversation, call, registry, {
    ...typedCallOptions(agent, id, signal),
    secrets,
  });
  view.show({ type: "tool_result", id, name: "bash", ...outcome });
}
