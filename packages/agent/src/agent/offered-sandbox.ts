import type { RegisteredTool } from "@ikigai/core";
import { sandboxProblem } from "@ikigai/core/internal";
import type { ToolRules } from "../config/tool-settings.ts";
import type { Permission, SandboxUse } from "../permission/permission.ts";

/*
 * The sandbox that a machine has, if the user has turned it neither on nor off. It holds what runs without a question, so that a
 * person has to decide about little. It is checked once, when the first turn begins: a start does not wait for it. Without it,
 * calls are asked about.
 */

/** The sandbox of a conversation. */
export interface OfferedSandbox {
  /** Whether commands can run in it, for all that is known by now. */
  readonly isThere: boolean;
  /** What the sandbox is for a tool's calls; `undefined` if it holds none of them. */
  sandboxOf(tool: RegisteredTool): SandboxUse | undefined;
  /**
   * Finds out, the first time, whether the sandbox works. If not, no call runs in it, the mode `auto` becomes `ask`, with a
   * notice. Never rejects.
   */
  check(permission: Permission, notice: (text: string) => void): Promise<void>;
}

/** Returns the sandbox of a conversation in a project. */
export function offeredSandbox(
  rules: ToolRules,
  { projectDir, env }: { readonly projectDir: string; readonly env: NodeJS.ProcessEnv },
): OfferedSandbox {
  let checked: Promise<void> | undefined;
  let works = true;
  // A tool without settings of its own.
  const offered = rules.sandbox === undefined ? rules.sandboxFor("") : undefined;
  const whyNot = async () => {
    // Read-only: it needs to leave nothing in the project.
    if (offered)
      return sandboxProblem({ ...offered, isReadOnly: true }, projectDir, env).catch((error: Error) => error.message);
    return rules.sandbox ? undefined : "This machine has no sandbox, or the configuration turns it off.";
  };
  return {
    get isThere() {
      return works && rules.sandboxFor("bash") !== undefined && !rules.launchers.bash;
    },
    sandboxOf(tool) {
      if (tool.launcher) return undefined;
      if (rules.settingsFor(tool.name).sandbox) return "on";
      return works && rules.sandboxFor(tool.name) && isHeld(tool) ? "offered" : undefined;
    },
    check(permission, notice) {
      checked ??= whyNot().then((problem) => {
        if (problem === undefined) return;
        works = false;
        if (permission.mode !== "auto") return;
        permission.mode = "ask";
        notice(`Mode: ask, because auto needs the sandbox. ${problem} More: ikigai help sandbox`);
      });
      return checked;
    },
  };
}

/**
 * Whether an offered sandbox can hold the calls of a tool. Not those of a service, which mostly leads to a server elsewhere, nor of
 * ikigai's own tools that neither run commands nor touch files.
 */
function isHeld({ scope, schema }: RegisteredTool): boolean {
  const { access, service } = schema.ikigai ?? {};
  return service === undefined && (scope !== "system" || access !== undefined);
}
