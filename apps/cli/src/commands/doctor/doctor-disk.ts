import { rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { fileSize } from "../../render/times-and-sizes.ts";
import { broken, fine, type Line, type Section } from "./doctor-sections.ts";

/** A long session with its images and outputs takes less, in bytes. */
const enoughBytes = 10_000_000;

/** Whether there is room where ikigai writes by itself, and whether it may: only writing tells of quotas and the like. */
export function checkDisk(places: Places): Section {
  const wanted = [...new Set([places.home, tmpdir()])];
  return { title: "Disk", lines: wanted.map((path) => roomIn(path, shortPath(path, places))) };
}

function roomIn(path: string, name: string): Line {
  const dir = existing(path);
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dir);
    const free = bavail * bsize;
    if (free < enoughBytes) return broken(`${name}: ${fileSize(free)} free, too little to save sessions and outputs`);
    // Some file systems do not count them.
    if (files > 0 && ffree === 0) return broken(`${name}: no file can be made any more (no inodes are free)`);
    tryToWrite(dir);
    return fine(`${name}: ${fileSize(free)} free`);
  } catch (error) {
    return broken(`${name}: nothing can be saved there: ${sanitiseLine((error as Error).message)}`);
  }
}

/** What is not there yet is made below what is. */
function existing(path: string): string {
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  return isThere || path === dirname(path) ? path : existing(dirname(path));
}

/** @throws the system's error. */
function tryToWrite(dir: string): void {
  const path = join(dir, `.ikigai-doctor.${process.pid}.tmp`);
  try {
    writeFileSync(path, Buffer.alloc(4_096), { flag: "wx", mode: 0o600 });
  } finally {
    rmSync(path, { force: true });
  }
}
