import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isInside, pathOutsideProject, wordsOutsideProject } from "@ikigai/system";
import { AgentFailure } from "./agent-failure.ts";
import { type Grant, narrowed } from "./grant.ts";

/** What the model asks for. */
export interface AgentWish {
  readonly directory?: string | undefined;
  readonly model?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  /** The session that it continues a copy of. */
  readonly from?: string | undefined;
  /** The copy of the project that it works in. */
  readonly copy?: string | undefined;
}

/** The command that runs an agent. */
export interface AgentCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** @throws AgentFailure `INVALID_ARG` if the directory cannot be used, `AGENT_FAILED` if only the project has a program to run the agent. */
export function agentCommand(grant: Grant, wish: AgentWish, env: NodeJS.ProcessEnv): AgentCommand {
  const { bin, mode, allowed, sandbox } = grant;
  const args = [
    ...["--print", "--output-format", "stream-json"],
    // Not as separate words: a value may begin with a dash.
    ...[`--model=${wish.model ?? grant.model}`, `--permission-mode=${mode}`],
    ...allowed.map((rule) => `--allow=${rule}`),
    ...(wish.from === undefined ? [] : [`--resume=${wish.from}`, "--fork"]),
    ...(sandbox ? [sandbox.network ? "--sandbox-network" : "--sandbox"] : []),
  ];
  const project = env.IKIGAI_PROJECT_DIR ?? process.cwd();
  const cwd = directoryOf(wish.directory, wish.copy ?? project);
  // This tool runs outside of the sandbox, where a tool may have written a `node` that the PATH finds.
  const words = wordsOutsideProject({ path: bin, args }, env, project);
  if ("failure" in words) throw new AgentFailure("AGENT_FAILED", `The agent cannot be started: ${words.failure}`);
  return {
    program: words.path,
    args: words.args,
    cwd,
    env: {
      ...agentEnvironment(env),
      PWD: cwd,
      IKIGAI_AGENT_GRANT: narrowed(grant, wish.tools),
      // Elsewhere, the agent would take the project's programs for the user's.
      ...(cwd !== realDirectory(project) && { PATH: pathOutsideProject(env.PATH ?? "", project) }),
    },
  };
}

/**
 * Returns the directory that the agent works in.
 *
 * @throws AgentFailure `INVALID_ARG` if it is not one of the project.
 */
function directoryOf(wanted: string | undefined, project: string): string {
  if (wanted === undefined || wanted === "") return project;
  const path = realDirectory(resolve(project, wanted));
  if (path === undefined) throw new AgentFailure("INVALID_ARG", `There is no directory ${JSON.stringify(wanted)}`);
  if (isInside(path, realpathSync(project))) return path;
  throw new AgentFailure("INVALID_ARG", `${JSON.stringify(wanted)} is outside of the project`, {
    hint: "An agent works in the project or in a directory of it.",
  });
}

function realDirectory(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** Without what is about this call. The call's id stays: the host ends what has it, so no process of the agent can be left. */
function agentEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const {
    IKIGAI_BIN,
    IKIGAI_DATA_DIR,
    IKIGAI_HOST_METHODS,
    IKIGAI_MAX_OUTPUT_BYTES,
    IKIGAI_PROGRESS_FD,
    IKIGAI_PROJECT_DIR,
    IKIGAI_SESSION_ID,
    IKIGAI_TIMEOUT_MS,
    IKIGAI_TOOL_DIR,
    IKIGAI_TOOL_NAME,
    IKIGAI_TOOL_SCOPE,
    ...rest
  } = env;
  return rest;
}
