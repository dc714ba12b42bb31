// The first lines of a conversation, and the last one: how to continue it.

import type { Places } from "@ikigai/agent/internal";
import type { Model } from "@ikigai/models";
import { sanitise, sanitiseLine, wrapNotice, wrapParts, wrapWords } from "@ikigai/screen";
import type { Conversation } from "@ikigai/session";
import type { Agent } from "../host/conversation/agent-from-flags.ts";
import type { StartingModel } from "../host/model/offline-model.ts";
import { version } from "../host/places/own-paths.ts";
import type { LineOutput } from "./line-output.ts";
import { shortPath } from "./short-forms.ts";

/** The first lines on the screen: version, model, directory, where to find help, and notices. */
export function renderHeader(
  model: Model,
  notices: readonly string[],
  { projectDir }: Places,
  screen: LineOutput,
  hint = "/help",
): string {
  const { style, columns } = screen;
  // Without a project directory, as the path would be shown relative to itself.
  const where = shortPath(projectDir, { projectDir: "" });
  const program = `ikigai ${version}`;
  const rows = wrapParts([program, sanitiseLine(model.id), where, hint], columns);
  // The first part begins the first row, and the last one ends the last.
  const text = `${style.bold(program)}${rows.slice(program.length, -hint.length)}${style.dim(hint)}`;
  return [
    `${text}\n`,
    style.dim(renderModelNotice(model, screen)),
    ...notices.map((notice) => style.yellow(`${wrapNotice(sanitise(notice), columns)}\n`)),
    "\n",
  ].join("");
}

/** The notice about how the model was chosen; empty if there is nothing to say. */
export function renderModelNotice(
  { notice, startNotice: text = notice }: StartingModel,
  { columns }: Pick<LineOutput, "columns">,
): string {
  return text === undefined ? "" : `${wrapWords(sanitise(text), columns)}\n`;
}

/** The notices at the start of a conversation, one line each: warnings, and the instruction files in use. */
export function startNotices({
  notices,
  instructions,
  places,
}: Pick<Agent, "notices" | "instructions" | "places">): string[] {
  if (instructions.length === 0) return [...notices];
  return [...notices, `Instructions: ${instructions.map((path) => shortPath(path, places)).join(", ")}`];
}

/** How to continue the conversation; undefined if there is nothing to continue, or its session could not be saved. */
export function resumeNote({ id, messages, log }: Conversation): string | undefined {
  return messages.length > 0 && !log.problem ? `To resume: ikigai --resume ${id}` : undefined;
}
