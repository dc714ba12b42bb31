import { type ServeCall, serveCalls } from "@ikigai/agent/internal";
import type { Agent } from "../host/open-agent.ts";
import type { Served } from "./create-server.ts";
import { offeredTools, type WantedTools } from "./offered-tools.ts";

/** Calls that may wait for others: more are a mistake, and each keeps its arguments in memory. */
const maxOpenCalls = 1_000;

/** What an agent serves, and how to end it. */
export interface ServedAgent extends Pick<Served, "tools" | "call"> {
  /** Stops all calls; resolves when they are answered. No other starts afterwards. */
  stop(): Promise<void>;
}

/**
 * @param wanted the tools that clients get.
 * @param notice tells the user something, one sentence.
 */
export function serveAgent(agent: Agent, wanted: WantedTools, notice: (text: string) => void): ServedAgent {
  const serve: ServeCall = serveCalls(agent, notice);
  const open = new Map<Promise<unknown>, AbortController>();
  let isEnding = false;
  return {
    tools: async () => offeredTools(await agent.toolbox.current(), wanted),
    async call({ signal, onProgress, ...call }) {
      if (isEnding) return { problem: "ikigai is ending." };
      if (open.size >= maxOpenCalls)
        return { problem: `${maxOpenCalls} calls are running or waiting. Wait until some have ended.` };
      const controller = new AbortController();
      const stop = () => controller.abort();
      signal.addEventListener("abort", stop);
      const end = agent.toolbox
        .last()
        .then((registry) => serve({ ...call, signal: controller.signal, ...(onProgress && { onProgress }) }, registry));
      open.set(end, controller);
      return end.finally(() => {
        open.delete(end);
        signal.removeEventListener("abort", stop);
      });
    },
    async stop() {
      isEnding = true;
      for (const controller of open.values()) controller.abort();
      await Promise.allSettled(open.keys());
    },
  };
}
