// Reads the user's files. In order: the text of any file; a file that only the user may write; other data with a shape;
// `config.json`, for callers that act on it and for those that only report; and the rules that are saved for one project.

import { isUtf8 } from "node:buffer";
import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { insertRule, type Permission, type PermissionRule, type RulePlace } from "@ikigai/permission";
import {
  hereDirectories,
  hereDirectory,
  openRegularFile,
  otherWriter,
  ownerProblem,
  shellWord,
  systemReason,
  takingOver,
} from "@ikigai/system";
import { parseJsonWithComments } from "@ikigai/system/json-with-comments";
import { findNodeAtLocation } from "jsonc-parser/lib/esm/impl/parser.js";
import { checkConfig, checkShape } from "./check-config.ts";
import { type Config, ConfigError, type ConfigProblem, type LoadedConfig, placeOf } from "./config.ts";
import type { Shape } from "./config-shape.ts";

/**
 * Returns the text of a regular file, at most `maxBytes` of it; `undefined` if there is no such file. Does not block on a
 * FIFO or a device.
 *
 * @throws the system's error if the file exists but cannot be read.
 */
export function readTextFile(path: string, maxBytes: number): { text: string; cut: boolean } | undefined {
  const fd = openIfAny(path);
  if (fd === undefined) return undefined;
  try {
    const buffer = Buffer.alloc(maxBytes + 1);
    let bytes = 0;
    for (let read = -1; read !== 0 && bytes < buffer.length; bytes += read) {
      read = readSync(fd, buffer, bytes, buffer.length - bytes, null);
    }
    return { text: buffer.subarray(0, Math.min(bytes, maxBytes)).toString("utf8"), cut: bytes > maxBytes };
  } finally {
    closeSync(fd);
  }
}

function openIfAny(path: string): number | undefined {
  try {
    return openRegularFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** A longer file is rejected, in bytes. */
const maxConfigBytes = 1_048_576;

/** The text of the file, or why it cannot be used. */
type ConfigText = { readonly text: string } | { readonly problem: string };

/**
 * Reads the configuration file; empty if it does not exist. Skips a byte order mark, which some editors write.
 *
 * Never throws and never blocks: anything else at this path is a problem.
 */
export function readConfigFile(path: string): ConfigText {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return leadsNowhere(dirname(path)) ?? { text: "" };
    const problem = directoryProblem(dirname(path)) ?? directoryProblem(dirname(realpathSync(path)));
    return problem === undefined ? readOpened(path) : { problem };
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    const owner = ["EACCES", "EPERM"].includes(code) ? ownerProblem(path, dirname(path)) : undefined;
    if (owner !== undefined) return { problem: `cannot be read: ${systemReason(error as Error)}. ${owner}` };
    if (code === "ENOTDIR") return { text: "" };
    if (code === "ENOENT")
      return { problem: "is a symlink to a file that does not exist. Restore the file or remove the symlink." };
    return { problem: `cannot be read: ${message}.` };
  }
}

/** Behind a dangling symlink there may be a configuration on a disk that is not mounted. */
function leadsNowhere(directory: string): ConfigText | undefined {
  const isLink = lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink || statSync(directory, { throwIfNoEntry: false }) !== undefined) return undefined;
  return {
    problem: `cannot be found: ${directory} is a symlink to a directory that does not exist. Restore the directory or remove the symlink.`,
  };
}

/** Says why no file in this directory is read: others who can write to it can replace the file. `undefined` if they cannot. */
export function directoryProblem(directory: string): string | undefined {
  const stats = statSync(directory);
  const writer = otherWriter(stats);
  return writer === undefined ? undefined : `is in ${directory}, which ${writer}. ${advice(directory, stats)}`;
}

function readOpened(path: string): ConfigText {
  const fd = openRegularFile(path);
  if (fd === undefined) return { problem: `is ${kindOf(path)}, not a file. Replace it with a file or remove it.` };
  try {
    const stats = fstatSync(fd);
    const writer = otherWriter(stats);
    if (writer !== undefined) return { problem: `${writer}. ${advice(path, stats)}` };
    if (stats.size > maxConfigBytes) return { problem: `is longer than ${maxConfigBytes} bytes.` };
    const bytes = readFileSync(fd);
    if (!isUtf8(bytes)) return { problem: "is not UTF-8. Save it as UTF-8." };
    return { text: bytes.toString("utf8").replace(/^\ufeff/, "") };
  } finally {
    closeSync(fd);
  }
}

function advice(path: string, { uid }: Pick<Stats, "uid">): string {
  const commands = [takingOver(path, uid), `chmod go-w ${shellWord(path)}`];
  return `If you trust its content: ${commands.filter(Boolean).join(" && ")}`;
}

