import { type ContextFrame, modelTools, systemFor } from "@ikigai/agent/internal";
import type { Tui } from "./tui.ts";

/** What would be sent beside the messages, as things are now. */
export async function contextOf({ session }: Tui): Promise<ContextFrame> {
  const { agent } = session;
  return { system: systemFor(agent), tools: modelTools(await agent.toolbox.last()) };
}

/** Lets the footer know it: to put it together at every key would be too much. */
export async function refreshFrame(tui: Tui): Promise<void> {
  tui.setContext(await contextOf(tui));
}
