// What a call does, as far as that is certain: whether it only reads, asks, loads or edits in the project. What is not certain of a call
// is left to rules and mode.

import type { RegisteredTool } from "@ikigai/core";
import { startsAgents } from "@ikigai/core/internal";
import { isInside } from "@ikigai/system";
import type { Permission } from "../permission.ts";
import { partsProblem } from "../shell/reading.ts";
import {
  changesFile,
  isFree,
  isInsideProject,
  isSearchAccess,
  projectBounds,
  realTarget,
  searchesInside,
} from "../targets/paths.ts";
import type { CallFacts } from "./call-facts.ts";
import { sandboxFor } from "./place.ts";
import { hasPathRules, readsUnasked } from "./rule-match.ts";

/**
 * Whether a tool may be asked about in plan mode. Its own declaration is not enough to run it without a question. Agents that the
 * system's tool starts are in plan mode, too.
 */
function onlyReads(tool: RegisteredTool): boolean {
  const { scope, schema } = tool;
  return (scope !== "project" && schema.annotations?.readOnlyHint === true) || isAgentTool(tool);
}

/** Whether it is the system's tool that starts agents: what these do is decided call by call. */
export function isAgentTool(tool: RegisteredTool): boolean {
  return tool.scope === "system" && startsAgents(tool);
}

/** Whether a call may change something, for all that is known about it. */
export function changesSomething(facts: CallFacts, permission: Permission): boolean {
  return makesWorktree(facts) || (!onlyReads(facts.tool) && !managesJobs(facts) && !commandReads(facts, permission));
}

/** Whether it is a call that starts an agent in a copy of the repository: that makes a branch and files. */
export function makesWorktree({ tool, args }: CallFacts): boolean {
  return isAgentTool(tool) && Boolean(args.worktree);
}

/** Whether it is a call of a system tool that does nothing but ask the user, or keep something for the session. */
export function staysInSession({ tool, declared: { access } }: CallFacts): boolean {
  const { scope, schema } = tool;
  const { host = [], state = false } = schema.ikigai ?? {};
  const onlyAsks = host.join() === "ask";
  return scope === "system" && access === undefined && onlyReads(tool) && (onlyAsks || (state && host.length === 0));
}

/** Whether it is a call of the system's tool for jobs. What it writes to one could be a command. */
export function managesJobs({ tool, args }: CallFacts): boolean {
  const { scope, schema } = tool;
  return scope === "system" && schema.ikigai?.host?.join() === "job" && args.action !== "input";
}

/** Whether it is a call of a system tool that loads tools and skills: a schema is no permission. */
export function onlyLoads({ tool, declared: { access } }: CallFacts): boolean {
  const { scope, schema } = tool;
  return scope === "system" && access === undefined && schema.ikigai?.catalog === true && onlyReads(tool);
}

/** Whether it is a call of a system tool that only reads files. */
export function readsFiles({ tool, declared: { access } }: CallFacts): boolean {
  return tool.scope === "system" && (access?.kind === "read-file" || isSearchAccess(access));
}

export function readsInside(facts: CallFacts, permission: Permission): boolean {
  const { projectDir, readableDirs = [] } = permission;
  const { args, filePath, declared } = facts;
  const { access } = declared;
  if (!readsFiles(facts)) return false;
  if (!isSearchAccess(access)) {
    const { real } = filePath ?? {};
    const isReadable = (directory: string) => {
      const realDirectory = realTarget(directory, projectDir);
      return real !== undefined && realDirectory !== undefined && isInside(real, realDirectory);
    };
    return isInsideProject(real, permission) || readableDirs.some(isReadable);
  }
  const named = args[access.path];
  const place = realTarget(typeof named === "string" && named !== "" ? named : ".", projectDir);
  const bounds = projectBounds(permission);
  if (place === undefined || bounds === undefined || !isFree(place, bounds)) return false;
  return searchesInside(access, args, projectDir, bounds);
}

export function editsInside({ tool, declared, filePath }: CallFacts, permission: Permission): boolean {
  return tool.scope === "system" && changesFile(declared.access) && isInsideProject(filePath?.real, permission);
}

/** What was found out about a call: it takes longer than all else, and a decision needs it several times. */
const reading = new WeakMap<CallFacts, boolean>();

/** Whether it is a command of the system's bash that is known to be read-only. Commands on other machines never are. */
export function commandReads(facts: CallFacts, permission: Permission): boolean {
  const { command, commands, isForeign } = facts;
  if (command === undefined || isForeign || !readsUnasked(facts, permission)) return false;
  // Only the sandbox keeps a command from such a place.
  if (hasPathRules(permission) && sandboxFor(facts, permission) === undefined) return false;
  const known = reading.get(facts);
  if (known !== undefined) return known;
  const reads =
    partsProblem(commands, { ...permission, isHeld: sandboxFor(facts, permission) !== undefined }) === undefined;
  reading.set(facts, reads);
  return reads;
}
