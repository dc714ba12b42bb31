import { existsSync } from "node:fs";
import { type CheckResult, checkTool } from "@ikigai/testing";
import { exitCodes } from "../exit-codes.ts";
import { printError, printOut } from "../print-out.ts";
import { readOptions } from "../read-options.ts";
import { sanitiseLine } from "../screen/sanitise.ts";
import type { Command } from "./command.ts";
import { readOperands } from "./read-operands.ts";

export const toolCheck: Command = {
  name: "check",
  usage: "tool check PATH",
  async run(args) {
    const [path = ""] = readOperands(readOptions(args, {}).operands, { ...toolCheck, min: 1 });
    if (!existsSync(path)) {
      printError(`ikigai: There is no file ${sanitiseLine(path)}.\n`);
      return exitCodes.failed;
    }
    const { results, ok } = await checkTool(path);
    for (const result of results) printOut(renderResult(result));
    printOut(renderSum(results));
    return ok ? exitCodes.done : exitCodes.failed;
  },
};

const words = { passed: "ok", failed: "FAILED", skipped: "skipped" } as const;

function renderResult({ id, level, title, status, problem }: CheckResult): string {
  const line = `${words[status].padEnd(8)}${level.padEnd(7)}${id}: ${title}\n`;
  return problem === undefined ? line : `${line}${" ".repeat(15)}${sanitiseLine(problem)}\n`;
}

function renderSum(results: readonly CheckResult[]): string {
  const failed = results.filter(({ status }) => status === "failed");
  const musts = failed.filter(({ level }) => level === "must").length;
  const kept = results.filter(({ status }) => status === "passed").length;
  if (failed.length === 0) return `It keeps to the protocol: ${kept} checks.\n`;
  return `${kept} of ${results.length} checks passed; not kept: ${musts} must, ${failed.length - musts} should.\n`;
}
