// The commands for servers that were added: `ikigai mcp list`, `test`, `update` and `remove`.

import { checkArguments, type Places } from "@ikigai/agent/internal";
import { AddedServer, checkServer, removeServer, type ServerCheck, updateServer } from "@ikigai/mcp";
import type { JsonObject } from "@ikigai/protocol";
import { sanitiseLine } from "@ikigai/screen";
import { mcpCommands } from "../../args/command-groups.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { openCommandTools } from "../../host/conversation/command-tools.ts";
import { canAsk, confirm, nobodyToAsk } from "../../host/terminal/ask-person.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { printFaithfully } from "../../render/line-output.ts";
import { type Command, type CommandContext, withRefusals } from "../command.ts";
import { kilobytes, renderLeftOut, renderServerChanges, serverContext } from "./show-server.ts";

/** Lists the servers that were added. Starts none of them. */
export const mcpList: Command = {
  run(args, { places, env }) {
    const { flags, operands } = readOptions(args, mcpCommands["mcp list"].options);
    readOperands(operands, mcpCommands["mcp list"]);
    return withRefusals(async () => {
      const rows = AddedServer.all(places).map((server) => rowOf(server, env));
      if (flags.has("json")) printOut(`${JSON.stringify(rows, null, 2)}\n`);
      else if (rows.length === 0) printOut("No MCP servers. To add one: ikigai mcp add NAME -- COMMAND\n");
      else printOut(renderRows(rows));
      return exitCodes.done;
    });
  },
};

interface Row {
  readonly name: string;
  readonly transport: string;
  /** Its URL without secrets, or its command line. */
  readonly target: string;
  /** Whether it was added for this directory only. */
  readonly here: boolean;
  readonly tools: number;
  /** The size of the definitions. */
  readonly bytes: number;
  readonly status: string;
  /** The server's tools that cannot be used, with the reason. */
  readonly left_out: Readonly<Record<string, string>>;
}

function rowOf(server: AddedServer, env: NodeJS.ProcessEnv): Row {
  const { name, root, pack, record } = server;
  return {
    name,
    transport: server.transport(),
    target: server.target(),
    here: root.isHere,
    tools: Object.keys(record.tools).length,
    bytes: pack?.tools.bytes ?? 0,
    status: server.status(env),
    left_out: pack?.tools.leftOut ?? {},
  };
}

function renderRows(rows: readonly Row[]): string {
  const cells = rows.map(({ name, transport, tools, bytes, status, here }) => {
    const count = `${tools} ${tools === 1 ? "tool" : "tools"}`;
    const where = here ? ["for this directory"] : [];
    return [name, transport, count, kilobytes(bytes), status, ...where].map(sanitiseLine);
  });
  const below = rows.map(({ target, left_out }) => {
    const line = target === "" ? "" : `  ${sanitiseLine(target)}\n`;
    return `${line}${renderLeftOut(Object.entries(left_out))}`;
  });
  return cells.map((row, index) => `${row.join("  ")}\n${below[index]}`).join("");
}

/** The servers whose tools name a missing program, one sentence each. @throws Refusal if a record is damaged. */
export function missingBridges(places: Places): string[] {
  return AddedServer.all(places).flatMap((server) => {
    const missing = server.missingBridge();
    if (missing === undefined) return [];
    const { name } = server;
    const what = `The tools of the MCP server ${name} name a program that is missing: ${missing}`;
    const effect = "ikigai uses its own; other programs cannot call them";
    return [sanitiseLine(`${what}. ${effect}. To fix it: ikigai mcp update ${name} --yes`)];
  });
}

/** Starts a server, and says how long it took and how its tools differ from those that were added; calls one of them if wanted. */
export const mcpTest: Command = {
  run(args, context) {
    const { flags, values, operands } = readOptions(args, mcpCommands["mcp test"].options);
    const [name = "", given] = readOperands(operands, mcpCommands["mcp test"]);
    const called = values.call?.[0];
    if (given !== undefined && called === undefined)
      throw new UsageError("Missing --call TOOL, the tool that gets the arguments.");
    const input = readInput(given ?? "{}");
    return withRefusals(async () => {
      const call = called === undefined ? undefined : { tool: called, arguments: input };
      const found = await checkServer(AddedServer.named(name, context.places), call, serverContext(context));
      if (flags.has("json")) printFaithfully(`${JSON.stringify(toJson(name, found))}\n`);
      else printReport(name, found);
      const isFailed = found.call?.answer.error !== undefined;
      return found.counts === "" && !isFailed ? exitCodes.done : exitCodes.failed;
    });
  },
};

