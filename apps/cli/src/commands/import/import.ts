// `ikigai import`: what another agent has of the user's (instructions, commands, agents, skills, rules, hooks), and what of it ikigai lacks;
// then copies that into ikigai's own places, after a yes. Claude Code's settings in the project are shown, and asked about, after that.
// It changes no file that exists. Prints how to add MCP servers, and names all that is left.

import { chmodSync, cpSync, existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { loadConfig, type Places, rulesDirectory } from "@ikigai/agent/internal";
import { saveRule } from "@ikigai/agent/setup";
import type { PermissionRule } from "@ikigai/permission";
import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { sanitiseLine } from "@ikigai/screen";
import { makePrivateDirectory, orList, parseObject, readRegularFile, writePrivateFile } from "@ikigai/system";
import { readJsonWithComments } from "@ikigai/system/json-with-comments";
import { parse as parseToml, TomlError } from "smol-toml";
import { commands, otherAgentNames } from "../../args/commands.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";
import { type AgentPlace, otherAgentPlaces } from "../../host/places/other-agents.ts";
import { canAsk, confirm, nobodyToAsk } from "../../host/terminal/ask-person.ts";
import { exitCodes } from "../../host/terminal/exit.ts";
import { printOut } from "../../host/terminal/stdout.ts";
import { shortPath } from "../../render/short-forms.ts";
import { type Command, type CommandContext, withRefusals } from "../command.ts";
import { claudeHooks, type HookFile } from "./import-hooks.ts";
import {
  codexServers,
  geminiServers,
  opencodeServers,
  type ServerLines,
  serversOfAgent,
  serversOfFile,
} from "./import-servers.ts";
import { claudeRules, geminiRules, opencodeAgent, opencodeRules, settingsLeft } from "./import-settings.ts";

const syntax = commands.import;

/** What another agent has; paths are below its directory. */
interface AgentFiles {
  readonly instructions: string;
  readonly commands: readonly string[];
  readonly agents: readonly string[];
  readonly skills: readonly string[];
  /** Returns an agent's file as ikigai reads it. Default: unchanged. */
  readonly agentFor?: (text: string) => { readonly text: string; readonly left: readonly string[] };
  /** Looks for the rest: rules, hooks, servers. */
  readonly settings: (directory: string, places: Places) => Settings;
  /** The same of the project. */
  readonly ofProject?: (places: Places) => Settings;
}

/** What settings have. */
interface Settings {
  readonly rules: readonly PermissionRule[];
  /** What cannot be carried over, and what to do instead. */
  readonly left: readonly string[];
  readonly servers: readonly ServerLines[];
  readonly hooks?: readonly HookFile[];
}

type OtherAgent = AgentFiles & AgentPlace;

const agentFiles: Readonly<Record<(typeof otherAgentNames)[number], AgentFiles>> = {
  claude: {
    instructions: "CLAUDE.md",
    commands: ["commands"],
    agents: ["agents"],
    // ikigai reads them where they are.
    skills: [],
    settings: (directory, places) => {
      const files = [join(places.userHome, ".claude.json"), join(directory, ".claude.json")];
      const servers = [...files, join(places.projectDir, ".mcp.json")].map((file) => serversOfFile(file, places));
      return { ...claudeSettings(join(directory, "settings.json"), places), servers };
    },
    ofProject(places) {
      const directory = join(places.projectDir, ".claude");
      const [shared, own] = ["settings.json", "settings.local.json"].map((name) => join(directory, name));
      const all = [shared, own].map((path = "") => claudeSettings(path, places));
      return {
        rules: all.flatMap(({ rules }) => rules),
        left: all.flatMap(({ left }) => left),
        servers: [],
        hooks: all.flatMap(({ hooks = [] }) => hooks),
      };
    },
  },
  codex: {
    instructions: "AGENTS.md",
    commands: ["prompts"],
    agents: [],
    skills: ["skills"],
    settings: (directory, places) => {
      const path = join(directory, "config.toml");
      const { mcp_servers, ...others } = tomlIn(path);
      const servers = [serversOfAgent(codexServers(mcp_servers), path, places)];
      const rules = existsSync(join(directory, "rules"))
        ? ["rules/ (a language of its own): ikigai help permissions"]
        : [];
      return { rules: [], left: [...rules, ...settingsLeft(others)], servers };
    },
  },
  gemini: {
    instructions: "GEMINI.md",
    commands: [],
    agents: ["agents"],
    skills: ["skills"],
    settings: (directory, places) => {
      const path = join(directory, "settings.json");
      const { mcpServers, hooks, excludeTools, ...others } = jsonIn(path);
      const { rules, left } = geminiRules(excludeTools, isJsonObject(others.tools) && others.tools.exclude);
      const files = markdownIn(join(directory, "commands"), ".toml");
      const toml = files.map(
        (name) => `command ${name}: copy its prompt to ~/.ikigai/commands/${name.replace(/toml$/, "md")}`,
      );
      const servers = [serversOfAgent(geminiServers(mcpServers, others.mcp), path, places)];
      return { rules, left: [...left, ...toml, ...hooksLeft(hooks, path), ...settingsLeft(others)], servers };
    },
  },
  opencode: {
    instructions: "AGENTS.md",
    commands: ["command", "commands"],
    agents: ["agent", "agents"],
    skills: ["skill", "skills"],
    agentFor: opencodeAgent,
    settings: (directory, places) => {
      const files = ["opencode.json", "opencode.jsonc"].map((name) => join(directory, name));
      const path = files.find((file) => existsSync(file)) ?? "";
      const { permission, tools, mcp, ...others } = jsonIn(path);
      const servers = [serversOfAgent(opencodeServers(mcp), path, places)];
      const permissions = isJsonObject(permission) ? permission : { "*": permission ?? null };
      const { rules, left } = opencodeRules(permissions, tools, places.userHome);
      return { rules, left: [...left, ...settingsLeft(others)], servers };
    },
  },
  pi: {
    instructions: "AGENTS.md",
    commands: ["prompts"],
    agents: [],
    skills: ["skills"],
    settings: (directory) => {
      const extensions = existsSync(join(directory, "extensions")) ? ["extensions/ are programs for pi"] : [];
      return {
        rules: [],
        left: [...extensions, ...settingsLeft(jsonIn(join(directory, "settings.json")))],
        servers: [],
      };
    },
  },
};

/** Something of theirs that ikigai lacks. */
interface Found {
  readonly label: string;
  readonly take: () => void;
}

export const importCommand: Command = {
  async run(args, context) {
    const { flags, operands } = readOptions(args, syntax.options);
    const [name] = readOperands(operands, syntax);
    const known = otherAgentNames.find((other) => other === name);
    if (known === undefined)
      throw new UsageError(`Expected AGENT to be ${orList(otherAgentNames)}, got ${JSON.stringify(name)}.`, {
        got: name ?? "",
        known: otherAgentNames,
      });
    return withRefusals(() =>
      importFrom({ ...otherAgentPlaces[known], ...agentFiles[known] }, flags.has("yes"), context),
    );
  },
};

async function importFrom(other: OtherAgent, isSure: boolean, { places, env }: CommandContext): Promise<number> {
  const directory = other.directory(places.userHome, env);
  const where = sanitiseLine(shortPath(directory, places));
  const isThere = existsSync(directory);
  const end = isThere ? await importOwn(other, directory, { isSure, places }) : exitCodes.done;
  if (!isThere) printOut(`${other.title} has nothing in ${where}.\n`);
  if (!other.ofProject || join(places.projectDir, ".claude") === directory) return end;
  return (await importProject(other.ofProject(places), { isSure, places })) ?? end;
}

interface ImportOptions {
  readonly isSure: boolean;
  readonly places: Places;
}

/** Takes over what is the user's. Returns the exit code. */
async function importOwn(other: OtherAgent, directory: string, { isSure, places }: ImportOptions): Promise<number> {
  const { rules, left, servers, hooks = [] } = other.settings(directory, places);
  const kept: string[] = [];
  const found = [
    ...filesOf(other, directory, places, kept),
    ...newRules(rules, places.home),
    ...newHooks(hooks, { directory: join(places.home, "hooks"), shown: "~/.ikigai/hooks", mode: 0o700 }),
  ];
  const where = sanitiseLine(shortPath(directory, places));
  if (found.length === 0) printOut(`Nothing new of ${other.title} in ${where}.\n`);
  else printOut(`${other.title} has in ${where}:\n${indented(found.map(({ label }) => label))}`);
  printRest([...kept, ...left, ...servers.flatMap((one) => one.left)]);
  const lines = indented(servers.flatMap((one) => one.lines));
  if (lines !== "") printOut(`To add the MCP servers (each is started, then ikigai asks):\n${lines}`);
  if (found.length === 0) return exitCodes.done;
  if (!isSure && !canAsk()) throw nobodyToAsk();
  return takeAll(found, isSure);
}

/**
 * Takes over what the project's settings have: rules for this project, and hooks that become files of the project. `--yes` does not cover
 * it: others may have written it. Returns the exit code of a question, if there was one.
 */
async function importProject(
  { rules, left, hooks = [] }: Settings,
  { isSure, places }: ImportOptions,
): Promise<number | undefined> {
  const found = [
    ...newRules(rules, rulesDirectory(places, "project")),
    ...newHooks(hooks, { directory: join(places.projectDir, ".ikigai/hooks"), shown: ".ikigai/hooks", mode: 0o755 }),
  ];
  if (found.length === 0) return undefined;
  printOut(`\nIn this project, .claude has:\n${indented(found.map(({ label }) => label))}`);
  printRest(left);
  if (isSure || !canAsk()) {
    printOut(`Not imported: others may have written it. To be asked about it, on a terminal: ikigai import claude\n`);
    return undefined;
  }
  const code = await takeAll(found, false);
  if (code === exitCodes.done && hooks.length > 0)
    printOut("The project's hooks run once you trust it: ikigai trust\n");
  return code;
}

async function takeAll(found: readonly Found[], isSure: boolean): Promise<number> {
  if (!isSure && !(await confirm(`Import ${found.length === 1 ? "it" : `these ${found.length}`}?`))) {
    printOut("Nothing was changed.\n");
    return exitCodes.interrupted;
  }
  for (const { take } of found) take();
  printOut(`Imported ${found.length}. To see what works: ikigai doctor\n`);
  return exitCodes.done;
}

function indented(texts: readonly string[]): string {
  return texts.map((text) => `  ${sanitiseLine(text)}\n`).join("");
}

function printRest(left: readonly string[]): void {
  if (left.length > 0) printOut(`Not carried over:\n${indented(left)}`);
}

/** Longer files are no instructions for a model, in bytes. */
const maxBytes = 1_048_576;

function textIn(path: string): string | undefined {
  try {
    return readRegularFile(path, maxBytes).toString("utf8");
  } catch {
    return undefined;
  }
}

function jsonIn(path: string): JsonObject {
  const read = readJsonWithComments((textIn(path) ?? "").replace(/^\ufeff/, ""));
  return "value" in read && isJsonObject(read.value) ? read.value : {};
}

function tomlIn(path: string): JsonObject {
  const text = textIn(path) ?? "";
  try {
    // Dates become texts.
    return parseObject(JSON.stringify(parseToml(text))) ?? {};
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new UsageError(`${path}:${error.line}:${error.column}: It is not valid TOML.`);
  }
}

/** The files that can be copied. @param kept gets what ikigai has in another version. */
function filesOf(other: OtherAgent, directory: string, places: Places, kept: string[]): Found[] {
  const { home } = places;
  const copy = (kind: string, from: string, to: string): Found[] => {
    const given = textIn(from);
    if (given === undefined || given.trim() === "") return [];
    const { text, left = [] } = (kind === "agent" && other.agentFor?.(given)) || { text: given };
    kept.push(...left.map((why) => `agent ${basename(from)}: ${why}`));
    const target = shortPath(to, places);
    const present = existsSync(to) ? textIn(to) : undefined;
    if (present === undefined && !existsSync(to))
      return [{ label: `${kind}  ${basename(from)} → ${target}`, take: () => writePrivateFile(to, text) }];
    if (present !== text) kept.push(`${kind} ${basename(from)}: ${target} exists with another content`);
    return [];
  };
  const markdown = (kind: string, from: readonly string[], to: string) =>
    from.flatMap((folder) =>
      markdownIn(join(directory, folder)).flatMap((name) =>
        copy(kind, join(directory, folder, name), join(home, to, name)),
      ),
    );
  const skills = other.skills.flatMap((folder) =>
    sortedNamesIn(join(directory, folder)).flatMap((name): Found[] => {
      const [from, to] = [join(directory, folder, name), join(home, "skills", name)];
      if (!existsSync(join(from, "SKILL.md")) || existsSync(to)) return [];
      const take = () => {
        makePrivateDirectory(join(home, "skills"));
        cpSync(from, to, { recursive: true, errorOnExist: true, force: false });
      };
      return [{ label: `skill  ${name} → ${shortPath(to, places)}`, take }];
    }),
  );
  return [
    ...copy("instructions", join(directory, other.instructions), join(home, "AGENTS.md")),
    ...markdown("command", other.commands, "commands"),
    ...markdown("agent", other.agents, "agents"),
    ...skills,
  ];
}

function sortedNamesIn(directory: string, recursive = false): string[] {
  try {
    return readdirSync(directory, { recursive, encoding: "utf8" }).sort();
  } catch {
    return [];
  }
}

/** The files of a directory, and of those in it, whose names ikigai can use. */
function markdownIn(directory: string, end = ".md"): string[] {
  const step = /^[A-Za-z0-9][\w-]*$/;
  return sortedNamesIn(directory, true).filter(
    (name) =>
      name.endsWith(end) &&
      name
        .slice(0, -end.length)
        .split("/")
        .every((part) => step.test(part)),
  );
}

/** @param directory that of the configuration with the rules */
function newRules(rules: readonly PermissionRule[], directory: string): Found[] {
  const own = loadConfig(directory).config.permission?.rules ?? [];
  const has = ({ verdict, rule }: PermissionRule) => own.some((one) => one.verdict === verdict && one.rule === rule);
  return rules
    .filter((rule) => !has(rule))
    .map((rule) => ({
      label: `rule  ${rule.verdict} ${rule.rule}`,
      take: () => saveRule(directory, rule, { isLast: rule.verdict === "allow" }),
    }));
}

/** The hooks that are not there yet. @param directory the `hooks` of the user or of a project. @param shown how its path is shown */
function newHooks(
  files: readonly HookFile[],
  { directory, shown, mode }: { readonly directory: string; readonly shown: string; readonly mode: number },
): Found[] {
  return files
    .filter(({ name }) => !existsSync(join(directory, name)))
    .map(({ name, label, text }) => ({
      label: `hook  ${label} → ${shown}/${name}`,
      take() {
        const path = join(directory, name);
        makePrivateDirectory(join(path, ".."));
        writePrivateFile(path, text);
        chmodSync(path, mode);
      },
    }));
}

/** Claude Code's settings, the user's or a project's. */
function claudeSettings(path: string, { userHome }: Places): Settings {
  const { permissions, hooks, ...others } = jsonIn(path);
  const { rules, left } = claudeRules(isJsonObject(permissions) ? permissions : {}, userHome);
  const imported = claudeHooks(hooks, path);
  return { rules, left: [...left, ...imported.left, ...settingsLeft(others)], servers: [], hooks: imported.files };
}

function hooksLeft(hooks: unknown, path: string): string[] {
  const events = isJsonObject(hooks) ? Object.keys(hooks) : [];
  return events.length === 0 ? [] : [`hooks for ${events.join(", ")} in ${path}: ikigai help hooks`];
}
