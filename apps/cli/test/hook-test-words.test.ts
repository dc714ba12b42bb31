// @module-tag sampled
import { expect, test } from "vitest";
import { hookWorld, userHook } from "./hook-world.ts";
import { some } from "./ikigai.ts";

const notes = { "notes.txt": "alpha\n" };

const everything = JSON.stringify({
  decision: "ask",
  reason: "why",
  context: "to know",
  arguments: { command: "ls" },
});
const end = JSON.stringify({ continue: false, stopReason: "too late" });
const refuse = "echo 'not so' >&2; exit 2";

/** What `hook test` prints about an answer, without the hook's path and duration. */
async function printed(event: string, answer: string): Promise<string[]> {
  const here = await hookWorld(notes);
  userHook(here, `${event}/it`, answer.startsWith("{") ? `echo '${answer}'` : answer);
  const call = event.endsWith("-call") ? ["--tool", "bash", '{"command":"touch x"}'] : [];
  const { stdout, stderr } = await here.run("hook", "test", event, ...call);
  if (!stdout.includes("the text on stdout")) expect(stderr).toBe("");
  return stdout
    .trim()
    .replace(/^.* {2}[\d.]+ m?s {2}/, "")
    .replaceAll(here.home, "~")
    .split("\n");
}

/** What follows where nothing objects. */
const expectedAfter: Readonly<Record<string, readonly string[]>> = {
  prompt: ["The message is sent."],
  "before-call": [expect.stringMatching(/^ikigai asks about the call: /)],
};

test.each(
  some(3, [
    [
      "session-start",
      everything,
      [
        "no objection: why",
        "  without effect at session-start: decision ask, arguments",
        "For the model:",
        "[hook session-start/it]",
        "to know",
      ],
    ],
    ["before-compact", "echo the port", ["no objection", "The summary keeps above all:", "the port"]],
    [
      "before-compact",
      refuse,
      ["deny: not so", "The hook ~/.ikigai/hooks/before-compact/it prevented the summary: not so."],
    ],
    ["session-start", refuse, ["no objection: not so", "  without effect at session-start: decision deny"]],
    ["session-start", end, ["no objection", "  without effect at session-start: continue false"]],
    [
      "prompt",
      everything,
      [
        "ask: why",
        "  without effect at prompt: arguments",
        "ikigai asks whether to send the message; if it cannot ask, it does not. The hook ~/.ikigai/hooks/prompt/it asks about the message: why.",
        "For the model:",
        "[hook prompt/it]",
        "to know",
      ],
    ],
    [
      "prompt",
      refuse,
      ["deny: not so", "The hook ~/.ikigai/hooks/prompt/it refused the message: not so.", "The message is not sent."],
    ],
    [
      "prompt",
      end,
      [
        "ends the turn: too late",
        "The hook ~/.ikigai/hooks/prompt/it ended the turn: too late.",
        "The message is not sent.",
      ],
    ],
    [
      "prompt",
      "exit 9",
      [
        "broken: exit 9",
        "ikigai asks whether to send the message; if it cannot ask, it does not. The hook ~/.ikigai/hooks/prompt/it is broken: exit 9.",
      ],
    ],
    ["prompt", "exit 0", ["no objection", "The message is sent."]],
    [
      "before-call",
      everything,
      [
        "ask: why",
        '  arguments: {"command":"ls"}',
        "ikigai asks about the call: the hook ~/.ikigai/hooks/before-call/it asks about it: why",
        "For the model:",
        "[hook before-call/it]",
        "to know",
      ],
    ],
    [
      "before-call",
      end,
      [
        "ends the turn: too late",
        "The call is denied: the hook ~/.ikigai/hooks/before-call/it ended the turn: too late",
        "The turn ends after this step.",
      ],
    ],
    [
      "before-call",
      "echo ok",
      [
        "no objection",
        "  without effect at before-call: the text on stdout",
        expect.stringMatching(/^ikigai asks about the call: /),
      ],
    ],
    [
      "before-call",
      `echo ok; echo '{"decision":"deny"}'`,
      [
        "broken: it printed text around its answer; stdout must be one JSON object, or have no { at all",
        expect.stringMatching(/^ikigai asks about the call: .* is broken: it printed text around its answer/),
      ],
    ],
    [
      "prompt",
      `echo ok; echo '{"decision":"block"}'`,
      [
        "broken: it printed text around its answer; stdout must be one JSON object, or have no { at all",
        expect.stringMatching(/^ikigai asks whether to send the message; /),
      ],
    ],
    [
      "prompt",
      "echo 'if (x) {'",
      ["no objection", "The message is sent.", "For the model:", "[hook prompt/it]", "if (x) {"],
    ],
    ["question", everything, ["no objection: why", "  without effect at question: decision ask, context, arguments"]],
    [
      "after-call",
      everything,
      [
        "no objection: why",
        "  without effect at after-call: decision ask, arguments",
        "For the model:",
        "[hook after-call/it]",
        "to know",
      ],
    ],
    ["after-call", refuse, ["no objection", "For the model:", "[hook after-call/it]", "not so"]],
    ["after-call", end, ["ends the turn: too late", "The turn ends after this step."]],
    [
      "stop",
      everything,
      ["no objection: why", "  without effect at stop: decision ask, context, arguments", "The turn ends."],
    ],
    [
      "stop",
      "echo 'keep going' >&2; exit 2",
      ["the model continues: keep going", "The model continues.", "For the model:", "[hook stop/it]", "keep going"],
    ],
    [
      "stop",
      '{"go_on": true, "reason": "run the tests"}',
      [
        "the model continues: run the tests",
        "The model continues.",
        "For the model:",
        "[hook stop/it]",
        "run the tests",
      ],
    ],
    [
      "stop",
      '{"decision": "block"}',
      ["the model continues", "The model continues.", "For the model:", "[hook stop/it]", "Continue."],
    ],
    ["stop", end, ["ends the turn: too late", "The hook ~/.ikigai/hooks/stop/it ended the turn: too late."]],
    ...["session-start", "prompt", "before-call", "question", "after-call", "session-end"].map(
      (event): [string, string, string[]] => [
        event,
        '{"go_on": true}',
        ["no objection", `  without effect at ${event}: go_on`, ...(expectedAfter[event] ?? [])],
      ],
    ),
    ["session-end", refuse, ["no objection: not so", "  without effect at session-end: decision deny"]],
  ]),
)("hook test prints what an answer at %s leads to: %s", async (event, answer, lines) => {
  expect(await printed(event, answer)).toEqual(lines);
});

test("hook test runs no hook for a message after the first refusal, as a conversation", async () => {
  const here = await hookWorld(notes);
  userHook(here, "prompt/1-refuses", refuse);
  userHook(here, "prompt/2-adds", "echo context");
  const { stdout } = await here.run("hook", "test", "prompt");
  expect(stdout).toContain("1-refuses");
  expect(stdout).not.toContain("2-adds");
});

test("the parts of an answer that hook test calls without effect have none in a conversation", async () => {
  const here = await hookWorld(notes);
  for (const event of ["session-start", "session-end", "question"]) userHook(here, `${event}/refuses`, refuse);
  userHook(here, "session-start/ends", `echo '${end}'`);
  userHook(here, "stop/adds", `echo '{"context": "never seen", "decision": "ask"}'`);
  const { stdout, stderr, exitCode } = await here.run("-p", "run echo hi", "--allow", "bash", "--model", "offline");
  expect([stdout, exitCode]).toEqual(["hi\n", 0]);
  expect(stderr).not.toMatch(/hook|refused/);
});
