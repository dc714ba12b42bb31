import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory, privateFileMode } from "@ikigai/system";
import { removeOldest } from "../server/remove-oldest.ts";
import type { SaveFile } from "./to-answer.ts";

/** How many files of results are kept; the oldest go first. A result cannot have more. */
const maxFiles = 64;

/** The name of a file: other files in the directory are not ours. */
const ownName = /^\d+-\d+-\d+\.[a-z0-9]+$/;

const endings: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "application/json": "json",
  "application/pdf": "pdf",
  "text/plain": "txt",
};

/** Returns a function that stores what comes with results below a data directory. @throws the system's error when it is called. */
export function saveBelow(dataDir: string): SaveFile {
  let saved = 0;
  return (bytes, mimeType) => {
    if (saved === maxFiles) return undefined;
    const directory = join(dataDir, "files");
    makePrivateDirectory(directory);
    const ending = Object.hasOwn(endings, mimeType) ? endings[mimeType] : "bin";
    const path = join(directory, `${Date.now()}-${process.pid}-${++saved}.${ending}`);
    writeFileSync(path, bytes, { mode: privateFileMode, flag: "wx" });
    removeOldest(directory, maxFiles, ownName);
    return path;
  };
}
