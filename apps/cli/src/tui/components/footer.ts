import { basename } from "node:path";
import type { PermissionMode } from "@ikigai/agent/internal";
import type { Style } from "../../render/line-output.ts";
import { sanitiseLine } from "../../render/sanitise.ts";
import { tokenCount } from "../../render/short-forms.ts";
import { columnsOf, cutStyled } from "../pi-tui/text.ts";
import type { Look } from "../pi-tui/theme.ts";

/** A part of the footer. */
interface Part {
  readonly text: string;
  readonly isRight?: boolean;
  /** The part with the lowest weight is left out first if there is no room. */
  readonly weight: number;
}

/** What the footer shows. */
export interface FooterFacts {
  readonly mode: PermissionMode;
  /** The title of the mode. */
  readonly modeTitle: string;
  /** The project's directory in short form. */
  readonly directory: string;
  readonly branch: string | undefined;
  readonly model: string;
  /** The thinking level, if the user has set one. */
  readonly thinking: string | undefined;
  /** How many of each run in the background. */
  readonly running?: Readonly<Record<"job" | "agent" | "service", number>>;
  /** Absent before the first request. */
  readonly usage?: UsageFacts;
}

interface UsageFacts {
  /** The size of the next request and of the model's window, in tokens. */
  readonly context: number;
  readonly window: number | undefined;
  /** In dollars. */
  readonly cost: number | undefined;
}

/** The last line: permission mode, directory, branch, context, cost and model. Unknown values are left out. */
export function renderFooter(facts: FooterFacts, { theme, signs }: Look, columns: number): string {
  const { style } = theme;
  const { dot, cut } = signs;
  const join = (parts: readonly Part[]) => parts.map(({ text }) => text).join(style.dim(` ${dot} `));
  let parts = partsOf(facts, style, cut);
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

function partsOf(facts: FooterFacts, style: Style, cut: string): Part[] {
  const { directory, branch, model, thinking, usage } = facts;
  const { dim } = style;
  return [
    { text: modePart(facts, style), weight: 9 },
    { text: dim(placeName(directory, cut)), weight: 5 },
    ...(branch === undefined ? [] : [{ text: dim(sanitiseLine(branch)), weight: 4 }]),
    ...runningParts(facts, style),
    ...(usage ? usageParts(usage, style) : []),
    { text: dim(`${sanitiseLine(model)}${thinking === undefined ? "" : ` (${thinking})`}`), isRight: true, weight: 6 },
  ];
}

/** A longer path is cut to its last component. */
const maxPathColumns = 32;

function placeName(path: string, cut: string): string {
  return columnsOf(path) <= maxPathColumns ? path : `${cut}/${basename(path)}`;
}

function modePart({ mode, modeTitle }: FooterFacts, style: Style): string {
  if (mode === "plan") return style.cyan(modeTitle);
  return mode === "allow" || mode === "edits" ? style.yellow(modeTitle) : style.dim(modeTitle);
}

function runningParts({ running = { job: 0, agent: 0, service: 0 } }: FooterFacts, { cyan }: Style): Part[] {
  const counts = Object.entries(running).filter(([, count]) => count > 0);
  const text = counts.map(([what, count]) => `${count} ${what}${count === 1 ? "" : "s"}`).join(", ");
  return text === "" ? [] : [{ text: cyan(text), weight: 7.5 }];
}

function usageParts({ context: size, window, cost }: UsageFacts, { dim, yellow }: Style): Part[] {
  const share = window === undefined ? undefined : size / window;
  const context =
    window === undefined || share === undefined
      ? `context ${tokenCount(size)}`
      : `context ${Math.round(100 * share)} % of ${tokenCount(window)}`;
  const isNearlyFull = share !== undefined && share > nearlyFull;
  return [
    { text: isNearlyFull ? yellow(context) : dim(context), isRight: true, weight: 8 },
    ...(cost === undefined ? [] : [{ text: dim(`$${cost.toFixed(cost < 0.1 ? 3 : 2)}`), isRight: true, weight: 7 }]),
  ];
}

/** Share of the window from which the context is highlighted: compaction is near. */
const nearlyFull = 0.7;
