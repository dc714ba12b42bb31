import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import type { ToolScope } from "@ikigai/protocol";
import { hereDirectories, hereDirectory, realPathOf } from "@ikigai/system";

/** A directory of tools. */
export interface ToolDirectory {
  /** Absolute, or relative to the working directory. */
  readonly path: string;
  /** The scope of the tools in it. */
  readonly scope: ToolScope;
  /** The skill whose scripts are in it. */
  readonly skill?: string | undefined;
  /** Set for tools that the host has made for one conversation. */
  readonly temporary?: TemporaryTools | undefined;
}

/**
 * Tools that a host has made for one conversation. What they print for `--schema` is in `schemas.json` beside them, by the SHA-256 of
 * each file in hexadecimal, so that none is run. Nothing about them is cached.
 */
export interface TemporaryTools {
  /** The directory that has their data directories, in place of the user's. Absolute. */
  readonly home: string;
  /** Tools in other directories whose names begin like this are left out, unless this directory has none. */
  readonly prefix: string;
}

/** What determines the tool directories. */
export interface ToolPlaces {
  /** Directory of the tools that ship with the host, if any. */
  readonly systemDir?: string | undefined;
  /** The user's directory: `IKIGAI_HOME`, or `~/.ikigai`. */
  readonly home: string;
  /** The project's directory. */
  readonly projectDir: string;
  /** `IKIGAI_TOOL_PATH`: directories above all others, the first one highest, separated like `PATH`. For tool development. */
  readonly toolPath?: string | undefined;
}

/**
 * Returns the tool directories, farthest first: a tool overrides tools of the same name in earlier directories. The user's tools for
 * the project's directory only are between the user's others and the project's.
 *
 * A directory that is listed twice counts once, at its highest rank. A project directory that is also another one (the project
 * is the home directory, or is in `toolPath`) counts as the other one: the user's own tools need no trust.
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
  const isUsers = real.includes(realPathOf(project.path));
  const rank = unique.findLastIndex(({ path, scope }) => scope === "system" || path === user.path) + 1;
  return unique.toSpliced(rank, 0, hereTools({ home, projectDir }), ...(isUsers ? [] : [project]));
}

/**
 * Finds the path when it is first read: the screen need not wait for the module for hashes. As long as no directory has tools of its
 * own, it is the missing directory of all of them, because the module takes 3 ms of a start.
 */
function hereTools(places: Pick<ToolPlaces, "home" | "projectDir">): ToolDirectory {
  let path: string | undefined;
  return {
    get path() {
      const all = hereDirectories(places.home);
      if (path === undefined && !existsSync(all)) return all;
      path ??= join(hereDirectory(places), "tools");
      return path;
    },
    scope: "user",
  };
}

function developed(toolPath: string, projectDir: string): ToolDirectory[] {
  const paths = toolPath.split(delimiter).filter((path) => path !== "");
  return paths.reverse().map((path) => ({ path: resolve(projectDir, path), scope: "user" }));
}
