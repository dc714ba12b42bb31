// The host kit: cases for programs that call tools, in any language. In reading order: the cases, from the JSON files of conformance/host;
// what a case needs on disk; a run of the host; what is wrong with the envelope that it printed; and the tests and the report.
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, type JsonValue, textStart, toolSuffix } from "@ikigai/protocol";
import { findProgram, makeDirectories, parseObject } from "@ikigai/system";
import { type ProcessEnd, runProcess, toolEnvironment } from "./run/run-process.ts";
import { tempDir } from "./run/temp-dir.ts";

/** What a host must do with one call, or with the list of tools. */
export interface HostCase {
  /** `GROUP/NAME`: the folder and the case in its `cases.json`. */
  readonly id: string;
  /** The section of the protocol. */
  readonly rule: string;
  /** What is so, as a sentence without its full stop. */
  readonly title: string;
}

/** A case as it is written in `cases.json`. docs: conformance/host/README.md. */
interface WrittenCase extends HostCase {
  /** The tool, and the arguments: an object, or a text that is passed as it is. */
  readonly call?: readonly [string, JsonObject | string];
  readonly env?: Readonly<Record<string, string>>;
  readonly expect?: JsonObject;
  readonly contains?: Readonly<Record<string, string>>;
  readonly lacks?: Readonly<Record<string, string>>;
  readonly atMostBytes?: Readonly<Record<string, number>>;
  readonly line?: string;
  readonly withinMs?: number;
  readonly absent?: string;
  readonly absentAfterMs?: number;
  readonly list?: Readonly<Record<string, JsonObject>>;
  readonly skipped?: Readonly<Record<string, string>>;
}

/** A folder of the kit. */
interface Group {
  readonly name: string;
  readonly directories: readonly string[];
  readonly notExecutable?: readonly string[];
  readonly links?: Readonly<Record<string, string>>;
  readonly cases: readonly WrittenCase[];
}

/** In the published package beside this file, else in the repository. */
const kit =
  ["conformance/host", "../../../conformance/host"]
    .map((path) => join(import.meta.dirname, path))
    .find((path) => existsSync(path)) ?? "";

