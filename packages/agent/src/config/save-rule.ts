import { dirname } from "node:path";
import { isJsonObject } from "@ikigai/protocol";
import { Lock, makePrivateDirectory, writePrivateFile } from "@ikigai/system";
import { applyEdits, type FormattingOptions, getNodeValue, modify } from "jsonc-parser/lib/esm/main.js";
import { AgentError, fromSystem } from "../model/agent-error.ts";
import type { PermissionRule } from "../permission/permission.ts";
import { realTarget } from "../permission/real-target.ts";
import { renderConfigProblem } from "./config-error.ts";
import { placeOf } from "./config-place.ts";
import { configPath } from "./load-config.ts";
import { parseConfig } from "./parse-config.ts";
import { readConfigFile } from "./read-config-file.ts";
import { removeItem } from "./remove-item.ts";

/** How long another process may keep the configuration to itself, in milliseconds: it takes some to write it. */
const patienceMs = 5_000;

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
  const path = realTarget(configPath(home), home) ?? configPath(home);
  makePrivateDirectory(dirname(path));
  const lock = new Lock(`${path}.lock`);
  try {
    lock.takeSync(patienceMs);
    changeFile(path, change);
  } catch (error) {
    throw fromSystem(error, "rule_not_saved");
  } finally {
    lock.release();
  }
}

function changeFile(path: string, change: RuleChange): void {
  const reading = readConfigFile(path);
  if ("problem" in reading) throw new AgentError("rule_not_saved", `${path}: This file ${reading.problem}`);
  const text = reading.text.trim() === "" ? "{}\n" : reading.text;
  const rules = rulesIn(text, path);
  const wanted = change.rules(rules);
  if (isSame(wanted, rules)) return;
  const changed = change.text(text, rules);
  // A comment in an odd place must not take a rule along.
  if (!isSame(rulesIn(changed, path), wanted))
    throw new AgentError(
      "rule_not_saved",
      `${path} cannot be changed without a loss. Change "permission.rules" by hand.`,
    );
  writePrivateFile(path, changed);
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

/** New lines look like those that are there. */
function formattingOf(text: string): FormattingOptions {
  const [, indent = "  "] = /\n([ \t]+)\S/.exec(text) ?? [];
  return { insertSpaces: !indent.startsWith("\t"), tabSize: indent.length, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}
