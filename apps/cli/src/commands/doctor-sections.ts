import { statSync } from "node:fs";
import { release } from "node:os";
import { join } from "node:path";
import { type Config, defaultModels, type LoadedConfig, type ProviderName, providerNames } from "@ikigai/agent";
import type { Registry, TrustReport } from "@ikigai/core";
import {
  defaultMaxOutputBytes,
  defaultTimeoutMs,
  maxSchemaBytes,
  protocolVersion,
  schemaTimeoutMs,
} from "@ikigai/protocol";
import type { Places } from "../places.ts";
import { duration } from "../screen/duration.ts";
import { sanitiseLine } from "../screen/sanitise.ts";
import { shortPath } from "../screen/short-path.ts";
import { version } from "../version.ts";

/** A part of what `doctor` prints. */
export interface Section {
  readonly title: string;
  readonly lines: readonly Line[];
}

/** A line of it. */
export interface Line {
  readonly text: string;
  readonly isBroken: boolean;
}

export const fine = (text: string): Line => ({ text, isBroken: false });
export const broken = (text: string): Line => ({ text, isBroken: true });

/** The variables of each provider: its key, and where it is. */
const variables: Readonly<Record<ProviderName, readonly [string, string]>> = {
  anthropic: ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"],
  openai: ["OPENAI_API_KEY", "OPENAI_BASE_URL"],
  google: ["GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"],
  "openai-compatible": ["OPENAI_COMPATIBLE_API_KEY", "OPENAI_COMPATIBLE_BASE_URL"],
};

export function checkVersions(): Section {
  const { platform, arch, versions } = process;
  const lines = [
    fine(`ikigai ${version}, tool protocol ${protocolVersion}`),
    fine(`Node ${versions.node}, ${platform} ${release()}, ${arch}`),
  ];
  return { title: "Versions", lines };
}

export function checkTools({ tools, failed, problems }: Registry, places: Places): Section {
  const loaded = tools.flatMap(({ name, scope, path, shadows, warnings }) => {
    const overrides = shadows.map((farther) => `, overrides ${shortPath(farther.path, places)}`).join("");
    return [
      fine(`${name} (${scope}) ${shortPath(path, places)}${overrides}`),
      ...warnings.map((warning) => broken(`${name}: ${sanitiseLine(warning)}`)),
    ];
  });
  const skipped = failed.map(({ name, reason, detail, path }) => {
    const text = `${sanitiseLine(name)} ${shortPath(path, places)}: ${reason}: ${sanitiseLine(detail)}`;
    // A project that nobody has trusted is as it should be; a tool that does not work is not.
    return reason === "untrusted" ? fine(text) : broken(text);
  });
  const none = tools.length === 0 ? [broken("No tools: is ikigai installed completely?")] : [];
  return {
    title: `Tools: ${tools.length}`,
    lines: [...loaded, ...none, ...skipped, ...problems.map((problem) => broken(sanitiseLine(problem)))],
  };
}

export function checkProject({ status, dir, problem }: TrustReport, places: Places): Section {
  const text = `${shortPath(dir, places)}: ${status === "nothing" ? "nothing to trust" : status}`;
  const why = problem === undefined ? [] : [fine(sanitiseLine(problem))];
  return { title: "Project", lines: [fine(text), ...why] };
}

export function checkModels(config: Config, env: NodeJS.ProcessEnv): Section {
  const lines = Object.entries(variables).flatMap(([provider, [keyName, addressName]]) => {
    const { apiKey, baseUrl } = config.providers?.[provider as ProviderName] ?? {};
    const address = env[addressName] || baseUrl;
    const where = address ? [fine(`${provider}: at ${withoutPassword(address)}`)] : [];
    // Any server: it has no address of its own, and may want no key.
    const isAnyServer = provider === "openai-compatible";
    if (isAnyServer && !address) return [fine(`${provider}: address missing (${addressName})`)];
    const none = isAnyServer ? `none (${keyName}), which some servers do not want` : `missing (${keyName})`;
    const key = env[keyName] ? `from ${keyName}` : apiKey ? "from the configuration" : none;
    return [fine(`${provider}: key ${key}`), ...where];
  });
  const model = config.model === undefined ? `${usedModel(config, env)}, as none is configured` : config.model;
  return { title: "Models", lines: [fine(`model: ${sanitiseLine(model)}`), ...lines] };
}

/** What is talked to when nobody says to what: the first provider that is set up. Told without asking any server. */
function usedModel({ providers }: Config, env: NodeJS.ProcessEnv): string {
  const provider = providerNames.find((name) => {
    const [keyName, addressName] = variables[name];
    const { apiKey, baseUrl } = providers?.[name] ?? {};
    return name === "openai-compatible" ? env[addressName] || baseUrl : env[keyName] || apiKey;
  });
  if (provider === undefined) return "that of a running Ollama, else offline/plain-requests";
  const model = defaultModels[provider];
  return model === undefined ? `the first that ${provider} offers` : `${provider}/${model}`;
}

/** An address may hold a name and a password. */
function withoutPassword(address: string): string {
  if (!URL.canParse(address)) return "an address that is none";
  const { origin, pathname } = new URL(address);
  return sanitiseLine(`${origin}${pathname}`);
}

export function checkConfig({ path, problems }: LoadedConfig, places: Places): Section {
  const lines = problems.map(({ key, message }) => broken(sanitiseLine(key ? `${key}: ${message}` : message)));
  return { title: "Configuration", lines: [fine(`${shortPath(path, places)} (${modeOf(path)})`), ...lines] };
}

export function checkDirectories(places: Places, problems: readonly string[]): Section {
  const { home, projectDir, directories } = places;
  const own = [home, join(home, "sessions"), join(home, "trust.json")];
  return {
    title: "Directories",
    lines: [
      fine(`project: ${sanitiseLine(projectDir)} (${modeOf(projectDir)})`),
      ...own.map((path) => fine(`${shortPath(path, places)} (${modeOf(path)})`)),
      ...directories.map(({ path, scope }) => fine(`${scope} tools: ${shortPath(path, places)} (${modeOf(path)})`)),
      ...problems.map((problem) => broken(sanitiseLine(problem))),
    ],
  };
}

function modeOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? "not there" : `mode ${(found.mode & 0o7777).toString(8)}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unreadable";
  }
}

export function checkLimits({ tools = {} }: Config): Section {
  const own = Object.entries(tools).flatMap(([name, { timeoutMs, maxOutputBytes }]) => {
    const time = timeoutMs === undefined ? [] : [duration(timeoutMs)];
    const size = maxOutputBytes === undefined ? [] : [`${maxOutputBytes} bytes`];
    if (timeoutMs === undefined && maxOutputBytes === undefined) return [];
    return [fine(`${sanitiseLine(name)}: ${[...time, ...size].join(", ")}, by the configuration`)];
  });
  return {
    title: "Limits",
    lines: [
      fine(`a schema: ${duration(schemaTimeoutMs)}, ${maxSchemaBytes} bytes`),
      fine(`a call: ${duration(defaultTimeoutMs)}, ${defaultMaxOutputBytes} bytes, unless its tool asks for more`),
      ...own,
    ],
  };
}
