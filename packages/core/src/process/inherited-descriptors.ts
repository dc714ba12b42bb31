import { closeSync, readdirSync, readFileSync } from "node:fs";

/** Set for a descriptor that ends with `exec`, in the flags that /proc/self/fdinfo tells (octal; O_CLOEXEC of Linux). */
const closeOnExec = 0o2_000_000;

let inherited: readonly number[] | undefined;

/**
 * The descriptors above 2 that this process was started with and that its children would get. Node opens none of its own
 * that way, and marks what it was started with only up to the first gap above 15. Read once: later there can be no more.
 *
 * Empty on macOS, where the system closes everything else itself when a process is spawned.
 */
export function inheritedDescriptors(): readonly number[] {
  inherited ??= process.platform === "linux" ? readInherited() : [];
  return inherited;
}

/** Closes them, for a program that knows that none is needed; those that `isKept` names stay open. */
export function closeInheritedDescriptors(isKept: (descriptor: number) => boolean): void {
  // V8's own logs are opened in the same way, and nothing else may get their numbers.
  if (/--(?:perf|prof|log)/.test([...process.execArgv, process.env.NODE_OPTIONS].join(" "))) return;
  const closed = inheritedDescriptors().filter((descriptor) => !isKept(descriptor) && isClosed(descriptor));
  inherited = inheritedDescriptors().filter((descriptor) => !closed.includes(descriptor));
}

function isClosed(descriptor: number): boolean {
  try {
    closeSync(descriptor);
    return true;
  } catch {
    return false;
  }
}

/** @throws the system's error when /proc cannot be read: nobody then knows what a child would get. */
function readInherited(): number[] {
  const open = readdirSync("/proc/self/fd").map(Number);
  return open.filter((descriptor) => descriptor > 2 && isHandedOn(descriptor)).sort((a, b) => a - b);
}

function isHandedOn(descriptor: number): boolean {
  let info: string;
  try {
    info = readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1");
  } catch (error) {
    // The one that the list itself was read with.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
  const [, flags = "0"] = /^flags:\s*([0-7]+)/m.exec(info) ?? [];
  return (Number.parseInt(flags, 8) & closeOnExec) === 0;
}
