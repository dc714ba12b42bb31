// Starts tools before their calls have arrived, in the circumstances of the call: directory, limits, environment, sandbox. The call
// asks for the same circumstances, so that it can use the process that waits.

import { findTool, type RegisteredTool, type SandboxSettings } from "@ikigai/core";
import { type ExpectedCall, startAhead } from "@ikigai/core/internal";
import { hashTool } from "@ikigai/core/trust";
import { callDirectory, type Permission, type RunPlace, withAgreedNeeds, withOpenedHosts } from "@ikigai/permission";
import { type Conversation, stateDir } from "@ikigai/session";
import { jobsFor } from "../jobs/conversation-jobs.ts";
import type { AheadCalls, ToolRuns, TurnCallOptions } from "./turn-context.ts";
import { progressWithoutSecrets } from "./without-secrets.ts";

/** How many tools are started ahead; as many as can run at once. */
const maxAhead = 8;

/** How long sending a request takes, in milliseconds. Forking blocks the host for 3. */
const sendingMs = 2;

/**
 * If the model answers faster than this, in milliseconds, the next process is started immediately, because it may be needed
 * before it has started.
 */
const quickAnswerMs = 50;

/** What starting a tool depends on. */
type AheadOptions = ToolRuns & Pick<TurnCallOptions, "permission" | "emit" | "secrets">;

/** Starts tools ahead of their calls. A process is used only if it was started in the call's own circumstances. */
export function aheadCalls(options: AheadOptions, signal: AbortSignal, conversation: Conversation): AheadCalls {
  const known = new Map<string, ExpectedCall>();
  const circumstances: AheadCalls["circumstances"] = (id, tool, place = expectedPlace(tool, options.permission)) => {
    const key = `${id} ${place}`;
    const call = known.get(key) ?? { ...circumstancesOf(options, signal, conversation, { id, tool, place }), refill };
    known.set(key, call);
    return call;
  };
  const waiting = new Map<string, NonNullable<ReturnType<typeof startAhead>>>();
  const wanted: (() => void)[] = [];
  // By `process.uptime()`: `performance` would load a module of Node, just before the first request is sent.
  let askedAtMs = 0;
  /** Starts a process for a tool's next call at a time when nothing waits for the host. */
  const refill = (start: () => void) => {
    if (process.uptime() * 1_000 - askedAtMs < quickAnswerMs) setImmediate(start);
    else wanted.push(start);
  };
  return {
    circumstances,
    asked() {
      askedAtMs = process.uptime() * 1_000;
      for (const keep of wanted.splice(0)) setTimeout(keep, sendingMs);
    },
    start(id, name, registry) {
      const found = findTool(registry, name);
      const tool = found && withAgreedNeeds(found, options.permission);
      if (!tool || waiting.has(id) || waiting.size >= maxAhead) return;
      const ahead = startAhead(tool, { ...circumstances(id, tool), callId: id });
      if (ahead) waiting.set(id, ahead);
      // The log needs it when the call is made, and the model is still writing.
      void hashTool(tool.path);
    },
    take(id) {
      const ahead = waiting.get(id);
      waiting.delete(id);
      return ahead;
    },
    discard() {
      for (const ahead of waiting.values()) ahead.discard();
      waiting.clear();
      known.clear();
    },
  };
}

function circumstancesOf(
  {
    overflowDir,
    settingsFor,
    sandboxFor,
    permission,
    emit,
    spares,
    jobs,
    catalog,
    secrets = [],
    ...given
  }: AheadOptions,
  signal: AbortSignal,
  conversation: Conversation,
  { id, tool, place }: { readonly id: string; readonly tool: RegisteredTool; readonly place: RunPlace },
): ExpectedCall {
  const { projectDir, readableDirs } = permission;
  const settings = settingsFor?.(tool.name);
  const held = place === "outside" ? undefined : sandboxIn(place, sandboxFor?.(tool.name), readableDirs);
  const sandbox = held && place === "working" && asksForGit(tool, held) ? { ...held, asksForGit: true } : held;
  const env = toolEnvironment(tool, { ...given, permission });
  const mayGoOn = jobs?.jobs.mayLeave(tool, sandbox) === true;
  return {
    cwd: callDirectory(permission),
    projectDir,
    sessionId: conversation.id,
    stateDir: stateDir(conversation),
    ...(env && { env }),
    ...settings,
    timeoutMs: settings?.timeoutMs ?? (mayGoOn ? undefined : longTimeMs(tool)),
    sandbox,
    overflowDir,
    signal,
    spares,
    ...jobsFor(jobs),
    ...(catalog && { catalog }),
    onProgress: (progress) => emit({ type: "tool_progress", id, progress: progressWithoutSecrets(progress, secrets) }),
  };
}

/** Whether programs of a tool can ask to record work with git: where it runs commands, and git cannot write to the repository. */
function asksForGit({ scope, schema }: RegisteredTool, { door, git }: SandboxSettings): boolean {
  return scope === "system" && schema.ikigai?.access?.kind === "run-command" && door !== undefined && git !== true;
}

/** The environment of a tool: for one that checks files, with the user's settings for that; for web_fetch, with the hosts that rules open. */
function toolEnvironment(
  tool: RegisteredTool,
  { env, config, permission }: Pick<ToolRuns, "env" | "config"> & Pick<TurnCallOptions, "permission">,
) {
  const { diagnostics } = tool.schema.ikigai ?? {};
  if (!diagnostics || !config?.diagnostics) return withOpenedHosts(tool, env, permission);
  return { ...(env ?? process.env), IKIGAI_DIAGNOSTICS: JSON.stringify(config.diagnostics) };
}

/** How long a command may take that cannot go on as a job, in milliseconds: builds and tests take more than the protocol's 30 s. */
const commandTimeoutMs = 120_000;

function longTimeMs({ name }: RegisteredTool): number | undefined {
  return name === "bash" ? commandTimeoutMs : undefined;
}

/** Where most calls of a tool run. */
export function expectedPlace(tool: RegisteredTool, { mode, sandboxOf, readOnlyCommands }: Permission): RunPlace {
  const sandbox = sandboxOf?.(tool);
  if (sandbox === undefined) return "outside";
  if (mode === "plan") return "reading";
  if (sandbox === "on" || mode === "auto") return "working";
  return tool.schema.ikigai?.access?.kind === "run-command" && readOnlyCommands !== false ? "reading" : "outside";
}

/**
 * The sandbox of a place. Files that a tool may read without a question are visible in it, too.
 *
 * @throws Error without a sandbox: the call must not run outside instead.
 */
function sandboxIn(
  place: Exclude<RunPlace, "outside">,
  sandbox: SandboxSettings | undefined,
  readableDirs: readonly string[] = [],
): SandboxSettings {
  if (sandbox === undefined) throw new Error(`There is no sandbox for the place ${place}.`);
  const shown = { ...sandbox, readable: [...sandbox.readable, ...readableDirs] };
  if (place === "reading") return { ...shown, isReadOnly: true, network: false };
  return place === "committing" ? { ...shown, git: "committing", network: false, door: undefined } : shown;
}
