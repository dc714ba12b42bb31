import type { FailedTool, RegisteredTool, Registry, ShadowedTool } from "@ikigai/core";
import type { ToolScope } from "@ikigai/protocol";
import { exitCodes } from "../exit-codes.ts";
import { shortPath } from "../places.ts";
import { printOut } from "../print-out.ts";
import { sanitiseLine } from "../screen/sanitise.ts";
import { openToolbox } from "../toolbox.ts";
import { UsageError } from "../usage-error.ts";
import type { Command } from "./command.ts";

export const toolList: Command = {
  name: "list",
  usage: "tool list [--json]",
  async run(args, { places, env }) {
    const unknown = args.find((arg) => arg !== "--json");
    if (unknown !== undefined) throw new UsageError(`Expected --json or nothing, got "${unknown}".`);
    const registry = await openToolbox(places, env).current();
    printOut(args.includes("--json") ? `${JSON.stringify(toRows(registry), null, 2)}\n` : renderList(registry, env));
    return exitCodes.done;
  },
};

/** A line of `ikigai tool list --json`. */
interface Row {
  readonly name: string;
  readonly description: string;
  readonly path: string;
  readonly scope: ToolScope;
  readonly status: "loaded" | "failed";
  readonly reason?: string;
  readonly shadows: readonly ShadowedTool[];
}

function toRows({ tools, failed }: Registry): Row[] {
  return [...tools.map(loadedRow), ...failed.map(failedRow)];
}

function loadedRow({ name, schema, path, scope, shadows }: RegisteredTool): Row {
  const { description } = schema;
  const plain = shadows.map((shadow) => ({ path: shadow.path, scope: shadow.scope }));
  return { name, description, path, scope, status: "loaded", shadows: plain };
}

function failedRow({ name, path, scope, reason, detail }: FailedTool): Row {
  const why = detail ? `${reason}: ${detail}` : reason;
  return { name, description: "", path, scope, status: "failed", reason: why, shadows: [] };
}

function renderList(registry: Registry, env: NodeJS.ProcessEnv): string {
  const rows = toRows(registry);
  const width = Math.max(...rows.map(({ name }) => name.length), 0);
  const lines = rows.flatMap(({ name, scope, path, status, reason, description, shadows }) => [
    `${sanitiseLine(name).padEnd(width)}  ${scope.padEnd(7)}  ${sanitiseLine(shortPath(path, env))}`,
    status === "failed" ? `  failed (${sanitiseLine(reason ?? "")})` : `  ${sanitiseLine(description)}`,
    ...shadows.map((shadow) => `  overrides ${sanitiseLine(shortPath(shadow.path, env))} (${shadow.scope})`),
  ]);
  return lines.length > 0 ? `${lines.join("\n")}\n` : "No tools.\n";
}
