import { existsSync } from "node:fs";
import {
  type Config,
  defaultModels,
  type LoadedConfig,
  namesTool,
  type Places,
  type ProviderName,
  providerInUse,
  providerNames,
  providerTable,
  renderConfigProblem,
  unusableModel,
} from "@ikigai/agent/internal";
import type { Registry, TrustReport } from "@ikigai/core";
import { nearestName } from "@ikigai/core/internal";
import { defaultMaxOutputBytes, defaultTimeoutMs, maxSchemaBytes, schemaTimeoutMs } from "@ikigai/protocol";
import { realPathOf, shellName, standardShell } from "@ikigai/system";
import { ownModels } from "../../host/choose-model.ts";
import { keySource } from "../../render/key-source.ts";
import { whyNotLoaded } from "../../render/render-tool.ts";
import { ruleWarnings } from "../../render/rule-warnings.ts";
import { sanitise, sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { duration } from "../../render/times-and-sizes.ts";
import { modeOf } from "./check-machine.ts";
import { broken, fine, type Line, note, type Section } from "./section.ts";

export function checkConfig({ path, problems }: LoadedConfig, places: Places): Section {
  const lines = problems.map((problem) => {
    return (problem.isFatal ? broken : note)(sanitise(renderConfigProblem(problem)));
  });
  return { title: "Configuration", lines: [fine(`${shortPath(path, places)} (${modeOf(path)})`), ...lines] };
}

/**
 * Rules and settings that name no tool, probably a typo, and rules that mean something else than in other agents. Only notes, since
 * another project may have that tool.
 */
export function checkToolNames({ tools = {}, permission }: Config, registry: Registry): Line[] {
  const known = [...registry.tools, ...registry.failed];
  const unknown = Object.keys(tools).filter((tool) => !known.some(({ name }) => namesTool({ tool }, name)));
  const settings = unknown.map((name) => {
    if (name.endsWith("*")) return `tools.${name} matches no tool.`;
    const nearest = nearestName(registry, name);
    const advice = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
    return `tools.${name} names an unknown tool.${advice}`;
  });
  const rules = permission?.rules ?? [];
  const labelled = rules.map(({ verdict, rule }) => ({ label: `the rule ${verdict}`, rule }));
  const warnings = ruleWarnings(labelled, registry);
  return [...settings.map(sanitiseLine), ...warnings].map(note);
}

/** Lists the tools that loaded, what was skipped, and the `notes`. */
export function checkTools({ tools, failed, problems }: Registry, notes: readonly string[], places: Places): Section {
  const loaded = tools.flatMap(({ name, scope, path, shadows, warnings }) => {
    const overrides = shadows.map((farther) => `, overrides ${shortPath(farther.path, places)}`).join("");
    return [
      fine(`${name} (${scope}) ${shortPath(path, places)}${overrides}`),
      ...warnings.map((warning) => note(`${name}: ${sanitiseLine(warning)}`)),
    ];
  });
  const skipped = failed.map((failure) => {
    const { name, reason, path, isLaunched } = failure;
    const text = `${sanitiseLine(name)} ${shortPath(path, places)}: ${sanitiseLine(whyNotLoaded(failure))}`;
    // No other tool replaces it, so the model lacks it.
    if (isLaunched) return broken(`${text}. Until this is fixed, its calls fail.`);
    // An untrusted project is normal; a broken tool is not.
    return reason === "untrusted" ? fine(text) : note(text);
  });
  const advice = notes.length === 0 ? ": the installation is incomplete. Install ikigai again." : ".";
  const none = tools.length === 0 ? [broken(`No tools${advice}`)] : [];
  return {
    title: `Tools: ${tools.length}`,
    lines: [
      ...loaded,
      ...shellLines(tools, places.projectDir),
      ...none,
      ...skipped,
      ...[...problems, ...notes].map((problem) => note(sanitiseLine(problem))),
    ],
  };
}

/** Which shell runs commands. */
function shellLines(tools: Registry["tools"], projectDir: string): Line[] {
  const running = tools.filter(({ schema, launcher }) => schema.ikigai?.access?.kind === "run-command" && !launcher);
  return running.map(({ name, shell = standardShell(process.env.PATH, projectDir) }) => {
    const isSh = shell === "/bin/sh";
    const advice = isSh ? `, ${shellName(shell)}, which lacks much of what models write for bash` : "";
    return (isSh ? note : fine)(`${name} runs commands with ${sanitiseLine(shell)}${advice}`);
  });
}

export function checkProject({ status, dir, problem }: TrustReport, places: Places): Section {
  const why = problem === undefined ? [] : [fine(sanitiseLine(problem))];
  return { title: "Project", lines: [fine(`${shortPath(dir, places)}: ${projectState(status, dir, places)}`), ...why] };
}

function projectState(status: TrustReport["status"], dir: string, { home }: Places): string {
  switch (status) {
    case "nothing":
      if (realPathOf(dir) === realPathOf(home)) return "your own directory, so this project has no tools of its own";
      return existsSync(dir) ? "nothing to trust" : "does not exist";
    case "trusted":
      return "trusted";
    case "untrusted":
      return "untrusted, so not used. See: ikigai trust --show";
    case "changed":
      return "changed since you trusted it, so not used. See: ikigai trust --show";
    default:
      return status satisfies never;
  }
}

/** The model in use, its problems, and the settings of each provider. Contacts no server but an Ollama that the model needs. */
export async function checkModels(config: Config, env: NodeJS.ProcessEnv): Promise<Section> {
  const model = config.model ?? usedModel(config, env);
  const problem = await unusableModel({ config, env, ownModels: ownModels(process.cwd()) });
  return {
    title: "Models",
    lines: [
      fine(`model: ${sanitiseLine(model)}`),
      ...(problem === undefined ? [] : [broken(sanitiseLine(problem))]),
      ...(config.storedKeys?.problem === undefined ? [] : [broken(sanitiseLine(config.storedKeys.problem))]),
      ...providerNames.flatMap((provider) => checkProvider(provider, config, env)),
    ],
  };
}

function checkProvider(provider: ProviderName, config: Config, env: NodeJS.ProcessEnv): Line[] {
  const { keyVariable: keyName, baseUrlVariable: addressName } = providerTable[provider];
  const { baseUrl } = config.providers?.[provider] ?? {};
  const address = env[addressName]?.trim() || baseUrl;
  // Any server: it has no default base URL, and may need no key.
  const isAnyServer = provider === "openai-compatible";
  if (isAnyServer && !address) return [fine(`${provider}: no base URL (${addressName})`)];
  const source = keySource(provider, config, env);
  const key = source === undefined ? `no key (${keyName})` : `key from ${source}`;
  const isOptional = isAnyServer && key.startsWith("no key");
  return [fine(`${provider}: ${key}${isOptional ? ", optional" : ""}`), ...(address ? [place(provider, address)] : [])];
}

/** The base URL without credentials. */
function place(provider: ProviderName, address: string): Line {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && /^https?:$/.test(url.protocol))
    return fine(`${provider}: base URL ${sanitiseLine(url.origin + url.pathname)}`);
  return note(`${provider}: invalid base URL. Write it like https://host/v1`);
}

