import { endOfString } from "./end-of-string.ts";
import { minKeyPart, replaceKeyParts } from "./key-parts.ts";
import { seenText, wrappedKeys } from "./split-key.ts";

/** Shorter values are not keys, and would match ordinary words. */
const minSecretLength = 8;

const removed = "[key removed]";

/**
 * A beginning or an end of a key is replaced, too, if it has half of the key, and at least this many characters: a tool may have cut
 * its output there. Shorter ones are no secret, and could be there by chance.
 */
const minPartLength = 8;

/** What servers that need no key tell people to set. It is no secret, and a word of many files. */
const placeholders = new Set(
  "lm-studio not-needed not-required no-key-needed no-key-required sk-no-key-required placeholder dummy-key your-api-key".split(
    " ",
  ),
);

/** What follows a beginning of a key where a text was cut: white space, a quote that ends the text, or a sign such as `…`. */
const cutAfter = /^(?:$|[\s…*"]|\.\.\.|\[)/;

/** What precedes an end of a key there, backwards. */
const cutBefore = /^(?:$|[\s…*"]|\.\.\.|\])/;

/**
 * What words do not have: digits among letters, capitals inside a word, or more digits or letters in a row than texts have. Half of
 * `sk-no-key-required` is a word that many texts have.
 */
const noWords = /[A-Za-z].*\d|\d.*[A-Za-z]|[a-z][A-Z]|[A-Z]{2}.*[a-z]|(?:\d[^\dA-Za-z]?){6}|[A-Za-z]{16}/;

/** Up to the password, and the password. */
const passwordUrl = /^([a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:)([^/\s@]+)@/i;

/**
 * Replaces keys in a text that people or files will see, also wrapped ones, long parts of them anywhere, and short ones where a text
 * was cut. Styles and invisible characters may stand inside a key, so a text with a key loses all of them.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const keys = known(secrets);
  if (keys.length === 0) return text;
  const seen = seenText(text);
  const clean = withoutKeys(seen, keys);
  return clean === seen ? text : clean;
}

function withoutKeys(text: string, keys: readonly string[]): string {
  const wrapped = wrappedKeys(text);
  let clean = text;
  for (const key of keys) {
    // As for parts of a key: half of a shorter one is no secret.
    const isLong = Math.ceil(key.length / 2) >= minPartLength;
    const pattern = isLong ? wrapped(key) : undefined;
    clean = clean.replaceAll(pattern ?? key, removed);
    clean = withoutEnds(withoutBeginnings(clean, key), key);
  }
  return replaceKeyParts(clean, keys.map(passwordOf), removed, (part) => noWords.test(part));
}

/** What of a key is a secret: of a URL, its password. */
function passwordOf(key: string): string {
  return passwordUrl.exec(key)?.[2] ?? key;
}

function withoutBeginnings(text: string, secret: string): string {
  const isCut = (part: string, rest: string) => noWords.test(part) && cutAfter.test(rest);
  return replaceBeginnings(text, { secret, length: partLengths(secret).beginning, isCut, sign: removed });
}

function withoutEnds(text: string, secret: string): string {
  const { end } = partLengths(secret);
  if (!text.includes(secret.slice(-end))) return text;
  const isCut = (part: string, rest: string) => noWords.test(reversed(part)) && cutBefore.test(rest);
  const backwards = { secret: reversed(secret), length: end, isCut, sign: reversed(removed) };
  return reversed(replaceBeginnings(reversed(text), backwards));
}

/** How many characters of its beginning and of its end are a secret. The user and the server in a URL do not count. */
function partLengths(secret: string): { beginning: number; end: number } {
  const usual = Math.min(minKeyPart, Math.ceil(secret.length / 2));
  const [, before = "", password = ""] = passwordUrl.exec(secret) ?? [];
  if (password === "") return { beginning: usual, end: usual };
  const half = before.length + Math.ceil(password.length / 2);
  return { beginning: half, end: secret.length - half };
}

interface Beginnings {
  readonly secret: string;
  /** The length of the shortest beginning. */
  readonly length: number;
  /** Whether the text was cut between this beginning and the rest. */
  readonly isCut: (part: string, rest: string) => boolean;
  /** Takes its place. */
  readonly sign: string;
}

function replaceBeginnings(text: string, { secret, length, isCut, sign }: Beginnings): string {
  if (length < minPartLength) return text;
  const [first = "", ...others] = text.split(secret.slice(0, length));
  const replaced = others.map((other) => {
    const shared = sharedLength(other, secret.slice(length));
    const [part, rest] = [secret.slice(0, length + shared), other.slice(shared)];
    return (isCut(part, rest) ? sign : part) + rest;
  });
  return [first, ...replaced].join("");
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
  return secrets
    .filter((secret) => secret.length >= minSecretLength && !placeholders.has(secret))
    .sort((one, other) => other.length - one.length);
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
