// The report of a check in its formats, with the rule behind each check; and the command that prints it.

import { existsSync } from "node:fs";
import { parseArgs, styleText } from "node:util";
import type { JsonObject } from "@ikigai/protocol";
import { isDirectory, optionProblem, parseObject, showOnLine } from "@ikigai/system";
import {
  type CheckResult,
  checksOf,
  checkTool,
  everyCheck,
  leftOut,
  type Report,
  unknownCheck,
} from "../checks/check-tool.ts";
import { needsCall } from "../checks/each-call.ts";
import type { SubjectOptions } from "../run/subject.ts";

/** Prints a report while the checks run. */
interface ReportLines {
  result(result: CheckResult): string;
  end(report: Report): string;
}

interface Look {
  readonly isStrict: boolean;
  readonly hasColours: boolean;
}

export type ReportFormat = "text" | "tap" | "json";

/** The report formats. */
export const reportFormats: Readonly<Record<ReportFormat, (look: Look) => ReportLines>> = {
  text: ({ hasColours }) => {
    const paint: Paint = hasColours ? styleText : (_, text) => text;
    return {
      // Skipped checks are printed at the end, grouped by reason.
      result: (result) => (result.status === "skipped" ? "" : renderResult(result, paint)),
      end: (report) => renderSkipped(report, paint) + renderSum(report),
    };
  },
  tap: ({ isStrict }) => tap(isStrict),
  json: () => ({ result: () => "", end: (report) => `${JSON.stringify(report, null, 2)}\n` }),
};

type Paint = (colour: "green" | "red" | "yellow" | "dim", text: string) => string;

function renderResult({ id, level, title, problem, advice = "" }: CheckResult, paint: Paint): string {
  if (problem === undefined) return `${paint("green", "ok      ")}${level.padEnd(7)}${id}: ${title}\n`;
  const word = paint(level === "must" ? "red" : "yellow", "FAILED  ");
  const lines = [
    ...problem.split("\n").map((one) => showOnLine(one)),
    showOnLine(advice),
    `Rule ${rules[id]} of docs/${pageOf(rules[id])}`,
  ];
  return `${word}${level.padEnd(7)}${id}: ${title}\n${lines.map((line) => `${indent}${line}\n`).join("")}`;
}

const indent = " ".repeat(15);

/** The most ids on one line. */
const maxNamed = 3;

function renderSkipped({ results }: Report, paint: Paint): string {
  const byReason = new Map<string, string[]>();
  for (const { id, reason } of results)
    if (reason !== undefined) byReason.set(reason, [...(byReason.get(reason) ?? []), id]);
  return [...byReason]
    .map(([reason, ids]) => {
      const others = ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : "";
      return `${paint("dim", "skipped ")}${ids.slice(0, maxNamed).join(", ")}${others}\n${indent}${showOnLine(reason)}\n`;
    })
    .join("");
}

/** The page that has a rule: those of level 0, 1 and 2 end with the sections 6, 10 and 15; that of plain tools is 19. */
export function pageOf(rule = ""): string {
  const section = Number.parseInt(rule, 10);
  if (section <= 6) return "protocol.md";
  if (section === 19) return "plain-tools.md";
  return section <= 10 ? "protocol-answers.md" : "protocol-processes.md";
}

/** Where to read the rules behind the checks. */
const protocol = "https://github.com/ikigai-cli/ikigai/blob/main/docs/protocol.md";

function renderSum({ path, results }: Report): string {
  const all = checksOf(path).length;
  const count = (status: CheckResult["status"], level?: CheckResult["level"]) =>
    results.filter((result) => result.status === status && result.level === (level ?? result.level)).length;
  const selected = results.filter(({ reason }) => reason !== leftOut).length;
  const notApplicable = count("skipped") - (results.length - selected);
  const skipped = notApplicable === 0 ? "" : `, ${notApplicable} skipped`;
  const others = selected < all ? "; the others were not selected" : "";
  const kept = `${count("passed")} of ${all} checks passed${skipped}`;
  if (count("failed") > 0) {
    const failed = `failed: ${count("failed", "must")} must, ${count("failed", "should")} should`;
    return `${kept}; ${failed}${others}.\ndocs/protocol.md: ${protocol}\n`;
  }
  // Part of the checks does not show that the tool conforms.
  if (others !== "") return `${kept}${others}.\n`;
  const passed = `${count("passed")} checks passed${skipped}`;
  const isCalled = !results.some(({ reason }) => reason?.startsWith(needsCall));
  if (isCalled) return `Conforms to the protocol: ${passed}.\n`;
  return `Conforms as far as it was tested: ${passed}.\nIts answers were not tested: no real call was made. To make one: --call '{…}', or --examples if its schema has some\n`;
}

