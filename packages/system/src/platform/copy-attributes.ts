/** Directories of the GNU programs. PATH is not searched: it may begin inside a project. */
const directories = ["/bin", "/usr/bin", "/run/current-system/sw/bin"];

/** Time limit for one program, in milliseconds; typically it takes two. */
const timeoutMs = 10_000;

/**
 * Copies a file's extended attributes and, if it has an access control list, the list and the mode. Node can neither copy nor
 * detect them, so `ls` and `cp` do.
 *
 * @param mayShare whether the users and groups in the mode and the list may briefly have these rights. If not, no list is
 * copied.
 * @returns whether everything was copied, and `to` has no list that `from` lacks.
 */
export function copyAttributes(from: string, to: string, { mayShare }: { readonly mayShare: boolean }): boolean {
  // One line per file, in this order, whatever the names.
  const lines = run("ls", ["-ndbU", "--color=never", "--", from, to])?.split("\n");
  if (lines?.length !== 3) return false;
  const [isListed, inherits] = lines.map((line) => line[10] === "+");
  if (isListed) return mayShare && copy("mode,xattr", from, to);
  // The directory's default list: newer versions of `cp` leave it on the new file, and the first `chmod` would activate it.
  return !inherits && copy("xattr", from, to);
}

/** macOS's `cp` copies a file's attributes only along with its content. Not covered by tests on Linux. */
export function copyWithAttributes(from: string, to: string): boolean {
  return run("cp", ["-p", from.startsWith("-") ? `./${from}` : from, to]) !== undefined;
}

function copy(what: string, from: string, to: string): boolean {
  return run("cp", ["--attributes-only", `--preserve=${what}`, "--", from, to]) !== undefined;
}

/** A program's output; `undefined` if it is missing or fails. */
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

/** Loads the module that replacing a file needs, which takes 4 ms: a waiting tool can do so ahead of its call. */
export function loadSpawning(): typeof import("node:child_process") {
  return process.getBuiltinModule("node:child_process");
}
