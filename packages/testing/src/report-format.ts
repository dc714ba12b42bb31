import { styleText } from "node:util";
import type { CheckResult, Report } from "./check-tool.ts";
import { conformance } from "./conformance.ts";

/** How a report is printed, as it grows. */
interface ReportLines {
  result(result: CheckResult): string;
  end(report: Report): string;
}

interface Look {
  readonly isStrict: boolean;
  readonly hasColours: boolean;
}

export type ReportFormat = "text" | "tap" | "json";

/** What a report may look like. */
export const reportFormats: Readonly<Record<ReportFormat, (look: Look) => ReportLines>> = {
  text: ({ hasColours }) => {
    const said = new Set<string | undefined>();
    return {
      result(result) {
        const isSaid = said.has(result.reason);
        said.add(result.reason);
        return renderResult(result, isSaid, hasColours ? styleText : (_, text) => text);
      },
      end: renderSum,
    };
  },
  tap: ({ isStrict }) => tap(isStrict),
  json: () => ({ result: () => "", end: (report) => `${JSON.stringify(report, null, 2)}\n` }),
};

type Paint = (colour: "green" | "red" | "yellow" | "dim", text: string) => string;

const words = { passed: "ok", failed: "FAILED", skipped: "skipped" } as const;

/** Whole groups of checks are skipped for one reason, which is not said again for each. */
function renderResult({ id, level, title, status, problem, reason }: CheckResult, isSaid: boolean, paint: Paint) {
  const bad = level === "must" ? "red" : "yellow";
  const word = paint({ passed: "green", failed: bad, skipped: "dim" }[status] as "green", words[status].padEnd(8));
  const line = `${word}${level.padEnd(7)}${id}: ${title}\n`;
  const why = problem ?? (isSaid ? undefined : reason);
  return why === undefined ? line : `${line}${" ".repeat(15)}${printable(why)}\n`;
}

function renderSum({ results }: Report): string {
  const count = (status: CheckResult["status"], level?: CheckResult["level"]) =>
    results.filter((result) => result.status === status && result.level === (level ?? result.level)).length;
  const skipped = count("skipped") === 0 ? "" : `, ${count("skipped")} skipped`;
  if (count("failed") === 0) return `It keeps to the protocol: ${count("passed")} checks${skipped}.\n`;
  const kept = `${count("passed")} of ${results.length} checks passed${skipped}`;
  return `${kept}; not kept: ${count("failed", "must")} must, ${count("failed", "should")} should.\n`;
}

/** TAP 14. What a tool should do and does not is a TODO: readers of TAP show it and count the run as good. */
function tap(isStrict: boolean): ReportLines {
  let number = 0;
  return {
    result({ id, level, title, status, problem, reason }) {
      const head = number === 0 ? "TAP version 14\n" : "";
      const todo = status === "failed" && level === "should" && !isStrict ? " # TODO should" : "";
      const skip = status === "skipped" ? ` # SKIP ${tapText(reason ?? "")}` : "";
      const line = `${status === "failed" ? "not ok" : "ok"} ${++number} - ${tapText(`${id}: ${title}`)}${todo}${skip}\n`;
      if (problem === undefined) return head + line;
      return `${head}${line}  ---\n  level: ${level}\n  message: ${JSON.stringify(printable(problem))}\n  ...\n`;
    },
    end: () => `1..${number}\n`,
  };
}

/** `#` begins a directive. */
function tapText(text: string): string {
  return printable(text).replaceAll(/[\\#]/g, "\\$&");
}

/** A text that cannot drive a terminal: controls and what is invisible are spelt out. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    return `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

/** The checks, for people or for programs. */
export function renderList(isJson: boolean): string {
  const rows = conformance.map(({ id, level, title, needs }) => ({ id, level, title, ...(needs && { needs }) }));
  if (isJson) return `${JSON.stringify(rows, null, 2)}\n`;
  const width = Math.max(...rows.map(({ id }) => id.length)) + 2;
  return rows.map(({ id, level, title }) => `${id.padEnd(width)}${level.padEnd(8)}${title}\n`).join("");
}
