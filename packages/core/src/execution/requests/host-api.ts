import type { AskParams, AskResult, HostMethod, PermissionParams, PermissionResult } from "@ikigai/protocol";
import { hostMethods } from "@ikigai/protocol";
import type { RegisteredTool } from "../../registry/registry.ts";

/** Who makes a request. */
export interface Requester {
  /** The tool that is called. */
  readonly tool: RegisteredTool;
  /** The call. */
  readonly callId: string;
}

/** Carries out a request. */
export type HostFunction<Params, Result> = (
  params: Params,
  requester: Requester,
  signal: AbortSignal,
) => Promise<Result | undefined>;

/**
 * What a host does for tools that ask it during a call. A method that is absent does not work. A method returns `undefined` if no one
 * can be asked any more, and soon after its signal is aborted: then its result is not used.
 */
export interface HostApi {
  /** Puts a question to the user. */
  readonly ask?: HostFunction<Required<AskParams>, AskResult> | undefined;
  /** Decides whether an agent that the tool has started may make a call. */
  readonly permission?: HostFunction<PermissionParams, PermissionResult> | undefined;
  /** How long one request may take, in milliseconds. Default: 10 minutes. */
  readonly maxWaitMs?: number | undefined;
}

/** Whether calls of a tool may make requests, so that each needs a process of its own. */
export function makesRequests({ schema: { ikigai = {} } }: Pick<RegisteredTool, "schema">): boolean {
  const { host = [] } = ikigai;
  return hostMethods.some((method) => host.includes(method));
}

/**
 * Returns the methods that work in a call: those that its tool declares and the host has. None on other machines, where descriptor 3
 * does not reach, and none in a service.
 */
export function methodsFor({ schema, launcher }: RegisteredTool, api: HostApi = {}): HostMethod[] {
  const { host = [] } = schema.ikigai ?? {};
  if (launcher) return [];
  return hostMethods.filter((method) => host.includes(method) && api[method] !== undefined);
}
