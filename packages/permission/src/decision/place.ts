// Where a call runs: in the sandbox, read-only or with the project writable, or outside; and what the sandbox does not let a call do.

import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import type { RegisteredTool } from "@ikigai/core";
import { isInside } from "@ikigai/system";
import type { Permission, RunPlace, SandboxUse, Verdict } from "../permission.ts";
import { changesFile, isInsideProject, isSearchAccess, realTarget } from "../targets/paths.ts";
import type { CallFacts } from "./call-facts.ts";
import { hasPathRules, pathVerdict, protectionOf } from "./rule-match.ts";

/** Where a call runs. What the user is asked about runs outside the sandbox if that is what the question is about. */
export function placeOf(
  facts: CallFacts,
  permission: Permission,
  { verdict, onlyReads }: { readonly verdict: Verdict; readonly onlyReads?: true },
): RunPlace {
  const held = heldPlace(facts, permission);
  if (facts.outside !== undefined) return "outside";
  if (facts.commits) return "committing";
  // Language servers may run code of the project.
  if (isChecker(facts.tool) && sandboxFor(facts, permission))
    return changesFile(facts.declared.access) ? "working" : "reading";
  if (onlyReads && permission.mode !== "auto" && sandboxFor(facts, permission)) return "reading";
  // Where what a rule denies is hidden.
  const isSearch = isSearchAccess(facts.declared.access) && hasPathRules(permission);
  if (isSearch && verdict === "allow" && held === "outside" && sandboxFor(facts, permission)) return "reading";
  return verdict === "ask" && leavesProject(facts, permission) ? "outside" : held;
}

/** Where a call runs that no one has let out of the sandbox. */
export function heldPlace(facts: CallFacts, permission: Permission): RunPlace {
  const sandbox = sandboxFor(facts, permission);
  const { mode } = permission;
  if (sandbox === undefined) return "outside";
  if (mode === "plan" && isHeldByPlace(facts)) return "reading";
  return sandbox === "on" || mode === "auto" ? "working" : "outside";
}

/** What the sandbox is for a call, if it can hold the call. */
export function sandboxFor({ tool }: CallFacts, { sandboxOf }: Permission): SandboxUse | undefined {
  return sandboxOf?.(tool);
}

/** Whether files are all that a call can reach: ikigai's own tools for the web are asked about, wherever they run. */
export function isHeldByPlace({ tool, declared: { access } }: CallFacts): boolean {
  return tool.scope !== "system" || access !== undefined;
}

/** Whether it is the system's tool that asks language servers. */
function isChecker({ scope, schema }: RegisteredTool): boolean {
  return scope === "system" && schema.ikigai?.diagnostics !== undefined;
}

/** Whether a call of a system tool concerns a file that the sandbox does not let it change, or may hide. */
function leavesProject(facts: CallFacts, permission: Permission): boolean {
  const { tool, declared, filePath } = facts;
  const { access } = declared;
  if (tool.scope !== "system" || access === undefined || access.kind === "run-command") return false;
  return (
    isSearchAccess(access) ||
    !isInsideProject(filePath?.real, permission) ||
    placeVerdict(facts, permission) !== undefined ||
    protectionOf(filePath?.real ?? "", permission) !== undefined
  );
}

/** Whether a call of a system tool changes a file where the sandbox lets nothing be changed. */
export function changesOutside({ tool, declared, filePath }: CallFacts, permission: Permission): boolean {
  if (tool.scope !== "system" || !changesFile(declared.access) || isInsideProject(filePath?.real, permission))
    return false;
  const { real } = filePath ?? {};
  if (real === undefined) return true;
  const project = realTarget(".", permission.projectDir) ?? permission.projectDir;
  return !["/tmp", "/var/tmp", tmpdir()].some((directory) => {
    // The sandbox has files of its own there, except the directories that lead to a project in there.
    const [top = ""] = isInside(project, directory) ? relative(directory, project).split("/") : [];
    return isInside(real, directory) && !(top !== "" && isInside(real, join(directory, top)));
  });
}

/** What the rules about places say; found out once, since they may take a look at the project's files. */
export function placeVerdict(facts: CallFacts, permission: Permission): ReturnType<typeof pathVerdict> {
  const known = placed.get(facts);
  if (known?.permission === permission) return known.verdict;
  const verdict = pathVerdict(facts, permission, sandboxFor(facts, permission) !== undefined);
  placed.set(facts, { permission, verdict });
  return verdict;
}

const placed = new WeakMap<CallFacts, { permission: Permission; verdict: ReturnType<typeof pathVerdict> }>();
