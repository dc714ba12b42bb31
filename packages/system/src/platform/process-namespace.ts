import { readFileSync, readlinkSync } from "node:fs";
import { isLinux } from "./platform.ts";

/**
 * Which process IDs this process sees: boot ID and PID namespace, unique on one machine until it boots again; `-` where there
 * is only one kind, `?` when `/proc` does not tell.
 */
export function processNamespace(): string {
  if (!isLinux) return "-";
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").replaceAll("-", "").trim();
    const [, inode] = /\[(\d+)\]/.exec(readlinkSync("/proc/self/ns/pid")) ?? [];
    return /^[0-9a-f]+$/.test(boot) && inode !== undefined ? `${boot.slice(0, 16)}-${inode}` : "?";
  } catch {
    return "?";
  }
}
