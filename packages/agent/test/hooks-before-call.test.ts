// Promise 6 of SECURITY.md.
// @module-tag tables
import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { trust } from "@ikigai/core";
import type { Ask, Question } from "@ikigai/permission";
import { expect, test } from "vitest";
import { noticesIn, resultsIn, unansweredIn } from "./agent-setup.ts";
import { answers, callOf, hookedAgent } from "./hook-agent.ts";

const bash = { bash: `read -r args; : > "$PWD/ran"; printf '{"got": %s}' "$args"` };
const done = { text: "ok" };
const call = callOf("bash", { command: "echo hi" });

/** Asks, answers with `allow`, and keeps the questions. */
function asking(allow: boolean): { ask: Ask; questions: Question[] } {
  const questions: Question[] = [];
  const ask: Ask = async (question) => {
    questions.push(question);
    return { allow };
  };
  return { ask, questions };
}

test("exit 2 denies a call, with stderr as the reason", async () => {
  const one = await hookedAgent(bash);
  const path = one.hook("before-call/bash/10-guard", "echo no force >&2; exit 2");
  const { events } = await one.turn([call, done]);
  expect(resultsIn(events)[0]?.envelope).toMatchObject({
    error_code: "TOOL_DENIED",
    error: `Denied: the hook ${path} denies it: no force.`,
  });
  expect(existsSync(join(one.project, "ran"))).toBe(false);
  expect(one.runs()).toMatchObject([
    { event: "before-call", path, scope: "user", id: "c0", decision: "deny", reason: "no force" },
  ]);
  expect(unansweredIn(one)).toEqual([]);
});

test("a hook of another tool is not run", async () => {
  const one = await hookedAgent(bash);
  one.hook("before-call/glob/guard", "exit 2");
  one.hook("before-call/ba*/log", "cat > /dev/null");
  const { events } = await one.turn([call, done]);
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ tool_success: true });
  expect(one.runs()).toHaveLength(1);
});

test.each(["Bash", "BASH", "bash*", "Ba*"])("a guard in a directory called %s guards bash", async (directory) => {
  const one = await hookedAgent(bash);
  one.hook(`before-call/${directory}/guard`, "exit 2");
  const { events } = await one.turn([call, done]);
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ error_code: "TOOL_DENIED" });
});

test("a guard in the directory of a tool that does not exist is broken for the tool that is meant, or is reported", async () => {
  const one = await hookedAgent(bash);
  const path = one.hook("before-call/no_such_tool/guard", "exit 2");
  one.hook("before-call/mcp__server__*/guard", "exit 2");
  const allowed = await one.turn([call, done]);
  expect(resultsIn(allowed.events)[0]?.envelope).toMatchObject({ tool_success: true });
  expect(noticesIn(allowed.events)).toEqual([`The hook ${path} is not run: no tool is called no_such_tool.`]);
  one.hook("before-call/shell/guard", "exit 0");
  const { events } = await one.turn([call, done]);
  expect(resultsIn(events)[0]?.envelope).toMatchObject({
    error_code: "TOOL_DENIED",
    error: expect.stringContaining("is broken: no tool is called shell; rename its directory to bash"),
  });
});

test.each<[string, object, "deny" | "ask" | "allow"]>([
  ["ikigai's form", { decision: "deny", reason: "why" }, "deny"],
  ["ikigai's form", { decision: "ask", reason: "why" }, "ask"],
  ["ikigai's form", { decision: "allow" }, "allow"],
  [
    "Claude Code's form",
    {
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "why" },
    },
    "deny",
  ],
  ["Claude Code's form", { hookSpecificOutput: { permissionDecision: "ask", permissionDecisionReason: "why" } }, "ask"],
  ["Claude Code's form", { hookSpecificOutput: { permissionDecision: "allow" } }, "allow"],
  ["Claude Code's older form", { decision: "block", reason: "why" }, "deny"],
  ["Claude Code's older form", { decision: "approve" }, "allow"],
  [
    "both forms",
    { decision: "approve", hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "why" } },
    "deny",
  ],
])("a decision in %s counts: %j", async (_, answer, verdict) => {
  const one = await hookedAgent(bash);
  one.permission.mode = "ask";
  one.hook("before-call/guard", answers(answer));
  const { ask, questions } = asking(false);
  const { events } = await one.turn([call, done], { ask });
  expect(questions.map(({ reason }) => reason)).toEqual(verdict === "ask" ? [expect.stringContaining(": why")] : []);
  expect(resultsIn(events)[0]?.envelope.tool_success).toBe(verdict === "allow");
});

