// @module-tag sampled
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { describe } from "../src/checks/served-checks.ts";
import { checkTool, conformance, startServed, tempDir } from "../src/index.ts";

function fixture(path: string): string {
  return join(import.meta.dirname, "fixtures", path);
}

function problemOf(id: string, bin: string): Promise<string | undefined> | undefined {
  return conformance.find((check) => check.id === id)?.run(bin);
}

test.concurrent.each([
  [
    "service-ready",
    "crashes",
    'IKIGAI_SERVE=1 it exited with code 3 (stderr: "No database") instead of {"ready":true}.',
  ],
  ["service-ready", "error-without-code", 'expected "error" and "error_code", both strings.'],
  ["service-ready", "goes-on-after-error", "It was still running 2000 ms after it had printed"],
  ["service-ready", "ready-twice", `After {"ready":true} it printed '{"ready":true}' without a call.`],
  ["service-ready", "talks-first", 'Started with IKIGAI_SERVE=1 it printed "Listening" instead of {"ready":true}.'],
  ["service-refuses", "answers-error", 'instead of "refused".'],
  ["service-refuses", "exits-instead", "Called with {} in a service, it exited with code 1 (stderr:"],
  ["service-refuses", "other-words", 'with "No", and with one process per call with "Expected text to be a string".'],
  ["service-tools", "answers-for-all", 'Called for the tool "no_such_tool" it answered'],
  ["service-parallel", "forgets-calls", /it printed nothing within 10\d{3} ms instead of a reply\. Calls overlap\./],
  ["service-parallel", "last-id", /it replied to the call "\d+-2" twice\. Calls overlap\./],
  [
    "service-parallel",
    "ready-again",
    `it printed '{"ready":true}'. A line that is not a reply ends the service. Print nothing but replies`,
  ],
  ["service-cancels", "cannot-read", "for a call that is not open, it exited with code 1 (stderr:"],
  ["service-cancels", "confirms", "Ignore it: the call may just have been answered."],
  [
    "service-cancels",
    "hangs",
    /after the first call was cancelled, it printed nothing within 10\d{3} ms instead of a reply\./,
  ],
  [
    "service-cancels",
    "replies-twice",
    /after the first call was cancelled, it replied to the call "\d+-1" twice\. Stop that call only/,
  ],
  ["service-ends", "ignores-end", "ms after its input ended. Exit at the end of stdin: the host may be gone."],
  ["service-ends", "ignores-signal", "ms after SIGTERM. Exit on SIGTERM, or do not catch it."],
  ["service-ends", "leaves-process", '"sleep 60" (process '],
  ["works-without-service", "needs-service", 'failed with "Not connected"; its service answered. Other hosts'],
])("%s says what %s does wrong", async (id, name, said) => {
  const problem = await problemOf(id, fixture(`${id}/${name}-tool`));
  if (typeof said === "string") expect(problem).toContain(said);
  else expect(problem).toMatch(said);
});

test.each([
  ["exits", "() => process.exit(3)", /in a service, it exited with code 3 instead of a reply\. Reply to every call/],
  [
    "replies with another id",
    '(tool, id, args) => print({ call: "x", answer: tool.answer(args) })',
    /in a service, it replied to the call "x", which is not open\. Reply to every call, .* with the id of the call/,
  ],
])("service-ends has advice on calls for a service that %s", async (_, reply, said) => {
  const source = `#!/usr/bin/env node
import { print } from ${JSON.stringify(join(import.meta.dirname, "honest.mjs"))};
import { runService } from ${JSON.stringify(join(import.meta.dirname, "service.mjs"))};
runService({ reply: ${reply} });
`;
  const dir = await tempDir({ "wrong-tool": source, "package.json": '{ "type": "module" }' });
  const problem = await problemOf("service-ends", `${dir}/wrong-tool`);
  expect(problem).toMatch(said);
  expect(problem).not.toContain("outlives the host");
});

test("does not try a service that says why it cannot start", async () => {
  const { ok, results } = await checkTool(fixture("good/service-cannot-start-tool"), { only: ["service-ends"] });
  const reason = "the service cannot start here: No database (NO_DATABASE)";
  expect(ok).toBe(true);
  expect(results).toMatchObject([{ id: "service-ends", status: "skipped", reason }]);
});

test("tries a service without real calls on a call that it refuses", async () => {
  const source = `#!/usr/bin/env node
import { runService } from ${JSON.stringify(join(import.meta.dirname, "service.mjs"))};
const answer = () => process.exit(9);
runService({ answer, answerAlone: answer, schema: { annotations: {} } });
`;
  const dir = await tempDir({ "quiet-tool": source, "package.json": '{ "type": "module" }' });
  const { results } = await checkTool(`${dir}/quiet-tool`);
  const services = results.filter(({ title }) => title.includes("service"));
  expect(services.map(({ id, status }) => [id, status])).toEqual([
    ["service-ready", "passed"],
    ["service-refuses", "passed"],
    ["service-tools", "skipped"],
    ["service-parallel", "passed"],
    ["service-cancels", "passed"],
    ["service-ends", "passed"],
    ["works-without-service", "skipped"],
  ]);
});

test.runIf(inject("isThorough"))("gives a service a minute to get ready", { timeout: 300_000 }, async () => {
  const source = (waitMs: number) => `#!/usr/bin/env node
import { runService } from ${JSON.stringify(join(import.meta.dirname, "service.mjs"))};
runService({ start: () => new Promise((settle) => setTimeout(settle, ${waitMs})) });
`;
  const dir = await tempDir({
    "slow-tool": source(50_000),
    "hanging-tool": source(70_000),
    "package.json": '{ "type": "module" }',
  });
  expect(await problemOf("service-ready", `${dir}/slow-tool`)).toBeUndefined();
  expect(await problemOf("service-ready", `${dir}/hanging-tool`)).toMatch(/it printed nothing within 60000 ms/);
});

test("startServed sends and cancels calls of any tool", async () => {
  await using service = await startServed(fixture("good/service-node-tool"));
  expect(await service.nextLine()).toBe('{"progress":{"progress":0,"message":"starting"}}');
  expect(await service.nextLine()).toBe('{"ready":true}');
  const [first, second] = [service.send({ text: "a" }), service.send({ text: "b" }, { id: "two" })];
  service.cancel(first);
  expect(await service.nextLine()).toBe(
    JSON.stringify({ call: first, answer: { error: "Cancelled", error_code: "CANCELLED" } }),
  );
  expect(second).toBe("two");
  expect(await service.nextLine()).toBe('{"call":"two","answer":{"output":"B"}}');
  expect(await service.call({ text: "c" }, { id: "three", tool: "other" })).toBe(
    '{"call":"three","refused":"There is no tool other here"}',
  );
  service.closeInput();
  expect(await service.exitCode()).toBe(0);
});

test("names a line that has no newline", async () => {
  const dir = await tempDir({ "cut-tool": "#!/bin/sh\nprintf '{\"ready\":true}'\nsleep 60\n" });
  await using tool = await startServed(`${dir}/cut-tool`);
  await expect.poll(() => tool.unfinished()).toBe('{"ready":true}');
  expect(await describe(tool, undefined, 1)).toBe(`printed '{"ready":true}' without a newline after it`);
});
