import { basename } from "node:path";
import { contextSize, type PermissionMode } from "@ikigai/agent/internal";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import type { Tui } from "../app/tui.ts";
import { columnsOf, cutStyled } from "../pi-tui/text.ts";

/** What a mode is called where there is little room. */
export const modeNames: Readonly<Record<PermissionMode, string>> = {
  ask: "ask",
  edits: "allow edits",
  plan: "plan",
  allow: "allow all",
  deny: "deny all",
};

/** A part of the footer. */
interface Part {
  readonly text: string;
  readonly isRight?: boolean;
  /** The least is left out first where there is no room. */
  readonly weight: number;
}

/** The last line: what may run without a question, where we are, how full the context is and what it cost, and the model. */
export function renderFooter(tui: Tui, columns: number): string {
  const { style } = tui.theme;
  const { dot, cut } = tui.session.screen.signs;
  const join = (parts: readonly Part[]) => parts.map(({ text }) => text).join(style.dim(` ${dot} `));
  let parts = partsOf(tui);
  for (;;) {
    const left = join(parts.filter(({ isRight }) => !isRight));
    const right = join(parts.filter(({ isRight }) => isRight));
    const gap = columns - columnsOf(left) - columnsOf(right);
    if (gap >= 2) return `${left}${" ".repeat(gap)}${right}`;
    if (parts.length === 1) return cutStyled(left, columns, cut);
    const least = Math.min(...parts.map(({ weight }) => weight));
    parts = parts.filter(({ weight }) => weight !== least);
  }
}

function partsOf(tui: Tui): Part[] {
  const { session, branch, theme } = tui;
  const { agent, model } = session;
  const { dim } = theme.style;
  const thinking = agent.thinking === undefined ? "" : ` (${agent.thinking})`;
  return [
    { text: modePart(tui), weight: 9 },
    {
      text: dim(placeName(shortPath(agent.places.projectDir, { projectDir: "" }), session.screen.signs.cut)),
      weight: 5,
    },
    ...(branch === undefined ? [] : [{ text: dim(sanitiseLine(branch)), weight: 4 }]),
    ...usageParts(tui),
    { text: dim(`${sanitiseLine(model.id)}${thinking}`), isRight: true, weight: 6 },
  ];
}

/** A longer path is known by its end; the rest of the line says more than its beginning. */
const maxPathColumns = 32;

function placeName(path: string, cut: string): string {
  return columnsOf(path) <= maxPathColumns ? path : `${cut}/${basename(path)}`;
}

function modePart({ theme, session }: Tui): string {
  const { style } = theme;
  const { mode } = session.agent.permission;
  const name = modeNames[mode];
  if (mode === "plan") return style.cyan(name);
  return mode === "allow" || mode === "edits" ? style.yellow(name) : style.dim(name);
}

function usageParts({ session, theme, frame }: Tui): Part[] {
  const { conversation, models } = session.agent;
  const { usage } = conversation;
  const tokens = usage.inputTokens + usage.outputTokens;
  if (tokens === 0) return [];
  const { dim, yellow } = theme.style;
  const facts = models.of(session.model.id);
  const size = contextSize(conversation, frame);
  const share = facts?.contextWindow === undefined ? undefined : size / facts.contextWindow;
  const context = share === undefined ? `context ${count(size)} of ?` : `context ${Math.round(100 * share)} %`;
  const cost = facts?.cost(usage);
  return [
    { text: share !== undefined && share > nearlyFull ? yellow(context) : dim(context), isRight: true, weight: 8 },
    { text: dim(`${count(tokens)} tokens`), isRight: true, weight: 3 },
    {
      text: dim(cost === undefined ? "$ ?" : `$${cost.toFixed(cost < 0.1 ? 3 : 2)}`),
      isRight: true,
      weight: cost === undefined ? 2 : 7,
    },
  ];
}

/** Where the user may want to know that room will be made soon. */
const nearlyFull = 0.7;

/** A number of tokens as people say it: `940`, `41 k`, `1.2 M`. */
export function count(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 999_500 ? `${Math.round(tokens / 1_000)} k` : `${(tokens / 1_000_000).toFixed(1)} M`;
}
