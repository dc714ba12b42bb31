import { KeyGrams } from "./key-grams.ts";
import { ReducedText } from "./reduced-text.ts";

/** Shorter values are not keys, and would match ordinary words. */
const minSecretLength = 8;

/**
 * A beginning or an end of a key is replaced, too, if it has half of the key, and at least this many characters: a tool may have cut
 * its output there. Shorter ones are no secret, and could be there by chance.
 */
const minPartLength = 8;

/** A part of a key that has at least this many characters is there by no accident: a program has wrapped, cut or dumped the key. */
export const minKeyPart = 16;

/** What servers that need no key tell people to set. It is no secret, and a word of many files. */
const placeholders = new Set(
  "lm-studio not-needed not-required no-key-needed no-key-required sk-no-key-required placeholder dummy-key your-api-key".split(
    " ",
  ),
);

/**
 * What words do not have: digits among letters, capitals inside a word, or more digits (also with signs between them) or letters in a row than texts
 * have. Half of `sk-no-key-required` is a word that many texts have.
 */
const noWords = /[A-Za-z].*\d|\d.*[A-Za-z]|[a-z][A-Z]|[A-Z]{2}.*[a-z]|(?:\d[^\dA-Za-z]*){6}|[A-Za-z]{16}/;

/** Up to the password, and the password. */
const passwordUrl = /^([a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:)([^/\s@]+)@/i;

/** A JSON Web Token, of which only the signature is a secret: many tokens begin alike. */
const webToken = /^eyJ[\w-]+\.[\w-]+\.(?=[\w-]+$)/;

/** A key, and what of it is searched. */
export interface KnownKey {
  readonly text: string;
  /** Whether it is found with line breaks inside. As for parts of a key: half of a shorter one is no secret. */
  readonly isLong: boolean;
  /** How many characters of its beginning and of its end are a secret where a text was cut; `undefined` if none. */
  readonly beginning: number | undefined;
  readonly end: number | undefined;
  /** What of it is a secret even without the rest. */
  readonly secret: { readonly from: number; readonly to: number };
}

/** Keys, prepared for searching many texts. */
export interface KnownKeys {
  readonly keys: readonly KnownKey[];
  readonly grams: KeyGrams;
  /** The length of the shortest text that has something to remove. */
  readonly shortest: number;
}

const prepared = new WeakMap<readonly string[], KnownKeys & { readonly secrets: readonly string[] }>();

/** Prepares keys, once for an array as long as it has the same keys. */
export function knownKeys(secrets: readonly string[]): KnownKeys {
  const last = prepared.get(secrets);
  if (last?.secrets.length === secrets.length && last.secrets.every((secret, at) => secret === secrets[at]))
    return last;
  const known = { ...prepare(secrets), secrets: [...secrets] };
  prepared.set(secrets, known);
  return known;
}

function prepare(secrets: readonly string[]): KnownKeys {
  const grams = new KeyGrams();
  const keys = secrets.flatMap((secret) => knownKey(secret) ?? []);
  // Longest first: a key may be a part of another one.
  keys.sort((one, other) => other.text.length - one.text.length);
  for (const { text, secret } of keys) grams.add(text, secret.from, secret.to);
  const lengths = keys.flatMap(({ text: { length }, beginning, end, secret: { from, to } }) => [
    length,
    beginning ?? length,
    end ?? length,
    to - from < minKeyPart ? length : minKeyPart,
  ]);
  // Not `Math.min(...lengths)`: a program may give very many keys.
  const shortest = lengths.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  return { keys, grams, shortest };
}

function knownKey(secret: string): KnownKey | undefined {
  if (secret.length < minSecretLength || placeholders.has(secret)) return undefined;
  // Texts are searched like this, too. Some programs keep the quotes around a value in a file of variables.
  const { text } = new ReducedText(secret.replace(/^(["'])(.*)\1$/s, "$2"), false);
  if (text.length < minSecretLength) return undefined;
  const isLong = Math.ceil(text.length / 2) >= minPartLength;
  return { text, isLong, secret: secretPart(text), ...partLengths(text) };
}

/** Whether a part of a key is no word of a text. */
export function isSecretPart(part: string): boolean {
  return noWords.test(part);
}

/** What of a key is a secret even without the rest: of a URL, its password; of a JSON Web Token, its signature. */
function secretPart(key: string): { from: number; to: number } {
  const [, before = "", password = key] = passwordUrl.exec(key) ?? [];
  const [token = ""] = webToken.exec(password) ?? [];
  return { from: before.length + token.length, to: before.length + password.length };
}

/**
 * How many characters of its beginning and of its end are a secret. The user and the server in a URL do not count, nor does what
 * precedes the signature of a JSON Web Token.
 */
function partLengths(secret: string): Pick<KnownKey, "beginning" | "end"> {
  const [, before = "", password = ""] = passwordUrl.exec(secret) ?? [];
  if (password === "") {
    const [{ length } = ""] = webToken.exec(secret) ?? [];
    const usual = Math.min(minKeyPart, Math.ceil((secret.length - length) / 2));
    const end = longEnough(usual);
    return { beginning: end && length + end, end };
  }
  const half = before.length + Math.ceil(password.length / 2);
  return { beginning: longEnough(half), end: longEnough(secret.length - half) };
}

function longEnough(length: number): number | undefined {
  return length < minPartLength ? undefined : length;
}
