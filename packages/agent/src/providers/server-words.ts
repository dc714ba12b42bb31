/** Where servers and gateways put their error messages, the most specific first. */
const messageKeys = "error errors message detail error_description error_message msg description reason".split(" ");

/** The error message in a JSON text, which may itself hold JSON; `undefined` without one. */
export function messageIn(json: string): string | undefined {
  const found = findMessage(parsed(json));
  return found === undefined ? undefined : withoutJson(found) || undefined;
}

/** A text for people: JSON in it is replaced by the error message that it contains, or dropped. */
export function withoutJson(text: string): string {
  const start = text.search(/\{\s*["}]|\[\s*\{/);
  if (start < 0) return text;
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1;
  const before = text.slice(0, start).trim();
  const message = messageIn(text.slice(start, end));
  if (message === undefined) return before.replace(/[\s:(,-]+$/, "");
  return before === "" ? message : `${before} ${message}`;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function findMessage(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (Array.isArray(value)) return value.length > 0 ? findMessage(value[0]) : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of messageKeys) {
    const message = Object.hasOwn(fields, key) ? findMessage(fields[key]) : undefined;
    if (message !== undefined) return message;
  }
  return undefined;
}