/** @throws UsageError. */
function readInput(text: string): JsonObject {
  const checked = checkArguments(text);
  if ("error" in checked) throw new UsageError(checked.error);
  return checked.value;
}

/** The times in whole milliseconds, in the order in which they passed. */
function roundedTimes({ times, call }: ServerCheck): Readonly<Record<string, number>> {
  const all = { ...times, ...(call && { call: call.ms }) };
  return Object.fromEntries(Object.entries(all).map(([part, ms]) => [part, Math.round(ms)]));
}

function toJson(name: string, found: ServerCheck): object {
  return { name, ms: roundedTimes(found), ...found.changes, ...(found.call && { answer: found.call.answer }) };
}

function printReport(name: string, found: ServerCheck): void {
  const { changes, counts } = found;
  const { start, ...others } = roundedTimes(found);
  const times = Object.entries(others).map(([part, ms]) => `${part} ${ms} ms`);
  const told = counts === "" ? "Its tools have not changed." : `Its tools changed (${counts}):`;
  const lines = [
    ...changes.added.map((tool) => `  + ${tool}`),
    ...changes.removed.map((tool) => `  - ${tool}`),
    ...changes.changed.map((tool) => `  ~ ${tool}`),
  ];
  printOut(`${name}: started in ${start} ms, ${times.join(", ")}\n`);
  const advice = counts === "" ? [] : [`To review and accept: ikigai mcp update ${name}`];
  printOut(`${[told, ...lines, ...advice].map(sanitiseLine).join("\n")}\n`);
  if (found.call) printFaithfully(`${JSON.stringify(found.call.answer)}\n`);
}

/** Lists the tools of one server or of all again, shows the differences, asks, and replaces their packages. */
export const mcpUpdate: Command = {
  async run(args, context) {
    const { flags, operands } = readOptions(args, mcpCommands["mcp update"].options);
    const [name] = readOperands(operands, mcpCommands["mcp update"]);
    const isAllowed = flags.has("yes");
    if (name !== undefined && flags.has("all")) throw new UsageError("Expected NAME or --all, got both.");
    const { places } = context;
    let worst: number = exitCodes.done;
    const ended = await withRefusals(async () => {
      const servers = name === undefined ? AddedServer.all(places) : [AddedServer.named(name, places)];
      if (servers.length === 0) printError("No MCP servers have been added.\n");
      else if (!isAllowed && !canAsk()) throw nobodyToAsk();
      for (const server of servers)
        worst = Math.max(worst, await withRefusals(() => update(server, { ...context, isAllowed })));
      // Fills the schema cache, so that the next start runs no wrapper.
      await openCommandTools(places, context.env).last();
      return exitCodes.done;
    });
    return Math.max(worst, ended);
  },
};

async function update(
  server: AddedServer,
  { isAllowed, ...context }: CommandContext & { readonly isAllowed: boolean },
): Promise<number> {
  const end = await updateServer(server, {
    ...serverContext(context),
    async confirm(changes) {
      printOut(renderServerChanges(changes));
      return isAllowed || confirm(`Replace the tools of ${server.name}?`);
    },
  });
  if (end === "declined") {
    printError("Nothing was changed.\n");
    return exitCodes.failed;
  }
  printOut(end === "updated" ? `Updated ${server.name}.\n` : `${server.name} is up to date.\n`);
  return exitCodes.done;
}

/** Removes a server: its tools, its package, its secrets and other data. */
export const mcpRemove: Command = {
  run(args, { places }) {
    const { flags, operands } = readOptions(args, mcpCommands["mcp remove"].options);
    const [name = ""] = readOperands(operands, mcpCommands["mcp remove"]);
    return withRefusals(async () => {
      const server = AddedServer.named(name, places);
      const count = Object.keys(server.record.tools).length;
      const what = `${name}, its ${count} ${count === 1 ? "tool" : "tools"} and its data`;
      if (!flags.has("yes")) {
        if (!canAsk()) throw nobodyToAsk();
        if (!(await confirm(`Remove ${what}?`))) {
          printError("Nothing was removed.\n");
          return exitCodes.failed;
        }
      }
      await removeServer(server, places);
      printOut(`Removed ${what}\n`);
      return exitCodes.done;
    });
  },
};
