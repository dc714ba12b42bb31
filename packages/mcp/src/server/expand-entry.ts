import { isStdio, type ServerEntry } from "./server-entry.ts";

/** An entry with the values that it has now. */
export interface ExpandedEntry {
  readonly entry: ServerEntry;
  /** The variables that are not set and have no default, in order. */
  readonly missing: readonly string[];
}

const secret = /^\$\{secret:([^}]+)\}$/;
const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Fills in secrets, `${VAR}` and `${VAR:-default}` in the values of `env` and `headers` and in the address. The arguments of a
 * program stay as they are: every user of the machine can read them.
 *
 * @param isLiteral whether `${VAR}` is text like any other.
 */
export function expandEntry(
  entry: ServerEntry,
  secrets: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
  { isLiteral = false } = {},
): ExpandedEntry {
  const missing = new Set<string>();
  const filledIn = (text: string) =>
    text.replace(variable, (_, name: string, fallback: string | undefined) => {
      const value = env[name] || fallback;
      if (value === undefined) missing.add(name);
      return value ?? "";
    });
  const expand = (text: string) => {
    const known = withSecret(text, secrets);
    return isLiteral ? known : filledIn(known);
  };
  const expandAll = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, expand(value)]));
  const expanded = isStdio(entry)
    ? { ...entry, env: expandAll(entry.env) }
    : { ...entry, url: expand(entry.url), headers: expandAll(entry.headers) };
  return { entry: expanded, missing: [...missing] };
}

function withSecret(text: string, secrets: Readonly<Record<string, string>>): string {
  const key = secret.exec(text)?.[1];
  return key === undefined ? text : ((Object.hasOwn(secrets, key) ? secrets[key] : undefined) ?? "");
}

/** The environment variables that an entry and its secrets name. */
export function variablesOf(entry: ServerEntry, secrets: Readonly<Record<string, string>>): readonly string[] {
  const texts = isStdio(entry) ? Object.values(entry.env) : [entry.url, ...Object.values(entry.headers)];
  const named = [...texts, ...Object.values(secrets)].flatMap((text) =>
    [...text.matchAll(variable)].map(([, name = ""]) => name),
  );
  return [...new Set(named)].sort();
}
