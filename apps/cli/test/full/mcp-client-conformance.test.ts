// @module-tag sampled
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { describe, expect, inject, test } from "vitest";
import baseline from "../fixtures/mcp-client-conformance.json" with { type: "json" };
import { bin } from "../ikigai.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const suite = at("../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
const client = at("../fixtures/mcp-conformance-client.mjs");
const isNew = Number(process.versions.node.split(".")[0]) >= 22;

/** What the suite gives the client, and more than a loaded machine needs for some commands in a row. In milliseconds. */
const timeoutMs = 180_000;

/** How many checks of a scenario have passed and failed, and whether the client has ended in time. */
async function countChecks(revision: string, scenario: string) {
  const command = `${process.execPath} ${client} ${bin}`;
  const args = [suite, "client", "--command", command, "--scenario", scenario, "--spec-version", revision];
  const cwd = await tempDir();
  // Its exit code says whether all passed.
  const printed = await new Promise<string>((settle) => {
    const options = { cwd, maxBuffer: 1e8 };
    execFile(process.execPath, [...args, "--timeout", String(timeoutMs)], options, (_, stdout, stderr) =>
      settle(stdout + stderr),
    );
  });
  const [, passed, failed] = /^Passed: (\d+)\/\d+, (\d+) failed/m.exec(printed) ?? [];
  return { passed: Number(passed), failed: Number(failed), hasEnded: !/timed out after/.test(printed) };
}

/** The ones that each run takes; a thorough one takes all. */
const usual = ["tools_call", "http-custom-headers", "auth/basic-cimd", "auth/scope-step-up", "auth/iss-wrong-issuer"];

const scenarios = Object.entries(baseline).flatMap(([revision, counts]) =>
  Object.entries(counts)
    .filter(([name]) => inject("isThorough") || usual.includes(name))
    .map(([name, [passed, failed]]) => [revision, name, { passed, failed, hasEnded: true }] as const),
);

describe.skipIf(!isNew)("the conformance suite for clients (needs Node 22)", () => {
  test.each(scenarios)(
    "%s %s is neither better nor worse than the baseline",
    { timeout: 2 * timeoutMs },
    async (revision, name, expected) => {
      expect(await countChecks(revision, name)).toEqual(expected);
    },
  );

  test("each failure of the baseline has a reason", () => {
    const counts = Object.values(baseline).flatMap((one) => Object.values(one));
    expect(counts.filter(([, failed, reason]) => failed !== 0 && typeof reason !== "string")).toEqual([]);
  });
});
