import type { PlainInput } from "@ikigai/protocol";
import { type Command, type Failure, launcherPlace } from "@ikigai/sandbox";
import { toolCommand } from "../place/tool-command.ts";
import { withoutProviderKeys } from "../place/tool-environment.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { catalogFor } from "../skills/catalog.ts";
import { agentVariables } from "./agent-variables.ts";
import type { CallLimits } from "./call-limits.ts";
import type { CallOptions, CallSandbox } from "./call-options.ts";
import { callVariables } from "./call-variables.ts";
import { dataDirectory, makeDataDirectory } from "./data-directory.ts";
import { mayLeaveJob } from "./leave-job.ts";
import { methodsFor } from "./requests/host-api.ts";
import { makeOutputsDirectory, outputsDirectory, stateDirectory } from "./state-directory.ts";

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
        ...callVariables(tool, limits, projectDir),
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
