import { readdirSync } from "node:fs";
import { systemReason } from "@ikigai/system";
import { type Files, writeFiles } from "./scaffold.ts";

/** Returns why a package cannot be written into this folder; nothing if it is new or empty. */
export function obstacleIn(folder: string): string | undefined {
  try {
    return readdirSync(folder).length === 0 ? undefined : `${folder} is not empty.`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    return code === "ENOTDIR" ? `${folder} is not a folder.` : `${folder} cannot be used: ${message}.`;
  }
}

/** Writes a package into a new or empty folder. Returns what prevents it, if anything. */
export function writePackage(folder: string, files: Files): string | undefined {
  try {
    writeFiles(folder, files);
    return undefined;
  } catch (error) {
    return `Cannot write to ${folder}: ${systemReason(error as NodeJS.ErrnoException)}. Choose another folder with --dir.`;
  }
}
