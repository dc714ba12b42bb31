// Where other agents have the user's files, and the notice about them at the very first start.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import type { otherAgentNames } from "../../args/commands.ts";

/** Another agent on this machine. */
export interface AgentPlace {
  readonly title: string;
  readonly directory: (home: string, env: NodeJS.ProcessEnv) => string;
}

/** The agents that `ikigai import` knows. */
export const otherAgentPlaces: Readonly<Record<(typeof otherAgentNames)[number], AgentPlace>> = {
  claude: { title: "Claude Code", directory: (home, env) => env.CLAUDE_CONFIG_DIR || join(home, ".claude") },
  codex: { title: "Codex", directory: (home, env) => env.CODEX_HOME || join(home, ".codex") },
  gemini: { title: "Gemini CLI", directory: (home) => join(home, ".gemini") },
  opencode: {
    title: "opencode",
    directory: (home, env) => join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode"),
  },
  pi: { title: "pi", directory: (home, env) => env.PI_CODING_AGENT_DIR || join(home, ".pi/agent") },
};

/** Names the agents whose files can be taken over, as long as ikigai has none of its own. Costs one lookup once it has. */
export function importNotice({ home, userHome }: Places, env: NodeJS.ProcessEnv): string | undefined {
  if (existsSync(home)) return undefined;
  const found = Object.entries(otherAgentPlaces).filter(([, { directory }]) => existsSync(directory(userHome, env)));
  if (found.length === 0) return undefined;
  const titles = found.map(([, { title }]) => title).join(", ");
  return `To take over what you have in ${titles}: ${found.map(([name]) => `ikigai import ${name}`).join(", ")}`;
}
