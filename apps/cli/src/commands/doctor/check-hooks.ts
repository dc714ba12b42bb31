import type { Places } from "@ikigai/agent/internal";
import { hookEvents } from "@ikigai/core/internal";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { type HookRow, hookRows } from "../hook/hook-rows.ts";
import { broken, fine, type Line, note, type Section } from "./section.ts";

/** The hooks and what is never run; without either, no section. A broken guard is a problem: it lets nothing through. */
export async function checkHooks(places: Places): Promise<Section[]> {
  const { rows, misplaced } = await hookRows(places);
  if (rows.length + misplaced.length === 0) return [];
  const lines = rows.map((row) => checkHook(row, places));
  return [
    { title: `Hooks: ${rows.length}`, lines: [...lines, ...misplaced.map((problem) => note(sanitiseLine(problem)))] },
  ];
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