/** TAP 14. A failed SHOULD is a TODO: TAP readers show it and count the run as successful. */
function tap(isStrict: boolean): ReportLines {
  let number = 0;
  return {
    result({ id, level, title, status, problem, advice = "", reason }) {
      const head = number === 0 ? "TAP version 14\n" : "";
      const todo = status === "failed" && level === "should" && !isStrict ? " # TODO should" : "";
      const skip = status === "skipped" ? ` # SKIP ${tapText(reason ?? "")}` : "";
      const line = `${status === "failed" ? "not ok" : "ok"} ${++number} - ${tapText(`${id}: ${title}`)}${todo}${skip}\n`;
      if (problem === undefined) return head + line;
      return `${head}${line}  ---\n  level: ${level}\n  message: ${JSON.stringify(showOnLine(problem.replaceAll("\n", " ")))}\n  advice: ${JSON.stringify(showOnLine(advice))}\n  ...\n`;
    },
    end: () => `1..${number}\n`,
  };
}

/** Escapes `#`, which begins a directive. */
function tapText(text: string): string {
  return showOnLine(text).replaceAll(/[\\#]/g, "\\$&");
}

/** The checks, for people or for programs. */
export function renderList(isJson: boolean): string {
  const rows = everyCheck.map(({ id, level, title, needs }) => ({
    id,
    level,
    rule: rules[id],
    title,
    ...(needs && { needs }),
  }));
  if (isJson) return `${JSON.stringify(rows, null, 2)}\n`;
  const width = Math.max(...rows.map(({ id }) => id.length)) + 2;
  return rows
    .map(({ id, level, rule = "", title }) => `${id.padEnd(width)}${level.padEnd(8)}${rule.padEnd(6)}${title}\n`)
    .join("");
}

/** The rule of the protocol behind each check, by the check's id. */
export const rules: Readonly<Record<string, string>> = {
  "plain-tags": "19.4",
  "plain-begin": "19.1",
  "plain-interpreter": "19.9",
  "plain-syntax": "19.5",
  "plain-call": "19.7",
  "plain-size": "1.3",
  "plain-described": "2.2",
  executable: "1.1",
  "file-name": "1.2",
  starts: "1.1",
  shebang: "1.1",
  schema: "1.3",
  "schema-time": "1.3",
  "schema-environment": "1.3",
  "schema-stable": "3.4",
  "schema-size": "1.3",
  description: "2.2",
  name: "2.1",
  "name-matches": "2.1",
  parameters: "2.3",
  "parameters-form": "2.4",
  "required-listed": "2.3",
  "output-schema": "2.5",
  "schema-keys": "2.6",
  "refuses-empty-input": "1.11",
  "refuses-broken-json": "1.6",
  "refuses-other-json": "1.6",
  "refuses-missing-parameter": "1.6",
  "refuses-wrong-type": "1.6",
  "refuses-null": "1.9",
  "explains-refusal": "1.6",
  answers: "1.4",
  "answer-object": "1.4",
  "answer-once": "1.4",
  "answer-alone": "1.4",
  "answer-schema": "2.5",
  "answer-fields": "2.5",
  "error-shape": "1.5",
  "help-steps": "1.8",
  "ignores-unknown-fields": "1.9",
  "null-is-absent": "1.9",
  visual: "9.1",
  images: "10.2",
  documents: "10.2",
  "keeps-limit": "4.5",
  "keeps-budget": "8.1",
  "jobs-only-offered": "15.1",
  needs: "7.3",
  "reads-all-input": "1.4",
  "multi-line-input": "1.4",
  utf8: "1.4",
  "read-only": "2.5",
  "waits-for-input": "11.1",
  "ends-on-sigterm": "1.10",
  "leaves-nothing-running": "1.12",
  "serves-ready": "12.4",
  "serves-refuses": "12.7",
  "serves-ends": "12.8",
  "serves-like-one-shot": "13.2",
  "serves-no-state": "13.3",
  "service-ready": "14.3",
  "service-refuses": "12.7",
  "service-tools": "14.1",
  "service-parallel": "14.2",
  "service-cancels": "14.4",
  "service-ends": "12.8",
  "works-without-service": "14.9",
};

/** The command that embeds this one. */
export interface CheckCommand {
  /** The command line up to the arguments, for example `ikigai tool check`. */
  readonly name: string;
  /** Prints a part of the report on stdout. */
  print(text: string): void;
  /** Prints why the command line is invalid on stderr. */
  printError(text: string): void;
  /** Shows what is being checked, in place of what was shown before; an empty text removes it. See `statusLine`. */
  readonly showStatus?: ((text: string) => void) | undefined;
  /** Finds a tool by its name, for a command that knows the names of tools. */
  pathOf?(name: string): Promise<string | undefined>;
  /** Makes calls in a sandbox, for a command that has one. */
  readonly inSandbox?: SubjectOptions["inSandbox"];
  /** Whether to print colours. */
  readonly hasColours?: boolean;
}

/** The exit codes. */
const exitCodes = { kept: 0, broken: 1, usage: 2 } as const;

const options = {
  call: { type: "string", multiple: true },
  examples: { type: "boolean" },
  cwd: { type: "string" },
  only: { type: "string", multiple: true },
  skip: { type: "string", multiple: true },
  strict: { type: "boolean" },
  tap: { type: "boolean" },
  json: { type: "boolean" },
  list: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/**
 * Runs `check` with these arguments and prints the report. Returns the exit code: 0 if the tool conforms, 1 if it does not,
 * 2 for an invalid command line.
 *
 * @throws only what the functions of `command` throw.
 */
export async function runCheckCommand(args: readonly string[], command: CheckCommand): Promise<number> {
  const request = read(args);
  if (typeof request === "string") {
    command.printError(`${command.name}: ${request} Try: ${command.name} --help\n`);
    return exitCodes.usage;
  }
  if (request.kind !== "check") {
    command.print(request.kind === "help" ? help(command.name) : renderList(request.isJson));
    return exitCodes.kept;
  }
  // A package is often in a folder that is named like its tool.
  const isFile = existsSync(request.path) && !isDirectory(request.path);
  const path = (!isFile && (await command.pathOf?.(request.path))) || request.path;
  const format = reportFormats[request.format];
  const lines = format({ isStrict: request.isStrict, hasColours: command.hasColours === true });
  const report = await checkTool(path, {
    ...request,
    inSandbox: command.inSandbox,
    onStart: (id, number, count) => command.showStatus?.(`Checking ${id} (${number} of ${count})`),
    onResult(result) {
      command.showStatus?.("");
      command.print(lines.result(result));
    },
  });
  command.print(lines.end(report));
  const isKept = request.isStrict ? report.results.every(({ status }) => status !== "failed") : report.ok;
  return isKept ? exitCodes.kept : exitCodes.broken;
}

type Request =
  | { readonly kind: "help" }
  | { readonly kind: "list"; readonly isJson: boolean }
  | {
      readonly kind: "check";
      readonly path: string;
      readonly format: ReportFormat;
      readonly isStrict: boolean;
      readonly calls: readonly JsonObject[] | undefined;
      readonly callExamples: boolean | undefined;
      readonly cwd: string | undefined;
      readonly only: readonly string[] | undefined;
      readonly skip: readonly string[] | undefined;
    };

/** Parses a command line. Returns a sentence if it is invalid. */
function read(args: readonly string[]): Request | string {
  const parsed = parse(args);
  if (typeof parsed === "string") return parsed;
  const { values, positionals } = parsed;
  if (values.help) return { kind: "help" };
  if (values.list) return { kind: "list", isJson: values.json === true };
  const [path, ...others] = positionals;
  if (path === undefined) return "Missing PATH of a tool.";
  if (others.length > 0) return `Expected one path, got ${positionals.length}: ${positionals.join(" ")}.`;
  if (values.tap && values.json) return "Expected --tap or --json, got both.";
  const unknown = unknownCheck([...(values.only ?? []), ...(values.skip ?? [])].flatMap(ids));
  if (unknown !== undefined) return `Unknown check ${JSON.stringify(unknown)}; --list prints the ids.`;
  const { cwd } = values;
  if (cwd !== undefined && !isDirectory(cwd)) return `Expected --cwd to be a directory, got ${JSON.stringify(cwd)}.`;
  const calls = values.call?.map((text) => parseObject(text));
  const broken = calls?.indexOf(undefined) ?? -1;
  if (broken >= 0) return `Expected --call to be a JSON object, got ${JSON.stringify(values.call?.[broken])}.`;
  return {
    kind: "check",
    path,
    format: values.tap ? "tap" : values.json ? "json" : "text",
    isStrict: values.strict === true,
    calls: calls?.filter((call) => call !== undefined),
    callExamples: values.examples,
    cwd,
    only: values.only?.flatMap(ids),
    skip: values.skip?.flatMap(ids),
  };
}

function parse(args: readonly string[]) {
  return optionProblem(args, options) ?? parseArgs({ args: [...args], options, allowPositionals: true });
}

/** Ids can be repeated options or separated by commas. */
function ids(list: string): string[] {
  return list.split(",");
}

function help(name: string): string {
  return `Tests whether an executable follows the ikigai tool protocol.

Usage: ${name} PATH [OPTIONS]

  --call JSON     call it with these arguments; can be repeated. Without --call, makes real calls only if its schema
                  declares readOnlyHint: true and openWorldHint: false
  --examples      call it with the examples of its schema, even if not declared read-only
  --cwd DIR       make those calls in DIR (default: an empty directory)
  --only ID,…     run only these checks and their prerequisites
  --skip ID,…     skip these checks
  --strict        treat SHOULD violations as failures
  --tap, --json   print the report as TAP 14, or as one JSON object
  --list          list the checks and exit (with --json as JSON)

Exit codes: 0 it follows the protocol, 1 it does not, 2 wrong usage.
`;
}

/** Removes what is in the current line of a terminal. */
const emptyLine = "\r\u001b[K";

/**
 * Returns what shows a text in the current line of a terminal, in place of the one before; `undefined` if stderr is not a terminal that
 * can do so. Never throws.
 */
export function statusLine(
  print: (text: string) => void,
  options: { readonly isTerminal: boolean; readonly env: NodeJS.ProcessEnv },
): ((text: string) => void) | undefined {
  const { isTerminal, env } = options;
  if (!isTerminal || !env.TERM || env.TERM === "dumb") return undefined;
  return (text) => print(`${emptyLine}${text}`);
}
