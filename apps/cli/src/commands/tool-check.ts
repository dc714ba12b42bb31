import { isatty } from "node:tty";
import type { Places } from "@ikigai/agent/internal";
import { findTool } from "@ikigai/core";
import { IkigaiError } from "@ikigai/core/ikigai-error";
import { nearestName } from "@ikigai/core/internal";
import { shellWord } from "@ikigai/system";
import { runCheckCommand, statusLine } from "@ikigai/testing";
import { UsageError } from "../args/usage-error.ts";
import type { CommandErrorCode } from "../host/exit.ts";
import { openToolbox } from "../host/open-toolbox.ts";
import { printError, printOut } from "../host/stdout.ts";
import { terminalKind } from "../render/line-output.ts";
import { reportSkipped } from "../render/report-tools.ts";
import { sanitiseLine } from "../render/sanitise.ts";
import { shortPath } from "../render/short-forms.ts";
import { checkInSandbox } from "./check-in-sandbox.ts";
import type { Command, CommandContext } from "./command.ts";
import { misnamedFile, renderMisnamed } from "./tool-problems.ts";

/** The same checks, options and reports as `npx @ikigai/testing`. */
export const toolCheck: Command = {
  run(args, context) {
    const { hasEscapes } = terminalKind(context.env, { isTerminal: isatty(1) });
    return runCheckCommand(args, {
      name: "ikigai tool check",
      print: printOut,
      printError,
      showStatus: statusLine(printError, { isTerminal: isatty(2), env: context.env }),
      hasColours: hasEscapes,
      pathOf: (name) => pathOf(name, context),
      inSandbox: checkInSandbox(context.places, context.env),
    });
  },
};

/** A name is no consent to run a file that the user has not trusted; its path is. */
function pathAdvice(path: string, places: Places): string {
  const shown = sanitiseLine(shellWord(shortPath(path, places)));
  return `Not run: you have not trusted ${shown}, or it has changed since. To check it, which runs it: ikigai tool check ${shown}`;
}

/** The file of the tool called `name`, even if it could not be loaded, but never of an untrusted one. A slash means a path. */
async function pathOf(name: string, { places, env }: CommandContext): Promise<string | undefined> {
  if (name.includes("/")) return undefined;
  const registry = await openToolbox(places, env).last();
  const broken = registry.failed.find((failure) => failure.name === name && failure.reason !== "untrusted");
  const tool = findTool(registry, name);
  if (broken?.isLaunched || tool?.launcher)
    throw new UsageError(
      `${name} runs elsewhere, by its launcher. Check its file there: npx @ikigai/testing PATH. More: ikigai tool show ${name}`,
    );
  const path = broken?.path ?? tool?.path;
  if (path === undefined) {
    const untrusted = registry.failed.find((failure) => failure.name === name && failure.reason === "untrusted");
    if (untrusted) throw new UsageError(pathAdvice(untrusted.path, places));
    reportSkipped(registry, name);
    const misnamed = misnamedFile(name, places, registry);
    if (misnamed !== undefined) throw notFound(`${renderMisnamed(misnamed, places)}.`);
    const nearest = nearestName(registry, name);
    const advice = nearest === undefined ? "See: ikigai tool list" : `Did you mean ${nearest}?`;
    throw notFound(`No file or tool ${JSON.stringify(name)}. ${advice}`);
  }
  printError(`Checking ${shortPath(path, places)}\n`);
  return path;
}

function notFound(message: string): IkigaiError<CommandErrorCode> {
  return new IkigaiError("tool_not_found", message);
}
