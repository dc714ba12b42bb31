import { type JsonObject, textStart, unescapePointer } from "@ikigai/protocol";
import type { SchemaViolation } from "./compiled.ts";

/** The longest quote of a value in a message, in characters. */
const maxQuotedLength = 60;

/** Describes a violation, for example `Expected "limit" to be an integer, got "2s" (string).` */
export function describeViolation(violation: SchemaViolation, args: JsonObject, parameters: object): string {
  const { instancePath, keyword, params } = violation;
  if (keyword === "required") return describeMissing(String(params.missingProperty), parameters);
  const path = instancePath.slice(1).split("/").map(unescapePointer);
  const value = path.reduce<unknown>((parent, key) => (parent as JsonObject | undefined)?.[key], args);
  return `Expected ${JSON.stringify(path.join("."))} to be ${describeExpectation(keyword, params)}, got ${describeValue(value)}.`;
}

/** Quotes a value in a message: its JSON, cut, and its type. */
export function describeValue(value: unknown): string {
  if (value === null) return "null";
  const type = Array.isArray(value) ? "array" : typeof value;
  const text = typeof value === "number" ? String(value) : JSON.stringify(value);
  if (text.length <= maxQuotedLength) return `${text} (${type})`;
  return `${textStart(text, maxQuotedLength)}… (${type})`;
}

function describeMissing(name: string, parameters: object): string {
  const { properties = {} } = parameters as { properties?: Record<string, { type?: string; description?: string }> };
  const { type = "value", description } = properties[name] ?? {};
  return `Expected ${JSON.stringify(name)} (${type}), which is missing${description ? `: ${description}` : ""}.`;
}

function describeExpectation(keyword: string, params: Readonly<Record<string, unknown>>): string {
  if (keyword === "type") return withArticle(String(params.type));
  if (keyword === "enum") return (params.allowedValues as unknown[]).map((v) => JSON.stringify(v)).join(" or ");
  if (keyword === "minimum" || keyword === "maximum") return `${params.comparison} ${params.limit}`;
  return `valid (${keyword})`;
}

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
