import { isJsonObject } from "@ikigai/protocol";
import { applyEdits, getNodeValue, modify } from "jsonc-parser/lib/esm/main.js";
import { AgentError } from "../model/agent-error.ts";
import type { PermissionRule } from "../permission/permission.ts";
import { changeConfigFile, formattingOf } from "./change-config-file.ts";
import { renderConfigProblem } from "./config-error.ts";
import { placeOf } from "./config-place.ts";
import { parseConfig } from "./parse-config.ts";
import { removeItem } from "./remove-item.ts";

/**
 * Adds a rule to the user's `config.json`, before the ones it has. Everything else in it stays as it is, comments and spaces
 * included. Of several processes that change rules at once none loses another one's.
 *
 * @throws Error when the file cannot be read as configuration or cannot be written; it is then as before.
 */
export function saveRule(home: string, { verdict, rule }: PermissionRule): void {
  const added = { [verdict]: rule };
  changeRules(home, {
    rules: (rules = []) => [added, ...rules],
    text: (text, rules) => {
      const isArrayInsertion = rules !== undefined;
      const path = ["permission", "rules", ...(isArrayInsertion ? [0] : [])];
      const formattingOptions = formattingOf(text);
      return applyEdits(text, modify(text, path, rules ? added : [added], { formattingOptions, isArrayInsertion }));
    },
  });
}

/**
 * Takes a rule out of the user's `config.json`; nothing happens when it is not there.
 *
 * @throws as `saveRule` does.
 */
export function removeRule(home: string, { verdict, rule }: PermissionRule): void {
  const isMeant = (kept: unknown) => (kept as Record<string, unknown> | null)?.[verdict] === rule;
  changeRules(home, {
    rules: (rules) => rules?.filter((kept) => !isMeant(kept)),
    text: (text, rules = []) => {
      const meant = rules.flatMap((kept, index) => (isMeant(kept) ? [index] : []));
      // From the last one on, so that the numbers of the others stay.
      return meant.reduceRight((left, index) => removeItem(left, ["permission", "rules", index]), text);
    },
  });
}

/** As they stand in the file; `undefined` when it has no list of them. */
type Rules = readonly unknown[] | undefined;

/** A change of the rules, and the same of the text they stand in. */
interface RuleChange {
  rules(rules: Rules): Rules;
  text(text: string, rules: Rules): string;
}

function changeRules(home: string, change: RuleChange): void {
  changeConfigFile(home, "rule_not_saved", (text, path) => {
    const rules = rulesIn(text, path);
    const wanted = change.rules(rules);
    if (isSame(wanted, rules)) return text;
    const changed = change.text(text, rules);
    // A comment in an odd place must not take a rule along.
    if (isSame(rulesIn(changed, path), wanted)) return changed;
    throw new AgentError(
      "rule_not_saved",
      `${path} cannot be changed without losing content. Edit "permission.rules" by hand.`,
    );
  });
}

/** @throws AgentError `rule_not_saved` when there is no place for rules in the file. */
function rulesIn(text: string, path: string): Rules {
  const parsed = parseConfig(text);
  if ("expected" in parsed) {
    const problem = { path, message: parsed.expected, place: placeOf(text, parsed.offset), isFatal: true };
    throw new AgentError("rule_not_saved", `${renderConfigProblem(problem)}\nFix it first.`);
  }
  const config: unknown = parsed.root && getNodeValue(parsed.root);
  if (!isJsonObject(config)) throw new AgentError("rule_not_saved", `${path} is not a JSON object. Fix it first.`);
  if (config.permission === undefined) return undefined;
  if (!isJsonObject(config.permission))
    throw new AgentError("rule_not_saved", `In ${path}, "permission" is not an object. Fix it first.`);
  const { rules } = config.permission;
  if (rules !== undefined && !Array.isArray(rules))
    throw new AgentError("rule_not_saved", `In ${path}, "permission.rules" is not a list. Fix it first.`);
  return rules;
}

function isSame(one: Rules, other: Rules): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
