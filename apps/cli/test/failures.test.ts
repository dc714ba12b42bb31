import { IkigaiError } from "@ikigai/core";
import { expectedMessage, ModelError } from "@ikigai/models";
import { Refusal } from "@ikigai/tool-packages";
import { expect, test } from "vitest";
import { UsageError } from "../src/args/usage-error.ts";
import { failureExit } from "../src/host/terminal/exit.ts";

test.each([
  [new UsageError("Missing CALL."), { exitCode: 2, pointsToHelp: true }],
  [new IkigaiError("session_not_found", "No session x found."), { exitCode: 1 }],
  [new IkigaiError("config", "Not JSON."), { exitCode: 2 }],
  [new IkigaiError("sandbox_unavailable", "No bwrap."), { exitCode: 2 }],
  [new Refusal("Not a package of tools."), { exitCode: 1 }],
  [new ModelError("unauthorized", "Anthropic rejected the API key."), { exitCode: 1 }],
  [new IkigaiError("of_another_version", "?"), { exitCode: 1 }],
  [new IkigaiError("toString", "?"), { exitCode: 1 }],
])("%s ends the command with %o", (error, expected) => {
  expect(failureExit(error)).toEqual(expected);
});

test("an expected failure shows its hint, and a system error its own message", () => {
  expect(expectedMessage(new IkigaiError("session_not_saved", "It is not saved.", { hint: "Make room." }))).toBe(
    "It is not saved. Make room.",
  );
  expect(expectedMessage(Object.assign(new Error("EACCES: open"), { code: "EACCES", syscall: "open" }))).toBe(
    "EACCES: open",
  );
});

test.each([
  new Error("boom"),
  new TypeError("x is undefined"),
  Object.assign(new Error("odd"), { code: "ODD" }),
  "text",
])("%s is reported as a bug", (bug) => {
  let thrown: unknown;
  try {
    expectedMessage(bug);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBe(bug);
});
