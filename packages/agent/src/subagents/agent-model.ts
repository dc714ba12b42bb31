import type { FrontMatterValue } from "@ikigai/system/front-matter";
import { defaultModels } from "../model-choice/default-models.ts";

/** Claude Code's names of model families. */
const familyPattern = /^(?:sonnet|opus|haiku)$/;

/**
 * Returns the model that the file of an agent names, as `provider/model`; `undefined` for that of the conversation. A file for
 * Claude Code names a family, which counts only in a conversation with Anthropic, and only if ikigai knows its model.
 *
 * @param own `provider/model` of the conversation.
 */
export function modelOf(value: FrontMatterValue | undefined, own: string): string | undefined {
  const name = typeof value === "string" ? value.trim() : "";
  if (name === "" || name === "inherit") return undefined;
  if (name.includes("/")) return name;
  if (/^claude-/.test(name)) return `anthropic/${name}`;
  const { anthropic = "" } = defaultModels;
  const isKnown = familyPattern.test(name) && own.startsWith("anthropic/") && anthropic.includes(`-${name}-`);
  return isKnown ? `anthropic/${anthropic}` : undefined;
}
