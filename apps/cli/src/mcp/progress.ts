import type { Progress } from "@ikigai/protocol";
import type { ServerContext } from "@modelcontextprotocol/server";

/** Returns a function that passes a tool's progress on, if the client wants it. In MCP progress must increase; other reports are dropped. */
export function progressTo({ mcpReq }: ServerContext): ((progress: Progress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = Number.NEGATIVE_INFINITY;
  return ({ progress, total, message }) => {
    // JSON has no infinite numbers.
    if (!Number.isFinite(progress) || progress <= last || mcpReq.signal.aborted) return;
    last = progress;
    const params = {
      progressToken,
      progress,
      ...(total !== undefined && Number.isFinite(total) && { total }),
      ...(message !== undefined && { message }),
    };
    // A client that is gone gets no progress either.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
