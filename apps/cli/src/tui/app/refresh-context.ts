import { type ContextFrame, modelTools } from "@ikigai/agent/internal";
import { systemFor } from "../../host/open-agent.ts";
import { redraw, type Tui } from "./tui.ts";

/** What would be sent beside the messages, as things are now. */
export async function frameOf({ session }: Tui): Promise<ContextFrame> {
  const { agent } = session;
  return { system: systemFor(agent), tools: modelTools(await agent.toolbox.last()) };
}

/** Lets the footer know it: to put it together at every key would be too much. */
export async function refreshFrame(tui: Tui): Promise<void> {
  tui.frame = await frameOf(tui);
  redraw(tui);
}
