import { checkArguments } from "@ikigai/agent/internal";
import {
  changeCounts,
  changesSince,
  type Inspection,
  isStdio,
  isUnchanged,
  recordChanges,
  type ServerPackage,
  type ToolChanges,
} from "@ikigai/mcp";
import type { JsonObject } from "@ikigai/protocol";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { Refusal } from "@ikigai/tool-packages";
import { mcpCommands } from "../../args/mcp-commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { exitCodes } from "../../host/exit.ts";
import { printError, printOut } from "../../host/stdout.ts";
import { printFaithfully } from "../../render/line-output.ts";
import { type Command, withRefusals } from "../command.ts";
import { addedServer } from "./added-servers.ts";
import { inspectServer, tryCommand } from "./inspect-server.ts";

const syntax = mcpCommands["mcp test"];

/** Starts a server, and says how long it took and how its tools differ from those that were added; calls one of them if wanted. */
export const mcpTest: Command = {
  run(args, { places, env }) {
    const { flags, values, operands } = readOptions(args, syntax.options);
    const [name = "", given] = readOperands(operands, syntax);
    const called = values.call?.[0];
    if (given !== undefined && called === undefined)
      throw new UsageError("Missing --call TOOL, the tool that gets the arguments.");
    const input = readInput(given ?? "{}");
    return withRefusals(async () => {
      const server = addedServer(name, places);
      const { pack, dataDir } = server;
      if (pack === undefined)
        throw new Refusal(
          `The files of ${name} are missing or damaged. Remove it and add it again: ikigai mcp remove ${name}`,
        );
      const { entry, npm } = pack.server;
      const call = called === undefined ? {} : { call: { tool: addedTool(called, pack), arguments: input } };
      const place = { packageDir: pack.path, dataDir, projectDir: places.projectDir };
      const request = { name, entry, ...place, tryCommand: tryCommand(entry, npm), ...call };
      const found = await inspectServer(request, env, (text) => printError(sanitise(text)));
      if (!isStdio(entry) && found.transport !== entry.type)
        throw new Refusal(`${name} now uses another transport (${found.transport}). Remove it and add it again.`);
      const changes = changesSince(pack.server, pack.tools, found.tools);
      recordChanges(dataDir, changes);
      if (flags.has("json")) printFaithfully(`${JSON.stringify(toJson(name, found, changes))}\n`);
      else printReport(name, found, changes);
      const isFailed = found.call?.answer.error !== undefined;
      return isUnchanged(changes) && !isFailed ? exitCodes.done : exitCodes.failed;
    });
  },
};

/** @throws UsageError. */
function readInput(text: string): JsonObject {
  const checked = checkArguments(text);
  if ("error" in checked) throw new UsageError(checked.error);
  return checked.value;
}

/** The tool that the user means: as the model calls it, also without `mcp__SERVER__`, or as the server does. @throws Refusal if there is no such tool. */
function addedTool(name: string, { server, tools: { tools } }: ServerPackage): string {
  const found =
    tools.find(({ tool }) => tool === name) ??
    tools.find(({ definition, isResource }) => !isResource && definition.name === name) ??
    tools.find(({ tool }) => tool.replace(/^mcp__.*?__/, "") === name);
  if (found) return found.tool;
  const known = tools.map(({ tool }) => tool).join(", ");
  throw new Refusal(`${server.name} has no tool ${JSON.stringify(name)}. Known: ${known}.`);
}

/** The times in whole milliseconds, in the order in which they passed. */
function roundedTimes({ times, call }: Inspection): Readonly<Record<string, number>> {
  const all = { ...times, ...(call && { call: call.ms }) };
  return Object.fromEntries(Object.entries(all).map(([part, ms]) => [part, Math.round(ms)]));
}

function toJson(name: string, found: Inspection, changes: ToolChanges): object {
  return { name, ms: roundedTimes(found), ...changes, ...(found.call && { answer: found.call.answer }) };
}

function printReport(name: string, found: Inspection, changes: ToolChanges): void {
  const { start, ...others } = roundedTimes(found);
  const times = Object.entries(others).map(([part, ms]) => `${part} ${ms} ms`);
  const told = isUnchanged(changes) ? "Its tools have not changed." : `Its tools changed (${changeCounts(changes)}):`;
  const lines = [
    ...changes.added.map((tool) => `  + ${tool}`),
    ...changes.removed.map((tool) => `  - ${tool}`),
    ...changes.changed.map((tool) => `  ~ ${tool}`),
  ];
  printOut(`${name}: started in ${start} ms, ${times.join(", ")}\n`);
  const advice = isUnchanged(changes) ? [] : [`To review and accept: ikigai mcp update ${name}`];
  printOut(`${[told, ...lines, ...advice].map(sanitiseLine).join("\n")}\n`);
  if (found.call) printFaithfully(`${JSON.stringify(found.call.answer)}\n`);
}
