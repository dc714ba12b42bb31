import { realpathSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import type { DependencyLock } from "./dependency-lock.ts";
import { fetchNpm } from "./fetch-npm.ts";
import { readManifest } from "./package-tools.ts";
import { Refusal } from "./refusal.ts";
import type { Fetched, Stage } from "./stage.ts";
import { tameTree } from "./tree.ts";

/** A fetched package whose command runs. */
export interface FetchedProgram extends Fetched {
  /** The path of the command's file in the stage. */
  readonly program: string;
}

/**
 * Fetches an npm package with its dependencies into an empty stage, without running anything from it, and finds its command.
 *
 * @param lock the dependencies of the last fetch, kept as far as they fit.
 * @throws Refusal if it cannot be fetched, or does not have one command.
 */
export async function fetchProgram(
  spec: string,
  { content }: Stage,
  { env, lock }: { readonly env: NodeJS.ProcessEnv; readonly lock?: DependencyLock | undefined },
): Promise<FetchedProgram> {
  const fetched = await fetchNpm(spec, content, env, lock);
  tameTree(content);
  const path = commandOf(join(content, fetched.packageDir), fetched.name);
  return { ...fetched, program: join(fetched.packageDir, path) };
}

/** The file of a package's only command, or of the one with the package's name. */
function commandOf(folder: string, name: string): string {
  const { bin } = readManifest(folder) ?? {};
  const own = basename(name);
  const commands = Object.entries(typeof bin === "string" ? { [own]: bin } : (bin ?? {}));
  const [, path] = commands.length === 1 ? (commands[0] ?? []) : (commands.find(([command]) => command === own) ?? []);
  if (typeof path !== "string")
    throw new Refusal(
      commands.length === 0
        ? `${name} has no command to run.`
        : `${name} has several commands, and none is called ${own}: ${commands.map(([command]) => command).join(", ")}.`,
    );
  const file = join(folder, path);
  if (statSync(file, { throwIfNoEntry: false })?.isFile() && realpathSync(file).startsWith(realpathSync(folder) + sep))
    return path;
  throw new Refusal(`The command of ${name} is not a file of the package: ${path}. Nothing was added.`);
}
