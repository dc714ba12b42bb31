// `ikigai tool allow`: what a tool needs in the sandbox, shown and granted, or taken back.

import { findTool, TrustStoreProblem } from "@ikigai/core";
import { IkigaiError } from "@ikigai/core/errors";
import { agreeToNeeds, describeNeeds, forgetNeeds } from "@ikigai/core/trust";
import { sanitiseLine } from "@ikigai/screen";
import { systemReason } from "@ikigai/system";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { nearestName, openCommandTools } from "../../host/conversation/command-tools.ts";
import { canAsk, confirm, nobodyToAsk } from "../../host/terminal/ask-person.ts";
import { type CommandErrorCode, exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { shortPath } from "../../render/short-forms.ts";
import type { Command, CommandContext } from "../command.ts";

const syntax = commands["tool allow"];

/** Shows what a tool needs in the sandbox, and lets it have that once the user has agreed: on a terminal, or with --yes. */
export const toolAllow: Command = {
  async run(args, context) {
    const { flags, operands } = readOptions(args, syntax.options);
    const [name = ""] = readOperands(operands, syntax);
    try {
      return await (flags.has("revoke") ? revoke(name, context) : allow(name, context, flags.has("yes")));
    } catch (error) {
      const isExpected = error instanceof TrustStoreProblem || (error as NodeJS.ErrnoException).syscall !== undefined;
      if (!isExpected) throw error;
      const reason = error instanceof TrustStoreProblem ? error.message : systemReason(error as NodeJS.ErrnoException);
      printError(`ikigai: Cannot store the decision: ${sanitiseLine(reason)}\n`);
      return exitCodes.failed;
    }
  },
};

async function allow(name: string, context: CommandContext, isAgreed: boolean): Promise<number> {
  const { places, env } = context;
  const tool = await toolCalled(name, context);
  const needs = tool.schema.ikigai?.needs ?? {};
  const lines = describeNeeds(needs, { userHome: places.userHome, env });
  if (lines.length === 0 || tool.scope === "system") {
    printOut(
      `${name} ${tool.scope === "system" ? "ships with ikigai" : "needs nothing"}: there is nothing to allow.\n`,
    );
    return exitCodes.done;
  }
  printOut(
    `${name} (${shortPath(tool.path, places)}), in the sandbox:\n${lines.map((line) => `  ${line}\n`).join("")}`,
  );
  if (!tool.openNeeds) {
    printOut(`Allowed until the tool changes. To take it back: ikigai tool allow ${name} --revoke\n`);
    return exitCodes.done;
  }
  if (!isAgreed && !canAsk()) throw nobodyToAsk("pass --yes to allow this.");
  if (!isAgreed && !(await confirm("Allow this?"))) {
    printError("Nothing was allowed.\n");
    return exitCodes.failed;
  }
  await agreeToNeeds(places.home, [tool]);
  printOut("Allowed until the tool changes.\n");
  return exitCodes.done;
}

async function revoke(name: string, context: CommandContext): Promise<number> {
  const { path, schema, openNeeds } = await toolCalled(name, context);
  const isAllowed = !openNeeds && schema.ikigai?.needs !== undefined;
  await forgetNeeds(context.places.home, [path]);
  printOut(isAllowed ? "No longer allowed.\n" : "Nothing to revoke.\n");
  return exitCodes.done;
}

async function toolCalled(name: string, { places, env }: CommandContext) {
  const registry = await openCommandTools(places, env).last();
  const tool = findTool(registry, name);
  if (tool) return tool;
  const failed = registry.failed.find((failure) => failure.name === name);
  const nearest = nearestName(registry, name);
  const advice = nearest === undefined ? "See: ikigai tool list" : `Did you mean ${nearest}?`;
  const why = failed
    ? `The tool ${name} was not loaded: ${failed.reason}: ${failed.detail}`
    : `No tool ${name}. ${advice}`;
  throw new IkigaiError<CommandErrorCode>("tool_not_found", why);
}
