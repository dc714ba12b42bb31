import { dirname } from "node:path";
import { progressFd, protocolVersion, type ToolEnvironment, type ToolScope } from "@ikigai/protocol";
import { hostId, hostIdVariable } from "../leftovers/call-marks.ts";
import { providerKeyNames } from "../process/provider-variables.ts";

/** Whose environment it is. */
export interface EnvironmentOwner {
  readonly name: string;
  readonly path: string;
  readonly scope: ToolScope;
  /** The provider keys its schema asks for. A project's tool does not get them. */
  readonly wantedKeys?: readonly string[] | undefined;
}

/** What a call, or a question for the schema, adds to the environment. */
export type CallVariables = Pick<ToolEnvironment, "IKIGAI_CALL_ID"> & Partial<ToolEnvironment>;

/** The environment of a tool's process: the host's own without the providers' keys, and what the protocol promises. */
export function toolEnvironment(
  env: NodeJS.ProcessEnv,
  { name, path, scope, wantedKeys = [] }: EnvironmentOwner,
  call: CallVariables,
): NodeJS.ProcessEnv {
  const granted = scope === "project" ? [] : wantedKeys;
  return {
    // Nobody is there to type a password: git should say so at once rather than wait for its time to be up.
    GIT_TERMINAL_PROMPT: "0",
    ...withoutProviderKeys(env, granted),
    IKIGAI_PROTOCOL: protocolVersion,
    IKIGAI_TOOL_NAME: name,
    IKIGAI_TOOL_DIR: dirname(path),
    IKIGAI_TOOL_SCOPE: scope,
    IKIGAI_PROGRESS_FD: String(progressFd),
    AGENT: "ikigai",
    [hostIdVariable]: hostId,
    ...call,
  };
}

/** An environment without the keys of model providers, but for those that are granted, and without another host's call. */
export function withoutProviderKeys(env: NodeJS.ProcessEnv, granted: readonly string[] = []): NodeJS.ProcessEnv {
  // What another host has said of its own call, if this one was started by a tool.
  const { IKIGAI_CALL_ID, IKIGAI_MAX_OUTPUT_BYTES, IKIGAI_PRESTART, IKIGAI_SHADOWED_TOOL, IKIGAI_TIMEOUT_MS, ...rest } =
    env;
  for (const name of providerKeyNames) if (!granted.includes(name)) delete rest[name];
  return rest;
}
