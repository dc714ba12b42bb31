import { isStdio, type ServerEntry } from "./server-entry.ts";

/** An entry without its secrets, and the secrets by the names that stand for them. */
export interface HiddenSecrets {
  readonly entry: ServerEntry;
  readonly secrets: Readonly<Record<string, string>>;
}

/** A reference to the environment, alone or after the scheme of a header: none of it is secret. */
const reference = /^(?:(?:Bearer|Basic|Token) +)?\$\{[A-Za-z_][A-Za-z0-9_]*\}$/i;

/**
 * Replaces the literal values of `env` and `headers`, and an address with a query or a user, by `${secret:KEY}`. A package is visible
 * to other tools, so it holds no value that may be a key.
 */
export function hideSecrets(entry: ServerEntry): HiddenSecrets {
  const secrets: Record<string, string> = {};
  const hide = (key: string, value: string) => {
    if (value === "" || reference.test(value)) return value;
    secrets[key] = value;
    return `\${secret:${key}}`;
  };
  const hideAll = (kind: string, values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, hide(`${kind}.${name}`, value)]));
  const hidden = isStdio(entry)
    ? { ...entry, env: hideAll("env", entry.env) }
    : {
        ...entry,
        headers: hideAll("headers", entry.headers),
        url: isPlainAddress(entry.url) ? entry.url : hide("url", entry.url),
      };
  return { entry: hidden, secrets };
}

/** Whether an address has neither a query, nor a fragment, nor a user. */
function isPlainAddress(url: string): boolean {
  return !/[?#@]/.test(url);
}
