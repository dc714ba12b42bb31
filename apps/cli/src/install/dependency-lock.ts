import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withoutPassword } from "./without-password.ts";

/** npm's `package-lock.json`: the exact version and hash of everything that a package depends on. */
export interface DependencyLock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const fileName = "package-lock.json";

/** What npm has written into a folder. */
export function readLock(folder: string): DependencyLock {
  const { packages = {}, ...rest } = JSON.parse(readFileSync(join(folder, fileName), "utf8")) as DependencyLock;
  return { ...rest, packages: Object.fromEntries(Object.entries(packages).map(withoutPasswords)) };
}

/** A registry's address may hold one, and the lock is written down. */
function withoutPasswords([place, found]: [string, LockedPackage]): [string, LockedPackage] {
  const { resolved } = found;
  return [place, resolved?.startsWith("http") ? { ...found, resolved: withoutPassword(resolved) } : found];
}

/** A project's record was written by somebody. */
export function isLock(value: unknown): value is DependencyLock {
  const { packages } = (value ?? {}) as { packages?: unknown };
  return (
    typeof packages === "object" &&
    packages !== null &&
    Object.values(packages).every((found) => found !== null && typeof found === "object")
  );
}

export function hasLock(folder: string): boolean {
  return existsSync(join(folder, fileName));
}

/** Has npm take what it took the last time, as far as that still fits. */
export function writeLock(folder: string, lock: DependencyLock): void {
  writeFileSync(join(folder, fileName), `${JSON.stringify(lock, undefined, 2)}\n`);
}
