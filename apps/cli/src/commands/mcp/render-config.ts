import { type ConfiguredServer, expandEntry, isStdio, type ServerEntry, serverTarget, variablesOf } from "@ikigai/mcp";
import { shellWord, withoutPassword } from "@ikigai/system";
import { sanitiseLine, sanitiseStrictly } from "../../render/sanitise.ts";

/** A server of a file that can be added. */
export type UsableServer = Extract<ConfiguredServer, { readonly entry: ServerEntry }>;

/** What a server would start or reach, and what it would get. The values that the file sets may be secrets, so only names are shown. */
export function renderUsable(
  server: UsableServer,
  { isHere, env }: { readonly isHere: boolean; readonly env: NodeJS.ProcessEnv },
): string {
  const { entry } = server;
  const where = isHere ? ["for this directory only"] : [];
  const facts = isStdio(entry)
    ? [
        ...(entry.cwd === undefined ? [] : [`runs in ${entry.cwd}`]),
        ...named("gets", Object.entries(entry.env).filter(isOwn).map(variable)),
      ]
    : named("gets the headers", Object.keys(entry.headers));
  const needed = named("takes from your environment:", variablesWithState(entry, env));
  return lines(server, serverTarget({ entry }), [...facts, ...needed, ...where]);
}

/** The whole entry of a server. */
export function renderValues({ name, entry }: UsableServer): string {
  return `${sanitiseStrictly(`${name} ${JSON.stringify(entry, null, 2)}`)}\n`;
}

/** A server that is not added, and why. */
export function renderOther(server: Pick<ConfiguredServer, "name" | "given">, why: string): string {
  return lines(server, why, []);
}

function lines(
  { name, given }: Pick<ConfiguredServer, "name" | "given">,
  text: string,
  facts: readonly string[],
): string {
  const title = name === given ? name : `${name} (${given} in the file)`;
  return [`  ${title}  ${text}`, ...facts.map((fact) => `      ${fact}`)]
    .map((line) => `${sanitiseLine(sanitiseStrictly(line))}\n`)
    .join("");
}

/** Variables that make a program run something else: their values are shown. */
const decidesWhatRuns =
  /^(?:PATH|HOME|(?:LD|DYLD)_\w+|NODE_(?:OPTIONS|PATH)|PYTHON\w+|PERL5?(?:LIB|OPT)|RUBY(?:LIB|OPT)|BASH_ENV|ENV|JAVA_TOOL_OPTIONS)$/i;

/** Variables with the URL that programs are fetched from, which may have a password. */
const decidesWhence = /(?:REGISTRY|INDEX_URL)$/i;

function variable([name, value]: readonly [string, string]): string {
  if (decidesWhatRuns.test(name)) return `${name}=${shellWord(value)}`;
  return decidesWhence.test(name) ? `${name}=${shellWord(withoutPassword(value))}` : name;
}

function named(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${what} ${names.join(", ")}`];
}

/** Whether a variable is more than the one with the same name in the environment, which is listed as such. */
function isOwn([name, value]: readonly [string, string]): boolean {
  const [, source] = /^\$\{([A-Za-z_]\w*)(?::-[^}]*)?\}$/.exec(value) ?? [];
  return source !== name || decidesWhatRuns.test(name) || decidesWhence.test(name);
}

/** The variables that an entry refers to, and what becomes of those that are not set. */
function variablesWithState(entry: ServerEntry, env: NodeJS.ProcessEnv): string[] {
  const withoutDefault = expandEntry(entry, {}, {}).missing;
  return variablesOf(entry, {}).map((name) => {
    if (env[name]) return name;
    return withoutDefault.includes(name) ? `${name} (not set)` : `${name} (not set: the file has a default)`;
  });
}
