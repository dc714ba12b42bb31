import { existsSync } from "node:fs";
import { checkTool } from "@ikigai/testing";
import { exitCodes } from "../exit-codes.ts";
import { printError, printOut } from "../print-out.ts";
import { sanitiseLine } from "../screen/sanitise.ts";
import { UsageError } from "../usage-error.ts";
import type { Command } from "./command.ts";

const signs = { passed: "✓", failed: "✗", skipped: "-" } as const;

export const toolCheck: Command = {
  name: "check",
  usage: "tool check PATH",
  async run([path, ...rest]) {
    if (path === undefined || rest.length > 0) throw new UsageError(`Expected ikigai ${toolCheck.usage}.`);
    if (!existsSync(path)) {
      printError(`There is no file ${sanitiseLine(path)}.\n`);
      return exitCodes.failed;
    }
    const { results, ok } = await checkTool(path);
    for (const { id, level, title, status, problem } of results) {
      printOut(`${signs[status]} ${level.toUpperCase().padEnd(6)} ${id}: ${title}\n`);
      if (problem) printOut(`         ${sanitiseLine(problem)}\n`);
    }
    const failed = results.filter(({ status }) => status === "failed");
    const musts = failed.filter(({ level }) => level === "must").length;
    printOut(`${results.length - failed.length} kept, ${musts} MUST and ${failed.length - musts} SHOULD not kept\n`);
    return ok ? exitCodes.done : exitCodes.failed;
  },
};
