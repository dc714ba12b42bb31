import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { shellWord, statsOf, systemReason, temporaryName } from "@ikigai/system";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { fileSize } from "../../render/times-and-sizes.ts";
import { broken, fine, type Line, note, type Section } from "./section.ts";

/** More than a long session with its images and outputs takes, in bytes. */
const enoughBytes = 10_000_000;

/** Checks that ikigai has space and may write, which it works without. It writes a file, since only that reveals quotas. */
export function checkDisk(places: Places): Section {
  const { home } = places;
  const temporary = tmpdir();
  const lines = [
    roomIn(home, shortPath(home, places)),
    ...(temporary === home ? [] : [temporaryRoom(temporary, shortPath(temporary, places))]),
  ];
  return { title: "Disk", lines };
}

/** The directory for temporary files. Nothing creates it. */
function temporaryRoom(path: string, name: string): Line {
  const word = sanitiseLine(shellWord(path));
  const found = statsOf(path);
  const effects =
    "The sandbox, commands in the background and saved outputs fail, and programs that need temporary files";
  const remedy = "set TMPDIR to a directory that you can write";
  if (found === undefined) return broken(`${name} does not exist. ${effects}. Run: mkdir -p ${word}, or ${remedy}`);
  const problem = found.isDirectory() ? whyUnwritable(path) : "it is not a directory";
  if (problem !== undefined) return broken(`${name}: cannot write there: ${problem}. ${effects}. To fix it, ${remedy}`);
  return roomIn(path, name);
}

/** Why no file can be created, apart from too little space. */
function whyUnwritable(dir: string): string | undefined {
  try {
    tryToWrite(dir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOSPC" && code !== "EDQUOT") return sanitiseLine(systemReason(error as Error));
  }
  return undefined;
}

function roomIn(path: string, name: string): Line {
  // ikigai creates no missing home.
  const parent = statsOf(dirname(path));
  if (basename(path) === ".ikigai" && !parent?.isDirectory()) {
    const shown = sanitiseLine(dirname(path));
    const why = parent === undefined ? `the directory ${shown} does not exist` : `${shown} is not a directory`;
    const missing = `${why}, so nothing is saved`;
    return note(`${name}: ${missing}. Set HOME or IKIGAI_HOME to a directory that can be written.`);
  }
  const dir = existing(path);
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dir);
    const free = bavail * bsize;
    if (free < enoughBytes) return note(`${name}: ${fileSize(free)} free, too little to save sessions and outputs`);
    // Some file systems do not count inodes.
    if (files > 0 && ffree === 0) return note(`${name}: no file can be created (no free inodes)`);
    tryToWrite(dir);
    return fine(`${name}: ${fileSize(free)} free`);
  } catch (error) {
    return note(`${name}: cannot write there: ${sanitiseLine(systemReason(error as Error))}`);
  }
}

/** The path, or its nearest parent that exists. */
function existing(path: string): string {
  return statsOf(path) !== undefined || path === dirname(path) ? path : existing(dirname(path));
}

/** @throws the system's error. */
function tryToWrite(dir: string): void {
  const path = temporaryName(join(dir, ".doctor"));
  try {
    writeFileSync(path, Buffer.alloc(4_096), { flag: "wx", mode: 0o600 });
  } finally {
    rmSync(path, { force: true });
  }
}