const groups: readonly Group[] = (kit === "" ? [] : readdirSync(kit, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => {
    const group: Group = JSON.parse(readFileSync(join(kit, name, "cases.json"), "utf8"));
    return { ...group, name, cases: group.cases.map((written) => ({ ...written, id: `${name}/${written.id}` })) };
  });

/** All cases, in the order in which they run. */
export const hostCases: readonly HostCase[] = groups.flatMap(({ cases }) =>
  cases.map(({ id, rule, title }) => ({ id, rule, title })),
);

/** How a host is tried. */
export interface HostOptions {
  /** Added to the host's environment, which is the caller's without `IKIGAI_*`, with an empty home. */
  readonly env?: Readonly<Record<string, string>>;
  /** The ids of cases that are left out, or the beginnings of ids: `plain/`. */
  readonly skip?: readonly string[];
}

/** The time of a case without a limit of its own, in milliseconds. */
const usualMs = 30_000;

/** Tries a host. */
class Trial {
  readonly #command: readonly string[];
  readonly #options: HostOptions;
  readonly #copies = new Map<string, Promise<string>>();
  #count = 0;

  constructor(command: readonly string[], options: HostOptions) {
    this.#command = command;
    this.#options = options;
  }

  /** Returns what is wrong, if anything. */
  async problemOf(group: Group, written: WrittenCase): Promise<string | undefined> {
    const { call, list, withinMs = usualMs, absent, absentAfterMs = 0 } = written;
    const copy = this.#copies.get(group.name) ?? copyOf(group);
    this.#copies.set(group.name, copy);
    const place = await copy;
    const cwd = join(place, `work-${++this.#count}`);
    if (existsSync(join(place, "work"))) cpSync(join(place, "work"), cwd, { recursive: true });
    else makeDirectories(cwd);
    const directories = group.directories.map((name) => join(place, name)).join(delimiter);
    const [name, args] = call ?? [];
    const words = name === undefined ? [] : [name, typeof args === "string" ? args : JSON.stringify(args)];
    const began = performance.now();
    const end = await this.#run([directories, ...words], { cwd, home: place, env: written.env, timeoutMs: withinMs });
    const tookMs = performance.now() - began;
    if (end.timedOut) return `the host was still running after ${withinMs} ms.`;
    const problem = list ? listProblem(end, written) : envelopeProblem(end, written);
    if (problem !== undefined) return problem;
    if (absent === undefined) return undefined;
    await sleep(Math.max(0, absentAfterMs - tookMs));
    return existsSync(join(cwd, absent)) ? `something ran, or went on running: it made ${absent}.` : undefined;
  }

  async #run(
    words: readonly string[],
    place: { cwd: string; home: string; env: WrittenCase["env"]; timeoutMs: number },
  ): Promise<ProcessEnd> {
    const [program = "", ...args] = this.#command;
    const path = program.includes("/") ? program : (findProgram(program, process.env.PATH, "/") ?? program);
    const home = { HOME: place.home, IKIGAI_HOME: join(place.home, "home") };
    const env = { ...toolEnvironment(), ...home, ...this.#options.env, ...place.env };
    return runProcess(path, [...args, ...words], { cwd: place.cwd, env, timeoutMs: place.timeoutMs, stdin: "" });
  }
}

/** A package or an archive may have lost the modes and links of the files. */
async function copyOf({ name, links = {}, notExecutable = [] }: Group): Promise<string> {
  const place = await tempDir();
  cpSync(join(kit, name), place, { recursive: true });
  for (const file of readdirSync(place, { recursive: true, encoding: "utf8" }))
    if (file.endsWith(toolSuffix) || file.startsWith("elsewhere/"))
      chmodSync(join(place, file), notExecutable.includes(file) ? 0o644 : 0o755);
  for (const [path, target] of Object.entries(links)) {
    makeDirectories(dirname(join(place, path)));
    symlinkSync(target, join(place, path));
  }
  return place;
}

function envelopeProblem({ stdout }: ProcessEnd, written: WrittenCase): string | undefined {
  const { expect = {}, contains = {}, lacks = {}, atMostBytes = {}, line } = written;
  const text = stdout.toString("utf8");
  const envelope = parseObject(text);
  const got = `It printed ${textStart(text.trim(), 600)}`;
  if (envelope === undefined) return `expected one JSON object, the envelope. ${got}`;
  for (const [key, value] of Object.entries(expect))
    if (!isDeepStrictEqual(envelope[key], value)) return `expected ${key} to be ${JSON.stringify(value)}. ${got}`;
  if (typeof envelope.error !== "string" && envelope.tool_success !== true) return `expected an error. ${got}`;
  if (text.trim().includes("\n")) return `expected the envelope on one line. ${got}`;
  if (line !== undefined && !text.includes(line)) return `expected the text ${line}. ${got}`;
  for (const [path, part] of Object.entries(contains))
    if (!textAt(envelope, path, text).includes(part)) return `expected ${path} to contain ${part}. ${got}`;
  for (const [path, part] of Object.entries(lacks))
    if (textAt(envelope, path, text).includes(part)) return `expected no ${part}. ${got}`;
  for (const [path, bytes] of Object.entries(atMostBytes))
    if (Buffer.byteLength(textAt(envelope, path, text)) > bytes)
      return `expected at most ${bytes} bytes of ${path || "the envelope"}. ${got}`;
  return undefined;
}

/** The text at a path with dots; the whole envelope for an empty one. */
function textAt(envelope: JsonObject, path: string, whole: string): string {
  if (path === "") return whole;
  const found = path
    .split(".")
    .reduce<JsonValue | undefined>((value, key) => (isJsonObject(value) ? value[key] : undefined), envelope);
  return typeof found === "string" ? found : "";
}

function listProblem({ stdout }: ProcessEnd, { list = {}, skipped = {} }: WrittenCase): string | undefined {
  const text = stdout.toString("utf8");
  const listed = parseObject(text);
  const got = `It printed ${textStart(text.trim(), 600)}`;
  if (listed === undefined || !Array.isArray(listed.tools) || !Array.isArray(listed.skipped))
    return `expected {"tools": […], "skipped": […]}. ${got}`;
  const tools = listed.tools.filter(isJsonObject);
  const names = tools.map(({ name }) => String(name));
  if (!isDeepStrictEqual(names, names.toSorted())) return `expected the tools by name, got ${names.join(", ")}.`;
  for (const [name, expected] of Object.entries(list)) {
    const tool = tools.find((one) => one.name === name);
    if (!tool) return `expected the tool ${name}. ${got}`;
    const { description, ...parameters } = expected;
    if (description !== undefined && tool.description !== description)
      return `expected ${name}'s description to be ${JSON.stringify(description)}, got ${JSON.stringify(tool.description)}.`;
    if (!hasAll(tool.parameters, parameters))
      return `expected ${name}'s parameters to have ${JSON.stringify(parameters)}, got ${JSON.stringify(tool.parameters)}.`;
  }
  for (const [name, reason] of Object.entries(skipped)) {
    const isListed = listed.skipped.some((one) => isJsonObject(one) && one.name === name && one.reason === reason);
    if (!isListed) return `expected ${name} to be skipped for the reason "${reason}". ${got}`;
  }
  return undefined;
}

/** Whether a value has everything that another one has; lists are equal. */
function hasAll(value: JsonValue | undefined, expected: JsonValue): boolean {
  if (!isJsonObject(expected)) return isDeepStrictEqual(value, expected);
  return isJsonObject(value) && Object.entries(expected).every(([key, one]) => hasAll(value[key], one));
}

/** The result of a case. */
export interface HostResult extends HostCase {
  /** How it ended. */
  readonly status: "passed" | "failed" | "skipped";
  /** If it failed: what was expected, and what the host printed. */
  readonly problem?: string;
}

/**
 * Tries a host with each case, one after the other.
 *
 * @param command the host: a program with its first arguments. It is called with a list of directories, separated like `PATH`, the nearest
 *   first; with these alone it prints `{"tools": […], "skipped": […]}`, with a tool's name and its arguments the envelope.
 * @param options environment and cases that are left out; all have defaults.
 * @throws the system's error if the host cannot be started.
 */
export async function checkHost(
  command: readonly string[],
  options: HostOptions & { readonly onResult?: (result: HostResult) => void } = {},
): Promise<readonly HostResult[]> {
  const results: HostResult[] = [];
  const trial = new Trial(command, options);
  for (const group of groups)
    for (const written of group.cases) {
      const { id, rule, title } = written;
      const isSkipped = skips(options, id);
      const problem = isSkipped ? undefined : await trial.problemOf(group, written);
      const status = isSkipped ? "skipped" : problem === undefined ? "passed" : "failed";
      const result = { id, rule, title, status, ...(problem !== undefined && { problem }) } as const;
      results.push(result);
      options.onResult?.(result);
    }
  return results;
}

function skips({ skip = [] }: HostOptions, id: string): boolean {
  return skip.some((start) => id.startsWith(start));
}

/**
 * Defines a test for each case.
 *
 * @param command as for `checkHost`.
 * @param options also `test`: the function that defines a test, of vitest, `node:test` or Jest.
 */
export function describeHost(
  command: readonly string[],
  options: HostOptions & { readonly test: (title: string, run: () => Promise<void>) => unknown },
): void {
  const trial = new Trial(command, options);
  for (const group of groups)
    for (const written of group.cases.filter(({ id }) => !skips(options, id)))
      options.test(`${written.id}: ${written.title}`, async () => {
        const problem = await trial.problemOf(group, written);
        if (problem !== undefined) throw new Error(`${problem} Rule ${written.rule} of the protocol.`);
      });
}

const usage = `Usage: ikigai-testing host [--skip ID]… COMMAND [ARGUMENT…]

Try a host with each case of the host kit. COMMAND gets directories, separated by colons, the nearest first; then a tool's name
and its arguments, and prints the envelope. With directories alone it prints {"tools": […], "skipped": […]}.

  --skip ID   leave out a case, or with GROUP/ a group; can be repeated
`;

/**
 * Runs `ikigai-testing host`: prints a line for each case. Returns the exit code: 0 if all passed, 1 if not, 2 for an invalid command
 * line.
 *
 * @param args what follows `host`.
 * @param print prints a part of the report.
 */
export async function runHostCommand(args: readonly string[], print: (text: string) => void): Promise<number> {
  const skip: string[] = [];
  let words = args;
  for (; words[0] === "--skip"; words = words.slice(2)) if (words[1]) skip.push(words[1]);
  const isHelp = words[0] === "--help" || words[0] === "-h";
  if (isHelp || words[0] === undefined || words[0].startsWith("-")) {
    print(usage);
    return isHelp ? 0 : 2;
  }
  // The host runs in other directories.
  const command = words.map((word) => (existsSync(word) ? resolve(word) : word));
  const marks = { passed: "ok     ", failed: "FAILED ", skipped: "skipped" } as const;
  const results = await checkHost(command, {
    skip,
    onResult({ id, title, rule, status, problem }) {
      print(`${marks[status]} ${id}: ${title}\n`);
      if (problem !== undefined) print(`        ${problem}\n        Rule ${rule} of docs/protocol.md\n`);
    },
  });
  const count = (wanted: HostResult["status"]) => results.filter(({ status }) => status === wanted).length;
  print(
    `${count("passed")} of ${results.length} cases passed, ${count("skipped")} skipped, ${count("failed")} failed.\n`,
  );
  return count("failed") === 0 ? 0 : 1;
}
