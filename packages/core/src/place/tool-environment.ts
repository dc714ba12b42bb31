import { dirname } from "node:path";
import { progressFd, protocolVersion, type ToolEnvironment, type ToolScope } from "@ikigai/protocol";
import { providerKeyNames } from "@ikigai/system";
import { hostId, hostIdVariable } from "../leftovers/call-marks.ts";
import { agentDepth } from "../process/agent-depth.ts";

/** The tool an environment is for. */
export interface EnvironmentOwner {
  readonly name: string;
  readonly path: string;
  readonly scope: ToolScope;
  /** The provider keys its schema asks for. A project's tool does not get them. */
  readonly wantedKeys?: readonly string[] | undefined;
}

/** The variables that differ per call or `--schema` run. */
export type CallVariables = Pick<ToolEnvironment, "IKIGAI_CALL_ID"> & Partial<ToolEnvironment>;

/**
 * No call has a terminal or a person at it, so a program that opens an editor ends at once instead of at the timeout, and a pager only
 * copies. A user's own EDITOR would be worse than none.
 */
const withoutTerminal: NodeJS.ProcessEnv = {
  ...Object.fromEntries(
    ["GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "EDITOR", "VISUAL"].map((name) => [
      name,
      // A program that starts it without a shell fails, too.
      "sh -c 'echo no editor here: use -m, --no-edit >&2; exit 1'",
    ]),
  ),
  ...{ GIT_PAGER: "cat", PAGER: "cat", MANPAGER: "cat", TERM: "dumb" },
};

/** The variables that a tool gets because it needs them. A project's tool gets no key of a model provider. */
export function neededVariables(scope: ToolScope, names: readonly string[] = []): readonly string[] {
  return scope === "project" ? names.filter((name) => !providerKeyNames.includes(name)) : names;
}

/** Builds a tool's environment: the host's without provider keys, plus the variables the protocol promises. */
export function toolEnvironment(
  env: NodeJS.ProcessEnv,
  { name, path, scope, wantedKeys = [] }: EnvironmentOwner,
  call: CallVariables,
): NodeJS.ProcessEnv {
  const granted = neededVariables(scope, wantedKeys);
  return {
    // No one can type a password or answer a package's questions: they fail at once, or take the default.
    GIT_TERMINAL_PROMPT: "0",
    DEBIAN_FRONTEND: "noninteractive",
    // A look for the program's own next version would ask the user about a host.
    npm_config_update_notifier: "false",
    NO_UPDATE_NOTIFIER: "1",
    PIP_DISABLE_PIP_VERSION_CHECK: "1",
    // A new file beside the tool would end its trust, or make a package look changed.
    ...(scope !== "system" && { PYTHONDONTWRITEBYTECODE: "1" }),
    ...withoutProviderKeys(env, granted),
    ...withoutTerminal,
    IKIGAI_PROTOCOL: protocolVersion,
    IKIGAI_TOOL_NAME: name,
    IKIGAI_TOOL_DIR: dirname(path),
    IKIGAI_TOOL_SCOPE: scope,
    IKIGAI_PROGRESS_FD: String(progressFd),
    AGENT: "ikigai",
    [hostIdVariable]: hostId,
    IKIGAI_DEPTH: String(agentDepth(env) + 1),
    ...call,
  };
}

/** `env` without provider keys (except `granted`) and without the IKIGAI_* variables of an outer call and of this host. */
export function withoutProviderKeys(env: NodeJS.ProcessEnv, granted: readonly string[] = []): NodeJS.ProcessEnv {
  // Set by an outer host if a tool started this one, or meant for this host.
  const {
    IKIGAI_AGENT_GRANT,
    IKIGAI_ANSWER_BYTES,
    IKIGAI_BIN,
    IKIGAI_CALL_ID,
    IKIGAI_CATALOG,
    IKIGAI_DATA_DIR,
    IKIGAI_HOST_METHODS,
    IKIGAI_MAX_OUTPUT_BYTES,
    IKIGAI_NO_SERVE,
    IKIGAI_PRESTART,
    IKIGAI_SERVE,
    IKIGAI_SERVICE_ID,
    IKIGAI_SHADOWED_TOOL,
    IKIGAI_SHELL,
    IKIGAI_STATE_DIR,
    IKIGAI_OUTPUTS_DIR,
    IKIGAI_TIMEOUT_MS,
    ...rest
  } = env;
  for (const name of providerKeyNames) if (!granted.includes(name)) delete rest[name];
  return rest;
}
