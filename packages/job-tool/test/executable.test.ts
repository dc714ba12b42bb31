// @module-tag tables
import { call, describeTool, ownExecutable } from "@ikigai/testing";
import { expect, test } from "vitest";

const bin = ownExecutable(import.meta.url);

// Without a host there are no jobs. What it does under one is tested with the command, which keeps them.
describeTool(bin, { test, calls: [{ action: "list" }, { action: "wait", job: 1, timeout_ms: 10 }] });

test("says that there are no jobs without a host", async () => {
  expect((await call(bin, { action: "list" })).result).toEqual({
    error: "No command continues as a job here.",
    error_code: "NO_JOBS",
  });
});

test.each([
  [{ action: "stop" }, 'Which job? "stop" needs "job": its number.'],
  [{ action: "input", job: 1 }, 'Write what? "input" needs "line".'],
])("refuses %j", async (args, error) => {
  expect((await call(bin, args)).result).toEqual({ error, error_code: "INVALID_ARG" });
});
