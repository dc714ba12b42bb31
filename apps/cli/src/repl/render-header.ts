import type { Agent } from "../open-agent.ts";
import { shortPath } from "../places.ts";
import { sanitise, sanitiseLine } from "../screen/sanitise.ts";
import type { Style } from "../screen/style.ts";
import { version } from "../version.ts";

/** The first lines on the screen: who is there, where, and what should be known. */
export function renderHeader(
  { model, places, notices }: Agent,
  { bold, dim, yellow }: Style,
  env: NodeJS.ProcessEnv,
): string {
  const where = sanitiseLine(shortPath(places.projectDir, env));
  const lines = [`${bold(`ikigai ${version}`)}   ${sanitiseLine(model.id)}   ${dim(where)}   ${dim("/help")}`];
  if (model.notice) lines.push(yellow(sanitise(model.notice)));
  for (const notice of notices) lines.push(yellow(sanitise(notice)));
  return `${lines.join("\n")}\n\n`;
}
