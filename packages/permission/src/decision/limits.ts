// What the agents above one allow: a call as each of them would have to make it, perhaps from another directory.

import { isAbsolute } from "node:path";
import type { RegisteredTool } from "@ikigai/core";
import type { JsonObject, ToolAccess } from "@ikigai/protocol";
import { shellWord } from "@ikigai/system";
import { callDirectory, type PendingCall, type Permission, type PermissionLimit } from "../permission.ts";
import { argumentsRead, declaredAccess } from "../targets/paths.ts";
import { argumentsOf } from "./call-facts.ts";

/**
 * Returns a call as the agent that sets a limit would have to make it, and the permission that then decides: an agent in another
 * directory must not do there what relative rules and "inside the project" do not allow here.
 */
export function withinLimit(
  call: PendingCall,
  tool: RegisteredTool,
  { home, readableDirs, sandboxOf, agreedNeeds, gitWrites, ...place }: Permission,
  { projectDir = place.projectDir, rules, ...limit }: PermissionLimit,
): { readonly seen: PendingCall; readonly permission: Permission } {
  const others = {
    ...(readableDirs && { readableDirs }),
    ...(sandboxOf && { sandboxOf }),
    ...(agreedNeeds && { agreedNeeds }),
    ...(gitWrites && { gitWrites }),
  };
  const permission = { ...limit, rules: [...rules], projectDir, home, ...others };
  const own = callDirectory(place);
  return { seen: projectDir === own ? call : seenFrom(call, tool, own), permission };
}

/** Returns the same call as it would be made from another directory: with absolute paths, and commands that change the directory first. */
export function seenFrom(call: PendingCall, tool: RegisteredTool, directory: string): PendingCall {
  const declared = declaredAccess(tool);
  const { access } = declared;
  if (!access) return call;
  const args = argumentsRead(argumentsOf(call), declared);
  const changed = access.kind === "run-command" ? withCd(args, access, directory) : withPath(args, access, directory);
  return changed ? { ...call, arguments: JSON.stringify(changed), value: changed } : call;
}

type CommandAccess = Extract<ToolAccess, { kind: "run-command" }>;

function withCd(args: JsonObject, { command: name }: CommandAccess, directory: string): JsonObject | undefined {
  const command = args[name];
  return typeof command === "string" ? { ...args, [name]: `cd ${shellWord(directory)} && ${command}` } : undefined;
}

function withPath(
  args: JsonObject,
  { path: name }: Exclude<ToolAccess, CommandAccess>,
  directory: string,
): JsonObject | undefined {
  // A tool that gets null searches its directory, as without a path.
  const path = args[name] ?? ".";
  if (typeof path !== "string") return undefined;
  // Not normalised: `link/..` is the parent of the link's target.
  return { ...args, [name]: isAbsolute(path) ? path : `${directory}/${path || "."}` };
}
