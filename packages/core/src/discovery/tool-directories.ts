import { delimiter, join, resolve } from "node:path";
import type { ToolScope } from "@ikigai/protocol";
import { realPathOf } from "@ikigai/system";

/** A place where tools are looked for. */
export interface ToolDirectory {
  readonly path: string;
  readonly scope: ToolScope;
}

/** What decides where tools are looked for. */
export interface ToolPlaces {
  /** The directory of the tools that came with the host, if any did. */
  readonly systemDir?: string | undefined;
  /** The user's directory: `IKIGAI_HOME`, or `~/.ikigai`. */
  readonly home: string;
  /** The directory ikigai was started in. */
  readonly projectDir: string;
  /** `IKIGAI_TOOL_PATH`: directories of highest rank, the first one above the others; for development. */
  readonly toolPath?: string | undefined;
}

/**
 * The directories of tools, farthest first: a tool overrides those of its name in the directories before its own.
 *
 * A directory that comes twice counts once, at its highest rank. A project's that is also another one (somebody works in
 * their home directory, or develops it through `toolPath`) is that other one: the user's own tools need no trust.
 */
export function toolDirectories({ systemDir, home, projectDir, toolPath = "" }: ToolPlaces): readonly ToolDirectory[] {
  const user: ToolDirectory = { path: join(resolve(home), "tools"), scope: "user" };
  const others: ToolDirectory[] = [
    ...(systemDir === undefined ? [] : [{ path: resolve(systemDir), scope: "system" } as const]),
    user,
    ...developed(toolPath, projectDir),
  ];
  const real = others.map(({ path }) => realPathOf(path));
  const unique = others.filter((_, index) => real.lastIndexOf(real[index] ?? "") === index);
  const project: ToolDirectory = { path: join(resolve(projectDir), ".ikigai", "tools"), scope: "project" };
  if (real.includes(realPathOf(project.path))) return unique;
  const rank = unique.findLastIndex(({ path, scope }) => scope === "system" || path === user.path) + 1;
  return unique.toSpliced(rank, 0, project);
}

function developed(toolPath: string, projectDir: string): ToolDirectory[] {
  const paths = toolPath.split(delimiter).filter((path) => path !== "");
  return paths.reverse().map((path) => ({ path: resolve(projectDir, path), scope: "user" }));
}
