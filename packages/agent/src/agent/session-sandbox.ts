// The sandbox of a conversation. In order: the one that a machine has, if the user has turned it neither on nor off; then its network, whose
// door asks the rules and the user about each host. The sandbox holds what runs without a question, so that a person has to decide about
// little: where it can change the project, a conversation starts in the mode `auto`. Whether it starts is checked once, in the background: a
// start does not wait for it. Without it, calls are asked about.

import type { RegisteredTool, SandboxSettings } from "@ikigai/core";
import { sandboxProblem } from "@ikigai/core/internal";
import { asSentence } from "@ikigai/models";
import {
  hostRuleFor,
  hostText,
  localPorts,
  type Permission,
  pathRulesIn,
  type SandboxUse,
  type WantedHost,
} from "@ikigai/permission";
import { type HostTraffic, type NetworkOptions, placeProblem, sessionNetwork, whyNoSandbox } from "@ikigai/sandbox";
import { findProgram, isLinux } from "@ikigai/system";
import type { ToolRules } from "../config/tool-settings.ts";
import type { CallEnd, CallNetwork, CommitGit, NetworkedCall } from "../turn/turn-context.ts";

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
 * Whether an offered sandbox can hold the calls of a tool. Not those of another's service, which mostly leads to a server elsewhere, nor
 * of ikigai's own tools that neither run commands nor touch files.
 */
function isHeld({ scope, schema }: RegisteredTool): boolean {
  const { access, service } = schema.ikigai ?? {};
  return scope === "system" ? access !== undefined : service === undefined;
}

/*
 * The network of a conversation's sandboxes. Linux only: without it, `network` in the settings is the machine's own. Its door asks the
 * rules about each host; about one that no rule decides, the user is asked, during the call that wants it. What is answered once holds for that host until the call ends, so that a program that tries again, or
 * opens ten connections, asks once. Without a user the host is refused, and the rule is named.
 */

/** A conversation's network, and the rules for its tools, which join it. */
export interface NetworkOfSession extends CallNetwork {
  /** What went through the door so far. */
  traffic(): readonly HostTraffic[];
  readonly rules: ToolRules;
}

type HostAnswer = Awaited<ReturnType<NonNullable<NetworkOptions["decide"]>>>;

/** A call that runs, and what has been answered during it, by host and where it leads. */
interface RunningCall extends NetworkedCall {
  readonly answers: Map<string, Promise<HostAnswer>>;
  /** The hosts that the user is asked about now. */
  readonly open: Set<string>;
  readonly ended: AbortController;
}

/** Opens the network. Nothing starts before the first call that can use it. */
export function openNetwork(
  rules: ToolRules,
  permission: Pick<Permission, "rules" | "limits" | "mode" | "directories">,
  { env, allowAdvice }: { readonly env: NodeJS.ProcessEnv; readonly allowAdvice?: (rule: string) => string },
): NetworkOfSession {
  const running = new Set<RunningCall>();
  // By the tool's name: a job continues when its call has ended, and may then ask what a later call may.
  const committers = new Map<string, CommitGit>();
  const network = sessionNetwork({
    env,
    localPorts: () => localPorts(permission),
    // What a tool needs or is granted comes last, and like an answer to a question it opens no private address.
    ruleFor(target, hosts) {
      const opened = [...hosts, ...(rules.sandboxFor(target.tool)?.network ? ["*"] : [])];
      const needed = opened.map((host) => ({ verdict: "allow" as const, rule: `host(${host})` }));
      const need = hostRuleFor(target, { rules: needed });
      return hostRuleFor(target, permission) ?? (need && { ...need, isSpelled: false });
    },
    async decide(target, signal) {
      const own = [...running].filter(({ tool }) => tool.name === target.tool);
      // The processes of some tools do not know their call: then it is the latest.
      const call = own.find(({ processId }) => processId === target.call) ?? own.at(-1);
      const host = hostText(target);
      const { near = "" } = target;
      if (call?.mayReach?.(host) && near === "") return { allow: true };
      if (!call?.ask || permission.mode === "deny") return undefined;
      const key = `${host} ${near}`;
      const known = call.answers.get(key);
      if (known) return known;
      call.open.add(host);
      const asked = answerFor(target, call, permission, signal).finally(() => call.open.delete(host));
      call.answers.set(key, asked);
      return asked;
    },
    ...(allowAdvice && { advice: allowAdvice }),
    async answerOwn({ tool }, path, request, signal) {
      return path === "/git" ? committers.get(tool)?.(request, signal) : undefined;
    },
  });
  const newProblem = problemOnce(network);
  return {
    traffic: network.traffic,
    callStarts(call) {
      const one: RunningCall = { ...call, answers: new Map(), open: new Set(), ended: new AbortController() };
      const before = network.traffic();
      running.add(one);
      if (call.commitGit) committers.set(call.tool.name, call.commitGit);
      return () => {
        running.delete(one);
        const end = endOf(before, network.traffic(), one);
        one.ended.abort();
        return { ...end, ...newProblem() };
      };
    },
    rules: joinedRules(rules, permission, network),
  };
}

