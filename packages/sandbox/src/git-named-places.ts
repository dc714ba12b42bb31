import { dirname, join, resolve } from "node:path";
import { isExact } from "@ikigai/system";
import { readGitConfig } from "./git-config.ts";
import { textOf } from "./git-directory.ts";

/** A path named in git's configuration through which git runs or configures more. It need not exist. */
export interface NamedPlace {
  readonly path: string;
  readonly kind: "hooks" | "configuration";
}

/** Settings that name a place. */
const naming = new Set(["core.hookspath", "include.path", "includeif.path"]);

/** git's own limit for nested includes. */
const maxDepth = 10;

/**
 * Returns the hook directories and further configuration files that these configuration files name. Conditional includes count
 * as met: the next branch or remote may meet them.
 *
 * @throws Error, a sentence for people, if a path is not UTF-8.
 */
export function gitNamedPlaces(files: readonly string[], projectDir: string, userHome: string): NamedPlace[] {
  const places = new Map<string, NamedPlace>();
  const seen = new Set<string>();
  const read = (file: string, depth: number): void => {
    if (seen.has(file) || depth > maxDepth) return;
    seen.add(file);
    for (const { name, value } of readGitConfig(textOf(file))) {
      const path = value.replace(/^~(?=\/|$)/, () => userHome);
      if (path === "" || path.startsWith("~") || path.startsWith("%(prefix)")) continue;
      if (naming.has(name) && !isExact(path)) {
        throw new Error(`${file} names a path in ${name} that is not UTF-8, which cannot be protected`);
      }
      if (name === "core.hookspath") {
        const hooks = resolve(projectDir, path);
        places.set(hooks, { path: hooks, kind: "hooks" });
      } else if (name === "include.path" || name === "includeif.path") {
        const included = resolve(dirname(file), path);
        places.set(included, { path: included, kind: "configuration" });
        read(included, depth + 1);
      }
    }
  };
  for (const file of files) read(file, 0);
  return [...places.values()];
}

/** The configuration files of the system and the user. */
export function gitConfigFiles(userHome: string, env: NodeJS.ProcessEnv): string[] {
  const own = env.XDG_CONFIG_HOME || join(userHome, ".config");
  return [
    env.GIT_CONFIG_SYSTEM || "/etc/gitconfig",
    join(own, "git/config"),
    env.GIT_CONFIG_GLOBAL || join(userHome, ".gitconfig"),
  ];
}