/** The model that is used when none is configured. */
function usedModel(config: Config, env: NodeJS.ProcessEnv): string {
  const provider = providerInUse(config, env);
  if (provider === undefined)
    return "none configured (uses a running Ollama; otherwise -p fails and the REPL opens offline); to choose one: ikigai setup";
  const model = defaultModels[provider];
  return `none configured (uses ${model === undefined ? `the first one that ${provider} lists` : `${provider}/${model}`})`;
}

export function checkLimits({ tools = {} }: Config): Section {
  const own = Object.entries(tools).flatMap(([name, { timeoutMs, maxOutputBytes, answerBytes }]) => {
    const limits = [
      ...(timeoutMs === undefined ? [] : [duration(timeoutMs)]),
      ...(maxOutputBytes === undefined ? [] : [`${maxOutputBytes} bytes`]),
      ...(answerBytes === undefined ? [] : [`${answerBytes} bytes for the model`]),
    ];
    return limits.length === 0 ? [] : [fine(`${sanitiseLine(name)}: ${limits.join(", ")} (configured)`)];
  });
  return {
    title: "Limits",
    lines: [
      fine(`schema: ${duration(schemaTimeoutMs)}, ${maxSchemaBytes} bytes`),
      fine(
        `call: ${duration(defaultTimeoutMs)}, ${defaultMaxOutputBytes} bytes, unless its tool declares other limits`,
      ),
      ...own,
    ],
  };
}