test.each<[string, string[], string]>([
  ["exits with 1", ["echo oops >&2; exit 1"], "exit 1: oops"],
  ["throws in Node", ["exec node -e 'throw new TypeError(\"oops\")'"], "exit 1: TypeError: oops"],
  ["is killed", ["kill -9 $$"], "killed by SIGKILL"],
  ["prints bad JSON", ["echo '{'"], "its answer is not a JSON object"],
  ["prints a list", ["echo '[]'"], "its answer is not a JSON object"],
  [
    "has an unknown decision",
    [answers({ decision: "Deny" })],
    'its "decision" must be "allow", "ask" or "deny", not "Deny"',
  ],
  [
    "has an unknown permissionDecision",
    [answers({ hookSpecificOutput: { permissionDecision: 1 } })],
    'its "permissionDecision" must be',
  ],
  ["has a text for an object", [answers({ hookSpecificOutput: "deny" })], 'its "hookSpecificOutput" is not an object'],
  ["changes the arguments to a text", [answers({ arguments: "x" })], 'its "arguments" must be an object'],
  [
    "answers for another event",
    [answers({ hookSpecificOutput: { hookEventName: "Stop" } })],
    'its "hookEventName" must be "PreToolUse"',
  ],
  [
    "has a field that does not exist",
    [answers({ decison: "deny", reason: "why" })],
    'its answer has the unknown field "decison"; did you mean "decision"?',
  ],
  [
    "has a field that Claude Code does not have",
    [answers({ hookSpecificOutput: { hookEventName: "PreToolUse", verdict: "deny" } })],
    'its answer has the unknown field "verdict"',
  ],
  [
    "answers one level too high",
    [answers({ permissionDecision: "deny" })],
    'its "permissionDecision" has no effect there; it belongs inside "hookSpecificOutput"',
  ],
  [
    "answers one level too low",
    [answers({ hookSpecificOutput: { decision: "deny" } })],
    'its "decision" has no effect there; it belongs outside "hookSpecificOutput"',
  ],
  ["has only a reason", [answers({ reason: "why" })], 'its answer has a reason, but no "decision"'],
  [
    "has only a permissionDecisionReason",
    [answers({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecisionReason: "why" } })],
    'its answer has a reason, but no "decision"',
  ],
  [
    "misspells the decision beside a known field",
    [answers({ suppressOutput: true, descision: "deny" })],
    'its answer has the unknown field "descision"; did you mean "decision"?',
  ],
  [
    "writes the decision with an underscore",
    [answers({ systemMessage: "why", permission_decision: "deny" })],
    'its answer has the unknown field "permission_decision"',
  ],
  [
    "continues and denies one level too high",
    [answers({ continue: true, permissionDecision: "deny" })],
    'its "permissionDecision" has no effect there; it belongs inside "hookSpecificOutput"',
  ],
  ["has a reason and null", [answers({ decision: null, reason: "why" })], 'its answer has a reason, but no "decision"'],
  [
    "only says why to stop",
    [answers({ stopReason: "why" })],
    'its answer has a "stopReason", but no "continue": false',
  ],
  ["logs before its answer", ["echo checking", answers({ decision: "deny" })], "it printed text around its answer"],
  [
    "prints a banner on the same line",
    [`printf '== guard == '`, answers({ decision: "deny" })],
    "it printed text around its answer",
  ],
  ["logs after its answer", [answers({ decision: "deny" }), "echo checked"], "its answer is not a JSON object"],
  ["floods stdout", ["exec yes"], "it printed more than 64 KiB"],
])("a guard that %s lets nothing through, in mode allow without a user", async (_, lines, why) => {
  const one = await hookedAgent(bash);
  const path = one.hook("before-call/guard", ...lines);
  const { events } = await one.turn([call, done]);
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ error_code: "TOOL_DENIED" });
  expect(JSON.stringify(resultsIn(events)[0]?.envelope)).toContain(
    JSON.stringify(`the hook ${path} is broken: ${why}`).slice(1, -1),
  );
  expect(existsSync(join(one.project, "ran"))).toBe(false);
});

