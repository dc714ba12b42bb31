// What an agent is started with: the grant, which the host gives this call, and the command that passes it on, with what the model
// wishes for.

import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isJsonObject, type JsonObject } from "@ikigai/protocol";
import { isInside, parseObject, pathOutsideProject, wordsOutsideProject } from "@ikigai/system";
import { AgentFailure } from "./agent-events.ts";

/** What the host grants an agent. The agent itself enforces it; the tool passes it on. */
export interface Grant {
  /** The program that runs the agent. */
  readonly bin: string;
  readonly mode: string;
  /** The rules that allow. The grant has the others, too. */
  readonly allowed: readonly string[];
  readonly model: string;
  readonly tokens: number;
  /** The session that grants, and the number of the agent in it. */
  readonly session: string;
  readonly slot: number;
  /** The only tools, if so. */
  readonly tools: readonly string[] | undefined;
  readonly sandbox: { readonly network: boolean } | undefined;
  /** The agents with instructions of their own, by name. */
  readonly agents: ReadonlyMap<string, NamedAgent>;
  /** The whole grant. */
  readonly value: JsonObject;
}

/** @throws AgentFailure `NO_AGENTS` if the host grants nothing. */
export function readGrant({ IKIGAI_BIN: bin, IKIGAI_AGENT_GRANT: text = "" }: NodeJS.ProcessEnv): Grant {
  const value = parseObject(text);
  if (!bin || !value) {
    throw new AgentFailure("NO_AGENTS", "This host starts no agents for this call", {
      hint: "Do the work without an agent. Agents can be started in a conversation with ikigai.",
    });
  }
  const { mode, model, tokens, rules, tools, sandbox } = value;
  const allowed = (Array.isArray(rules) ? rules : []).flatMap((rule) =>
    isJsonObject(rule) && rule.verdict === "allow" && typeof rule.rule === "string" ? [rule.rule] : [],
  );
  return {
    bin,
    mode: String(mode),
    allowed,
    model: String(model),
    tokens: Number(tokens),
    session: String(value.session),
    slot: Number(value.slot),
    tools: Array.isArray(tools) ? tools.map(String) : undefined,
    sandbox: isJsonObject(sandbox) ? { network: sandbox.network === true } : undefined,
    agents: new Map(agentsIn(value).map((agent) => [agent.name, agent])),
    value,
  };
}

/** An agent with instructions, and perhaps a model and tools, of its own. */
export interface NamedAgent {
  readonly name: string;
  readonly path: string;
  readonly sha256: string;
  readonly model?: string;
  readonly tools?: readonly string[];
}

/** The host has checked them. */
function agentsIn({ agents }: JsonObject): NamedAgent[] {
  return (Array.isArray(agents) ? agents : []) as unknown as NamedAgent[];
}

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

/** Returns the grant for an agent that may use only these of the tools. */
function narrowed(grant: Grant, tools: readonly string[] | undefined): string {
  if (!tools) return JSON.stringify(grant.value);
  const kept = tools.filter((tool) => grant.tools?.includes(tool) ?? true);
  return JSON.stringify({ ...grant.value, tools: kept });
}
