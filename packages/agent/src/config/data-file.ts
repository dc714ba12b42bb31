import { parseJsonWithComments } from "@ikigai/system/json-with-comments";
import { checkShape } from "./check-config.ts";
import type { ConfigProblem } from "./config.ts";
import { placeOf } from "./config-place.ts";
import type { Shape } from "./config-shape.ts";
import { readConfigFile } from "./read-config-file.ts";

/** A file beside the configuration, and what is wrong with it. */
export interface DataFile {
  /** The value, of the file's shape; all parts are optional. */
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Reads a JSON file of the user, with comments, and drops the parts that do not match its shape. The value of a missing file is an
 * empty object. Never throws: what is wrong is listed with its line and column.
 */
export function readDataFile(path: string, shape: Shape): DataFile {
  const reading = readConfigFile(path);
  if ("problem" in reading)
    return { value: {}, problems: [{ path, message: `This file ${reading.problem}`, isFatal: true }] };
  const { text } = reading;
  const parsed = parseJsonWithComments(text);
  if ("expected" in parsed) {
    const problem = { path, message: parsed.expected, place: placeOf(text, parsed.offset), isFatal: true };
    return { value: {}, problems: [problem] };
  }
  const problems: ConfigProblem[] = [];
  const value = checkShape(parsed.root, shape, ({ key, message, offset }) =>
    problems.push({ path, key, message: `${message} It is ignored.`, place: placeOf(text, offset), isFatal: false }),
  );
  return { value, problems };
}
