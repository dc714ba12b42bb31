// Git in the sandbox, where the repository is read-only: commands that only record work run where git can write to it. In order: whether a
// call can, which is known before it is judged; then the git commands of programs that run, each as a call of its own.

import type { RegisteredTool } from "@ikigai/core";
import { executeCall, hostCallId, prepareCall } from "@ikigai/core/internal";
import { callDirectory, factsOf, gitUseOf, judge, type PendingCall } from "@ikigai/permission";
import { commitProblem, keepIndex } from "@ikigai/sandbox";
import { isInside, realPathOf, shellWord, userHome } from "@ikigai/system";
import type { CallContext, CommitGit } from "./turn-context.ts";

/** A call, and whether git can record work in the sandbox, if that is what it does. */
export async function withGitCheck(
  { permission, env = process.env, sandboxFor }: Pick<CallContext, "permission" | "env" | "sandboxFor">,
  call: PendingCall,
  tool: RegisteredTool,
): Promise<PendingCall> {
  if (gitUseOf(factsOf(call, tool, permission), permission) !== "commits") return call;
  const { projectDir, directories = [], home } = permission;
  const { writable = [] } = sandboxFor?.(tool.name) ?? {};
  const scene = { projectDir, home, userHome: userHome() ?? "/", env, writable: [...directories, ...writable] };
  return { ...call, gitProblem: (await commitProblem(scene)) ?? "" };
}

/** What running git for a program needs of a turn. */
type CommittingTurn = Pick<CallContext, "permission" | "env" | "sandboxFor" | "ahead" | "signal">;

/** What a program asks for. */
interface GitRequest {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Who commits, and when. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Returns what runs git for the programs of a call, one command after the other. Each is judged as a call of nothing but it would be in
 * the mode `auto`: by its words, which no shell has to be read for. The answer has the `output` and the `exit_code` of git, or says why
 * it was `refused`; neither, if git can run it where the program is.
 */
export function gitCommitter(turn: CommittingTurn, { id, tool }: { id: string; tool: RegisteredTool }): CommitGit {
  let last: Promise<unknown> = Promise.resolve();
  return (asked, signal) => {
    const answer = last.then(() => commitOne(turn, { id, tool, signal }, asked)).catch(() => ({}));
    last = answer;
    return answer;
  };
}

async function commitOne(
  turn: CommittingTurn,
  { id, tool, signal }: { readonly id: string; readonly tool: RegisteredTool; readonly signal: AbortSignal },
  asked: Parameters<CommitGit>[0],
): Promise<object> {
  const request = readRequest(asked);
  const project = realPathOf(turn.permission.projectDir);
  if (request === undefined || signal.aborted || !isInside(realPathOf(request.cwd), project)) return {};
  const { mode } = turn.permission;
  if (mode === "plan" || mode === "deny") return { refused: `the permission mode is ${mode}` };
  const permission = { ...turn.permission, mode: "auto" as const };
  const directory = request.cwd === callDirectory(turn.permission) ? "" : `cd ${shellWord(request.cwd)} && `;
  const command = `${directory}git ${request.args.map(shellWord).join(" ")}`;
  const value = { command };
  const written = { id, name: tool.name, arguments: JSON.stringify(value), value };
  const call = await withGitCheck({ ...turn, permission }, written, tool);
  if (call.gitProblem === undefined) return {};
  if (call.gitProblem !== "") return { refused: call.gitProblem };
  const { decision, place } = judge(call, tool, permission);
  if (decision.verdict !== "allow" || place !== "committing")
    return { refused: `${decision.reason ?? "a rule requires a question"}, so it must be a call of its own` };
  const circumstances = turn.ahead.circumstances(id, tool, "committing");
  const prepared = prepareCall(tool, JSON.stringify(value), {
    ...circumstances,
    callId: hostCallId("git"),
    env: { ...(circumstances.env ?? process.env), ...request.env },
    signal: AbortSignal.any([turn.signal, signal]),
  });
  const checkIndex = keepIndex(turn.permission.projectDir);
  const { envelope } = await executeCall(prepared);
  const problem = checkIndex();
  if (!envelope.tool_success) return { refused: envelope.error };
  const { output = "", exit_code } = envelope.result;
  return { output: problem === undefined ? output : `${output}${problem}\n`, exit_code: exit_code ?? 1 };
}

/** Returns a request of the form that programs send; `undefined` for another. */
function readRequest({ args, cwd, env }: Parameters<CommitGit>[0]): GitRequest | undefined {
  const isText = (value: unknown): value is string => typeof value === "string" && !value.includes("\0");
  if (!Array.isArray(args) || !args.every(isText) || !isText(cwd) || typeof env !== "object") return undefined;
  const who = Object.entries(env ?? {}).filter((entry): entry is [string, string] => isText(entry[1]));
  return { args, cwd, env: Object.fromEntries(who.filter(([name]) => /^GIT_(?:AUTHOR|COMMITTER)_[A-Z]+$/.test(name))) };
}
