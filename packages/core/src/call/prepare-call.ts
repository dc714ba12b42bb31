// Every decision about a call before it starts. In order: the prepared call, its sandbox, its command, and the variables that the tool gets
// besides its environment.

import { dirname } from "node:path";
import type { JsonObject, PlainInput } from "@ikigai/protocol";
import { type Command, type Failure, launcherPlace, type SandboxSettings } from "@ikigai/sandbox";
import { mayLeaveJob } from "../jobs/jobs.ts";
import { hostSandbox } from "../leftovers/host-sandbox.ts";
import { neededVariables, toolCommand, withoutProviderKeys } from "../process/tool-command.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { type Catalog, catalogFor } from "../skills/catalog.ts";
import { agreedNeeds, sandboxWithNeeds } from "../trust/needs.ts";
import {
  argumentsFor,
  type CallArguments,
  type CallLimits,
  callLimits,
  limitVariables,
  parseArguments,
} from "./arguments.ts";
import {
  dataDirectory,
  makeDataDirectory,
  makeOutputsDirectory,
  outputsDirectory,
  stateDirectory,
} from "./directories.ts";
import { agentVariables, methodsFor } from "./host-api.ts";
import type { CallOptions, CallSandbox, ExpectedCall, PreparedCall } from "./options.ts";
import { plainStart } from "./plain-call.ts";

/**
 * Decides everything about a call, for the log and for `executeCall`, which must be called next. Never throws; starts nothing.
 *
 * @param given the arguments: parsed, or as text, which is then parsed only if a limit depends on it.
 */
export function prepareCall(tool: RegisteredTool, given: string | CallArguments, options: CallOptions): PreparedCall {
  const args = argumentsFor(tool, given);
  const { projectDir, home, env = process.env, spares } = options;
  const planned = options.ahead?.sandbox ?? spares?.served.plannedFor(tool, options);
  const sandbox = callSandbox(tool, options, planned);
  // Some models send a call in one piece, so nothing was started ahead.
  const ahead = options.ahead ?? spares?.take(tool, options, sandbox);
  const callId = ahead?.callId ?? options.callId;
  const dataDir = home === undefined ? undefined : dataDirectory(tool, { home, projectDir });
  const value = valueFor(tool, args);
  const limits = callLimits(tool, value, options);
  return {
    tool,
    text: typeof args === "string" ? args : args.text,
    isObject: typeof args !== "string",
    limits,
    callId,
    variables: {
      ...placeVariables(env),
      ...promisedVariables(tool, limits, projectDir),
      ...(dataDir !== undefined && { IKIGAI_DATA_DIR: dataDir }),
      ...(callId !== options.callId && { IKIGAI_CALL_ID: callId }),
    },
    options: { ...options, callId },
    sandbox,
    plain: tool.plain && plainStart(tool, tool.plain, value, options),
    ahead,
  };
}

function valueFor({ schema, plain }: RegisteredTool, args: string | CallArguments): JsonObject | undefined {
  if (typeof args !== "string") return args.value;
  return schema.ikigai?.timeoutArgument === undefined && !plain ? undefined : parseArguments(args)?.value;
}

/**
 * Returns the sandbox for a call of this tool; `undefined` without sandbox settings, and for a tool behind a launcher.
 *
 * @param known reused if it was made for the same inputs.
 */
export function callSandbox(tool: RegisteredTool, options: ExpectedCall, known?: CallSandbox): CallSandbox | undefined {
  const { projectDir, home, env = process.env } = options;
  const shown = withCatalog(options.sandbox, catalogFor(tool, options));
  const { path, identity, shadowed, launcher } = tool;
  if (!shown || launcher) return undefined;
  const needs = agreedNeeds(tool);
  const sandbox = sandboxWithNeeds(shown, needs);
  const toolFiles = [path, identity.realPath, ...(shadowed === undefined ? [] : [shadowed])];
  // Where it only reads it gets nothing of these.
  const wantedKeys = sandbox.isReadOnly ? [] : neededVariables(tool.scope, needs.env);
  const hosts = sandbox.isReadOnly ? [] : (needs.hosts ?? []);
  const dataDir = home === undefined ? undefined : dataDirectory(tool, { home, projectDir });
  const stateDir = stateDirectory(tool, options);
  const outputsDir = outputsDirectory(tool, options);
  const key = JSON.stringify([projectDir, sandbox, toolFiles, wantedKeys, hosts, dataDir, stateDir, outputsDir, env]);
  if (known?.key === key) return known;
  const user = mayConnect(tool) && { tool: tool.name, hosts };
  const own = { ...user, projectDir, toolFiles, wantedKeys, dataDir, stateDir, outputsDir };
  return { key, place: hostSandbox(sandbox, own) };
}

/** Whether a tool gets to the network of its sandbox. The tools of ikigai that declare a file need none. */
function mayConnect({ scope, schema: { ikigai } }: RegisteredTool): boolean {
  return scope !== "system" || ikigai?.access === undefined || ikigai.access.kind === "run-command";
}

