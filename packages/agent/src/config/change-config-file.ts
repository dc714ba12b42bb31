import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { realTarget } from "@ikigai/permission";
import { AgentError, type AgentErrorCode, fromSystem } from "@ikigai/session";
import { Lock, makePrivateDirectory, writePrivateFile } from "@ikigai/system";
import type { FormattingOptions } from "jsonc-parser/lib/esm/main.js";
import { configPath } from "./load-config.ts";
import { directoryProblem, readConfigFile } from "./read-config-file.ts";

/** How long to wait for another process to finish writing the configuration, in milliseconds. */
const patienceMs = 5_000;

/**
 * Replaces the text of the user's `config.json` under a lock; a missing or empty file reads as `{}`. If the file is a
 * symlink, its target is written. Unchanged text is not written.
 *
 * @param change gets the text, and the path for its errors.
 * @throws AgentError `code` if the file cannot be read as configuration or another process holds the lock; the system's
 * error if it cannot be written; what `change` throws. The file is then unchanged.
 */
export function changeConfigFile(
  home: string,
  code: AgentErrorCode,
  change: (text: string, path: string) => string,
): void {
  const path = realTarget(configPath(home), home) ?? configPath(home);
  if (!existsSync(dirname(path))) {
    // A wrong change is reported before anything is created.
    const text = configText(home, code);
    if (change(text, path) === text) return;
  }
  makePrivateDirectory(dirname(path));
  const problem = directoryProblem(dirname(path));
  if (problem !== undefined) throw new AgentError(code, `${path}: This file ${problem}`);
  const lock = new Lock(`${path}.lock`);
  try {
    lock.takeSync(patienceMs);
    const text = configText(home, code);
    const changed = change(text, path);
    if (changed !== text) writePrivateFile(path, changed);
  } catch (error) {
    throw fromSystem(error, code);
  } finally {
    lock.release();
  }
}

/**
 * Returns the text of the user's `config.json`, whether or not it parses; `{}` if it does not exist or is empty.
 *
 * @throws AgentError `code` if it cannot be read or others can write it.
 */
export function configText(home: string, code: AgentErrorCode = "config"): string {
  const path = configPath(home);
  const reading = readConfigFile(path);
  if ("problem" in reading) throw new AgentError(code, `${path}: This file ${reading.problem}`);
  return reading.text.trim() === "" ? "{}\n" : reading.text;
}

/**
 * Replaces the whole text of `config.json`, unless it has changed since `before` was read.
 *
 * @throws AgentError `config_not_saved`; the system's error if it cannot be written. The file is then unchanged.
 */
export function replaceConfigText(home: string, before: string, after: string): void {
  changeConfigFile(home, "config_not_saved", (text, path) => {
    if (text === before) return after;
    throw new AgentError("config_not_saved", `${path} has changed since you opened it.`);
  });
}

/** Formats new lines like those in a text. */
export function formattingOf(text: string): FormattingOptions {
  const [, indent = "  "] = /\n([ \t]+)\S/.exec(text) ?? [];
  return { insertSpaces: !indent.startsWith("\t"), tabSize: indent.length, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}
