// Removes secrets from what people, models and files get: every exact occurrence of a value, as it is and in its usual encodings. In order:
// which values are secrets, how programs write them, the search, then a text, a stream and JSON. A key that a program has cut, split, or
// written in another way stays.
import { endOfString } from "./end-of-string.ts";

/** Takes the place of a secret. */
const removedSign = "[key removed]";

/** Shorter values are words, numbers and settings that texts have by chance; a key that short could be guessed anyway. */
const minLength = 8;

/** What servers that need no key tell people to set. It is no secret, and a word of many files. */
const placeholders = new Set(
  "lm-studio not-needed not-required no-key-needed no-key-required sk-no-key-required placeholder dummy-key your-api-key".split(
    " ",
  ),
);

/** The secrets in a value: without quotes, the password of a URL or of a `Basic` header, and the long lines of a PEM file. */
function secretsIn(value: string): string[] {
  const text = value.trim().replace(/^(["'])(.*)\1$/s, "$2");
  const [, password = ""] = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#:@]*:([^\s/?#]*)@/i.exec(text) ?? [];
  const [, credentials = ""] = /^Basic +([\w+/-]+=*)$/i.exec(text) ?? [];
  const user = Buffer.from(credentials, "base64").toString();
  const lines = text.match(/^\S{32,}$/gm) ?? [];
  return [text, password, decoded(password), credentials, user.slice(user.indexOf(":") + 1), ...lines].filter(
    (secret) => secret.length >= minLength && !placeholders.has(secret),
  );
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password);
  } catch {
    return password;
  }
}

/** How programs write a secret: as it is, in JSON, percent-encoded, in base64 and hexadecimal. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  // Files are searched by bytes.
  const plain = [secret, bytes.toString("latin1"), ...jsonForms(secret)];
  const encoded = [...percentForms(bytes), ...base64Forms(bytes), hex, hex.toUpperCase()];
  return [...plain, ...encoded];
}

/** What JSON serializers write as `\u….`: JavaScript's; Go's; Python's and PHP's; .NET's. */
const jsonEscaped = [/(?!)/g, /[<>&]/g, /[^ -~]/g, /[<>&'+`]|[^ -~]/g];

function jsonForms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const code = (character: string) => character.charCodeAt(0).toString(16).padStart(4, "0");
  const forms = jsonEscaped.flatMap((escaped) => [
    json.replace(escaped, (one) => `\\u${code(one)}`),
    json.replace(escaped, (one) => `\\u${code(one).toUpperCase()}`),
  ]);
  return forms.flatMap((form) => [form, form.replaceAll("/", "\\/")]);
}

/** What percent-encoders replace: RFC 3986, the same in a path, encodeURIComponent, encodeURI, a form; one replaces everything. */
const percentEncoded = [
  /[^\w.~-]/g,
  /[^\w.~/-]/g,
  /[^\w.~!*'()-]/g,
  /[^\w.~!*'();/?:@&=+$,#-]/g,
  /[^\w.*-]/g,
  /[\s\S]/g,
];

/** In either case, also encoded again. */
function percentForms(bytes: Buffer): Set<string> {
  const text = bytes.toString("latin1");
  const code = (one: string) => `%${one.charCodeAt(0).toString(16).padStart(2, "0")}`;
  const lower = new Set(percentEncoded.map((encoded) => text.replace(encoded, code)));
  const upper = [...lower].map((form) => form.replace(/%../g, (one) => one.toUpperCase()));
  const once = [...lower, ...upper].flatMap((form) => [form, form.replaceAll("%20", "+")]);
  return new Set(once.flatMap((form) => [form, form.replaceAll("%", "%25")]));
}

/** A secret behind any number of bytes, such as `user:`: only characters that have no bits of its neighbours. Each in both alphabets. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]);
    const form = all.toString("base64").slice(Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6));
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** How many characters are looked at together: three tell most texts from a key. */
const blockLength = 3;

/** So many characters of a form decide how far the search may skip. More would make no text faster. */
const maxWindow = 64;

const hashMask = 0xffff;

/** Three characters as a number. */
function hashAt(text: string, last: number): number {
  return (text.charCodeAt(last) ^ (text.charCodeAt(last - 1) << 5) ^ (text.charCodeAt(last - 2) << 10)) & hashMask;
}

/** Finds many words in one pass (Wu and Manber): looks at three characters, and skips as many as no word can begin with. */
class Search {
  /** The length of the longest word; 0 if there is none. */
  readonly longest: number;
  readonly #window: number;
  readonly #skips: Uint8Array;
  readonly #words = new Map<number, string[]>();

  constructor(given: Iterable<string>) {
    // Longest first: one may be the beginning of another.
    const words = [...new Set(given)].sort((one, other) => other.length - one.length);
    this.longest = words[0]?.length ?? 0;
    this.#window = Math.min(words.at(-1)?.length ?? maxWindow, maxWindow);
    this.#skips = new Uint8Array(hashMask + 1).fill(this.#window - blockLength + 1);
    for (const word of words) {
      for (let last = blockLength - 1; last < this.#window; last++) {
        const hash = hashAt(word, last);
        this.#skips[hash] = Math.min(this.#skips[hash] ?? 0, this.#window - 1 - last);
      }
      const hash = hashAt(word, this.#window - 1);
      this.#words.set(hash, [...(this.#words.get(hash) ?? []), word]);
    }
  }

  /** The first word that starts from `from` to before `limit`, the longest there. */
  find(text: string, from: number, limit: number): { readonly start: number; readonly end: number } | undefined {
    if (this.longest === 0) return undefined;
    const stop = Math.min(text.length, limit + this.#window - 1);
    for (let last = from + this.#window - 1; last < stop; ) {
      const hash = hashAt(text, last);
      const skip = this.#skips[hash] ?? 0;
      if (skip === 0) {
        const start = last - this.#window + 1;
        const word = this.#words.get(hash)?.find((one) => text.startsWith(one, start));
        if (word !== undefined) return { start, end: start + word.length };
      }
      last += skip || 1;
    }
    return undefined;
  }
}

const searches = new WeakMap<readonly string[], { readonly search: Search; readonly secrets: readonly string[] }>();

/** Prepares a search, once for an array as long as it has the same secrets. */
function searchFor(secrets: readonly string[]): Search {
  const last = searches.get(secrets);
  if (last?.secrets.length === secrets.length && last.secrets.every((secret, at) => secret === secrets[at]))
    return last.search;
  const search = new Search(secrets.flatMap(secretsIn).flatMap(formsOf));
  searches.set(secrets, { search, secrets: [...secrets] });
  return search;
}

/** Replaces secrets in a text that arrives in pieces. Holds back what may be the beginning of a secret. */
export class Redactor {
  /** Whether there was a secret so far. */
  hasFound = false;
  readonly #search: Search;
  #rest = "";
  /** How much of the rest has been replaced. */
  #replaced = 0;

  constructor(secrets: readonly string[]) {
    this.#search = searchFor(secrets);
  }

  /** Takes a piece, and returns what is certain. */
  push(piece: string): string {
    const text = this.#rest + piece;
    return this.#take(text, Math.max(0, text.length - this.#search.longest + 1));
  }

  /** Takes the last piece, and returns the rest. */
  end(piece = ""): string {
    const text = this.#rest + piece;
    return this.#take(text, text.length);
  }

  /** Returns the text before `limit`; what starts there is not known yet. */
  #take(text: string, limit: number): string {
    let [clean, done] = ["", this.#replaced];
    for (
      let found = this.#search.find(text, 0, limit);
      found;
      found = this.#search.find(text, found.start + 1, limit)
    ) {
      // One that overlaps the last one continues it.
      if (found.start >= done) clean += text.slice(done, found.start) + removedSign;
      done = Math.max(done, found.end);
      this.hasFound = true;
    }
    if (limit > done) clean += text.slice(done, limit);
    this.#rest = text.slice(limit);
    this.#replaced = Math.max(0, done - limit);
    return clean;
  }
}

/** Replaces secrets in a text. */
export function redact(text: string, secrets: readonly string[]): string {
  return new Redactor(secrets).end(text);
}

/** Whether `redact` would change a text. */
function hasSecret(text: string, secrets: readonly string[]): boolean {
  return searchFor(secrets).find(text, 0, text.length) !== undefined;
}

/** Replaces secrets in the strings and names of valid JSON, also of JSON in a string. The result is valid. Numbers stay. */
export function redactJson(json: string, secrets: readonly string[]): string {
  if (!hasSecret(json, secrets)) return json;
  let [clean, done] = ["", 0];
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', done)) {
    clean += json.slice(done, start);
    done = endOfString(json, start);
    clean += redactString(json.slice(start, done), secrets);
  }
  return clean + json.slice(done);
}

function redactString(quoted: string, secrets: readonly string[]): string {
  // Most strings are short.
  if (quoted.length < minLength) return quoted;
  const text = JSON.parse(quoted) as string;
  if (!hasSecret(text, secrets)) return quoted;
  return JSON.stringify(isJson(text) ? redactJson(text, secrets) : redact(text, secrets));
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
