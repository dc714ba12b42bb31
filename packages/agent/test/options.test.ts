import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { verdictOn } from "../../permission/test/decide-call.ts";
import { type AgentOptions, createAgent, query } from "../src/index.ts";
import { endOf, eventsOf, touches, world } from "./agent-world.ts";

const allowingRule = { verdict: "allow", rule: "bash" };

test.each<[unknown, string]>([
  [null, "Expected the options to be an object, got null."],
  [
    { permission: { rules: [{ verdict: "Deny", rule: "bash" }] } },
    'Expected "permission.rules[0].verdict" to be "allow" or "ask" or "deny", got "Deny".',
  ],
  [{ permission: { rules: [allowingRule, { verdict: "block", rule: "bash" }] } }, '"permission.rules[1].verdict"'],
  [
    { permission: { rules: [{ deny: "bash" }] } },
    '"permission.rules[0].verdict" to be "allow" or "ask" or "deny", got undefined.',
  ],
  [
    { permission: { rules: [{ verdict: "deny" }] } },
    'Expected "permission.rules[0].rule" to be non-empty text, got undefined.',
  ],
  [{ permission: { rules: ["bash"] } }, 'Expected "permission.rules[0]" to be an object like { verdict: "allow"'],
  [{ permission: { rules: "bash" } }, 'Expected "permission.rules" to be an array, got "bash".'],
  [
    { permission: { mode: "Deny" } },
    'Expected "permission.mode" to be "ask" or "edits" or "auto" or "plan" or "allow" or "deny", got "Deny".',
  ],
  [{ permission: { ask: true } }, 'Expected "permission.ask" to be a function, got true.'],
  [{ permission: [] }, 'Expected "permission" to be an object, got an array.'],
  [{ permissions: { mode: "deny" } }, 'Unknown option "permissions". Did you mean "permission"?'],
  [{ permission: { rule: [] } }, 'Unknown option "permission.rule". Did you mean "permission.rules"?'],
  [{ xyzzy: 1 }, 'Unknown option "xyzzy". Options: model, cwd, '],
  [{ maxSteps: 0 }, 'Expected "maxSteps" to be a whole number of at least 1, got 0.'],
  [{ maxSteps: 1.5 }, '"maxSteps"'],
  [{ maxSteps: "5" }, 'got "5".'],
  [{ contextWindow: -1 }, '"contextWindow"'],
  [{ thinking: "much" }, 'Expected "thinking" to be "none" or "low" or "medium" or "high" or "max", got "much".'],
  [{ model: null }, '"model"'],
  [{ model: () => {} }, "language model of the AI SDK, got a function."],
  [{ cwd: 5 }, 'Expected "cwd" to be non-empty text, got 5.'],
  [{ toolsDir: "/nowhere/at/all" }, 'Expected "toolsDir" to be a directory, got "/nowhere/at/all".'],
  [
    { toolsDir: "no/where" },
    `Expected "toolsDir" to be a directory, got "no/where", which is ${process.cwd()}/no/where.`,
  ],
  [{ toolsDir: process.execPath }, '"toolsDir"'],
  [{ home: "" }, '"home"'],
  [{ env: { ANTHROPIC_API_KEY: 12345 } }, 'Expected "env.ANTHROPIC_API_KEY" to be text, got something else.'],
  [{ secrets: [12345] }, 'Expected "secrets[0]" to be text, got something else.'],
  [{ session: 7 }, '"session"'],
  [{ answerTool: {} }, '"answerTool"'],
  [{ outputSchema: "x" }, '"outputSchema"'],
  [{ patience: { maxRetries: -1 } }, 'Expected "patience.maxRetries" to be a whole number of at least 0, got -1.'],
  [{ patience: { retries: 2 } }, 'Unknown option "patience.retries".'],
])("createAgent refuses %j", async (options, words) => {
  const given = options === null ? null : { model: "openai-compatible/m", ...(options as object) };
  await expect(createAgent(given as AgentOptions)).rejects.toMatchObject({
    name: "AgentError",
    code: "invalid_option",
    message: expect.stringContaining(words),
  });
});

test.each<[unknown, string]>([
  [undefined, "Expected the options to be an object, got undefined."],
  [{}, 'Expected "prompt" to be text, or an object with text and images, got undefined.'],
  [{ prompt: 1 }, '"prompt"'],
  [{ prompt: "x", allow: "bash" }, 'Expected "allow" to be an array, got "bash".'],
  [{ prompt: "x", allow: [1] }, 'Expected "allow[0]" to be non-empty text, got 1.'],
  [{ prompt: "x", deny: ["bash"] }, 'Unknown option "deny".'],
  [{ prompt: "x", permissionMode: "" }, '"permissionMode"'],
  [{ prompt: "x", maxTurns: NaN }, '"maxTurns"'],
  [{ prompt: "x", signal: {} }, 'Expected "signal" to be an AbortSignal, got an object.'],
  [{ prompt: "x", outputSchema: false }, '"outputSchema"'],
  [{ prompt: "x", toolPath: "/nowhere/at/all" }, 'Expected "toolPath" to be a directory, got "/nowhere/at/all".'],
])("query refuses %j before the first event", async (options, words) => {
  await expect(query(options as never).next()).rejects.toMatchObject({
    name: "AgentError",
    code: "invalid_option",
    message: expect.stringContaining(words),
  });
});

test("an option that is undefined is absent", async () => {
  const options = {
    permission: { mode: undefined },
    thinking: undefined,
    toolsDir: undefined,
  } as unknown as AgentOptions;
  const { agent } = await world([{ text: "Done." }], options);
  expect(endOf(await eventsOf(agent))).toMatchObject({ reason: "done" });
});

test.each(["Deny", "block", "", undefined])("a rule with the verdict %j denies, whatever the mode", (verdict) => {
  const rules = [{ verdict: verdict as "deny", rule: "bash(ls*)" }];
  expect(verdictOn("bash", { command: "ls" }, { rules, mode: "allow" })).toBe("deny");
  expect(verdictOn("web", {}, { rules: [{ verdict: verdict as "deny", rule: "web" }], mode: "allow" })).toBe("deny");
});

test("an unknown mode asks", () => {
  expect(verdictOn("bash", { command: "touch x" }, { mode: "Allow" as "allow" })).toBe("ask");
});

test("only the answer true allows a call", async () => {
  const ask = async () => ({ allow: "no" }) as unknown as { allow: true };
  const { agent, project } = await world([touches, { text: "." }], { permission: { ask } });
  await eventsOf(agent);
  expect(existsSync(join(project, "ran"))).toBe(false);
});
