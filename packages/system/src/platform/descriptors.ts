import { closeSync, readdirSync } from "node:fs";
import { isLinux } from "./platform.ts";
import { readStart } from "./proc.ts";

/** O_CLOEXEC in the flags of /proc/self/fdinfo (octal, Linux). */
const closeOnExec = 0o2_000_000;

let inherited: readonly number[] | undefined;

/**
 * Returns the descriptors above 2 that this process inherited and its children would inherit, too. Node opens its own with
 * O_CLOEXEC, but marks inherited ones only up to the first gap above 15. Read once: there can be no more later.
 *
 * Empty on macOS, where spawn closes all other descriptors.
 */
export function inheritedDescriptors(): readonly number[] {
  inherited ??= isLinux ? readInherited() : [];
  return inherited;
}

/** Closes the inherited descriptors, except those that `isKept` selects. */
export function closeInheritedDescriptors(isKept: (descriptor: number) => boolean): void {
  // V8 opens its log files the same way; closing them would let other files get their numbers.
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

/** @throws the system's error if /proc cannot be read: then nothing must be started. */
function readInherited(): number[] {
  const open = readdirSync("/proc/self/fd").map(Number);
  return open.filter((descriptor) => descriptor > 2 && isHandedOn(descriptor)).sort((a, b) => a - b);
}

function isHandedOn(descriptor: number): boolean {
  let info: string;
  try {
    info = readStart(`/proc/self/fdinfo/${descriptor}`);
  } catch (error) {
    // The descriptor the list itself was read with.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
  const [, flags = "0"] = /^flags:\s*([0-7]+)/m.exec(info) ?? [];
  return (Number.parseInt(flags, 8) & closeOnExec) === 0;
}

/**
 * Returns a path to the file or directory behind an open descriptor, even if it is moved; `undefined` on macOS, which has
 * no such paths for directories.
 */
export function descriptorPath(descriptor: number): string | undefined {
  return isLinux ? `/proc/${process.pid}/fd/${descriptor}` : undefined;
}
