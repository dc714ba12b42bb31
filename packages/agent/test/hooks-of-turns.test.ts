// Promise 6 of SECURITY.md.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endSession } from "../src/agent/open-agent.ts";
import type { UserInput } from "../src/turn/agent-event.ts";
import { noticesIn, readSessionMessages, resultsIn } from "./agent-setup.ts";
import { answers, callOf, hookedAgent } from "./hook-agent.ts";

const bash = { bash: `cat > /dev/null; echo '{"output": "hi"}'` };
const done = { text: "ok" };
const call = callOf("bash", { command: "x" });

test.each<[string, string, string]>([
  ["refuses a message", "echo not today >&2; exit 2", "refused the message: not today."],
  ["ends the turn", answers({ continue: false, stopReason: "enough" }), "ended the turn: enough."],
])("a prompt hook %s: no request is sent and nothing is kept", async (_, line, what) => {
  const one = await hookedAgent(bash);
  const path = one.hook("prompt/guard", line);
  const { end, events } = await one.turn([done]);
  expect(end).toMatchObject({
    reason: "failed",
    error: { code: "hook", message: `The hook ${path} ${what}` },
  });
  expect(one.sent()).toEqual([]);
  expect(one.conversation.messages).toEqual([]);
  expect(events.map(({ type }) => type)).toEqual(["turn_end"]);
});

test.each<[boolean | undefined, number]>([
  [undefined, 0],
  [false, 0],
  [true, 1],
])("a broken prompt hook is a question; with the answer %s, %i requests are sent", async (answer, requests) => {
  const one = await hookedAgent(bash);
  const path = one.hook("prompt/guard", "exit 3");
  const asked: string[] = [];
  const confirm = async ({ why }: { readonly why: string }) => {
    asked.push(why);
    return answer === true;
  };
  const { end } = await one.turn([done], answer === undefined ? {} : { confirm });
  expect(asked).toEqual(answer === undefined ? [] : [`The hook ${path} is broken: exit 3.`]);
  expect(one.sent()).toHaveLength(requests);
  expect(end.reason).toBe(requests > 0 ? "done" : "failed");
  const why = answer === undefined ? `The hook ${path} is broken: exit 3. ` : "";
  expect(end.error?.message).toBe(requests > 0 ? undefined : `${why}The message was not sent.`);
});

test("context of session-start and prompt hooks goes to the model with the message, and survives a resume", async () => {
  const one = await hookedAgent(bash);
  one.hook("session-start/branch", "echo on main");
  one.hook("prompt/a", "echo plain text");
  one.hook(
    "prompt/b",
    answers({ hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "as JSON" } }),
  );
  await one.turn([done]);
  await one.turn([done]);
  const [request = ""] = one.sent();
  expect(request.match(/on main/g)).toHaveLength(1);
  expect(request.match(/plain text/g)).toHaveLength(2);
  expect(request).toContain("as JSON");
  expect(one.log().find(({ type }) => type === "user")).toMatchObject({
    text: "go",
    context: expect.stringContaining("on main"),
  });
  expect(readSessionMessages(one)).toEqual(one.conversation.messages);
});

test("session-end hooks are run once, and only after a message", async () => {
  const one = await hookedAgent(bash);
  one.hook("session-end/count", 'echo over >> "$IKIGAI_PROJECT_DIR/ends"');
  const end = () => endSession({ ...one, secrets: [] }, "other");
  await end();
  expect(existsSync(join(one.project, "ends"))).toBe(false);
  await one.turn([done]);
  await Promise.all([end(), end()]);
  expect(readFileSync(join(one.project, "ends"), "utf8")).toBe("over\n");
});

test("10,000 characters of context are added, and no more", async () => {
  const one = await hookedAgent(bash);
  one.hook("prompt/long", "head -c 10000 /dev/zero | tr '\\0' a");
  one.hook("prompt/longer", "head -c 10001 /dev/zero | tr '\\0' b");
  await one.turn([done]);
  const [request = ""] = one.sent();
  expect(request).toContain("a".repeat(10_000));
  expect(request).toContain(`${"b".repeat(10_000)}\\n[1 more characters were left out.]`);
});

