import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findHooks } from "@ikigai/core/hooks";
import type { SessionLine } from "@ikigai/session";
import type { Hooks } from "../src/hooks/run-hooks.ts";
import type { TurnOptions } from "../src/turn/turn-context.ts";
import { type Agent, agent } from "./agent-setup.ts";
import { modelServer, type Reply } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const [anthropic] = providers;

/** Writes an executable shell script below a directory; returns its path. */
export function writeHook(directory: string, name: string, ...lines: readonly string[]): string {
  const path = join(directory, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${lines.join("\n")}\n`, { mode: 0o755 });
  return path;
}

/** An agent with hooks. */
export interface HookedAgent extends Agent {
  readonly hooks: Hooks;
  /** Adds a hook of the user; returns its path. */
  hook(name: string, ...lines: readonly string[]): string;
  /** Adds a hook of the project, which must still be trusted. */
  projectHook(name: string, ...lines: readonly string[]): string;
  /** Runs a turn in which the model answers with these steps. */
  turn(replies: readonly Reply[], options?: Partial<TurnOptions>): ReturnType<Agent["say"]>;
  /** The requests of the last turn, as text. */
  sent(): string[];
  /** The lines of the log about runs of hooks. */
  runs(): (SessionLine & { type: "hook" })[];
}

/** A project, a user with tools, and a conversation in mode allow with hooks. */
export async function hookedAgent(
  tools: Record<string, string>,
  ...rest: Parameters<typeof agent> extends [unknown, ...infer Rest] ? Rest : never
): Promise<HookedAgent> {
  const one = await agent(tools, ...rest);
  const { home, project } = one;
  const hooks: Hooks = {
    finder: findHooks({ home, projectDir: project }),
    options: { home, projectDir: project, env: process.env },
    told: new Set<string>(),
    sessions: new Map(),
    untold: [],
  };
  let requests: () => string[] = () => [];
  return {
    ...one,
    hooks,
    hook: (name, ...lines) => writeHook(join(home, "hooks"), name, ...lines),
    projectHook: (name, ...lines) => writeHook(join(project, ".ikigai/hooks"), name, ...lines),
    async turn(replies, options = {}) {
      const server = await modelServer(...replies);
      requests = () => server.requests.map(({ body }) => JSON.stringify(body));
      return one.say(await modelOf(anthropic, server.url), "go", { hooks, ...options });
    },
    sent: () => requests(),
    runs: () => one.log().filter((line): line is SessionLine & { type: "hook" } => line.type === "hook"),
  };
}

/** A step with one call. */
export function callOf(name: string, args: object = {}, id = "c0"): Reply {
  return { calls: [{ id, name, arguments: JSON.stringify(args) }] };
}

/** A line of a script that answers with an object. */
export function answers(value: object): string {
  return `cat <<'END'\n${JSON.stringify(value)}\nEND`;
}
