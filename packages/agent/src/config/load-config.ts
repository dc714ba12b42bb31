import { join } from "node:path";
import { checkConfig } from "./check-config.ts";
import type { Config, ConfigProblem, LoadedConfig } from "./config.ts";
import { configShape } from "./config-shape.ts";
import { readTextFile } from "./read-text-file.ts";

/** A longer file is no configuration, in bytes. */
const maxConfigBytes = 1_048_576;

export function configPath(home: string): string {
  return join(home, "config.json");
}

/**
 * What stands in a configuration; empty when there is none. A byte order mark, which some editors write, is white space too.
 *
 * @throws the system's error when it cannot be read; Error when it is too long.
 */
export function readConfigText(path: string): string {
  const { text = "", cut = false } = readTextFile(path, maxConfigBytes) ?? {};
  if (cut) throw new Error(`${path} is longer than ${maxConfigBytes} bytes`);
  return text.trim();
}

/** Reads `config.json` in the user's directory. A missing one is empty; a broken one is a problem, never a throw. */
export function loadConfig(home: string): LoadedConfig {
  const path = configPath(home);
  const problems: ConfigProblem[] = [];
  const report = (key: string, message: string) => problems.push({ path, ...(key && { key }), message });
  let config: Config = {};
  try {
    const text = readConfigText(path);
    if (text) config = (checkConfig(JSON.parse(text), configShape, "", report) as Config | undefined) ?? {};
  } catch (error) {
    const why =
      error instanceof SyntaxError
        ? `is not JSON: ${withoutQuotation(error.message)}`
        : `cannot be read: ${(error as Error).message}`;
    report("", `The configuration ${why}. It is ignored until that is mended.`);
  }
  return { path, config, problems };
}

/** The parser quotes the text around an error, which may be a key. */
function withoutQuotation(message: string): string {
  return message.replace(/,? (?:\.\.\.)?".*" is not valid JSON/s, "");
}