test("steering messages pass the prompt hooks, too", async () => {
  const one = await hookedAgent(bash);
  one.hook("prompt/guard", `read -r input; case $input in *'"prompt":"bad"'*) echo no >&2; exit 2;; esac`);
  let queued = [{ text: "bad" }, { text: "good" }];
  const notSent: UserInput[] = [];
  const { events } = await one.turn([call, done], {
    takeSteering: () => queued.splice(0),
    notSent: (input) => notSent.push(input),
  });
  queued = [];
  expect(notSent).toEqual([{ text: "bad" }]);
  expect(noticesIn(events)).toEqual([expect.stringContaining("refused the message: no.")]);
  expect(one.sent()[1]).toContain("good");
  expect(one.sent()[1]).not.toContain('"bad"');
});

test("what an after-call hook says reaches the model with the result", async () => {
  const one = await hookedAgent(bash);
  one.hook("after-call/bash/1-note", `cat > "$IKIGAI_PROJECT_DIR/seen"`, answers({ context: "note" }));
  one.hook("after-call/bash/2-check", "echo 'a.ts:1 error' >&2; exit 2");
  one.hook("after-call/bash/3-block", answers({ decision: "block", reason: "blocked" }));
  const { events } = await one.turn([call, done]);
  const text =
    "[hook after-call/bash/1-note]\nnote\n\n[hook after-call/bash/2-check]\na.ts:1 error\n\n[hook after-call/bash/3-block]\nblocked";
  expect(resultsIn(events)[0]?.envelope).toEqual({ tool_success: true, result: { output: "hi" }, hook_context: text });
  expect(one.sent()[1]).toContain("a.ts:1 error");
  expect(JSON.parse(readFileSync(join(one.project, "seen"), "utf8"))).toMatchObject({
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_input: { command: "x" },
    tool_response: { output: "hi" },
    duration_ms: expect.any(Number),
  });
  expect(readSessionMessages(one)).toEqual(one.conversation.messages);
});

test("a broken after-call hook is reported once, and the result stays", async () => {
  const one = await hookedAgent(bash);
  const path = one.hook("after-call/check", "exit 1");
  const { events } = await one.turn([call, callOf("bash", { command: "y" }, "c1"), done]);
  expect(noticesIn(events)).toEqual([`The hook ${path} is broken: exit 1.`]);
  expect(resultsIn(events).every(({ envelope }) => envelope.tool_success)).toBe(true);
});

test("a hook's message is for the user", async () => {
  const one = await hookedAgent(bash);
  const path = one.hook("after-call/tell", answers({ systemMessage: "look" }));
  const { events } = await one.turn([call, done]);
  expect(noticesIn(events)).toEqual([`${path}: look`]);
  expect(one.sent()[1]).not.toContain("look");
});

test("`continue: false` after a call ends the turn", async () => {
  const one = await hookedAgent(bash);
  one.hook("after-call/end", answers({ continue: false, stopReason: "enough" }));
  const { end, events } = await one.turn([call, done]);
  expect(end.error).toMatchObject({ code: "hook", message: expect.stringContaining("enough") });
  expect(resultsIn(events)[0]?.envelope.tool_success).toBe(true);
});

