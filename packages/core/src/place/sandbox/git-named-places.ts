import { dirname, join, resolve } from "node:path";
import { readGitConfig } from "./git-config.ts";
import { textOf } from "./git-directory.ts";

/** Something that a configuration of git names, and by which git runs or configures more. It need not be there. */
export interface NamedPlace {
  readonly path: string;
  readonly kind: "hooks" | "configuration";
}

/** git follows no more of them into each other. */
const maxDepth = 10;

/**
 * What the configuration files of a repository, of the user and of the system name: directories with hooks, and more
 * configuration files. A condition on one counts as met: which it is, the next branch or remote can change.
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

/** Where git looks for the configuration of the user and the system. */
export function gitConfigFiles(userHome: string, env: NodeJS.ProcessEnv): string[] {
  const own = env.XDG_CONFIG_HOME || join(userHome, ".config");
  return [
    env.GIT_CONFIG_SYSTEM || "/etc/gitconfig",
    join(own, "git/config"),
    env.GIT_CONFIG_GLOBAL || join(userHome, ".gitconfig"),
  ];
}
