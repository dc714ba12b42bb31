// Removes secrets from text for people, models and files: every exact occurrence of a known value or of one of its usual encodings. In order:
// which values are secrets, how programs write them, the search, a stream, a text, JSON; then which variables are secrets. Keys that are cut,
// wrapped or otherwise changed are not recognised (SECURITY.md).
import { endOfString } from "../json/json.ts";

/** Takes the place of a secret. */
const removedSign = "[key removed]";

/** Shorter values are words, numbers and settings that occur in text by chance, and too easy to guess to be keys. */
const minLength = 8;

/** What servers without keys tell people to set: not a secret, and common in text. */
const placeholders = new Set(
  "lm-studio not-needed not-required no-key-needed no-key-required sk-no-key-required placeholder dummy-key your-api-key".split(
    " ",
  ),
);

/** The secrets in a value: the value without quotes, the password of a URL or `Basic` header, the long lines of a PEM file. */
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

/** How programs write a secret: verbatim, in JSON, percent-encoded, in base64 and hexadecimal. */
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

/** Base64 of a secret after any number of bytes, such as `user:`: only the characters without bits of its neighbours, in both alphabets. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]);
    const form = all.toString("base64").slice(Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6));
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** How many characters are hashed together: three tell most text from a key. */
const blockLength = 3;

/** How many characters of a word decide how far the search may skip. A longer window is not faster. */
const maxWindow = 64;

const hashMask = 0xffff;

/** Three characters as a number. */
function hashAt(text: string, last: number): number {
  return (text.charCodeAt(last) ^ (text.charCodeAt(last - 1) << 5) ^ (text.charCodeAt(last - 2) << 10)) & hashMask;
}

/** Finds many words in one pass (Wu and Manber's algorithm): three characters tell how far no word can end. */
class Search {
  /** The length of the longest word, or 0 without words. */
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

/** Prepares a search, once for an array until its secrets change. */
function searchFor(secrets: readonly string[]): Search {
  const last = searches.get(secrets);
  if (last?.secrets.length === secrets.length && last.secrets.every((secret, at) => secret === secrets[at]))
    return last.search;
  const search = new Search(secrets.flatMap(secretsIn).flatMap(formsOf));
  searches.set(secrets, { search, secrets: [...secrets] });
  return search;
}

/** Replaces secrets in a text that arrives in pieces. Holds back what may be the start of a secret. */
export class Redactor {
  /** Whether it has found a secret. */
  hasFound = false;
  readonly #search: Search;
  #rest = "";
  /** How much of the rest has been replaced. */
  #replaced = 0;

  constructor(secrets: readonly string[]) {
    this.#search = searchFor(secrets);
  }

  /** Takes a piece, and returns the text that no later piece can change. */
  push(piece: string): string {
    const text = this.#rest + piece;
    return this.#take(text, Math.max(0, text.length - this.#search.longest + 1));
  }

  /** Takes the last piece, and returns the rest. */
  end(piece = ""): string {
    const text = this.#rest + piece;
    return this.#take(text, text.length);
  }

  /** Returns the text before `limit`, and keeps the rest. */
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

/** Replaces secrets in the strings and names of valid JSON, and of JSON in its strings. The result is valid. Numbers stay. */
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

/**
 * Name patterns of environment variables that look like secrets. `*` matches any text, `?` one character; case is ignored.
 *
 * Deliberately not included: `*TOKEN*`, which would match `MAX_OUTPUT_TOKENS` and `TOKENIZERS_PARALLELISM`, and `*PASS` or
 * `*KEY` without the underscore, which would match `SSH_ASKPASS`, `COMPASS` and `MONKEY`. `PATH`, `HOME`, `LANG`, `TERM`,
 * `PWD`, `NODE_*` and `npm_*` match no pattern unless they end like a secret.
 */
const secretNamePatterns: readonly string[] = [
  "*SECRET*",
  "*PASSWORD*",
  "*PASSWD*",
  "*PASSPHRASE*",
  "*CREDENTIAL*",
  "*APIKEY*",
  "*ACCESSKEY*",
  "*PRIVATEKEY*",
  "*_KEY",
  "*_KEYS",
  "*_KEY_*",
  "*TOKEN",
  "*_TOKEN_*",
  "*_AUTH",
  "*_AUTH_*",
  "*_PASS",
  "*_PWD",
  "*_PAT",
  "*_PEM",
  "*_JWT*",
  "*_BEARER*",
  "*_COOKIE*",
  "*_DSN",
  // Request headers may carry a key.
  "*_HEADERS",
  "*_WEBHOOK*",
  // URLs that contain a password.
  "*CONNECTION_STRING*",
  "*DATABASE_UR?",
  "*_DB_UR?",
  "*MONGO*_UR?",
  "*MYSQL*_UR?",
  "*POSTGRES*_UR?",
  "*REDIS*_UR?",
  "*AMQP*_UR?",
];

/** Not secret although it matches: git reads numbered pairs, and none may be missing. */
const harmlessName = /^GIT_CONFIG_KEY_\d+$/i;

const secretName = namesMatching(secretNamePatterns);

/** `scheme://user:password@host`. */
const passwordInUrl = /(?:^|[\s,])[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:[^/\s@]+@/i;

/** Needed for network access where it is granted. */
const proxyName = /_proxy$/i;

/** Returns whether a variable with this name, or this value, looks like a secret. */
export function isSecretVariable(name: string, value = ""): boolean {
  if (secretName.test(name)) return !harmlessName.test(name);
  return passwordInUrl.test(value) && !proxyName.test(name);
}

/** Returns a function that checks a name against these names, which may end in `*`. Case-sensitive. */
export function grantOf(granted: readonly string[]): (name: string) => boolean {
  const whole = new Set(granted);
  const starts = granted.flatMap((one) => (one.endsWith("*") ? [one.slice(0, -1)] : []));
  return (name) => whole.has(name) || starts.some((start) => name.startsWith(start));
}

function namesMatching(patterns: readonly string[]): RegExp {
  const all = patterns.map((pattern) => pattern.replaceAll("*", ".*").replaceAll("?", "."));
  return new RegExp(`^(?:${all.join("|")})$`, "is");
}
