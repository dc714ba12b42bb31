import type { RegisteredTool } from "@ikigai/core";
import { toMcpTool } from "./offered-tools.ts";

/** How often the files of the tools are looked at, in milliseconds. A look costs one `stat` for each. */
const intervalMs = 2_000;

/** Follows what clients know about the tools. */
export interface ToolWatch {
  /** A client got this list. */
  listed(tools: readonly RegisteredTool[]): void;
  end(): void;
}

/** Calls `changed` after a change of what was listed, once for each change; never before a client asked for the list. */
export function watchTools(current: () => Promise<readonly RegisteredTool[]>, changed: () => void): ToolWatch {
  let known: string | undefined;
  let isLooking = false;
  const look = async () => {
    if (known === undefined || isLooking) return;
    isLooking = true;
    try {
      const now = describe(await current());
      if (now !== known) changed();
      known = now;
    } finally {
      isLooking = false;
    }
  };
  // What fails here fails in the client's next request too, which reports it.
  const timer = setInterval(() => void look().catch(() => {}), intervalMs);
  return {
    listed(tools) {
      known = describe(tools);
    },
    end: () => clearInterval(timer),
  };
}

function describe(tools: readonly RegisteredTool[]): string {
  return JSON.stringify(tools.map(toMcpTool));
}
