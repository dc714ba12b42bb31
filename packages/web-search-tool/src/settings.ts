import { ToolFailure } from "@ikigai/tool-sdk";
import { brave, type Engine, kagi, searxng, tavily } from "./engines.ts";
import { SearchFailure } from "./search-failure.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** In the order of preference. */
const engines: readonly Engine[] = [searxng, brave, tavily, kagi];

const choiceVariable = "IKIGAI_WEB_SEARCH";

/** The variables that the tool reads: sandboxes pass on keys only to tools that name them. */
export const variables: readonly string[] = [
  choiceVariable,
  ...engines.flatMap(({ keyVariable, baseVariable }) => [...(keyVariable ? [keyVariable] : []), baseVariable]),
];

/** A search service that the user has set up. */
export interface Service {
  readonly engine: Engine;
  readonly base: URL;
  /** Whether the user has set the base URL: it may then be anywhere. */
  readonly isOwnBase: boolean;
  /** Empty for a service without keys. */
  readonly key: string;
}

/**
 * Returns the search service to ask: the one that `IKIGAI_WEB_SEARCH` names, or else the first that is set up.
 *
 * @throws ToolFailure `MISSING_CREDENTIALS`, `UNAUTHORIZED` for a key that cannot be one, `SEARCH_FAILED` for another invalid setting.
 */
export function chooseService(env: Environment): Service {
  const engine = chooseEngine(env);
  const { keyVariable, baseVariable, defaultBase } = engine;
  const own = settingOf(env, baseVariable);
  return {
    engine,
    base: readBase(own ?? defaultBase ?? "", baseVariable),
    isOwnBase: own !== undefined,
    key: keyVariable === undefined ? "" : checkKey(env[keyVariable] ?? "", keyVariable),
  };
}

function chooseEngine(env: Environment): Engine {
  const isSet = ({ keyVariable, baseVariable }: Engine) => settingOf(env, keyVariable ?? baseVariable) !== undefined;
  const name = settingOf(env, choiceVariable)?.trim().toLowerCase();
  if (name === undefined) {
    const first = engines.find(isSet);
    if (first) return first;
    throw missing("No search service is set up", [
      "Get a key at https://brave.com/search/api/ and set BRAVE_API_KEY, or at https://app.tavily.com and set TAVILY_API_KEY, or at https://kagi.com/api/keys and set KAGI_API_KEY. Or run SearXNG and set SEARXNG_BASE_URL=http://127.0.0.1:8080",
    ]);
  }
  const chosen = engines.find((engine) => engine.name === name);
  if (!chosen) {
    const names = engines.map((engine) => engine.name).join(", ");
    throw new SearchFailure("SEARCH_FAILED", `${choiceVariable} does not name a search service.`, {
      help: { steps: [`Start ikigai with ${choiceVariable} set to one of these: ${names}. Or remove it.`] },
    });
  }
  const needed = chosen.keyVariable ?? chosen.baseVariable;
  if (!isSet(chosen)) throw missing(`${choiceVariable} is ${name}, but ${needed} is not set`, [`Set ${needed}`]);
  return chosen;
}

function missing(message: string, steps: readonly string[]): ToolFailure {
  return new ToolFailure("MISSING_CREDENTIALS", message, {
    help: {
      steps: [...steps, "Start ikigai with the variable and try again: ikigai --continue resumes this conversation"],
    },
  });
}

/** A variable that is empty counts as not set. */
function settingOf(env: Environment, name: string): string | undefined {
  const value = env[name] ?? "";
  return value.trim() === "" ? undefined : value;
}

/** Messages do not quote the URL: it may have a password in it. */
function readBase(text: string, variable: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw invalidSetting(`${variable} is not a URL.`, `Set ${variable} to a URL such as http://127.0.0.1:8080`);
  if (url.username !== "" || url.password !== "")
    throw invalidSetting(`${variable} contains a user name or password.`, `Remove them from ${variable}`);
  return url;
}

function invalidSetting(message: string, step: string): SearchFailure {
  return new SearchFailure("SEARCH_FAILED", message, { help: { steps: [step, "Start ikigai with it and try again"] } });
}

/** A header can hold only some characters; a line break would begin another header. */
function checkKey(key: string, variable: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new SearchFailure(
    "UNAUTHORIZED",
    `${variable} contains a line break, a space or another character that no key has.`,
    {
      help: { steps: [`Set ${variable} to the key alone`, "Start ikigai with it and try again"] },
    },
  );
}
