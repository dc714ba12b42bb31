import { toolNamePattern } from "@ikigai/protocol";
import type { Node } from "jsonc-parser/lib/esm/main.js";
import type { KeyProblem } from "./key-problem.ts";
import { type Member, membersOf } from "./members-of.ts";

/** Settings that only a launcher uses. */
const needLauncher: readonly string[] = ["path", "directory", "remoteShell"];

/** A shell's absolute path. */
const shellPath = /^\/(?:.*\/)?(?:bash|sh|dash|zsh|fish)$/;

/**
 * Returns the tools' settings that must not be ignored: those that say where a tool runs and have no effect, since a tool that is
 * meant to run elsewhere would run here, and shells that no tool knows.
 */
export function toolProblems(root: Node): KeyProblem[] {
  const tools = membersOf(root).filter(({ name }) => name === "tools");
  return tools.flatMap(({ value }) =>
    membersOf(value).flatMap(({ name, value: settings }) => {
      const set = membersOf(settings);
      return [...launcherProblems(name, set), ...shellProblems(name, set)];
    }),
  );
}

function shellProblems(tool: string, settings: readonly Member[]): KeyProblem[] {
  return settings.flatMap(({ name, offset, value: { type, value } }) => {
    if (name !== "shell" || type !== "string" || shellPath.test(value)) return [];
    const key = `tools.${tool}.shell`;
    const message = `Expected "${key}" to be the absolute path of bash, sh, dash, zsh or fish, got ${JSON.stringify(value)}.`;
    return [{ key, message, offset, isFatal: true }];
  });
}

function launcherProblems(tool: string, settings: readonly Member[]): KeyProblem[] {
  // A pattern cannot have these settings.
  if (tool.endsWith("*")) return [];
  const launcher = settings.find(({ name }) => name === "launcher");
  if (!launcher) {
    return settings
      .filter(({ name }) => needLauncher.includes(name))
      .map(({ name, offset }) => {
        const key = `tools.${tool}.${name}`;
        const message = `"${key}" has no effect without "tools.${tool}.launcher". Set the launcher, or remove it.`;
        return { key, message, offset, isFatal: true };
      });
  }
  if (toolNamePattern.test(tool)) return [];
  const key = `tools.${tool}.launcher`;
  const message = `${JSON.stringify(tool)} is not a tool name, so no tool would use this launcher. A name begins with a letter and has letters, digits and _.`;
  return [{ key, message, offset: launcher.offset, isFatal: true }];
}
