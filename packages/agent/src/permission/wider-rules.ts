import { dirname } from "node:path/posix";
import { argumentsOf } from "./call-facts.ts";
import { parseRule } from "./parse-rule.ts";
import type { Question } from "./permission.ts";
import { readShell } from "./shell/read-shell.ts";
import { exactly } from "./wildcard.ts";

/** Programs whose first words say what they do; the other words are its objects. `run`: the next word does. */
const commanders = new Set(
  (
    "brew bun bundle cargo composer deno docker dotnet gh git go gradle helm just kubectl make mix mvn npm pip pip3 pnpm poetry " +
    "rake rails svn terraform turbo uv yarn"
  ).split(" "),
);

const subcommand = /^[a-z][\w:.-]*$/;
const runs = new Set(["run", "exec", "run-script", "dlx"]);

/**
 * Returns rules that allow a question's call and more of its kind, each wider than the one before: the same script with other
 * arguments, the files of the directory. None for a command whose arguments decide what it does, such as rm.
 *
 * @example widerRules({ rule: "bash(npm run build --fast)", … }); // ["bash(npm run build *)"]
 */
export function widerRules({ rule, tool, call }: Pick<Question, "rule" | "tool" | "call">): readonly string[] {
  const { pattern } = (rule === undefined ? undefined : parseRule(rule)) ?? {};
  if (pattern === undefined || tool.scope !== "system") return [];
  const { command } = argumentsOf(call);
  if (typeof command === "string") return pattern === exactly(command) ? widerCommands(command).map(inRule) : [];
  const directory = dirname(pattern);
  // The project's own directory has no name in a rule.
  return directory === "." || directory === "/" ? [] : [inRule(`${directory}/*`)];

  function inRule(wider: string): string {
    return `${tool.name}(${wider})`;
  }
}

function widerCommands(command: string): readonly string[] {
  const [only, ...others] = readShell(command) ?? [];
  if (!only || others.length > 0 || only.redirects.length > 0 || only.source !== command) return [];
  const words = only.words.map(({ text }) => text);
  const [program = "", first = "", second = ""] = words;
  if (!commanders.has(program) || !subcommand.test(first)) return [];
  const isRun = runs.has(first);
  if (isRun && !subcommand.test(second)) return [];
  const kept = words.slice(0, isRun ? 3 : 2).join(" ");
  // A word that the shell would change is not in the text of the rule.
  return command.startsWith(kept) && command !== kept ? [`${exactly(kept)} *`] : [];
}
