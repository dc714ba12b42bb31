// Where each agent looks for tools, and what it expects there: one function for each agent, which names the file and makes its new
// text from the present one. What else is in a file of the user's stays as it is, comments too.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { withProperty } from "@ikigai/agent/setup";
import { isJsonObject } from "@ikigai/protocol";
import { readJsonWithComments } from "@ikigai/system/json-with-comments";
import { Refusal } from "@ikigai/tool-packages";
import { isMap, parseDocument } from "yaml";
import type { ExportTarget } from "../../../args/command-groups.ts";

/** A tool, and how another agent starts it. */
export interface Exported {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The JSON Schema of its arguments. */
  readonly parameters: object;
  /** The tool's file. */
  readonly file: string;
  /** The program that serves it over MCP, with its arguments. */
  readonly command: string;
  readonly args: readonly string[];
}

/** Where agents keep their files. */
export interface ExportPlaces {
  readonly userHome: string;
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly isMac: boolean;
  /** Whether the tool is for the project only. */
  readonly isHere: boolean;
}

/** What an export does. */
export interface Export {
  /** The file that it writes; absent if its text is printed. */
  readonly path?: string;
  /**
   * @param present what the file has now, or what the tools before this one print; empty at first.
   * @returns its new text.
   * @throws Refusal if the present text cannot be changed.
   */
  readonly text: (present: string) => string;
  readonly isExecutable?: true;
  /**
   * The file's text without the tool; `undefined` if nothing is left of it. Absent if there is no file.
   *
   * @throws Refusal if the present text cannot be changed.
   */
  readonly without?: (present: string) => string | undefined;
  /** What the user does next, a sentence. */
  readonly next?: string;
}

/** @throws Refusal if this agent cannot have the tool, or not at this place. */
export const exportFormats: Readonly<Record<ExportTarget, (tool: Exported, places: ExportPlaces) => Export>> = {
  "claude-code": (tool, places) => {
    const path = places.isHere
      ? join(places.projectDir, ".mcp.json")
      : join(places.env.CLAUDE_CONFIG_DIR || places.userHome, ".claude.json");
    return json(path, ["mcpServers", tool.name], { type: "stdio", ...start(tool) });
  },
  codex: (tool, places) => {
    const directory = places.isHere
      ? join(places.projectDir, ".codex")
      : places.env.CODEX_HOME || join(places.userHome, ".codex");
    const path = join(directory, "config.toml");
    return {
      path,
      text: (present) => withTomlTable(present, tool, path),
      without: (present) => withTomlTable(present, tool, path, true),
    };
  },
  gemini: (tool, places) => {
    if (places.isHere)
      return json(join(places.projectDir, ".gemini/settings.json"), ["mcpServers", tool.name], start(tool));
    const extension = { name: tool.name, version: "1.0.0", mcpServers: { [tool.name]: start(tool) } };
    const path = join(places.userHome, ".gemini/extensions", tool.name, "gemini-extension.json");
    return { path, text: () => pretty(extension), without: () => undefined };
  },
  opencode: (tool, places) => {
    const directory = places.isHere ? places.projectDir : join(configDirectory(places), "opencode");
    const server = { type: "local", command: [tool.command, ...tool.args], enabled: true };
    return json(join(directory, "opencode.json"), ["mcp", tool.name], server);
  },
  pi: (tool, places) => {
    const directory = places.isHere
      ? join(places.projectDir, ".pi")
      : places.env.PI_CODING_AGENT_DIR || join(places.userHome, ".pi/agent");
    const path = join(directory, "extensions", `${tool.name}.ts`);
    return { path, text: () => piExtension(tool), without: () => undefined };
  },
  amp: (tool, places) => {
    if (places.isHere) throw new Refusal("Amp has no tools for a project only: leave out --here.");
    const path = join(configDirectory(places), "amp/tools", tool.name);
    return { path, text: () => ampTool(tool), without: () => undefined, isExecutable: true };
  },
  goose: (tool, places) => {
    if (places.isHere) throw new Refusal("goose has no extensions for a project only: leave out --here.");
    const path = join(configDirectory(places), "goose/config.yaml");
    return {
      path,
      text: (present) => withGooseExtension(present, tool, path),
      without: (present) => withGooseExtension(present, tool, path, true),
    };
  },
  zed: (tool, places) => {
    const path = places.isHere
      ? join(places.projectDir, ".zed/settings.json")
      : join(configDirectory(places), "zed/settings.json");
    return json(path, ["context_servers", tool.name], { source: "custom", ...start(tool), env: {} });
  },
  vscode: (tool, places) => {
    const user = places.isMac ? join(places.userHome, "Library/Application Support") : configDirectory(places);
    const path = places.isHere ? join(places.projectDir, ".vscode/mcp.json") : join(user, "Code/User/mcp.json");
    return json(path, ["servers", tool.name], { type: "stdio", ...start(tool) });
  },
  mcp: (tool, places) => {
    const file = json(join(places.projectDir, ".mcp.json"), ["mcpServers", tool.name], start(tool));
    return places.isHere ? file : { text: file.text };
  },
  "llm-functions": (tool, places) => {
    if (!places.isHere) throw new Refusal("Go to your clone of llm-functions, and export with --here.");
    const path = join(places.projectDir, "tools", `${tool.name}.sh`);
    return {
      path,
      text: () => argcScript(tool.file),
      without: () => undefined,
      isExecutable: true,
      next: `Add ${tool.name}.sh to tools.txt and run argc build.`,
    };
  },
  "openai-json": ({ name, description, parameters }) => ({
    text(present) {
      const others = present === "" ? [] : JSON.parse(present);
      return pretty([...others, { type: "function", function: { name, description, parameters } }]);
    },
  }),
};

