// A tool as its server lists it, and what has changed between two lists.

import { isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";

/** A tool as a server lists it: the fields that count. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
}

/** Longer than any real name, in characters. */
const maxNameLength = 1_000;

/** Reads an element of a server's list, without the fields that do not count; `undefined` if it is not a tool. */
export function readListedTool(value: JsonValue | undefined): ListedTool | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, title, description, inputSchema, outputSchema, annotations } = value;
  if (typeof name !== "string" || !isJsonObject(inputSchema)) return undefined;
  if (name === "" || name.length > maxNameLength || name.includes("\0")) return undefined;
  return {
    name,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    inputSchema,
    ...(isJsonObject(outputSchema) && { outputSchema }),
    ...(isJsonObject(annotations) && { annotations }),
  };
}

/** How a server's list differs from the one that was added; names are the server's. */
export interface ToolChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Compares two lists by everything that the model sees. Their order does not count. */
export function compareTools(before: readonly ListedTool[], after: readonly ListedTool[]): ToolChanges {
  const old = new Map(before.map((tool) => [tool.name, textOf(tool)]));
  const now = new Map(after.map((tool) => [tool.name, textOf(tool)]));
  const names = [...now.keys()];
  return {
    added: names.filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: names.filter((name) => old.has(name) && old.get(name) !== now.get(name)),
  };
}

/** Whether nothing differs. */
export function isUnchanged({ added, removed, changed }: ToolChanges): boolean {
  return added.length + removed.length + changed.length === 0;
}

/** The order of keys does not count: servers build their objects again for every list. */
function textOf({ name, title, description, inputSchema, outputSchema, annotations }: ListedTool): string {
  return JSON.stringify([name, title, description, inputSchema, outputSchema, annotations].map(sorted));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value ?? null;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, child]) => [key, sorted(child)]);
}

/** `+2 -1 ~3`, without the kinds that did not occur. */
export function changeCounts({ added, removed, changed }: ToolChanges): string {
  const counts = [
    ["+", added],
    ["-", removed],
    ["~", changed],
  ] as const;
  return counts.flatMap(([sign, names]) => (names.length > 0 ? [`${sign}${names.length}`] : [])).join(" ");
}