/** Returns what says, the first time only, why calls have no network. */
function problemOnce(network: ReturnType<typeof sessionNetwork>): () => { readonly notice?: string } {
  let isTold = false;
  return () => {
    const entrance = network.entrance();
    if (isTold || !entrance || !("problem" in entrance)) return {};
    isTold = true;
    return { notice: `Calls in the sandbox have no network: ${entrance.problem}. More: ikigai doctor` };
  };
}

/** Rules whose sandboxes have this network, and what the rules of the conversation say about places. */
function joinedRules(
  rules: ToolRules,
  permission: Pick<Permission, "rules" | "limits" | "directories">,
  door: SandboxSettings["door"],
): ToolRules {
  // Rules about places and directories may have been added since the last call; those of the agents above this one come first.
  const pathRules = () => pathRulesIn([...(permission.limits ?? []), permission].flatMap(({ rules: own }) => own));
  const joined = (sandbox: SandboxSettings | undefined) =>
    sandbox && { ...sandbox, door, pathRules: pathRules(), directories: permission.directories };
  return {
    ...rules,
    settingsFor: (name) => {
      const settings = rules.settingsFor(name);
      return { ...settings, sandbox: joined(settings.sandbox) };
    },
    sandboxFor: (name) => joined(rules.sandboxFor(name)),
    get sandbox() {
      return joined(rules.sandbox);
    },
  };
}

/** Asks about a host. An earlier question may have decided it when it is the turn of this one. */
async function answerFor(
  target: WantedHost & { readonly near?: string | undefined },
  { ask, ended }: RunningCall,
  permission: Pick<Permission, "rules" | "limits">,
  timeUp: AbortSignal,
): Promise<HostAnswer> {
  const known = () => {
    const verdict = hostRuleFor(target, permission)?.verdict;
    if (verdict === "allow") return { allow: true } as const;
    return verdict === "deny" ? ({ allow: false, why: "a rule denies it" } as const) : undefined;
  };
  const asked = { host: hostText(target), near: target.near };
  const answer = await ask?.(asked, () => known() !== undefined, AbortSignal.any([timeUp, ended.signal]));
  const decided = known();
  if (decided) return decided;
  if (answer === undefined) return { allow: false, why: "the user did not answer in time" };
  if (answer.allow) return { allow: true };
  if (answer.isUnasked) return undefined;
  const words = answer.words?.trim();
  return { allow: false, why: words ? `the user denied it and says: ${words}` : "the user denied it" };
}

/** What went through the door during a call. Where the processes of a tool do not know their call, it is what the tool did meanwhile. */
function endOf(
  before: readonly HostTraffic[],
  after: readonly HostTraffic[],
  { tool, processId, open }: RunningCall,
): CallEnd {
  const key = ({ call, host, port }: HostTraffic) => JSON.stringify([call, host, port]);
  const isOwn = (one: HostTraffic) => one.tool === tool.name && (one.call === undefined || one.call === processId);
  const earlier = new Map(before.filter(isOwn).map((one) => [key(one), one]));
  const reached = after.filter(isOwn).flatMap((one) => {
    const { sent = 0, received = 0, connections = 0, refusals = 0 } = earlier.get(key(one)) ?? {};
    const isRefused = (one.refusals ?? 0) > refusals;
    if (!isRefused && one.connections === connections) return [];
    const bytes = { sent: one.sent - sent, received: one.received - received };
    return [{ host: hostText(one), ...bytes, ...(isRefused && { refused: one.refused }) }];
  });
  // The call's own time was up first.
  const unanswered = [...open].map((host) => {
    return { host, sent: 0, received: 0, refused: `host ${host}: asked, not answered before the call ended` };
  });
  const hosts = [...reached, ...unanswered];
  const refused = hosts.flatMap((one) => (one.refused === undefined ? [] : [one.refused]));
  if (refused.length === 0) return { hosts };
  return { hosts, advice: `${asSentence(refused.join("; "))} Only the user can allow a host.` };
}
