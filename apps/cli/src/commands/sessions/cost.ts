// ikigai cost: what all sessions have cost, from their logs, by model, project or tool.

import { readConfig } from "@ikigai/agent/internal";
import { listedCost } from "@ikigai/models";
import { sanitiseLine } from "@ikigai/screen";
import { type CatalogSession, charactersPerToken, sessionCatalog, usageByModel } from "@ikigai/session";
import { tokenCount } from "@ikigai/system";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printOut } from "../../host/terminal/stdout.ts";
import { safeJson } from "../../render/json.ts";
import { dollars, shortPath } from "../../render/short-forms.ts";
import type { Command, CommandContext } from "../command.ts";
import { readSince } from "./list-sessions.ts";

/** A row of the answer. */
interface CostRow {
  /** A model or a project. */
  readonly of: string;
  readonly input_tokens: number;
  readonly cached_tokens: number;
  readonly output_tokens: number;
  /** `null` if the price of a model is unknown. */
  readonly cost_usd: number | null;
}

/** What a tool's answers took, once: they are part of every later request of their session. */
interface ToolRow {
  readonly of: string;
  readonly calls: number;
  readonly tokens: number;
}

const defaultSince = "30d";

export const cost: Command = {
  async run(args, context) {
    const syntax = commands.cost;
    const { flags, values, operands } = readOptions(args, syntax.options);
    readOperands(operands, syntax);
    const from = readSince(values.since?.[0] ?? defaultSince);
    const hour = from.toISOString().slice(0, 13);
    const all = sessionCatalog(context.places.home);
    const by = values.by?.[0] ?? "model";
    if (by === "tool") return show(toolRows(all, hour), flags.has("json"), renderTool);
    const rows = by === "project" ? await projectRows(all, hour, context) : await modelRows(all, hour, context);
    const exit = show(rows, flags.has("json"), (row) => render(row, by === "project"));
    if (flags.has("json") || rows.length === 0) return exit;
    const known = rows.flatMap(({ cost_usd: one }) => one ?? []).reduce((sum, one) => sum + one, 0);
    const unknown = rows.some(({ cost_usd: one }) => one === null) ? ", without those whose price is unknown" : "";
    printOut(`Since ${from.toISOString().slice(0, 10)}: ${dollars(known)}${unknown}\n`);
    return exit;
  },
};

function show<Row>(rows: readonly Row[], isJson: boolean, renderRow: (row: Row) => string): number {
  if (isJson) printOut(`${safeJson(JSON.stringify(rows))}\n`);
  else printOut(rows.length === 0 ? "Nothing was used in this time.\n" : rows.map(renderRow).join(""));
  return exitCodes.done;
}

async function modelRows(all: readonly CatalogSession[], since: string, context: CommandContext): Promise<CostRow[]> {
  const { config } = readConfig(context.places.home);
  const rows = [...usageByModel(all, since)].map(async ([model, usage]) => ({
    of: model,
    input_tokens: usage.inputTokens,
    cached_tokens: usage.cacheReadTokens,
    output_tokens: usage.outputTokens,
    cost_usd: (await listedCost(model, config, context.env))(usage) ?? null,
  }));
  return (await Promise.all(rows)).sort(byCost);
}

async function projectRows(all: readonly CatalogSession[], since: string, context: CommandContext): Promise<CostRow[]> {
  const projects = [...new Set(all.map(({ cwd }) => cwd))];
  const rows = projects.map(async (of) => {
    const models = await modelRows(
      all.filter(({ cwd }) => cwd === of),
      since,
      context,
    );
    const sum = (name: "input_tokens" | "cached_tokens" | "output_tokens") =>
      models.reduce((total, row) => total + row[name], 0);
    const costs = models.map(({ cost_usd: one }) => one);
    return {
      of,
      input_tokens: sum("input_tokens"),
      cached_tokens: sum("cached_tokens"),
      output_tokens: sum("output_tokens"),
      cost_usd: costs.some((one) => one === null) ? null : costs.reduce<number>((total, one) => total + (one ?? 0), 0),
    };
  });
  return (await Promise.all(rows)).filter((row) => row.input_tokens + row.output_tokens > 0).sort(byCost);
}

function byCost(a: CostRow, b: CostRow): number {
  return (b.cost_usd ?? 0) - (a.cost_usd ?? 0) || b.input_tokens - a.input_tokens;
}

function toolRows(all: readonly CatalogSession[], since: string): ToolRow[] {
  const used = new Map<string, ToolRow>();
  for (const { hours } of all)
    for (const [hour, { tools }] of Object.entries(hours))
      if (hour >= since)
        for (const [of, [calls, characters]] of Object.entries(tools)) {
          const before = used.get(of);
          const tokens = Math.round(characters / charactersPerToken) + (before?.tokens ?? 0);
          used.set(of, { of, calls: calls + (before?.calls ?? 0), tokens });
        }
  return [...used.values()].sort((a, b) => b.tokens - a.tokens);
}

function render(
  { of, input_tokens: input, cached_tokens: cached, output_tokens: output, cost_usd: cost }: CostRow,
  isPath: boolean,
) {
  const price = cost === null ? "no price" : dollars(cost);
  const name = isPath ? shortPath(of, { projectDir: "" }) : sanitiseLine(of);
  return `${price.padStart(8)}  ${name}  (${tokenCount(input)} in, ${tokenCount(cached)} of them cached, ${tokenCount(output)} out)\n`;
}

function renderTool({ of, calls, tokens }: ToolRow): string {
  return `${tokenCount(tokens).padStart(8)} tokens in the answers of ${calls} call${calls === 1 ? "" : "s"}  ${sanitiseLine(of)}\n`;
}
