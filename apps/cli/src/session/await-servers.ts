import { sanitiseLine } from "../render/sanitise.ts";
import type { Session } from "./session.ts";

/** Waits until the MCP servers of `--mcp` have said what they have, or the signal aborts; says once which cannot be used. */
export async function awaitServers({ agent, screen, input }: Session, signal?: AbortSignal): Promise<void> {
  const { servers } = agent;
  if (!servers) return;
  const { style } = screen;
  const tell = (lines: readonly string[], colour: (text: string) => string) => {
    if (lines.length > 0)
      input.aside(() => screen.print(lines.map((line) => `${colour(sanitiseLine(line))}\n`).join("")));
  };
  const waiting = servers.loading();
  if (signal && waiting.length > 0) tell([`Waiting for MCP servers: ${waiting.join(", ")}`], style.dim);
  await servers.untilLoaded(signal);
  tell(servers.takeNews(), style.yellow);
}
