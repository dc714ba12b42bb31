import { textStart } from "@ikigai/protocol";
import { parseRule } from "../permission/parse-rule.ts";
import type { Verdict } from "../permission/permission.ts";
import type { Shape } from "./config-shape.ts";

/** Reports that something at a key is not as it must be. */
export type Report = (key: string, message: string) => void;

/** Dropped from its object or list. */
const dropped = Symbol("dropped");

/** A value with everything left out that is not of its shape; `undefined` when nothing is left. */
export function checkConfig(value: unknown, shape: Shape, key: string, report: Report): unknown {
  const checked = check(value, shape, key, report);
  return checked === dropped ? undefined : checked;
}

function check(value: unknown, shape: Shape, key: string, report: Report): unknown {
  switch (shape.type) {
    case "string":
      if (typeof value === "string" && value !== "" && (shape.oneOf?.includes(value) ?? true)) return value;
      return wrong(key, expectedString(shape), value, report);
    case "integer":
      if (Number.isSafeInteger(value) && (value as number) >= shape.min) return value;
      return wrong(key, `a whole number of at least ${shape.min}`, value, report);
    case "boolean":
      return typeof value === "boolean" ? value : wrong(key, "true or false", value, report);
    case "object":
      return checkObject(value, key, report, (name) => shape.keys[name], Object.keys(shape.keys));
    case "map":
      return checkObject(value, key, report, () => shape.values, []);
    case "rules":
      if (!Array.isArray(value)) return wrong(key, 'a list like [{ "allow": "bash(npm test)" }]', value, report);
      return value.map((rule, index) => checkRule(rule, `${key}[${index}]`, report)).filter((rule) => rule !== dropped);
    case "texts":
      return isTexts(value, shape.min) ? value : wrong(key, `a list like ${shape.example}`, value, report);
    default:
      return shape satisfies never;
  }
}

function isTexts(value: unknown, min = 0): boolean {
  return Array.isArray(value) && value.length >= min && value.every((text) => typeof text === "string" && text !== "");
}

function checkObject(
  value: unknown,
  key: string,
  report: Report,
  shapeOf: (name: string) => Shape | undefined,
  known: readonly string[],
): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return wrong(key, "an object", value, report);
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
    const path = key ? `${key}.${name}` : name;
    const shape = Object.hasOwn(value, name) ? shapeOf(name) : undefined;
    if (shape) return [name, check(member, shape, path, report)];
    report(path, `There is no setting "${path}". ${known.length > 0 ? `Known here: ${known.join(", ")}.` : ""}`.trim());
    return [name, dropped];
  });
  return Object.fromEntries(entries.filter(([, member]) => member !== dropped));
}

const verdicts: readonly Verdict[] = ["allow", "ask", "deny"];

function checkRule(value: unknown, key: string, report: Report): unknown {
  const [entry, second] = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const [verdict, rule] = entry ?? [];
  const known = verdicts.find((name) => name === verdict);
  if (known && second === undefined && typeof rule === "string" && parseRule(rule)) return { verdict: known, rule };
  return wrong(key, '{ "allow" | "ask" | "deny": "tool" or "tool(pattern)" }', value, report);
}

function expectedString({ oneOf, example }: Extract<Shape, { type: "string" }>): string {
  if (oneOf) return oneOf.map((one) => `"${one}"`).join(" or ");
  return example ? `a text like "${example}"` : "a text";
}

function wrong(key: string, expected: string, value: unknown, report: Report): typeof dropped {
  const got = isSecret(key) ? "something else" : textStart(JSON.stringify(value) ?? "nothing", 60);
  report(key, `Expected ${key ? `"${key}"` : "the file"} to be ${expected}, got ${got}. It is ignored.`);
  return dropped;
}

/** Below `providers` a value may be a key, wherever it stands. */
function isSecret(key: string): boolean {
  return key.startsWith("providers");
}
