// Promise 5 of SECURITY.md.
import { rmdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Answer, Ask, PermissionRule, Question, RulePlace } from "@ikigai/permission";
import { expect, test } from "vitest";
import { agent, noticesIn, resultsIn, unansweredIn } from "./agent-setup.ts";
import { modelServer } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const bash = (...commands: string[]) => ({
  calls: commands.map((command, n) => ({ id: `c${n}`, name: "bash", arguments: JSON.stringify({ command }) })),
});

/** A user with prepared answers, in order. */
function user(...answers: Answer[]): { ask: Ask; questions: Question[]; open(): number } {
  const questions: Question[] = [];
  let open = 0;
  const ask: Ask = async (question) => {
    questions.push(question);
    expect(++open).toBe(1);
    await setTimeout(10);
    open--;
    return answers[questions.length - 1] ?? { allow: false };
  };
  return { ask, questions, open: () => open };
}

async function asking(...commands: string[]) {
  const one = await agent({ bash: "cat", file_write: "cat" });
  one.permission.mode = "ask";
  const server = await modelServer(bash(...commands), { text: "ok" });
  return { ...one, one, server, model: await modelOf(providers[0], server.url) };
}

test("asks with what will run, one question at a time, in the order of the calls", async () => {
  const { say, model } = await asking("one", "two");
  const { ask, questions } = user({ allow: true }, { allow: true });
  const { events } = await say(model, "go", { ask });
  expect(questions.map(({ call, rule, reason }) => [call.arguments, rule, reason])).toEqual([
    ['{"command":"one"}', "bash(one)", "the mode is ask"],
    ['{"command":"two"}', "bash(two)", "the mode is ask"],
  ]);
  expect(resultsIn(events).every(({ envelope }) => envelope.tool_success)).toBe(true);
});

test("passes the user's words on a denial to the model, and runs the other calls", async () => {
  const { say, model, one } = await asking("one", "two", "three");
  const { ask } = user({ allow: false, words: "use npm instead" }, { allow: true }, { allow: false });
  const { end, events } = await say(model, "go", { ask });
  const byId = Object.fromEntries(resultsIn(events).map(({ id, envelope }) => [id, envelope]));
  expect(byId).toMatchObject({
    c0: { tool_success: false, error_code: "TOOL_DENIED", error: expect.stringContaining("use npm instead") },
    c1: { tool_success: true },
    c2: { tool_success: false, error_code: "TOOL_DENIED" },
  });
  expect([end.reason, unansweredIn(one)]).toEqual(["done", []]);
});

test("does not ask again about a remembered call, and saves the rule if requested", async () => {
  const { say, model, permission } = await asking("same", "same", "other", "other");
  const saved: [PermissionRule, RulePlace][] = [];
  const { ask, questions } = user({ allow: true, remember: "session" }, { allow: true, remember: "project" });
  await say(model, "go", { ask, saveRule: async (...rule) => void saved.push(rule) });
  expect(questions.map(({ rule }) => rule)).toEqual(["bash(same)", "bash(other)"]);
  expect(saved).toEqual([[{ verdict: "allow", rule: "bash(other)" }, "project"]]);
  expect(permission.rules).toHaveLength(2);
});

test("remembers a command literally, including its stars", async () => {
  const { say, model, permission } = await asking("rm *.tmp");
  await say(model, "go", { ask: user({ allow: true, remember: "session" }).ask });
  expect(permission.rules).toEqual([{ verdict: "allow", rule: "bash(rm \\*.tmp)" }]);
});

test("puts a remembered rule below the last deny rule, and says which rule above it still asks", async () => {
  const { say, model, permission } = await asking("git status -x", "make", "git push; make");
  const given: PermissionRule[] = [
    { verdict: "ask", rule: "bash(git *)" },
    { verdict: "deny", rule: "bash(git push*)" },
    { verdict: "ask", rule: "bash(make*)" },
  ];
  permission.rules.push(...given);
  const { ask } = user({ allow: true, remember: "everywhere" }, { allow: true, remember: "session" });
  const { events } = await say(model, "go", { ask, saveRule: async () => {} });
  expect(permission.rules).toEqual([
    ...given.slice(0, 2),
    { verdict: "allow", rule: "bash(make)" },
    { verdict: "allow", rule: "bash(git status -x)" },
    ...given.slice(2),
  ]);
  expect(noticesIn(events)).toEqual(["Added below `ask bash(git *)`, which still asks."]);
  const denied = resultsIn(events).filter(({ envelope }) => !envelope.tool_success);
  expect(denied.map(({ id }) => id)).toEqual(["c2"]);
});

test("says that a deny rule that might apply still asks about a remembered call", async () => {
  const { say, model, permission } = await asking("echo rm it", "echo rm it");
  permission.rules.push({ verdict: "deny", rule: "bash(rm *)" });
  const { ask, questions } = user({ allow: true, remember: "session" }, { allow: true });
  const { events } = await say(model, "go", { ask });
  expect(questions).toHaveLength(2);
  expect(noticesIn(events)).toEqual([
    "Added below `deny bash(rm *)`, which might apply to this call, so ikigai still asks.",
  ]);
});

test("denies without a user, and names the rule that would allow it", async () => {
  const { say, model } = await asking("npm test");
  const { events } = await say(model, "go");
  expect(resultsIn(events)[0]?.envelope).toMatchObject({
    error_code: "TOOL_DENIED",
    error: expect.stringContaining("To allow it: the rule bash(npm test)"),
  });
});

test("ends the turn when it is stopped during a question that is never answered", async () => {
  const { say, model, one } = await asking("one", "two");
  const controller = new AbortController();
  const ask: Ask = () => {
    controller.abort();
    return new Promise(() => {});
  };
  const { end } = await say(model, "go", { ask, signal: controller.signal });
  expect([end.reason, unansweredIn(one)]).toEqual(["interrupted", []]);
});

test("shows the real path of a file, and never remembers a protected one", async () => {
  const one = await agent({ file_write: "cat" }, { "real/": "", link: { link: "real" } });
  const write = (path: string) => ({
    id: path,
    name: "file_write",
    arguments: JSON.stringify({ file_path: path, content: "" }),
  });
  const server = await modelServer({ calls: [write("link/new"), write(".git/hooks/x")] }, { text: "ok" });
  one.permission.mode = "ask";
  const { ask, questions } = user({ allow: true }, { allow: true, remember: "everywhere" });
  await one.say(await modelOf(providers[0], server.url), "go", { ask });
  expect(questions.map(({ realPath, rule }) => [realPath, rule])).toEqual([
    [`${one.project}/real/new`, "file_write(real/new)"],
    [`${one.project}/.git/hooks/x`, undefined],
  ]);
  expect(one.permission.rules).toEqual([]);
});

test("runs nothing if a path leads elsewhere than when the user was asked", async () => {
  const one = await agent({ file_write: "cat" }, { "dir/": "", "other/": "" });
  const args = JSON.stringify({ file_path: "dir/new", content: "" });
  const server = await modelServer({ calls: [{ id: "c0", name: "file_write", arguments: args }] }, { text: "ok" });
  one.permission.mode = "ask";
  const ask: Ask = async () => {
    rmdirSync(join(one.project, "dir"));
    symlinkSync("other", join(one.project, "dir"));
    return { allow: true, remember: "session" };
  };
  const { events } = await one.say(await modelOf(providers[0], server.url), "go", { ask });
  expect(resultsIn(events)).toMatchObject([
    { envelope: { error_code: "TOOL_DENIED", error: expect.stringContaining("other/new by now") } },
  ]);
  expect(one.permission.rules).toEqual([]);
});
