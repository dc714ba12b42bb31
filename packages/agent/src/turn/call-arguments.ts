// The arguments of a call before it runs: checked, under the tool's own names, and with an address as the rules read it.

import { findTool, type Registry } from "@ikigai/core";
import type { CallArguments } from "@ikigai/core/internal";
import {
  argumentsRead,
  declaredAccess,
  namesTool,
  type PermissionRule,
  parseRule,
  readUrl,
  withMeantPath,
} from "@ikigai/permission";
import {
  coerceArguments,
  isDeeperThan,
  isJsonObject,
  type JsonObject,
  maxJsonLevels,
  textStart,
} from "@ikigai/protocol";
import { duplicateName } from "@ikigai/system";

/** A call's arguments as a tool gets them, or the error in them. */
export type CheckedArguments = CallArguments | { readonly error: string };

/** How much of invalid arguments is quoted, in characters. */
const maxQuoted = 80;

/**
 * Checks a call's arguments. Empty text means an empty object; anything else must be a JSON object without duplicate names and
 * of at most `maxJsonLevels`.
 */
export function checkArguments(text: string): CheckedArguments {
  if (text.trim() === "") return { text: "{}", value: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { error: `Expected the arguments to be a JSON object: ${(error as Error).message}. Got ${quote(text)}.` };
  }
  if (!isJsonObject(value)) {
    return { error: `Expected the arguments to be a JSON object, got ${quote(text)}.` };
  }
  if (isDeeperThan(value, maxJsonLevels))
    return { error: `The arguments are nested deeper than ${maxJsonLevels} levels.` };
  const twice = duplicateName(text, 1);
  // A question would show one of the two, and a tool may read the other.
  if (twice !== undefined) return { error: `The arguments name ${JSON.stringify(twice)} twice. Name it once.` };
  return { text, value };
}

function quote(text: string): string {
  return text.length > maxQuoted ? `${textStart(text, maxQuoted)}…` : text;
}

/**
 * Returns the arguments of a call as its tool reads them, so that the rules, the question, the checkpoint and the tool all use the same
 * text. A system tool's have the parameters' own names. A tool that overrides a system tool gets its path as an absolute one, too.
 */
export function withOwnNames(called: string, args: CallArguments, registry: Registry): CallArguments {
  const tool = findTool(registry, called);
  if (!tool) return args;
  const declared = declaredAccess(tool);
  const isSystem = declared.by === "system" && tool.scope === "system";
  const value = isSystem
    ? argumentsRead(args.value, declared)
    : withMeantPath(coerceArguments(args.value, tool.schema.parameters), declared);
  return value === args.value ? args : (printed(value) ?? args);
}

/** Prints arguments; `undefined` if they are nested too deeply. */
function printed(value: JsonObject): CallArguments | undefined {
  try {
    return { text: JSON.stringify(value), value };
  } catch {
    return undefined;
  }
}

/**
 * Returns the arguments of a call with its `url` as the WHATWG standard writes it, if a rule is about the hosts of this tool: the tool
 * must not find another host in it than the rule. The same for a system tool, for which such a rule may be added while the call waits.
 * Other tools get what the model wrote.
 */
export function withPlainUrl(
  { name, isSystem }: { readonly name: string; readonly isSystem: boolean },
  args: CallArguments,
  rules: readonly PermissionRule[],
): CallArguments {
  const { url } = args.value;
  const href = typeof url === "string" ? readUrl(url)?.href : undefined;
  if (href === undefined || href === url) return args;
  if (!isSystem && !rules.some((rule) => isAboutHosts(rule, name))) return args;
  return printed({ ...args.value, url: href }) ?? args;
}

function isAboutHosts({ rule }: PermissionRule, name: string): boolean {
  const parts = parseRule(rule);
  return parts?.domain !== undefined && namesTool(parts, name);
}