test.each<[string, (path: string) => void, string]>([
  ["is not executable", (path) => chmodSync(path, 0o644), "it is not executable"],
  ["is empty", (path) => writeFileSync(path, ""), "it is empty"],
  [
    "is a dangling link",
    (path) => {
      rmSync(path);
      symlinkSync("gone", path);
    },
    "link target missing: gone",
  ],
])("a guard that %s asks the user, who may allow the call", async (_, harm, why) => {
  const one = await hookedAgent(bash);
  const path = one.hook("before-call/guard", "exit 0");
  harm(path);
  const { ask, questions } = asking(true);
  const { events } = await one.turn([call, done], { ask });
  expect(questions).toMatchObject([{ reason: expect.stringContaining(`the hook ${path} is broken: ${why}`) }]);
  // A rule would not help.
  expect(questions[0]?.rule).toBeUndefined();
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ tool_success: true });
});

test("a broken guard denies in mode deny", async () => {
  const one = await hookedAgent(bash);
  one.permission.mode = "deny";
  one.permission.rules = [{ verdict: "allow", rule: "bash" }];
  one.hook("before-call/guard", "exit 1");
  const { ask, questions } = asking(true);
  const { events } = await one.turn([call, done], { ask });
  expect(questions).toEqual([]);
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ error_code: "TOOL_DENIED" });
});

test("the strictest of several hooks wins, and the first refusal is the last run", async () => {
  const one = await hookedAgent(bash);
  one.hook("before-call/1", answers({ decision: "allow" }));
  one.hook("before-call/2", answers({ decision: "ask", reason: "second" }));
  one.hook("before-call/3", answers({ decision: "allow" }));
  const { ask, questions } = asking(true);
  await one.turn([call, done], { ask });
  expect(questions).toMatchObject([{ reason: expect.stringContaining("second") }]);
  one.hook("before-call/4", answers({ decision: "deny" }));
  one.hook("before-call/5", "exit 0");
  await one.turn([call, done], { ask });
  expect(questions).toHaveLength(1);
  expect(
    one
      .runs()
      .slice(3)
      .map(({ decision }) => decision),
  ).toEqual(["allow", "ask", "allow", "deny"]);
});

test("plain text on a guard's stdout has no effect, which one notice says, and null counts as absent", async () => {
  const one = await hookedAgent(bash);
  const path = one.hook("before-call/1-text", "echo DENY: this");
  one.hook("before-call/2-null", answers({ decision: null, arguments: null, continue: null }));
  one.hook("before-call/3-claude", answers({ continue: true, suppressOutput: true }));
  one.hook("before-call/4-empty", answers({}));
  const { events } = await one.turn([call, callOf("bash", { command: "echo hi" }, "c1"), done]);
  expect(resultsIn(events).map(({ envelope }) => envelope.tool_success)).toEqual([true, true]);
  expect(noticesIn(events)).toEqual([
    expect.stringMatching(`^The text that the hook ${path} prints has no effect. To deny`),
  ]);
});

