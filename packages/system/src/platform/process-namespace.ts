import { readFileSync, readlinkSync } from "node:fs";
import { isLinux } from "./platform.ts";

/**
 * Identifies the process ids that this process sees: boot id and PID namespace, unique on a machine until it reboots; `-` on
 * systems with a single namespace, `?` if `/proc` is not readable.
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
