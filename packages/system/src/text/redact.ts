import { endOfString } from "./end-of-string.ts";

/** Shorter values are not keys, and would match ordinary words. */
const minSecretLength = 8;

const removed = "[key removed]";

/**
 * A beginning or an end of a key is replaced, too, if it has at least this many characters or half of the key: a tool may have cut its
 * output there. Shorter ones are no secret, and the half of a short key could be a word.
 */
const maxPartLength = 16;
const minPartLength = 8;

/** Replaces keys in a text that people or files will see, and parts of them where a text was cut. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of known(secrets)) {
    clean = clean.replaceAll(secret, removed);
    const part = Math.min(maxPartLength, Math.ceil(secret.length / 2));
    if (part >= minPartLength) clean = withoutEnds(withoutBeginnings(clean, secret, part), secret, part);
  }
  return clean;
}

function withoutBeginnings(text: string, secret: string, partLength: number): string {
  const [first = "", ...others] = text.split(secret.slice(0, partLength));
  const rest = secret.slice(partLength);
  return [first, ...others.map((piece) => removed + piece.slice(sharedLength(piece, rest)))].join("");
}

function withoutEnds(text: string, secret: string, partLength: number): string {
  const [last = "", ...others] = text.split(secret.slice(-partLength)).reverse();
  const rest = reversed(secret.slice(0, -partLength));
  const cut = others.map((piece) =>
    piece.slice(0, piece.length - sharedLength(reversed(piece.slice(-rest.length)), rest)),
  );
  return [...cut.reverse().map((piece) => piece + removed), last].join("");
}

/** How many of their first UTF-16 units two texts share. */
function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < other.length && one[length] === other[length]) length += 1;
  return length;
}

function reversed(text: string): string {
  return text.split("").reverse().join("");
}

/** Longest first: a secret may start with another one. */
function known(secrets: readonly string[]): string[] {
  return secrets.filter(({ length }) => length >= minSecretLength).sort((one, other) => other.length - one.length);
}

/**
 * Replaces keys in JSON, including keys written with escapes (`\/`, `\u0073`), keys that look like numbers, and keys in JSON
 * inside a string. The result is valid JSON.
 *
 * @param keepsNumbers for JSON written by ikigai, whose numbers are never keys.
 */
export function redactJson(json: string, secrets: readonly string[], { keepsNumbers = false } = {}): string {
  if (known(secrets).length === 0) return json;
  if (!json.includes("\\") && redact(json, secrets) === json) return json;
  const pieces: string[] = [];
  const addBetween = (text: string) => pieces.push(keepsNumbers ? text : redactNumbers(text, secrets));
  let done = 0;
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', done)) {
    const end = endOfString(json, start);
    addBetween(json.slice(done, start));
    pieces.push(redactString(json.slice(start, end), secrets));
    done = end;
  }
  addBetween(json.slice(done));
  return pieces.join("");
}

function redactNumbers(text: string, secrets: readonly string[]): string {
  if (redact(text, secrets) === text) return text;
  return text.replace(/[^\s,:[\]{}]+/g, (value) => (redact(value, secrets) === value ? value : `"${removed}"`));
}

function redactString(quoted: string, secrets: readonly string[]): string {
  if (!quoted.includes("\\")) return redact(quoted, secrets);
  try {
    const text = JSON.parse(quoted) as string;
    const clean = isJson(text) ? redactJson(text, secrets) : redact(text, secrets);
    return clean === text ? quoted : JSON.stringify(clean);
  } catch {
    return redact(quoted, secrets);
  }
}

function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