test.each<[string, string[]]>([
  ["exit 2", ["echo tests fail >&2; exit 2"]],
  ["block", [answers({ decision: "block", reason: "tests fail" })]],
  ["go_on", [answers({ go_on: true, reason: "tests fail" })]],
])("a stop hook has the turn continued by %s, at most 3 times", async (_, lines) => {
  const one = await hookedAgent(bash);
  one.hook("stop/check", `cat >> "$IKIGAI_PROJECT_DIR/inputs"`, ...lines);
  const { end, events } = await one.turn([{ text: "a" }, { text: "b" }, { text: "c" }, { text: "d" }, { text: "e" }]);
  expect(end).toMatchObject({ reason: "done", steps: 4, text: "d" });
  const inputs = readFileSync(join(one.project, "inputs"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(inputs.map((input) => [input.stop_hook_active, input.last_assistant_message])).toEqual([
    [false, "a"],
    [true, "b"],
    [true, "c"],
    [true, "d"],
  ]);
  expect(one.sent()[1]).toContain("tests fail");
  expect(noticesIn(events).at(-1)).toContain("hooks may do that 3 times a turn");
  expect(readSessionMessages(one)).toEqual(one.conversation.messages);
});

test("a stop hook without an opinion lets the turn end", async () => {
  const one = await hookedAgent(bash);
  one.hook("stop/quiet", "cat > /dev/null");
  expect((await one.turn([done])).end).toMatchObject({ reason: "done", steps: 1 });
});

test("a question hook notifies and never delays the question", async () => {
  const one = await hookedAgent(bash);
  one.permission.mode = "ask";
  const seen = join(one.project, "seen");
  one.hook("question/bell", `cat > ${seen}.tmp; mv ${seen}.tmp ${seen}; sleep 600`);
  const controller = new AbortController();
  const { end } = await one.turn([call, done], {
    signal: controller.signal,
    async ask() {
      await expect.poll(() => existsSync(seen), { timeout: 20_000 }).toBe(true);
      return { allow: true };
    },
  });
  expect(end.reason).toBe("done");
  controller.abort();
  expect(JSON.parse(readFileSync(seen, "utf8"))).toMatchObject({
    hook_event_name: "Notification",
    message: "ikigai needs your permission to use bash",
    notification_type: "permission_prompt",
  });
});

test("hooks get Claude Code's fields first, then ikigai's own", async () => {
  const one = await hookedAgent(bash);
  for (const event of ["session-start", "prompt", "before-call", "stop"])
    one.hook(`${event}/see`, `cat > "$IKIGAI_PROJECT_DIR/${event}"`);
  await one.turn([call, done]);
  const inputOf = (event: string) => JSON.parse(readFileSync(join(one.project, event), "utf8"));
  const { id, log } = one.conversation;
  const common = { session_id: id, transcript_path: log.path, cwd: one.project };
  const mode = { permission_mode: "bypassPermissions" };
  const expectInput = (event: string, hook_event_name: string, fields: object, own: object = {}) =>
    expect(inputOf(event)).toEqual({ ...common, hook_event_name, ...fields, ikigai: { event, ...own } });
  expectInput("session-start", "SessionStart", { source: "startup" });
  expectInput("prompt", "UserPromptSubmit", { ...mode, prompt: "go" });
  expectInput(
    "before-call",
    "PreToolUse",
    { ...mode, tool_name: "Bash", tool_input: { command: "x" }, tool_use_id: "c0" },
    { tool: "bash", tool_path: join(one.home, "tools/bash-tool"), tool_scope: "user", verdict: "allow" },
  );
  expect(inputOf("stop")).toMatchObject({ stop_hook_active: false, last_assistant_message: "ok" });
  expect(Object.keys(inputOf("before-call")).at(-1)).toBe("ikigai");
});

test("a before-compact hook says what the summary must keep, or prevents it", async () => {
  const one = await hookedAgent(bash);
  const long = "one two three ".repeat(2_000);
  await one.turn([{ text: long, inputTokens: 7_500 }]);
  one.hook("before-compact/keep", `cat > "$IKIGAI_PROJECT_DIR/got"`, "echo the port is 4711");
  const path = one.hook("before-compact/veto", "echo not now >&2; exit 2");
  const window = { contextWindow: () => 8_000 };
  const refused = await one.turn([{ text: "ok", inputTokens: 7_500 }], window);
  expect(noticesIn(refused.events)).toContain(`The hook ${path} prevented the summary: not now.`);
  expect(JSON.parse(readFileSync(join(one.project, "got"), "utf8"))).toMatchObject({
    hook_event_name: "PreCompact",
    trigger: "auto",
    custom_instructions: "",
  });
  rmSync(path);
  await one.turn([{ text: "They counted." }, done], window);
  expect(one.sent()[0]).toContain("Above all keep: the port is 4711");
});
