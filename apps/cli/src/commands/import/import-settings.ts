// What the settings of other agents mean here: rules, the tools of their agents, and advice about the rest. A rule that would be weaker here
// is not carried over, but named, with the reason.

import { toolMeant } from "@ikigai/core/hooks";
import { nearServerName } from "@ikigai/mcp";
import { type PermissionRule, ruleProblem, type Verdict } from "@ikigai/permission";
import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { shellWord } from "@ikigai/system";
import { readSimpleYaml, splitFrontMatter } from "@ikigai/system/front-matter";
import { parseDocument } from "yaml";

/** Rules as ikigai has them, and what cannot be carried over. */
export interface ImportedRules {
  readonly rules: readonly PermissionRule[];
  readonly left: readonly string[];
}

/** In the order in which they are saved: an allow rule below the user's own, which count first; others above, after the denials. */
const verdicts: readonly Verdict[] = ["allow", "ask", "deny"];

/** A list of rules without repetitions, and of reasons. */
function ruleList() {
  const rules: PermissionRule[] = [];
  const left: string[] = [];
  const add = (verdict: Verdict, rule: string) => {
    if (!rules.some((one) => one.rule === rule && one.verdict === verdict)) rules.push({ verdict, rule });
  };
  return { rules, left, add };
}

/** What Claude Code's rules about a tool are about here. Its rules about Edit are about all tools that change files. */
const claudeTools: Readonly<Record<string, readonly string[]>> = {
  Bash: ["bash"],
  Edit: ["file_edit", "file_write"],
  MultiEdit: ["file_edit"],
  Write: ["file_write"],
  Read: ["file_read"],
  Glob: ["glob"],
  Grep: ["grep"],
  WebFetch: ["web_fetch"],
  WebSearch: ["web_search"],
  TodoWrite: ["todo"],
  AskUserQuestion: ["ask_user"],
  Task: ["agent"],
  Agent: ["agent"],
};

const noTool = "ikigai has no tool like it";

/** Claude Code's rules, such as `Bash(npm test:*)`. @param userHome what `~` is */
export function claudeRules(permissions: JsonObject, userHome: string): ImportedRules {
  const { rules, left, add } = ruleList();
  for (const verdict of verdicts) {
    const list = permissions[verdict];
    for (const text of Array.isArray(list) ? list.map(String) : []) {
      const found = claudeRule(text, verdict, userHome);
      const problem =
        typeof found === "string" ? undefined : found.map((rule) => ruleProblem(rule, verdict)).find(Boolean);
      if (typeof found === "string" || problem) left.push(`rule ${verdict} ${text}: ${problem?.message ?? found}`);
      else for (const rule of found) add(verdict, rule);
    }
  }
  for (const [key, value] of Object.entries(permissions))
    if (!verdicts.some((verdict) => verdict === key)) left.push(`permissions.${key}: ${permissionAdvice(key, value)}`);
  return { rules, left };
}

/** Claude Code's modes here. */
const modes: Readonly<Record<string, string>> = {
  default: "ask",
  acceptEdits: "edits",
  plan: "plan",
  bypassPermissions: "allow",
};

function permissionAdvice(key: string, value: unknown): string {
  if (key === "defaultMode") return `ikigai config set permission.mode ${modes[String(value)] ?? "MODE"}`;
  if (key === "additionalDirectories") return `ikigai config set directories ${shellWord(JSON.stringify(value))}`;
  return "ikigai help permissions";
}