function kindOf(path: string): string {
  const stats = statSync(path);
  if (stats.isDirectory()) return "a directory";
  if (stats.isFIFO()) return "a FIFO";
  if (stats.isSocket()) return "a socket";
  return "a device";
}

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

export function configPath(home: string): string {
  return join(home, "config.json");
}

/**
 * Reads `config.json` in the user's directory, for callers that act on it. A missing file is an empty configuration.
 *
 * @throws ConfigError if the file cannot be read, others can write it, or its sandbox, permission or tools settings are
 * invalid. Other problems are listed in `problems` and their settings dropped.
 */
export function loadConfig(home: string): LoadedConfig {
  const loaded = readConfig(home);
  const fatal = loaded.problems.filter(({ isFatal }) => isFatal);
  if (fatal.length > 0) throw new ConfigError(fatal);
  return loaded;
}

/**
 * Like `loadConfig`, for callers that only report. Never throws: `config` may lack limits that the user has set, so do not
 * act on it.
 *
 * @param draft a text that is to become the configuration, which is checked instead.
 */
export function readConfig(home: string, draft?: string): LoadedConfig {
  const path = configPath(home);
  if (draft !== undefined) return { path, ...checkConfigText(path, draft, { isInUse: false }) };
  const reading = readConfigFile(path);
  if ("problem" in reading) {
    return {
      path,
      config: {},
      problems: [{ path, message: `This file ${reading.problem}`, isFatal: true }],
      holdsKey: true,
    };
  }
  return { path, ...checkConfigText(path, reading.text) };
}

/** Whose directory it is, and the project's. */
type RulePlaces = Pick<Permission, "home" | "projectDir">;

/** The directory with the `config.json` that has the rules. */
export function rulesDirectory(places: RulePlaces, where: RulePlace): string {
  return where === "everywhere" ? places.home : hereDirectory(places);
}

/** Returns the rules that the user has saved for this project only. @throws ConfigError as `loadConfig` does. */
export function projectRules(places: RulePlaces): readonly PermissionRule[] {
  // The directory's name takes a module for hashes, which few starts need.
  if (!existsSync(hereDirectories(places.home))) return [];
  return loadConfig(rulesDirectory(places, "project")).config.permission?.rules ?? [];
}

/** Returns the rules of the configuration and of this project. Those of the project cancel no deny rule. */
export function savedRules(places: RulePlaces, configured: readonly PermissionRule[] = []): PermissionRule[] {
  const all = { rules: [...configured] };
  for (const rule of projectRules(places).toReversed()) insertRule(all, rule);
  return all.rules;
}

/** Returns a problem with a saved rule, and where in the file it is. */
export function problemOfRule(places: RulePlaces, { verdict, rule }: PermissionRule, message: string): ConfigProblem {
  const problem = { key: "permission.rules", message, isFatal: true };
  for (const where of ["everywhere", "project"] as const) {
    const path = configPath(rulesDirectory(places, where));
    const reading = readConfigFile(path);
    const parsed = "problem" in reading ? undefined : parseJsonWithComments(reading.text);
    if (!parsed || "problem" in reading || "expected" in parsed || !parsed.root) continue;
    const rules = findNodeAtLocation(parsed.root, ["permission", "rules"])?.children;
    const node = rules?.map((one) => findNodeAtLocation(one, [verdict])).find((one) => one?.value === rule);
    if (node) return { ...problem, path, place: placeOf(reading.text, node.offset, parsed.root) };
  }
  return { ...problem, path: configPath(places.home) };
}

/**
 * Checks a text that is, or is to become, the configuration. `path` is used in its problems.
 *
 * @param isInUse whether the text is the configuration, so that its problems say which settings are ignored.
 */
export function checkConfigText(
  path: string,
  text: string,
  { isInUse = true }: { readonly isInUse?: boolean } = {},
): Omit<LoadedConfig, "path"> {
  const holdsKey = /api_?key/i.test(text);
  const parsed = parseJsonWithComments(text);
  if ("expected" in parsed) {
    const problem = { path, message: parsed.expected, place: placeOf(text, parsed.offset), isFatal: true };
    return { config: {}, problems: [problem], holdsKey };
  }
  const problems: ConfigProblem[] = [];
  const config = checkConfig(parsed.root, (problem) => {
    const { key, offset, isFatal, isDropped } = problem;
    const message = isInUse && isDropped && !isFatal ? `${problem.message} It is ignored.` : problem.message;
    problems.push({ path, ...(key && { key }), message, place: placeOf(text, offset, parsed.root), isFatal });
  });
  return { config: config as Config, problems, holdsKey };
}
