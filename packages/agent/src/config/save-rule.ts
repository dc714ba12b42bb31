import { type PermissionRule, placeOfRule, type RulePlace, type Verdict } from "@ikigai/permission";
import { isJsonObject } from "@ikigai/protocol";
import { AgentError } from "@ikigai/session";
import { parseJsonWithComments } from "@ikigai/system/json-with-comments";
import { applyEdits, getNodeValue, modify } from "jsonc-parser/lib/esm/main.js";
import { changeConfigFile, formattingOf } from "./change-config-file.ts";
import { insertItem, removeItem } from "./change-items.ts";
import { renderConfigProblem } from "./config-error.ts";
import { placeOf } from "./config-place.ts";

/**
 * Adds a rule to the `config.json` in a directory of `rulesDirectory`: a deny rule first, any other directly below the last deny rule, so that it never
 * cancels one. Everything else stays unchanged, including comments and whitespace. Concurrent changes by other processes are
 * kept.
 *
 * @throws Error if the file cannot be read as configuration or cannot be written; it is then unchanged.
 */
export function saveRule(directory: string, { verdict, rule }: PermissionRule): void {
  const added = { [verdict]: rule };
  changeRules(directory, {
    rules: (rules = []) => rules.toSpliced(placeIn(rules, verdict), 0, added),
    text: (text, rules) => {
      const index = placeIn(rules ?? [], verdict);
      if (index > 0) return insertItem(text, ["permission", "rules", index], added);
      const isArrayInsertion = rules !== undefined;
      const path = ["permission", "rules", ...(isArrayInsertion ? [0] : [])];
      const formattingOptions = formattingOf(text);
      return applyEdits(text, modify(text, path, rules ? added : [added], { formattingOptions, isArrayInsertion }));
    },
  });
}

function placeIn(rules: readonly unknown[], verdict: Verdict): number {
  const isDeny = rules.map((rule) => isJsonObject(rule) && Object.hasOwn(rule, "deny"));
  return placeOfRule(verdict, isDeny);
}

/** Tells the user which rule was saved, and for what; /permissions shows and removes it. */
export function savedRuleText({ verdict, rule }: PermissionRule, where: RulePlace): string {
  return `Saved for ${where === "project" ? "this project" : "all projects"}: ${verdict} ${rule}`;
}

/**
 * Removes a rule from where it was saved, if it is there.
 *
 * @throws as `saveRule` does.
 */
export function removeRule(directory: string, { verdict, rule }: PermissionRule): void {
  const isMeant = (kept: unknown) => (kept as Record<string, unknown> | null)?.[verdict] === rule;
  changeRules(directory, {
    rules: (rules) => rules?.filter((kept) => !isMeant(kept)),
    text: (text, rules = []) => {
      const meant = rules.flatMap((kept, index) => (isMeant(kept) ? [index] : []));
      // Starting with the last, so that the other indexes stay valid.
      return meant.reduceRight((left, index) => removeItem(left, ["permission", "rules", index]), text);
    },
  });
}

/** The rules in the file; `undefined` if it has no list of them. */
type Rules = readonly unknown[] | undefined;

/** A change of the rules, and the same change of their text. */
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
    // A comment in an odd place must not remove a rule.
    if (isSame(rulesIn(changed, path), wanted)) return changed;
    throw new AgentError(
      "rule_not_saved",
      `${path} cannot be changed without losing content. Edit "permission.rules" by hand.`,
    );
  });
}

/** @throws AgentError `rule_not_saved` if rules cannot be added to the file. */
function rulesIn(text: string, path: string): Rules {
  const parsed = parseJsonWithComments(text);
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
