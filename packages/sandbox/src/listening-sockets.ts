import { lstatSync, readFileSync } from "node:fs";

/**
 * Returns the paths at which processes of this machine listen. A read-only mount does not prevent connecting to a socket, and a
 * program behind one may run commands on request (a container daemon, a terminal multiplexer).
 */
export function listeningSockets(): string[] {
  let table: string;
  try {
    table = readFileSync("/proc/net/unix", "utf8");
  } catch {
    return [];
  }
  const paths = new Set<string>();
  for (const line of table.split("\n").slice(1)) {
    // "Num RefCount Protocol Flags Type St Inode Path", where the path may contain spaces.
    const path = /^(?:\S+\s+){6}\d+ (\/.*)$/.exec(line)?.[1];
    if (path !== undefined && isSocket(path)) paths.add(path);
  }
  return [...paths];
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    return false;
  }
}
