import { contextSize, type PermissionMode } from "@ikigai/agent";
import { sanitiseLine } from "../../screen/sanitise.ts";
import { shortPath } from "../../screen/short-path.ts";
import { columnsOf, cutStyled } from "../toolkit/text.ts";
import type { Tui } from "../tui.ts";

/** What a mode is called where there is little room. */
export const modeNames: Readonly<Record<PermissionMode, string>> = {
  ask: "ask",
  edits: "allow edits",
  plan: "plan",
  allow: "allow all",
  deny: "deny all",
};

/** The last line: what may run without a question, where we are, how full the context is and what it cost, and the model. */
export function renderFooter(tui: Tui, columns: number): string {
  const { theme, session, branch } = tui;
  const { agent, screen } = session;
  const { style } = theme;
  const { mode } = agent.permission;
  const isLoose = mode === "allow" || mode === "edits";
  const name = isLoose
    ? style.yellow(modeNames[mode])
    : mode === "plan"
      ? style.cyan(modeNames[mode])
      : modeNames[mode];
  const where = shortPath(agent.places.projectDir, { projectDir: "" });
  const left = [name, where, ...(branch === undefined ? [] : [sanitiseLine(branch)])];
  const right = [...usageParts(tui), modelPart(tui)];
  return layOut(left, right, columns, (text) => style.dim(text), screen.signs);
}

function layOut(
  left: readonly string[],
  right: readonly string[],
  columns: number,
  dim: (text: string) => string,
  { dot, cut }: Tui["session"]["screen"]["signs"],
): string {
  const join = (parts: readonly string[]) =>
    parts.map((part) => (part.includes("\u001b") ? part : dim(part))).join(dim(` ${dot} `));
  let [shownLeft, shownRight] = [left, right];
  const needed = () => columnsOf(join(shownLeft)) + columnsOf(join(shownRight)) + 2;
  // What is least missed goes first: the branch, the directory, then what is first at the right.
  while (needed() > columns && shownLeft.length > 1) shownLeft = shownLeft.slice(0, -1);
  while (needed() > columns && shownRight.length > 1) shownRight = shownRight.slice(1);
  const gap = Math.max(1, columns - columnsOf(join(shownLeft)) - columnsOf(join(shownRight)));
  return cutStyled(`${join(shownLeft)}${" ".repeat(gap)}${join(shownRight)}`, columns, cut);
}

function modelPart({ session }: Tui): string {
  const { thinking } = session.agent;
  return `${sanitiseLine(session.model.id)}${thinking === undefined ? "" : ` (${thinking})`}`;
}

function usageParts({ session }: Tui): string[] {
  const { conversation, models } = session.agent;
  const { usage } = conversation;
  const tokens = usage.inputTokens + usage.outputTokens;
  if (tokens === 0) return [];
  const facts = models.of(session.model.id);
  const window = facts?.contextWindow;
  const size = contextSize(conversation, { system: "", tools: [] });
  const context =
    window === undefined ? `context ${count(size)} of ?` : `context ${Math.round((100 * size) / window)} %`;
  const cost = facts?.cost(usage);
  return [context, `${count(tokens)} tokens`, cost === undefined ? "$ ?" : `$${cost.toFixed(cost < 0.1 ? 3 : 2)}`];
}

/** A number of tokens as people say it: `940`, `41 k`, `1.2 M`. */
export function count(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 999_500 ? `${Math.round(tokens / 1_000)} k` : `${(tokens / 1_000_000).toFixed(1)} M`;
}
