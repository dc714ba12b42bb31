import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { textStart } from "@ikigai/protocol";
import { parseObject } from "@ikigai/system";
import { readTextFile } from "../config/read-text-file.ts";

/** The longest message file that is read, in bytes: a message of 16 KiB as JSON. */
const maxBytes = 131_072;

/** How much of a message the agent sees, in characters. */
const maxLength = 16_384;

/**
 * Takes the messages of other agents to the conversation with this log, oldest first. The agent sees who sent them: they are not the
 * user's. Never throws.
 */
export function takeMessages(logPath: string | undefined): { readonly text: string }[] {
  if (logPath === undefined) return [];
  const directory = logPath.replace(/\.jsonl$/, ".inbox");
  return messagesIn(directory).flatMap((name) => {
    const path = join(directory, name);
    const message = read(path);
    return isRemoved(path) && message !== undefined ? [{ text: message }] : [];
  });
}

function messagesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(".json"))
      .sort();
  } catch {
    return [];
  }
}

/** What cannot be removed would be read before every request. */
function isRemoved(path: string): boolean {
  try {
    rmSync(path, { force: true, recursive: true });
    return true;
  } catch {
    return false;
  }
}

function read(path: string): string | undefined {
  try {
    const { from, text } = parseObject(readTextFile(path, maxBytes)?.text ?? "") ?? {};
    if (typeof from !== "string" || !/^[\w-]{1,64}$/.test(from) || typeof text !== "string") return undefined;
    return `Message from agent ${from}:\n\n${textStart(text, maxLength)}`;
  } catch {
    return undefined;
  }
}
