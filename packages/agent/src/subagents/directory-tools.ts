import type { RegisteredTool } from "@ikigai/core";
import { hereDirectories } from "@ikigai/core/internal";
import { isInside } from "@ikigai/system";

/** A tool that is found in one directory only. */
export interface DirectoryTool {
  readonly name: string;
  /** The real path of its file. */
  readonly path: string;
}

/**
 * Returns the tools of a conversation that an agent would not find in another directory: a project's, and the user's own for this
 * directory.
 *
 * @param granted those of the conversation that started this one: they decide about their names.
 */
export function directoryTools(
  tools: readonly RegisteredTool[],
  home: string,
  granted: readonly DirectoryTool[] = [],
): DirectoryTool[] {
  const own = tools.filter((tool) => isOfDirectory(tool, home) && !granted.some(({ name }) => name === tool.name));
  return [...granted, ...own.map(({ name, identity }) => ({ name, path: identity.realPath }))];
}

/**
 * Whether an agent has a tool that was granted: the same file as in the conversation. A tool that another one replaces there is not
 * granted, and neither is one that only the agent's directory has.
 */
export function isGrantedTool(
  { name, identity, ...tool }: RegisteredTool,
  granted: readonly DirectoryTool[],
  home: string,
): boolean {
  const there = granted.find((one) => one.name === name);
  return there ? there.path === identity.realPath : !isOfDirectory(tool, home);
}

function isOfDirectory({ scope, path }: Pick<RegisteredTool, "scope" | "path">, home: string): boolean {
  return scope === "project" || isInside(path, hereDirectories(home));
}
