// ikigai sessions list and search: which sessions there are, in all projects, and which ones have some words.

import { type Config, readConfig } from "@ikigai/agent/internal";
import { listedCost } from "@ikigai/models";
import { cutToWidth, sanitiseLine } from "@ikigai/screen";
import {
  type CatalogSession,
  filterSessions,
  type Hit,
  type SessionFilter,
  searchSessions,
  sessionCatalog,
  sessionProblems,
  usageByModel,
} from "@ikigai/session";
import { commands } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printError, printOut } from "../../host/terminal/stdout.ts";
import { safeJson } from "../../render/json.ts";
import { age, dollars, shortPath } from "../../render/short-forms.ts";
import type { Command, CommandContext } from "../command.ts";

/** How many sessions are shown without --limit. */
const defaultLimit = 20;

export const listSessions: Command = {
  async run(args, context) {
    const syntax = commands["sessions list"];
    const { flags, values, operands } = readOptions(args, syntax.options);
    readOperands(operands, syntax);
    const { home, projectDir } = context.places;
    const all = sessionCatalog(home);
    const found = filterSessions(all, readFilter(values), projectDir).filter(
      ({ isArchived }) => isArchived === flags.has("archived"),
    );
    const shown = found.slice(0, readLimit(values.limit?.[0]));
    const costs = await costsOf(shown, all, context);
    if (flags.has("json")) {
      const rows = shown.map((session) => ({ ...toJson(session), cost_usd: costs.get(session.id) ?? null }));
      printOut(`${safeJson(JSON.stringify(rows))}\n`);
      return exitCodes.done;
    }
    const rows = shown.map((session) => renderSession(session, costs.get(session.id)));
    const more = found.length - shown.length;
    printOut(found.length === 0 ? "No sessions.\n" : rows.join(""));
    if (more > 0) printOut(`… and ${more} more: --limit ${found.length}\n`);
    for (const problem of sessionProblems(home)) printError(`${sanitiseLine(problem)}\n`);
    return exitCodes.done;
  },
};

export const searchCommand: Command = {
  async run(args, { places }) {
    const syntax = commands["sessions search"];
    const { flags, values, operands } = readOptions(args, syntax.options);
    const words = readOperands(operands, syntax);
    const filter = readFilter(values);
    const sessions = filterSessions(sessionCatalog(places.home), filter, places.projectDir);
    const hits = searchSessions(sessions, words, { tool: filter.tool, limit: readLimit(values.limit?.[0]) });
    if (flags.has("json")) {
      const rows = hits.map(({ session, time, where, snippet, more }) => {
        return { ...toJson(session), time, where, snippet, more };
      });
      printOut(`${safeJson(JSON.stringify(rows))}\n`);
    } else printOut(hits.length === 0 ? "" : hits.map(renderHit).join(""));
    if (hits.length > 0) return exitCodes.done;
    if (!flags.has("json")) printError("No session has these words.\n");
    return exitCodes.failed;
  },
};

/** @throws UsageError for a time that cannot be read. */
function readFilter(
  values: {
    readonly [Name in keyof SessionFilter]?: readonly string[];
  },
): SessionFilter {
  const since = values.since?.[0];
  return {
    project: values.project?.[0],
    tool: values.tool?.[0],
    file: values.file?.[0],
    ...(since !== undefined && { since: readSince(since) }),
  };
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Reads a time: how long ago, `7d`, or a date. @throws UsageError for anything else. */
export function readSince(text: string, now = Date.now()): Date {
  const [, number, unit = ""] = /^(\d{1,5})([mhdw])$/.exec(text) ?? [];
  if (number !== undefined) return new Date(now - Number(number) * (unitMs[unit] ?? 0));
  const date = /^\d{4}-\d\d-\d\d(T[\d:.]+Z?)?$/.test(text)
    ? new Date(text.length === 10 ? `${text}T00:00` : text)
    : undefined;
  if (date !== undefined && !Number.isNaN(date.getTime())) return date;
  throw new UsageError(`Expected --since to be like 7d, 12h, 30m, 2w or 2026-11-01, got ${JSON.stringify(text)}.`);
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return defaultLimit;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`Expected --limit to be a whole number from 1 to 999999999, got ${JSON.stringify(text)}.`);
}

/** What sessions cost with their agents, in US dollars, by ID; without those whose price is unknown. */
export async function costsOf(
  sessions: readonly CatalogSession[],
  all: readonly CatalogSession[],
  context: CommandContext,
): Promise<ReadonlyMap<string, number>> {
  const { config } = readConfig(context.places.home);
  const prices = await pricesOf(all, config, context.env);
  const costOf = (session: CatalogSession): number | undefined => {
    const own = [...usageByModel([session])].map(([model, usage]) => prices.get(model)?.(usage));
    const others = all.filter(({ parent }) => parent?.session === session.id).map(costOf);
    return [...own, ...others].reduce<number | undefined>(
      (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
      0,
    );
  };
  return new Map(
    sessions.flatMap((session) => {
      const cost = session.model === "" ? undefined : costOf(session);
      return cost === undefined ? [] : [[session.id, cost] as const];
    }),
  );
}

/** How to price the models of sessions. */
export async function pricesOf(sessions: readonly CatalogSession[], config: Config, env: NodeJS.ProcessEnv) {
  const models = [...usageByModel(sessions).keys()];
  return new Map(await Promise.all(models.map(async (id) => [id, await listedCost(id, config, env)] as const)));
}

function toJson({ id, name, title, cwd, startedAt, changedAt, turns, model, isArchived }: CatalogSession) {
  const times = { started: startedAt.toISOString(), changed: changedAt.toISOString() };
  return { session_id: id, name, title, project: cwd, ...times, turns, model, archived: isArchived };
}

function renderSession(session: CatalogSession, cost: number | undefined): string {
  const { id, name, title, cwd, changedAt, turns, model } = session;
  const facts = [
    age(changedAt),
    turns === 1 ? "1 turn" : `${turns} turns`,
    ...(cost === undefined ? [] : [dollars(cost)]),
    ...(model === "" ? [] : [sanitiseLine(model)]),
    shortPath(cwd, { projectDir: "" }),
  ];
  const said = cutToWidth(`  ${sanitiseLine(title) || "(no messages)"}`, 80, "…");
  return `${sanitiseLine(name) || "(no name)"}  ${id}\n${said}\n  ${facts.join(", ")}\n`;
}

function renderHit({ session, time, where, snippet, more }: Hit): string {
  const { id, name, cwd, isArchived } = session;
  const facts = [age(new Date(time)), shortPath(cwd, { projectDir: "" }), ...(isArchived ? ["archived"] : [])].join(
    ", ",
  );
  const others = more === 0 ? "" : ` (+${more})`;
  return `${sanitiseLine(name) || "(no name)"}  ${id}  ${facts}\n  ${sanitiseLine(where)}: ${sanitiseLine(snippet)}${others}\n`;
}
