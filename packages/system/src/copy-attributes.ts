/** GNU's `cp`, which knows how to copy nothing but attributes. Not looked for on the PATH, which may begin inside a project. */
const programs = ["/bin/cp", "/usr/bin/cp", "/run/current-system/sw/bin/cp"];

/** How long it may take, in milliseconds: it takes two. */
const timeoutMs = 10_000;

/**
 * Gives a file the mode, the access control list and the extended attributes of another one. Node has no call for the last two,
 * nor one that tells whether there are any.
 *
 * @returns whether all of them were copied.
 */
export function copyAttributes(from: string, to: string): boolean {
  return run(["--attributes-only", "--preserve=mode,xattr", "--", from, to]);
}

/** On macOS `cp` copies a file's attributes only along with its content. Not run by the tests on Linux. */
export function copyWithAttributes(from: string, to: string): boolean {
  return run(["-p", from.startsWith("-") ? `./${from}` : from, to]);
}

function run(args: readonly string[]): boolean {
  for (const file of programs) {
    const { status, isMissing } = spawnAndWait(file, args);
    if (!isMissing) return status === 0;
  }
  return false;
}

interface Ended {
  readonly status: number | null;
  readonly isMissing: boolean;
}

/** As much as we use of what `child_process.spawnSync` is made of. */
interface SpawnBinding {
  spawn(options: object): { readonly status: number | null; readonly error?: number };
}

/** Errors of the system, by number: no such file. */
const enoent = -2;

/**
 * A tool is one process a call, and to load `node:child_process` takes 4 ms, twice as long as `cp` itself. So this asks Node for
 * what that module is made of, and for the module only where Node does not give it.
 */
function spawnAndWait(file: string, args: readonly string[]): Ended {
  const binding = spawnBinding();
  if (binding) {
    const stdio = [{ type: "ignore" }, { type: "ignore" }, { type: "ignore" }];
    const { status, error } = binding.spawn({ file, args: ["cp", ...args], envPairs: [], stdio, timeout: timeoutMs });
    return { status, isMissing: error === enoent };
  }
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status, error } = spawnSync(file, args, { stdio: "ignore", env: {}, timeout: timeoutMs });
  return { status, isMissing: (error as NodeJS.ErrnoException | undefined)?.code === "ENOENT" };
}

function spawnBinding(): SpawnBinding | undefined {
  try {
    const binding = (process as unknown as { binding(name: string): Partial<SpawnBinding> }).binding("spawn_sync");
    return binding.spawn ? (binding as SpawnBinding) : undefined;
  } catch {
    return undefined;
  }
}
