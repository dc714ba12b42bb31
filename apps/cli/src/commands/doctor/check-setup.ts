// What `ikigai doctor` checks of the user's setup, a section each: configuration, names in it, tools, the project, models, limits, hooks and
// instructions.

import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  type Config,
  commandProblems,
  findInstructions,
  type Places,
  type readConfig,
  renderConfigProblem,
} from "@ikigai/agent/internal";
import type { Registry, TrustReport } from "@ikigai/core";
import { hookEventNames, hookEvents } from "@ikigai/core/hooks";
import {
  commonProviders,
  defaultModels,
  type ProviderName,
  providerInUse,
  providerNames,
  providerTable,
  unusableModel,
} from "@ikigai/models";
import { namesTool } from "@ikigai/permission";
import { defaultMaxOutputBytes, defaultTimeoutMs, maxSchemaBytes, schemaTimeoutMs } from "@ikigai/protocol";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { realPathOf, shellName, shellWord, standardShell } from "@ikigai/system";
import { nearestName } from "../../host/conversation/command-tools.ts";
import { ownModels } from "../../host/model/choose-model.ts";
import { keySource } from "../../render/render-settings.ts";
import { duration, shortPath } from "../../render/short-forms.ts";
import { whyNotLoaded } from "../../render/tool/render-tool.ts";
import { skillProblems } from "../../render/tool/report-tools.ts";
import { ruleWarnings } from "../../render/tool/rule-warnings.ts";
import { type HookRow, hookRows } from "../hook/hook-list.ts";
import { broken, fine, type Line, modeOf, note, type Section } from "./check-machine.ts";

export function checkConfig({ path, problems }: ReturnType<typeof readConfig>, places: Places): Section {
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
  if (source === undefined && !address && !isAnyServer && !commonProviders.includes(provider)) return [];
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

/** The hooks and what is never run; without either, no section. A broken guard is a problem: it lets nothing through. */
export async function checkHooks(places: Places): Promise<Section[]> {
  const found = await hookRows(places);
  if (found.rows.length + found.misplaced.length === 0) return [];
  const closed = closedDirectories(found.rows);
  const rows = found.rows.filter(({ path }) => !closed.has(dirname(path)));
  const misplaced = found.misplaced.filter(
    (problem) => ![...closed.keys()].some((path) => problem.includes(`${path}:`)),
  );
  const lines = [
    ...[...closed].map(([path, reason]) => checkDirectory(path, reason, places)),
    ...rows.map((row) => checkHook(row, places)),
    ...misplaced.map((problem) => note(sanitiseLine(problem))),
  ];
  return [{ title: `Hooks: ${rows.length}`, lines }];
}

/** The directories of hooks that cannot be read, with the reason: each event then has a row, though it need not have a hook. */
function closedDirectories(rows: readonly HookRow[]): ReadonlyMap<string, string> {
  const counts = new Map<string, number>();
  const reasons = new Map<string, string>();
  for (const { event, path, status, reason = "" } of rows) {
    if (status !== "broken" || basename(path) !== event) continue;
    counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    reasons.set(dirname(path), reason);
  }
  return new Map([...reasons].filter(([path]) => counts.get(path) === hookEventNames.length));
}

function checkDirectory(path: string, reason: string, places: Places): Line {
  const effect = "ikigai asks before it sends a message and before each call, and -p sends none";
  return broken(sanitiseLine(`${shortPath(path, places)}: ${reason}. Until this is fixed, ${effect}.`));
}

function checkHook({ event, tool, path, status, reason }: HookRow, places: Places): Line {
  const hook = `${event}${tool === undefined ? "" : ` ${tool}`} ${shortPath(path, places)}`;
  const text = sanitiseLine(reason === undefined ? hook : `${hook}: ${reason}`);
  switch (status) {
    case "ready":
      return (reason === undefined ? fine : note)(text);
    case "broken":
      return hookEvents[event].isGuard ? broken(`${text}. ${untilFixed(event, tool)}`) : note(text);
    case "untrusted":
      // An untrusted project is normal.
      return fine(text);
    default:
      return status satisfies never;
  }
}

/** What a broken guard does. */
function untilFixed(event: HookRow["event"], tool: string | undefined): string {
  if (event === "prompt") return "Until this is fixed, ikigai asks before it sends a message, and -p sends none.";
  const calls = tool === undefined ? "each call" : `each call of ${sanitiseLine(tool)}`;
  return `Until this is fixed, ikigai asks before ${calls}, and -p denies it.`;
}

/** The agents with instructions of their own, and what is wrong with their files and others. */
interface CheckedAgents {
  readonly agents: readonly { readonly name: string; readonly path: string }[];
  readonly problems: readonly string[];
  readonly remarks: readonly string[];
}

/** The skills, the agents with instructions of their own, and instructions that are not used; without any, no section. */
export function checkInstructions(
  registry: Registry,
  { agents, problems, remarks }: CheckedAgents,
  places: Places,
): Section[] {
  const { skills } = registry;
  const { refused } = findInstructions(places.projectDir, places.home);
  const lines = [
    ...skills.map(({ name, path }) => fine(`skill ${sanitiseLine(name)} ${shortPath(path, places)}`)),
    ...skillProblems(registry).map(note),
    ...skills.flatMap(({ name, introduces }) => {
      const unknown = introduces.filter((one) => !registry.tools.some((tool) => tool.name === one));
      if (unknown.length === 0) return [];
      return note(sanitiseLine(`The skill ${name} names tools that do not exist: ${unknown.join(", ")}`));
    }),
    ...agents.map(({ name, path }) => fine(`agent ${sanitiseLine(name)} ${shortPath(path, places)}`)),
    ...[...refused, ...problems, ...remarks, ...commandProblems(places.home), ...unusedFiles(places)].map((problem) =>
      note(sanitiseLine(problem)),
    ),
  ];
  return lines.length === 0 ? [] : [{ title: `Skills: ${skills.length}. Agents: ${agents.length}`, lines }];
}

/** What switchers expect to work: instructions for Claude Code where ikigai has none of that kind. */
function unusedFiles(places: Places): string[] {
  const pairs = [
    [join(places.userHome, ".claude"), places.home],
    [join(places.projectDir, ".claude"), join(places.projectDir, ".ikigai")],
  ] as const;
  return pairs.flatMap(([theirs, ours]) =>
    ["agents", "commands"].flatMap((kind) => {
      const [from, to] = [join(theirs, kind), join(ours, kind)];
      if (entriesIn(from) === 0 || entriesIn(to) > 0) return [];
      const [source, target] = [from, to].map((path) => shellWord(path));
      return [`${shortPath(from, places)} is not read. To use it: mkdir -p ${target} && cp -R ${source}/. ${target}/`];
    }),
  );
}

function entriesIn(directory: string): number {
  try {
    return readdirSync(directory).length;
  } catch {
    return 0;
  }
}
