import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Places } from "@ikigai/agent/internal";

/** A directory that stays when ikigai is removed. */
export interface LeftDirectory {
  readonly path: string;
  /** A sentence about it, without a full stop. */
  readonly what: string;
}

/** Returns the directories outside of projects that ikigai and its tools have created. */
export function whatStays({ home, userHome }: Places, env: NodeJS.ProcessEnv): readonly LeftDirectory[] {
  const base = (variable: string, usual: string) =>
    isAbsolute(env[variable] ?? "") ? String(env[variable]) : join(userHome, usual);
  const pages = "Web pages that web_fetch has read stay";
  const all = [
    { path: home, what: "Your settings, sessions and tools, and keys in credentials.json, stay" },
    { path: join(base("XDG_CACHE_HOME", ".cache"), "ikigai"), what: pages },
    { path: join(tmpdir(), `ikigai-web-${process.getuid?.() ?? "user"}`), what: pages },
    {
      path: join(base("XDG_STATE_HOME", ".local/state"), "ikigai"),
      what: "The worktrees of agents, with changes that may be nowhere else, stay",
    },
  ];
  return all.filter(({ path }) => existsSync(path));
}