/** @throws Refusal if llm-functions cannot run it. */
function argcScript(file: string): string {
  const source = readFileSync(file, "utf8");
  if (source.startsWith("#!") && source.includes("argc --argc-eval")) return source;
  throw new Refusal(
    `${file} is no script for argc: llm-functions runs scripts that end with eval "$(argc --argc-eval "$0" "$@")".`,
  );
}

function start({ command, args }: Exported) {
  return { command, args };
}

function configDirectory({ env, userHome }: ExportPlaces): string {
  return env.XDG_CONFIG_HOME || join(userHome, ".config");
}

function pretty(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Sets a member of a JSON file, with or without comments. */
function json(path: string, member: readonly string[], value: object): Export {
  return {
    path,
    text: (present) => withMember(present, member, value, path),
    without: (present) => withMember(present, member, undefined, path),
  };
}

/** @param value `undefined` removes the member. */
function withMember(present: string, member: readonly string[], value: object | undefined, path: string): string {
  const text = present.trim() === "" ? "{}\n" : present;
  let inner = parsed(text, path);
  for (const name of member.slice(0, -1)) inner = isJsonObject(inner) ? (inner[name] ?? {}) : undefined;
  if (!isJsonObject(inner)) throw unreadable(path, `an object with ${member[0]}`);
  if (value === undefined && !Object.hasOwn(inner, member.at(-1) ?? "")) return present;
  return withProperty(text, [...member], value);
}

function parsed(text: string, path: string): unknown {
  const reading = readJsonWithComments(text);
  if ("expected" in reading) throw unreadable(path, "valid JSON");
  return reading.value;
}

function unreadable(path: string, expected: string): Refusal {
  return new Refusal(`${path} is not ${expected}. Correct it first; nothing was changed.`);
}

/** Appends the table of a server to TOML, or replaces or removes it: from its header to the next one. */
function withTomlTable(present: string, { name, command, args }: Exported, path: string, isGone = false): string {
  const header = `[mcp_servers.${name}]`;
  const table = `${header}\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
  const lines = present.split("\n");
  const from = lines.findIndex((line) => line.trim() === header);
  if (from < 0) {
    // Inline tables and dotted keys are other ways to write it.
    if (
      new RegExp(`^\\s*(mcp_servers\\s*=|mcp_servers\\.${name}\\b|\\[mcp_servers\\.["']?${name}["']?[.\\]])`, "m").test(
        present,
      )
    )
      throw new Refusal(
        `${path} has a server ${name} already, in a form that ikigai does not change. Remove it first.`,
      );
    if (isGone) return present;
    return present === "" ? table : `${present.trimEnd()}\n\n${table}`;
  }
  const next = lines.findIndex((line, index) => index > from && line.trimStart().startsWith("["));
  if (isGone) return `${[...lines.slice(0, from), ...(next < 0 ? [] : lines.slice(next))].join("\n").trimEnd()}\n`;
  const rest = next < 0 ? [] : ["", ...lines.slice(next)];
  return [...lines.slice(0, from), ...table.trimEnd().split("\n"), ...rest, ...(next < 0 ? [""] : [])].join("\n");
}

function withGooseExtension(present: string, { name, command, args }: Exported, path: string, isGone = false): string {
  const document = parseDocument(present);
  if (document.errors.length > 0 || (document.contents !== null && !isMap(document.contents)))
    throw unreadable(path, "valid YAML");
  if (isGone) return document.deleteIn(["extensions", name]) ? document.toString() : present;
  const extension = { name, type: "stdio", enabled: true, cmd: command, args: [...args], envs: {}, timeout: 600 };
  document.setIn(["extensions", name], document.createNode(extension));
  return document.toString();
}

/** The rest of a program in which `tool` is the exported tool: runs one call and returns MCP's result. */
const callFunction = `function call(args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(tool.command, [...tool.args, "--call"], { stdio: ["pipe", "pipe", "inherit"], ...options });
    let answer = "";
    child.stdout.setEncoding("utf8").on("data", (text) => { answer += text; });
    child.on("error", reject).on("close", () => {
      try {
        resolve(JSON.parse(answer));
      } catch {
        reject(new Error(\`\${tool.name} gave no answer\`));
      }
    });
    child.stdin.on("error", () => {}).end(JSON.stringify(args));
  });
}
`;

function programStart(tool: Exported, agent: ExportTarget): string {
  const { file: _, ...used } = tool;
  return `// ${tool.name}, exported from ikigai. To update it: ikigai tool export ${tool.name} --to ${agent}
import { spawn } from 'node:child_process';

const tool = ${JSON.stringify(used, null, 2)};

${callFunction}`;
}

function piExtension(tool: Exported): string {
  return `${programStart(tool, "pi")}
export default function (pi) {
  const { name, title: label, description, parameters } = tool;
  pi.registerTool({
    name,
    label,
    description,
    parameters,
    async execute(id, args, signal, onUpdate, context) {
      const { content, isError } = await call(args, { cwd: context.cwd, signal });
      if (isError) throw new Error(content.map(({ text }) => text).join("\\n"));
      return { content, details: {} };
    },
  });
}
`;
}

function ampTool(tool: Exported): string {
  return `#!/usr/bin/env node
${programStart(tool, "amp")}
const { TOOLBOX_ACTION: action } = process.env;
if (action === "describe") {
  const { name, description, parameters: inputSchema } = tool;
  console.log(JSON.stringify({ name, description, inputSchema }));
} else {
  let given = "";
  for await (const text of process.stdin) given += text;
  const { content, isError } = await call(JSON.parse(given || "{}"), {});
  console.log(content.map(({ text }) => text).join("\\n"));
  process.exitCode = isError ? 1 : 0;
}
`;
}
