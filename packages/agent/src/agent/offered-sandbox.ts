import type { RegisteredTool } from "@ikigai/core";
import { sandboxProblem } from "@ikigai/core/internal";
import type { Permission, SandboxUse } from "@ikigai/permission";
import { placeProblem, whyNoSandbox } from "@ikigai/sandbox";
import { findProgram, isLinux } from "@ikigai/system";
import type { ToolRules } from "../config/tool-settings.ts";

/*
 * The sandbox that a machine has, if the user has turned it neither on nor off. It holds what runs without a question, so that a
 * person has to decide about little: where it can change the project, a conversation starts in the mode `auto`. Whether it starts is
 * checked once, in the background: a start does not wait for it. Without it, calls are asked about.
 */

/** The sandbox of a conversation. */
export interface OfferedSandbox {
  /** Whether commands can run in it and change the project, for all that is known by now. */
  readonly isThere: boolean;
  /**
   * Why a conversation does not start in the mode `auto`, in sentences, for all that is known without starting the sandbox; empty if the
   * user has decided so. `undefined` if it can.
   */
  readonly whyNotAuto: string | undefined;
  /** What the sandbox is for a tool's calls; `undefined` if it holds none of them. */
  sandboxOf(tool: RegisteredTool): SandboxUse | undefined;
  /**
   * Finds out, the first time, whether the sandbox works. If not, no call runs in it, and the mode `auto` becomes `ask`, with a
   * notice. Never rejects.
   */
  check(permission: Pick<Permission, "mode">, notice: (text: string) => void): Promise<void>;
}

interface SandboxScene {
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether what calls change in the project is saved, if git is there. */
  readonly hasUndo: boolean;
}

/** Returns the sandbox of a conversation in a project. */
export function offeredSandbox(rules: ToolRules, { projectDir, env, hasUndo }: SandboxScene): OfferedSandbox {
  let checked: Promise<string | undefined> | undefined;
  let works = true;
  // A tool without settings of its own.
  const offered = rules.sandbox === undefined ? rules.sandboxFor("") : undefined;
  const settings = rules.sandbox ?? offered;
  const overlap = settings && placeProblem({ ...settings, projectDir });
  const hasCommands = rules.sandboxFor("bash") !== undefined && !rules.launchers.bash;
  const whyNot = async () => {
    if (!settings)
      return sentence((rules.isSandboxOff ? undefined : whyNoSandbox()) ?? "the configuration turns it off");
    // Read-only: it needs to leave nothing in the project.
    const problem =
      offered && (await sandboxProblem({ ...offered, isReadOnly: true }, projectDir, env).catch(messageOf));
    works = problem === undefined;
    return problem ?? sentence(overlap);
  };
  return {
    get isThere() {
      return works && hasCommands && overlap === undefined;
    },
    get whyNotAuto() {
      const why = settings || rules.isSandboxOff || !isLinux ? overlap : whyNoSandbox();
      if (why !== undefined) return `${noAuto} ${sentence(why)}`;
      if (!hasCommands) return "";
      // What no one was asked about must not be lost.
      const canUndo = !hasUndo || findProgram("git", env.PATH, projectDir) !== undefined;
      return canUndo
        ? undefined
        : 'Mode: ask, because auto needs git, to undo what commands change (Debian: "apt install git").';
    },
    sandboxOf(tool) {
      if (tool.launcher) return undefined;
      if (rules.settingsFor(tool.name).sandbox) return "on";
      return works && rules.sandboxFor(tool.name) && isHeld(tool) ? "offered" : undefined;
    },
    async check(permission, notice) {
      checked ??= whyNot();
      const problem = await checked;
      if (problem === undefined || permission.mode !== "auto") return;
      permission.mode = "ask";
      notice(`${noAuto} ${problem} More: ikigai help sandbox`);
    },
  };
}

const noAuto = "Mode: ask, because auto needs the sandbox.";

const messageOf = (error: Error) => error.message;

/** The end of a sentence as a sentence. */
function sentence(end: string | undefined): string | undefined {
  return end && `${end.charAt(0).toUpperCase()}${end.slice(1)}.`;
}

/**
 * Whether an offered sandbox can hold the calls of a tool. Not those of a service, which mostly leads to a server elsewhere, nor of
 * ikigai's own tools that neither run commands nor touch files.
 */
function isHeld({ scope, schema }: RegisteredTool): boolean {
  const { access, service } = schema.ikigai ?? {};
  return service === undefined && (scope !== "system" || access !== undefined);
}