/** A tool that loads skills sees them. */
function withCatalog(sandbox: SandboxSettings | undefined, catalog: Catalog | undefined): SandboxSettings | undefined {
  if (!sandbox || !catalog) return sandbox;
  return { ...sandbox, readable: [...sandbox.readable, catalog.path, ...catalog.directories] };
}

/** Returns the command for a call, or why it cannot be built. */
export function commandFor(
  tool: RegisteredTool,
  limits: CallLimits,
  options: CallOptions,
  sandbox: CallSandbox | undefined,
  plain?: PlainInput,
): Command | Failure {
  const { cwd, projectDir, sessionId, callId, env = process.env, onProgress } = options;
  const { timeoutMs } = limits;
  const methods = methodsFor(tool, options.host);
  const wanted = options.home === undefined ? undefined : dataDirectory(tool, { home: options.home, projectDir });
  const dataDir = wanted === undefined ? undefined : makeDataDirectory(wanted);
  if (typeof dataDir === "object") return dataDir;
  const catalog = catalogFor(tool, options);
  const wantedState = stateDirectory(tool, options);
  const stateDir = wantedState === undefined ? undefined : makeDataDirectory(wantedState);
  if (typeof stateDir === "object") return stateDir;
  const wantedOutputs = outputsDirectory(tool, options);
  const outputsDir = wantedOutputs === undefined ? undefined : makeOutputsDirectory(wantedOutputs);
  if (typeof outputsDir === "object") return outputsDir;
  const place = tool.launcher
    ? launcherPlace(tool.launcher, { projectDir, env: withoutProviderKeys(env), timeoutMs })
    : sandbox?.place;
  return toolCommand(
    {
      tool,
      args: plain?.words ?? [],
      ofCall: plain?.variables,
      call: {
        ...promisedVariables(tool, limits, projectDir),
        ...(dataDir !== undefined && { IKIGAI_DATA_DIR: dataDir }),
        ...agentVariables(tool, options.agent),
        ...(catalog && { IKIGAI_CATALOG: catalog.path }),
        ...(stateDir !== undefined && { IKIGAI_STATE_DIR: stateDir }),
        ...(outputsDir !== undefined && { IKIGAI_OUTPUTS_DIR: outputsDir }),
        ...(methods.length > 0 && { IKIGAI_HOST_METHODS: methods.join(" ") }),
        ...(mayLeaveJob(tool, options) && { IKIGAI_JOBS: "1" }),
        IKIGAI_SESSION_ID: sessionId,
        IKIGAI_CALL_ID: callId,
      },
      wantedKeys: tool.schema.ikigai?.needs?.env,
      ...{ cwd, projectDir, env },
      hasInput: plain === undefined,
      hasProgress: onProgress !== undefined || methods.length > 0,
    },
    place,
  );
}

/** The command of a process that answers several calls: without what differs between them, and comes with each call. */
export function sharedCommand(command: Command): Command {
  const {
    IKIGAI_CALL_ID,
    IKIGAI_TIMEOUT_MS,
    IKIGAI_MAX_OUTPUT_BYTES,
    IKIGAI_ANSWER_BYTES,
    IKIGAI_HOST_METHODS,
    IKIGAI_JOBS,
    ...env
  } = command.env;
  return { ...command, env, hasProgress: true };
}

/** Variables that tell ikigai where to find things. Other `IKIGAI_*` variables may be secrets. */
const placeNames = ["IKIGAI_HOME", "IKIGAI_LIBEXEC", "IKIGAI_TOOL_PATH"] as const;

/** Returns the variables the protocol promises to a call, except its ids. */
function promisedVariables({ shadowed, launcher, shell }: RegisteredTool, limits: CallLimits, projectDir: string) {
  return {
    // The path means nothing on another machine.
    ...(shadowed !== undefined && !launcher && { IKIGAI_SHADOWED_TOOL: shadowed }),
    ...(shell !== undefined && { IKIGAI_SHELL: shell }),
    IKIGAI_PROJECT_DIR: projectDir,
    ...limitVariables(limits),
  };
}

/** Returns those variables of an environment that tell ikigai where to find things. */
function placeVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(placeNames.flatMap((name) => (env[name] ? [[name, env[name]] as const] : [])));
}

/**
 * Returns the variables of a tool that the process of its service, which another tool may have started, does not have.
 *
 * @param env the host's environment, with the keys that the tool's schema may ask for.
 * @param had the environment of the process.
 */
export function ownVariables(
  { name, path, scope, shadowed, schema }: RegisteredTool,
  env: NodeJS.ProcessEnv,
  had: NodeJS.ProcessEnv,
): Record<string, string> {
  const wanted = neededVariables(scope, schema.ikigai?.needs?.env);
  const own = [
    ["IKIGAI_TOOL_NAME", name],
    ["IKIGAI_TOOL_DIR", dirname(path)],
    ["IKIGAI_SHADOWED_TOOL", shadowed],
    ...wanted.map((key) => [key, env[key]] as const),
  ] as const;
  return Object.fromEntries(
    own.flatMap(([key, value]) => (value && had[key] !== value ? [[key, value] as const] : [])),
  );
}
