/** Where GNU's programs are. Not looked for on the PATH, which may begin inside a project. */
const directories = ["/bin", "/usr/bin", "/run/current-system/sw/bin"];

/** How long one may take, in milliseconds: it takes two. */
const timeoutMs = 10_000;

/**
 * Gives a file the extended attributes of another one and, where that one has an access control list, list and mode. Node has no
 * call for the first two, nor one that tells whether there are any.
 *
 * @param mayShare whether whoever the mode and the list name may have these rights even for a moment. If not, no list is copied.
 * @returns whether all of them were copied, and `to` has no list that `from` has not.
 */
export function copyAttributes(from: string, to: string, { mayShare }: { readonly mayShare: boolean }): boolean {
  // One line each, in this order, whatever the names.
  const lines = run("ls", ["-ndbU", "--color=never", "--", from, to])?.split("\n");
  if (lines?.length !== 3) return false;
  const [isListed, inherits] = lines.map((line) => line[10] === "+");
  if (isListed) return mayShare && copy("mode,xattr", from, to);
  // The directory's default list. Newer versions of `cp` leave it, and the first `chmod` would bring it to life.
  return !inherits && copy("xattr", from, to);
}

/** On macOS `cp` copies a file's attributes only along with its content. Not run by the tests on Linux. */
export function copyWithAttributes(from: string, to: string): boolean {
  return run("cp", ["-p", from.startsWith("-") ? `./${from}` : from, to]) !== undefined;
}

function copy(what: string, from: string, to: string): boolean {
  return run("cp", ["--attributes-only", `--preserve=${what}`, "--", from, to]) !== undefined;
}

/** What a program prints; `undefined` when it is not there or fails. */
function run(program: string, args: readonly string[]): string | undefined {
  const { spawnSync } = loadSpawning();
  for (const directory of directories) {
    const { status, stdout, error } = spawnSync(`${directory}/${program}`, args, {
      encoding: "latin1",
      env: {},
      stdio: ["ignore", "pipe", "ignore"],
      timeout: timeoutMs,
    });
    if ((error as NodeJS.ErrnoException | undefined)?.code !== "ENOENT") return status === 0 ? stdout : undefined;
  }
  return undefined;
}

/** Loads what replacing a file needs, which takes 4 ms: for a tool that waits for its arguments. */
export function loadSpawning(): typeof import("node:child_process") {
  return process.getBuiltinModule("node:child_process");
}