test("the question, the run and the log have the changed arguments; the log keeps both", async () => {
  const one = await hookedAgent(bash);
  one.permission.mode = "ask";
  one.hook("before-call/1-change", answers({ arguments: { command: "echo changed" } }));
  one.hook("before-call/2-see", `cat > "$IKIGAI_PROJECT_DIR/seen"`);
  const { ask, questions } = asking(true);
  const { events } = await one.turn([call, done], { ask });
  expect(questions[0]?.call.arguments).toBe('{"command":"echo changed"}');
  expect(questions[0]?.rule).toBe("bash(echo changed)");
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ result: { got: { command: "echo changed" } } });
  expect(JSON.parse(readFileSync(join(one.project, "seen"), "utf8"))).toMatchObject({
    tool_input: { command: "echo changed" },
  });
  const log = one.log();
  expect(log.find(({ type }) => type === "tool_call")).toMatchObject({ arguments: '{"command":"echo hi"}' });
  expect(log.find(({ type }) => type === "tool_start")).toMatchObject({ arguments: '{"command":"echo changed"}' });
  expect(one.runs()[0]).toMatchObject({ arguments: '{"command":"echo changed"}' });
  expect(events.find(({ type }) => type === "tool_start")).toMatchObject({ arguments: '{"command":"echo changed"}' });
});

test("arguments that a hook repeats are not changed", async () => {
  const one = await hookedAgent(bash);
  one.hook("before-call/echo", answers({ hookSpecificOutput: { updatedInput: { command: "echo hi" } } }));
  await one.turn([call, done]);
  expect(one.log().find(({ type }) => type === "tool_start")).not.toHaveProperty("arguments");
});

test("a hook's context reaches the model with the result", async () => {
  const one = await hookedAgent(bash);
  one.hook("before-call/tell", answers({ context: "mind the gap" }));
  const { events } = await one.turn([call, done]);
  expect(resultsIn(events)[0]?.envelope).toMatchObject({
    tool_success: true,
    hook_context: "[hook before-call/tell]\nmind the gap",
  });
  expect(one.sent()[1]).toContain("mind the gap");
});

test("no hook is run for a call that is denied anyway", async () => {
  const one = await hookedAgent(bash);
  one.permission.rules = [{ verdict: "deny", rule: "bash" }];
  one.hook("before-call/guard", answers({ decision: "allow" }));
  const { events } = await one.turn([call, done]);
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ error_code: "TOOL_DENIED" });
  expect(one.runs()).toEqual([]);
});

test("`continue: false` denies the call and ends the turn with its reason", async () => {
  const one = await hookedAgent(bash);
  const path = one.hook("before-call/guard", answers({ continue: false, stopReason: "enough" }));
  const { end, events } = await one.turn([call, done]);
  expect(end).toMatchObject({
    reason: "failed",
    error: { code: "hook", message: `The hook ${path} ended the turn: enough.` },
  });
  expect(resultsIn(events)[0]?.envelope).toMatchObject({ error_code: "TOOL_DENIED" });
  expect(one.sent()).toHaveLength(1);
});

test("the project's hooks may refuse, but not allow or change arguments", async () => {
  const one = await hookedAgent(bash);
  one.permission.mode = "ask";
  const path = one.projectHook("before-call/lax", answers({ decision: "allow", arguments: { command: "evil" } }));
  await trust({ home: one.home, projectDir: one.project });
  const { ask, questions } = asking(true);
  const { events } = await one.turn([call, done], { ask });
  expect(questions[0]?.call.arguments).toBe('{"command":"echo hi"}');
  expect(noticesIn(events)).toEqual([
    `The project's hook ${path} cannot allow calls or change arguments: only your own hooks can.`,
  ]);
  one.projectHook("before-call/strict", "echo not here >&2; exit 2");
  await trust({ home: one.home, projectDir: one.project });
  const { events: later } = await one.turn([call, done], { ask });
  expect(JSON.stringify(resultsIn(later)[0]?.envelope)).toContain("denies it: not here");
});
