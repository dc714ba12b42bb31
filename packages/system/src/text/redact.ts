/** Shorter ones are no keys, and would eat words. */
const minSecretLength = 8;

const removed = "[key removed]";

/** Takes keys out of a text that a person or a file will see. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of known(secrets)) clean = clean.replaceAll(secret, removed);
  return clean;
}

/** The longest first: one may begin with another. */
function known(secrets: readonly string[]): string[] {
  return secrets.filter(({ length }) => length >= minSecretLength).sort((one, other) => other.length - one.length);
}

/**
 * Takes keys out of JSON, also where they are written with escapes (`\/`, `\u0073`), look like a number, or are in JSON that is a
 * string itself. It is JSON afterwards.
 *
 * @param keepsNumbers is for what we have written: none of its own numbers is a key.
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

/** Where a string of JSON ends that starts there: after its closing quote. */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (json[quote - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return quote + 1;
  }
  return json.length;
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
