import { styleText } from "node:util";
import { showOnLine } from "@ikigai/system";
import { type CheckResult, leftOut, type Report } from "./check-tool.ts";
import { checksOf, everyCheck } from "./conformance.ts";
import { needsCall } from "./each-call.ts";

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