/** The same rule here, which may need several; or the reason why no rule here means that. */
function claudeRule(text: string, verdict: Verdict, userHome: string): readonly string[] | string {
  const [, name = "", pattern] = /^([\w-]+)(?:\((.*)\))?$/s.exec(text) ?? [];
  const server = /^mcp__([\w-]+?)(?:__(.+))?$/.exec(name);
  if (server)
    return pattern === undefined ? [mcpRule(server)] : "ikigai's rules match the arguments of such a tool as JSON";
  const tools = claudeTools[name];
  if (tools === undefined) return noTool;
  if (pattern === undefined || /^\*{1,2}$/.test(pattern)) return tools;
  if (/\\/.test(pattern)) return "it has a backslash";
  // `npm test:*` is the command alone, and the command with arguments.
  if (name === "Bash") return [`bash(${pattern.replace(/:\*$/, " *")})`];
  if (name === "WebFetch") return tools.map((tool) => `${tool}(${pattern})`);
  if (!/^(?:(?:Multi)?Edit|Write|Read)$/.test(name)) return "ikigai's rules about this tool have no such pattern";
  // Their `/src` starts where the settings are, and `//etc` at the root.
  if (/^\/(?!\/)/.test(pattern))
    return 'its path starts with one "/"; write it from the project, or from "/" (ikigai help permissions)';
  const path = pattern.replace(/^\.\//, "").replace(/^\/\//, "/");
  if (name === "Read" && verdict === "deny") return [`path(${path})`];
  return pathPatterns(path.replace(/^~\//, `${userHome}/`), verdict).flatMap((one) =>
    tools.map((tool) => `${tool}(${one})`),
  );
}

/** The tool of a server, or all of them: `mcp__github`, `mcp__github__*`, `mcp__github__get_issue`. */
function mcpRule([, server = "", tool = "*"]: RegExpExecArray): string {
  const name = nearServerName(server)?.replaceAll("-", "_") ?? server;
  return `mcp__${name}__${tool.replace(/[^\w*]/g, "_")}`;
}

/**
 * A path as .gitignore writes it, for a rule about a tool, whose `*` is any text: a name without a slash counts at any depth, and one that
 * may be a directory for all that is in it. Only the path itself for a rule that allows, which must not allow more.
 */
function pathPatterns(path: string, verdict: Verdict): readonly string[] {
  const isAnywhere = path.startsWith("**/") || !/\/./.test(path);
  const plain = path
    .replace(/^\*\*\//, "")
    .replaceAll("**", "*")
    .replace(/\/$/, "/*");
  const mayBeDirectory = verdict !== "allow" && !plain.endsWith("*");
  const all = [plain, ...(mayBeDirectory ? [`${plain}/*`] : [])];
  return isAnywhere && !plain.startsWith("*") ? all.flatMap((one) => [one, `*/${one}`]) : all;
}

/** What opencode's permissions are about here: `edit` is about all tools that change files. */
const opencodeTools: Readonly<Record<string, readonly string[]>> = {
  bash: ["bash"],
  edit: ["file_edit", "file_write"],
  write: ["file_edit", "file_write"],
  patch: ["file_edit", "file_write"],
  read: ["file_read"],
  glob: ["glob"],
  grep: ["grep"],
  webfetch: ["web_fetch"],
  websearch: ["web_search"],
  todowrite: ["todo"],
  question: ["ask_user"],
  task: ["agent"],
};

/**
 * Rules such as `{"bash": {"git *": "allow"}, "edit": "deny"}`, the last of which that matches decides.
 *
 * @param tools the older form: tools that are on or off. @param userHome what `~` is
 */
export function opencodeRules(permission: JsonObject, tools: unknown, userHome: string): ImportedRules {
  const { rules, left, add } = ruleList();
  const put = (name: string, word: unknown, pattern?: string) => {
    const title = `rule ${name}${pattern === undefined ? "" : ` ${pattern}`}: ${String(word)}`;
    const verdict = verdicts.find((one) => one === word);
    const found = opencodeTools[name];
    const path = pattern?.replace(/^(?:~|\$HOME)\//, `${userHome}/`);
    const own = found?.map((tool) => (path === undefined || path === "*" ? tool : `${tool}(${path})`)) ?? [];
    const problem = verdict && own.map((rule) => ruleProblem(rule, verdict)).find(Boolean);
    if (!found) left.push(`${title}: ${noTool}`);
    else if (!verdict || problem) left.push(`${title}: ${problem?.message ?? "ikigai help permissions"}`);
    else if (pattern !== undefined && !/^(?:bash|edit|write|patch|read)$/.test(name))
      left.push(`${title}: ikigai's rules about this tool have no such pattern`);
    else for (const rule of own) add(verdict, rule);
  };
  for (const [name, value] of Object.entries(permission)) {
    if (value === null) continue;
    if (isJsonObject(value)) {
      const rows = Object.entries(value);
      const first = rows.findLastIndex(([pattern]) => pattern === "*");
      for (const [pattern, word] of rows.slice(first + 1)) put(name, word, pattern);
      const [, all] = rows[first] ?? [];
      const isWhole = rows.slice(first + 1).every(([, word]) => word === "deny");
      if (all === "deny" && isWhole) put(name, "deny");
      else if (all === "deny") left.push(`rule ${name} *: deny: here it would deny what the other rules allow, too`);
      else if (all !== undefined) left.push(`rule ${name} *: ${String(all)}: ${byMode}`);
    } else if (value === "deny" && name !== "*") put(name, value);
    else left.push(`rule ${name}: ${String(value)}: ${byMode}`);
  }
  for (const [name, isOn] of Object.entries(isJsonObject(tools) ? tools : {})) if (isOn === false) put(name, "deny");
  return { rules, left };
}

/** A mode has what ikigai does with all other calls. */
const byMode = "the mode decides that here: ikigai config set permission.mode MODE (ikigai help permissions)";

/** The tools that Gemini CLI excludes, as rules. */
export function geminiRules(...lists: readonly unknown[]): ImportedRules {
  const { rules, left, add } = ruleList();
  for (const name of lists.flatMap((list) => (Array.isArray(list) ? list.map(String) : []))) {
    const tool = toolMeant(name);
    if (tool === undefined) left.push(`excluded tool ${name}: ${/\(/.test(name) ? "ikigai help permissions" : noTool}`);
    else add("deny", tool);
  }
  return { rules, left };
}

/**
 * The text of an opencode agent's file for ikigai, where `tools` is a list of the only ones: `tools: {write: false}` takes away one.
 *
 * @returns the text, and what of the file has no equivalent here.
 */
export function opencodeAgent(text: string): { readonly text: string; readonly left: readonly string[] } {
  const { tools, permission } = fieldsOf(text);
  const listed = isJsonObject(tools) ? Object.entries(tools) : [];
  const permitted = isJsonObject(permission) ? Object.entries(permission) : [];
  const named = (entries: readonly (readonly [string, unknown])[], word: string) =>
    entries.flatMap(([name, value]) => (value === word ? [name] : []));
  const left = permitted
    .filter(([, word]) => word !== "deny")
    .map(([name]) => `its permission ${name}: an agent has the rules of the session`);
  const off = [...named(listed, "false"), ...named(permitted, "deny")];
  if (!isJsonObject(tools) && off.length === 0) return { text, left };
  const isList = off.includes("*");
  const names = isList ? named(listed, "true") : off;
  const own = [...new Set(names.flatMap((name) => opencodeTools[name] ?? [name]))].join(", ");
  const line = isList ? `tools: ${own || "none"}\n` : own === "" ? "" : `disallowedTools: ${own}\n`;
  const without = text.replace(/^tools:[^\n]*\n(?:[ \t]+[^\n]*\n)*/m, "");
  return { text: without.replace(/^\ufeff?---[ \t]*\r?\n/, (start) => start + line), left };
}

/** The front matter of a file, every scalar as it is written; empty if it cannot be read. */
function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  const block = splitFrontMatter(text)?.block ?? "";
  const simple = readSimpleYaml(block);
  if (simple) return simple;
  const document = parseDocument(block, { schema: "failsafe", logLevel: "silent" });
  const value: unknown = document.errors.length > 0 ? {} : document.toJS({ maxAliasCount: 0 });
  return isJsonObject(value) ? value : {};
}

/** What to do about settings; about all others there is nothing to say but where ikigai's own are. */
const settingAdvice: Readonly<Record<string, string>> = {
  ...{ model: "ikigai config set model PROVIDER/NAME; to choose one: ikigai models" },
  ...{ defaultModel: "ikigai config set model PROVIDER/NAME; to choose one: ikigai models" },
  small_model: "ikigai config set models.fast PROVIDER/NAME",
  env: "export the variables that your tools need where you start ikigai",
  ...{ apiKeyHelper: "ikigai login", provider: "ikigai login, or ikigai setup" },
  ...{ model_providers: "ikigai login, or ikigai setup", defaultProvider: "ikigai login, or ikigai setup" },
  ...{ theme: "ikigai config set screen.theme NAME", statusLine: "ikigai config set screen.status COMMAND" },
  ...{ notify: "ikigai config set screen.notify COMMAND", keybinds: "~/.ikigai/keys.json: ikigai help keys" },
  ...{ approval_policy: "ikigai config set permission.mode MODE", sandbox_mode: "ikigai help sandbox" },
  ...{ sandbox: "ikigai help sandbox", sandbox_workspace_write: "ikigai help sandbox", projects: "ikigai trust" },
  ...{ model_reasoning_effort: "/thinking in a conversation", effortLevel: "/thinking in a conversation" },
  ...{ alwaysThinkingEnabled: "/thinking in a conversation", defaultThinkingLevel: "/thinking in a conversation" },
  instructions: "copy what they say to ~/.ikigai/AGENTS.md",
  ...{
    command: "as files in ~/.ikigai/commands: ikigai help commands",
    agent: "as files in ~/.ikigai/agents: ikigai help agents",
  },
  ...{ lsp: "ikigai config get diagnostics", formatter: "a hook after file_edit: ikigai help hooks" },
};

/** Every other key, by name. The values are not printed: they may have keys. */
export function settingsLeft(settings: JsonObject): string[] {
  const names = Object.keys(settings).filter((name) => name !== "$schema" && settings[name] !== undefined);
  const others = names.filter((name) => !Object.hasOwn(settingAdvice, name));
  const known = names.flatMap((name) => (settingAdvice[name] ? [`setting ${name}: ${settingAdvice[name]}`] : []));
  if (others.length === 0) return known;
  return [...known, `settings ${others.join(", ")}: ikigai has nothing like them, or its own: ikigai config get`];
}
