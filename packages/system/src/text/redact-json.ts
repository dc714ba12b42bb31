import { endOfString } from "./end-of-string.ts";
import { type KnownKeys, knownKeys } from "./known-keys.ts";
import { removedSign, withoutKeys } from "./redact.ts";

export interface RedactJsonOptions {
  /** For JSON written by ikigai, whose numbers are never keys. */
  readonly keepsNumbers?: boolean;
}

/** How much text is read between two yields, in characters: a few milliseconds' worth. */
const stepLength = 250_000;

/**
 * Replaces keys in JSON, including keys written with escapes (`\/`, `\u0073`), keys that look like numbers, and keys in JSON
 * inside a string. The result is valid JSON.
 */
export function redactJson(json: string, secrets: readonly string[], options: RedactJsonOptions = {}): string {
  return atOnce(steps(json, knownKeys(secrets), options));
}

/** As `redactJson`, for a long text, which may end inside a string: between the steps the caller can do something else. */
export function redactJsonInSteps(
  json: string,
  secrets: readonly string[],
  options: RedactJsonOptions = {},
): Generator<undefined, string> {
  return steps(json, knownKeys(secrets), options);
}

function atOnce(generator: Generator<undefined, string>): string {
  for (;;) {
    const { done, value } = generator.next();
    if (done) return value;
  }
}

function* steps(
  json: string,
  known: KnownKeys,
  { keepsNumbers = false }: RedactJsonOptions,
): Generator<undefined, string> {
  if (json.length < known.shortest) return json;
  if (!json.includes("\\") && withoutKeys(json, known) === json) return json;
  const pieces: string[] = [];
  let [copied, step] = [0, stepLength];
  const replace = (start: number, end: number, by: (text: string, known: KnownKeys) => string) => {
    if (end - start < known.shortest) return;
    const text = json.slice(start, end);
    const clean = by(text, known);
    if (clean === text) return;
    pieces.push(json.slice(copied, start), clean);
    copied = end;
  };
  let done = 0;
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', done)) {
    if (!keepsNumbers) replace(done, start, redactNumbers);
    done = endOfString(json, start);
    replace(start, done, redactString);
    if (done < step) continue;
    step = done + stepLength;
    yield;
  }
  if (!keepsNumbers) replace(done, json.length, redactNumbers);
  return pieces.join("") + json.slice(copied);
}

function redactNumbers(text: string, known: KnownKeys): string {
  if (withoutKeys(text, known) === text) return text;
  return text.replace(/[^\s,:[\]{}]+/g, (value) => (withoutKeys(value, known) === value ? value : `"${removedSign}"`));
}

function redactString(quoted: string, known: KnownKeys): string {
  // A key may have quotes of its own.
  if (!quoted.includes("\\")) {
    const end = quoted.length > 1 && quoted.endsWith('"') ? quoted.length - 1 : quoted.length;
    return `"${withoutKeys(quoted.slice(1, end), known)}${quoted.slice(end)}`;
  }
  const text = parsed(quoted);
  if (typeof text === "string") {
    const clean = cleanText(text, known);
    return clean === text ? quoted : JSON.stringify(clean);
  }
  const part = isClosed(quoted) ? undefined : (parsed(`${quoted}"`) ?? parsed(`${beforeEscape(quoted)}"`));
  if (typeof part !== "string") return withoutKeys(quoted, known);
  const clean = withoutKeys(part, known);
  return clean === part ? quoted : JSON.stringify(clean).slice(0, -1);
}

/** Parsing is slow, and most texts are not JSON. JSON without escapes is searched like any text. */
function cleanText(text: string, known: KnownKeys): string {
  const clean = withoutKeys(text, known);
  const mayBeJson = (clean !== text || text.includes("\\")) && /^\s*[{[]/.test(text);
  return mayBeJson && parsed(text) !== undefined ? atOnce(steps(text, known, {})) : clean;
}

/** Whether a string has its last quote, or the text ended before. */
function isClosed(quoted: string): boolean {
  return endOfString(`${quoted}"`, 0) <= quoted.length;
}

/** A text without its last escape, of which the end may be missing. */
function beforeEscape(text: string): string {
  return text.slice(0, text.lastIndexOf("\\"));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
