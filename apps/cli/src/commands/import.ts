/*
 * `ikigai import`: what another agent has of the user's (instructions, commands, agents, skills, rules), and what of it ikigai lacks; then
 * copies that into ikigai's own places, after a yes. It changes no file that exists. What ikigai has in another form is only named.
 */
import { cpSync, existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { loadConfig, type Places } from "@ikigai/agent/internal";
import { saveRule } from "@ikigai/agent/setup";
import { type PermissionRule, ruleProblem, type Verdict } from "@ikigai/permission";
import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { sanitiseLine } from "@ikigai/screen";
import {
  makePrivateDirectory,
  orList,
  parseObject,
  readRegularFile,
  shellWord,
  writePrivateFile,
} from "@ikigai/system";
import { commands, otherAgentNames } from "../args/commands.ts";
import { readOperands, readOptions } from "../args/read-options.ts";
import { UsageError } from "../args/usage-error.ts";
import { canAsk, confirm, nobodyToAsk } from "../host/terminal/ask-person.ts";
import { exitCodes } from "../host/terminal/exit.ts";
import { printOut } from "../host/terminal/stdout.ts";
import { shortPath } from "../render/short-forms.ts";
import { type Command, type CommandContext, withRefusals } from "./command.ts";

const syntax = commands.import;

/** Where another agent has its files; paths are below its directory. */
interface OtherAgent {
  readonly title: string;
  readonly directory: (home: string, env: NodeJS.ProcessEnv) => string;
  readonly instructions: string;
  readonly commands: readonly string[];
  readonly agents: readonly string[];
  readonly skills: readonly string[];
  /** Looks for the rest: rules, hooks, servers. */
  readonly settings: (directory: string, home: string) => Settings;
}

/** What settings have. */
interface Settings {
  readonly rules: readonly PermissionRule[];
  /** What cannot be carried over, and what to do instead. */
  readonly left: readonly string[];
}

const none: Settings = { rules: [], left: [] };

const otherAgents: Readonly<Record<(typeof otherAgentNames)[number], OtherAgent>> = {
  claude: {
    title: "Claude Code",
    directory: (home, env) => env.CLAUDE_CONFIG_DIR || join(home, ".claude"),
    instructions: "CLAUDE.md",
    commands: ["commands"],
    agents: ["agents"],
    // ikigai reads them where they are.
    skills: [],
    settings: (directory, home) => {
      const { permissions, hooks } = jsonIn(join(directory, "settings.json"));
      const { rules, left } = claudeRules(isJsonObject(permissions) ? permissions : {});
      const servers = serversIn(join(home, ".claude.json"), "mcpServers");
      return { rules, left: [...left, ...hooksLeft(hooks, join(directory, "settings.json")), ...servers] };
    },
  },
  codex: {
    title: "Codex",
    directory: (home, env) => env.CODEX_HOME || join(home, ".codex"),
    instructions: "AGENTS.md",
    commands: ["prompts"],
    agents: [],
    skills: ["skills"],
    settings: (directory) => {
      const text = textIn(join(directory, "config.toml")) ?? "";
      const names = [...text.matchAll(/^\[mcp_servers\.(?:"([^"]+)"|([\w-]+))\]/gm)].map(([, a, b]) => a ?? b);
      const servers = names.map((name) => `MCP server ${name}: ikigai mcp add ${name} -- COMMAND, from config.toml`);
      const rules = existsSync(join(directory, "rules"))
        ? ["rules/ (a language of its own): ikigai help permissions"]
        : [];
      return { rules: [], left: [...servers, ...rules] };
    },
  },
  gemini: {
    title: "Gemini CLI",
    directory: (home) => join(home, ".gemini"),
    instructions: "GEMINI.md",
    commands: [],
    agents: ["agents"],
    skills: ["skills"],
    settings: (directory) => {
      const path = join(directory, "settings.json");
      const files = markdownIn(join(directory, "commands"), ".toml");
      const toml = files.map(
        (name) => `command ${name}: copy its prompt to ~/.ikigai/commands/${name.replace(/toml$/, "md")}`,
      );
      return { rules: [], left: [...toml, ...hooksLeft(jsonIn(path).hooks, path), ...serversIn(path, "mcpServers")] };
    },
  },
  opencode: {
    title: "opencode",
    directory: (home, env) => join(env.XDG_CONFIG_HOME || join(home, ".config"), "opencode"),
    instructions: "AGENTS.md",
    commands: ["command", "commands"],
    agents: ["agent", "agents"],
    skills: ["skill", "skills"],
    settings: (directory) => {
      const { permission, mcp } = jsonIn(join(directory, "opencode.json"));
      const names = isJsonObject(mcp) ? Object.keys(mcp) : [];
      const servers = names.map((name) => `MCP server ${name}: ikigai mcp add ${name} -- COMMAND, from opencode.json`);
      return { rules: opencodeRules(isJsonObject(permission) ? permission : {}), left: servers };
    },
  },
  pi: {
    title: "pi",
    directory: (home, env) => env.PI_CODING_AGENT_DIR || join(home, ".pi/agent"),
    instructions: "AGENTS.md",
    commands: ["prompts"],
    agents: [],
    skills: ["skills"],
    settings: (directory) =>
      existsSync(join(directory, "extensions")) ? { rules: [], left: ["extensions/ are programs for pi"] } : none,
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
    return withRefusals(() => importFrom(otherAgents[known], flags.has("yes"), context));
  },
};

async function importFrom(other: OtherAgent, isSure: boolean, { places, env }: CommandContext): Promise<number> {
  const directory = other.directory(places.userHome, env);
  const where = sanitiseLine(shortPath(directory, places));
  if (!existsSync(directory)) {
    printOut(`${other.title} has nothing in ${where}.\n`);
    return exitCodes.done;
  }
  const { rules, left } = other.settings(directory, places.userHome);
  const kept: string[] = [];
  const found = [...filesOf(other, directory, places, kept), ...newRules(rules, places)];
  const notes = [...kept, ...left].map((text) => `  ${sanitiseLine(text)}\n`);
  if (found.length === 0) printOut(`Nothing new of ${other.title} in ${where}.\n`);
  else printOut(`${other.title} has in ${where}:\n${found.map(({ label }) => `  ${sanitiseLine(label)}\n`).join("")}`);
  if (notes.length > 0) printOut(`Not carried over:\n${notes.join("")}`);
  if (found.length === 0) return exitCodes.done;
  if (!isSure && !canAsk()) throw nobodyToAsk();
  if (!isSure && !(await confirm(`Import ${found.length === 1 ? "it" : `these ${found.length}`}?`))) {
    printOut("Nothing was changed.\n");
    return exitCodes.interrupted;
  }
  for (const { take } of found) take();
  printOut(`Imported ${found.length}. To see what works: ikigai doctor\n`);
  return exitCodes.done;
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
  return parseObject(textIn(path) ?? "") ?? {};
}

/** The files that can be copied. @param kept gets what ikigai has in another version. */
function filesOf(other: OtherAgent, directory: string, places: Places, kept: string[]): Found[] {
  const { home } = places;
  const copy = (kind: string, from: string, to: string): Found[] => {
    const text = textIn(from);
    if (text === undefined || text.trim() === "") return [];
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

function newRules(rules: readonly PermissionRule[], { home }: Places): Found[] {
  const own = loadConfig(home).config.permission?.rules ?? [];
  const has = ({ verdict, rule }: PermissionRule) => own.some((one) => one.verdict === verdict && one.rule === rule);
  return rules
    .filter((rule) => !has(rule))
    .map((rule) => ({ label: `rule  ${rule.verdict} ${rule.rule}`, take: () => saveRule(home, rule) }));
}

/** In the order in which they are saved: each new rule comes before the others, after the denials. */
const verdicts: readonly Verdict[] = ["allow", "ask", "deny"];

/** Their tools' names here. */
const toolNames: Readonly<Record<string, string>> = {
  Bash: "bash",
  Edit: "file_edit",
  MultiEdit: "file_edit",
  Write: "file_write",
  Read: "file_read",
  Glob: "glob",
  Grep: "grep",
  WebSearch: "web_search",
  bash: "bash",
  edit: "file_edit",
  read: "file_read",
  websearch: "web_search",
};

/** Rules such as `Bash(npm test:*)`. */
function claudeRules(permissions: JsonObject): Settings {
  const rules: PermissionRule[] = [];
  const left: string[] = [];
  for (const verdict of verdicts) {
    const list = permissions[verdict];
    for (const text of Array.isArray(list) ? list : []) {
      const rule = typeof text === "string" ? claudeRule(text, verdict) : undefined;
      if (rule === undefined) left.push(`rule ${verdict} ${String(text)}: ikigai help permissions`);
      else if (!rules.some((one) => one.rule === rule && one.verdict === verdict)) rules.push({ verdict, rule });
    }
  }
  return { rules, left };
}

/** The same rule here; `undefined` if no rule means the same. */
function claudeRule(text: string, verdict: Verdict): string | undefined {
  const [, name = "", pattern] = /^(\w+)(?:\((.*)\))?$/s.exec(text) ?? [];
  const tool = toolNames[name];
  if (tool === undefined) return undefined;
  // Their pattern is about paths of all tools, and this one too.
  const path = pattern?.replace(/^\.\//, "").replaceAll("**", "*");
  const isRead = tool === "file_read" && path !== undefined && verdict !== "allow";
  // `npm test:*` is the command alone, and the command with arguments.
  const inner = tool === "bash" ? pattern?.replace(/:\*$/, " *") : path;
  const rule = isRead ? `path(${path})` : inner === undefined || inner === "*" ? tool : `${tool}(${inner})`;
  // Their paths outside the project are written in another way.
  if (/\\/.test(inner ?? "") || (tool !== "bash" && /^[/~]/.test(inner ?? ""))) return undefined;
  return ruleProblem(rule, verdict) === undefined ? rule : undefined;
}

/** Rules such as `{"bash": {"git *": "allow"}, "edit": "deny"}`, the last of which that matches decides. */
function opencodeRules(permission: JsonObject): PermissionRule[] {
  return Object.entries(permission).flatMap(([name, value]) => {
    const tool = toolNames[name];
    if (tool === undefined) return [];
    // A mode has what ikigai does with all other calls.
    if (!isJsonObject(value)) return value === "deny" ? [{ verdict: value, rule: tool }] : [];
    const rows = Object.entries(value);
    return rows.slice(1 + rows.findLastIndex(([pattern]) => pattern === "*")).flatMap(([pattern, word]) => {
      const verdict = verdicts.find((one) => one === word);
      const rule = `${tool}(${pattern})`;
      return verdict === undefined || ruleProblem(rule, verdict) !== undefined ? [] : [{ verdict, rule }];
    });
  });
}

function hooksLeft(hooks: unknown, path: string): string[] {
  const events = isJsonObject(hooks) ? Object.keys(hooks) : [];
  return events.length === 0 ? [] : [`hooks for ${events.join(", ")} in ${path}: ikigai help hooks`];
}

function serversIn(path: string, key: string): string[] {
  const servers = jsonIn(path)[key];
  const names = isJsonObject(servers) ? Object.keys(servers) : [];
  return names.length === 0 ? [] : [`MCP servers ${names.join(", ")}: ikigai mcp add --from ${shellWord(path)}`];
}
