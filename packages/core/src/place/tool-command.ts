import type { PlainCall, ToolScope } from "@ikigai/protocol";
import type { Command, Failure, Launcher, Place } from "@ikigai/sandbox";
import { standardShell, wordsOutsideProject } from "@ikigai/system";
import { withoutProjectFiles } from "./files-run-first.ts";
import { type CallVariables, toolEnvironment } from "./tool-environment.ts";

/** One run of a tool, for a call or for its schema. */
export interface ToolRun {
  readonly tool: {
    readonly name: string;
    readonly path: string;
    readonly scope: ToolScope;
    readonly launcher?: Launcher | undefined;
    readonly plain?: PlainCall | undefined;
  };
  readonly args: readonly string[];
  /** The variables that the protocol promises for this run. */
  readonly call: CallVariables;
  /** Variables that are part of the call of a plain tool. */
  readonly ofCall?: Readonly<Record<string, string>> | undefined;
  /** The provider keys the tool's schema asks for. */
  readonly wantedKeys?: readonly string[] | undefined;
  readonly cwd: string;
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly hasInput: boolean;
  readonly hasProgress: boolean;
}

/** Builds the command for a run of a tool, in its place if it has one; or why that is impossible. */
export function toolCommand(run: ToolRun, place: Place | undefined): Command | Failure {
  const command = run.tool.launcher ? commandThere(run, run.tool.launcher) : commandHere(run);
  return "failure" in command || !place ? command : place.wrap(command);
}

function commandHere(run: ToolRun): Command | Failure {
  const { tool, call, ofCall, wantedKeys, cwd, projectDir, env, hasInput, hasProgress } = run;
  const { name, scope, plain } = tool;
  // The system starts only files that begin with #!; a shell would take the others for its own.
  const shell = plain?.isBare ? standardShell(env.PATH, projectDir) : undefined;
  const path = shell ?? tool.path;
  const args = shell === undefined ? run.args : [tool.path, ...run.args];
  // A user's tool gets a PATH without the project's directories, and a project's chooses its interpreter itself.
  const words = scope === "system" ? wordsOutsideProject({ path, args }, env, projectDir) : { path, args };
  if ("failure" in words) return words;
  const clean = withoutProjectFiles(env, scope, projectDir);
  const own = toolEnvironment(clean, { name, path: tool.path, scope, wantedKeys }, call);
  return { ...words, cwd, env: { ...own, ...ofCall }, ofCall, hasInput, hasPipe: plain !== undefined, hasProgress };
}

/** A tool that runs elsewhere uses the environment there; the host's own is not passed on. */
function commandThere({ tool, args, call, cwd, hasInput, hasProgress }: ToolRun, { path }: Launcher): Command {
  return { path, args, cwd, env: toolEnvironment({}, { ...tool, path }, call), hasInput, hasProgress };
}
