import type { ToolSchema, ToolScope } from "@ikigai/protocol";
import type { FileIdentity } from "./file-identity.ts";

/** A tool of the same name in a farther directory. */
export interface Shadowed {
  readonly path: string;
  readonly scope: ToolScope;
}

/** A tool that can be called. */
export interface RegisteredTool {
  readonly name: string;
  /** Where it was found; links are not resolved. */
  readonly path: string;
  readonly scope: ToolScope;
  readonly schema: ToolSchema;
  /** The file that gave the schema. */
  readonly identity: FileIdentity;
  /** What it overrides, the nearest first. */
  readonly shadows: readonly Shadowed[];
  /** What is odd about it, a sentence each; it works all the same. */
  readonly warnings: readonly string[];
}

/** Why a file that looks like a tool is none. */
export type FailureReason =
  | "timeout"
  | "crash"
  | "invalid JSON"
  | "invalid schema"
  | "too large"
  | "not executable"
  | "untrusted"
  | "invalid name";

/** A file that looks like a tool, and was skipped. What it would have overridden stays in use. */
export interface FailedTool {
  readonly name: string;
  readonly path: string;
  readonly scope: ToolScope;
  readonly reason: FailureReason;
  /** One sentence: what was wrong, and what to do. */
  readonly detail: string;
}

/** What discovery found. */
export interface Registry {
  /** Sorted by name, so that a model is always told of them in the same order. */
  readonly tools: readonly RegisteredTool[];
  readonly failed: readonly FailedTool[];
  /** What else the user should know, a sentence each: a directory that cannot be read. */
  readonly warnings: readonly string[];
}

/** A registry without tools. */
export const emptyRegistry: Registry = { tools: [], failed: [], warnings: [] };

export function findTool(registry: Registry, name: string): RegisteredTool | undefined {
  return registry.tools.find((tool) => tool.name === name);
}

/** The tool whose name is closest to one that does not exist, if any is close enough to be meant. */
export function nearestName(registry: Registry, name: string): string | undefined {
  const wanted = normalise(name);
  const ranked = registry.tools
    .map((tool) => ({ name: tool.name, distance: editDistance(wanted, normalise(tool.name)) }))
    .sort((a, b) => a.distance - b.distance);
  const [nearest] = ranked;
  return nearest && nearest.distance <= Math.max(2, wanted.length / 3) ? nearest.name : undefined;
}

/** The line that tells of a tool that was skipped. */
export function describeFailure({ name, reason }: FailedTool): string {
  return `Debug: tool '${name}' schema failed (${reason})`;
}

/** How much of a name is compared: names have at most 64 characters, what a model invents may have more. */
const maxComparedLength = 80;

function normalise(name: string): string {
  return name.toLowerCase().replaceAll("-", "_").replace(/_tool$/, "").slice(0, maxComparedLength);
}

/** Levenshtein's distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
