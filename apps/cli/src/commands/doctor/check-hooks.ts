import { basename, dirname } from "node:path";
import type { Places } from "@ikigai/agent/internal";
import { hookEventNames, hookEvents } from "@ikigai/core/internal";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { type HookRow, hookRows } from "../hook/hook-rows.ts";
import { broken, fine, type Line, note, type Section } from "./section.ts";

/** The hooks and what is never run; without either, no section. A broken guard is a problem: it lets nothing through. */
export async function checkHooks(places: Places): Promise<Section[]> {
  const found = await hookRows(places);
  if (found.rows.length + found.misplaced.length === 0) return [];
  const closed = closedDirectories(found.rows);
  const rows = found.rows.filter(({ path }) => !closed.has(dirname(path)));
  const misplaced = found.misplaced.filter(
    (problem) => ![...closed.keys()].some((path) => problem.includes(`${path}:`)),
  );
  const lines = [
    ...[...closed].map(([path, reason]) => checkDirectory(path, reason, places)),
    ...rows.map((row) => checkHook(row, places)),
    ...misplaced.map((problem) => note(sanitiseLine(problem))),
  ];
  return [{ title: `Hooks: ${rows.length}`, lines }];
}

/** The directories of hooks that cannot be read, with the reason: each event then has a row, though it need not have a hook. */
function closedDirectories(rows: readonly HookRow[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  const reasons = new Map<string, string>();
  for (const { event, path, status, reason = "" } of rows) {
    if (status !== "broken" || basename(path) !== event) continue;
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    reasons.set(dirname(path), reason);
  }
  return new Map([...reasons].filter(([path]) => counts.get(path) === hookEventNames.length));
}

function checkDirectory(path: string, reason: string, places: Places): Line {
  const effect = "ikigai asks before it sends a message and before each call, and -p sends none";
  return broken(sanitiseLine(`${shortPath(path, places)}: ${reason}. Until this is fixed, ${effect}.`));
}

function checkHook({ event, tool, path, status, reason }: HookRow, places: Places): Line {
  const hook = `${event}${tool === undefined ? "" : ` ${tool}`} ${shortPath(path, places)}`;
  const text = sanitiseLine(reason === undefined ? hook : `${hook}: ${reason}`);
  switch (status) {
    case "ready":
      return (reason === undefined ? fine : note)(text);
    case "broken":
      return hookEvents[event].isGuard ? broken(`${text}. ${untilFixed(event, tool)}`) : note(text);
    case "untrusted":
      // An untrusted project is normal.
      return fine(text);
    default:
      return status satisfies never;
  }
}

/** What a broken guard does. */
function untilFixed(event: HookRow["event"], tool: string | undefined): string {
  if (event === "prompt") return "Until this is fixed, ikigai asks before it sends a message, and -p sends none.";
  const calls = tool === undefined ? "each call" : `each call of ${sanitiseLine(tool)}`;
  return `Until this is fixed, ikigai asks before ${calls}, and -p denies it.`;
}
