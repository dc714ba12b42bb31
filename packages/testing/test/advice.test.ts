// @module-tag sampled
import { expect, test } from "vitest";
import { advice, look } from "../src/checks/check.ts";
import { conformance, trials } from "../src/checks/check-tool.ts";
import { endAdvice, exitWords } from "../src/checks/each-call.ts";
import { tempDir } from "../src/index.ts";
import { openSubject } from "../src/run/subject.ts";
import { nodeTool, schema, shellTool } from "./tool-source.ts";

test("every check has advice, in whole sentences, and there is no other", () => {
  expect(Object.keys(advice)).toEqual(conformance.map(({ id }) => id));
  for (const [id, text] of Object.entries(advice)) expect(text, id).toMatch(/^[A-Z].{20,}\.$/);
});

test("what a check finds gets the advice of that check, unless it has its own", async () => {
  const subject = openSubject("/x-tool");
  const [trial] = trials;
  if (!trial) throw new Error("no checks");
  const found = (finding: Awaited<ReturnType<typeof trial.look>>) =>
    look({ ...trial, look: async () => finding }, subject);
  expect(await found("No.")).toEqual({ problem: "No.", advice: advice.executable });
  expect(await found({ problem: "No." })).toEqual({ problem: "No.", advice: advice.executable });
  expect(await found({ problem: "No.", advice: "Do." })).toEqual({ problem: "No.", advice: "Do." });
  expect(await found(undefined)).toBeUndefined();
  expect(await found({ notTried: "why" })).toEqual({ notTried: "why" });
  const broken = { ...trial, look: () => Promise.reject(new Error("spawn EAGAIN")) };
  expect(await look(broken, subject)).toEqual({
    problem: "The check could not run: spawn EAGAIN.",
    advice: "If this works, run the check again: /x-tool --schema",
  });
});

test.each([
  [0, "", "exited with code 0"],
  [127, "", "exited with code 127"],
  [128, "", "exited with code 128"],
  [129, "", "was killed by signal 1 (SIGHUP)"],
  [139, "", "was killed by signal 11 (SIGSEGV)"],
  [137, "out of memory\n", 'was killed by signal 9 (SIGKILL) (stderr: "out of memory")'],
  [255, "", "exited with code 255"],
])("describes exit code %i", (exitCode, stderr, words) => {
  expect(exitWords(exitCode, stderr)).toBe(words);
  const isSignal = words.startsWith("was killed");
  const own = endAdvice({ exitCode, timedOut: false, flooded: false });
  expect(own === undefined).toBe(!isSignal);
});

test("a flood and a hang have advice of their own, whatever the exit code", () => {
  expect(endAdvice({ exitCode: 137, timedOut: false, flooded: true })).toMatch(/loop/);
  const stderr = Buffer.from("3: Bad file descriptor");
  expect(endAdvice({ exitCode: 0, timedOut: false, flooded: false, stderr })).toBeUndefined();
  expect(endAdvice({ exitCode: 143, timedOut: true, flooded: false })).toMatch(/read stdin until it ends, once/);
});

test.concurrent.each([
  [
    "answers",
    "a standard stream that it opens by name",
    nodeTool({ start: 'require("node:fs").readSync = 0;', answer: 'require("node:fs").readFileSync("/dev/stdin");' }),
    /\/dev\/stdin'"\)\. A host may pass sockets.*: cat instead of cat \/dev\/stdin/,
  ],
  [
    "answers",
    "progress on a descriptor that is not open",
    nodeTool({
      answer:
        'process.exitCode = require("node:child_process").spawnSync("echo {} >&3", { shell: true, stdio: "inherit" }).status;',
    }),
    /: Bad file descriptor"\)\. If it writes progress: descriptor 3 is open only if IKIGAI_PROGRESS_FD is set, so write it only then\.$/,
  ],
  [
    "utf8",
    "input that it reads as Latin-1",
    nodeTool().replace('readFileSync(0, "utf8")', 'readFileSync(0, "latin1")'),
    /with \{"text":"né .*it answered with "Ã©" instead of "é": it does not read its input as UTF-8\. The usual cause/,
  ],
  [
    "utf8",
    "input that it reads as ASCII",
    nodeTool().replace(
      'require("node:fs").readFileSync(0, "utf8")',
      'require("node:fs").readFileSync(0, "latin1").replace(/[^ -~]/g, String.fromCharCode(0xfffd))',
    ),
    /it answered with "\ufffd" instead of "é"/,
  ],
  [
    "schema",
    "a trailing comma",
    shellTool("echo '{\"a\":1,}'"),
    /got '\{"a":1,\}': .* at byte 7\. Print one JSON object/,
  ],
  ["schema", "a signal", shellTool("kill -SEGV $$"), /It was killed by signal 11 \(SIGSEGV\)\. Compiled code used/],
  [
    "explains-refusal",
    "a signal",
    "#!/bin/sh\nkill -SEGV $$\n",
    /Given the input `\{`, the tool was killed by signal 11 \(SIGSEGV\)/,
  ],
  [
    "answers",
    "a signal",
    nodeTool({ answer: "process.kill(process.pid, 'SIGABRT');" }),
    /"sample"\}: it was killed by signal 6 \(SIGABRT\)\. A failed assertion .* Run it by hand/,
  ],
  [
    "answers",
    "a hang",
    nodeTool({
      schemaText: JSON.stringify({ ...schema, ikigai: { timeoutMs: 300 } }),
      answer: "setInterval(() => {}, 1_000);",
    }),
    /"sample"\}: it was still running after (?:[3-9]\d\d|\d{4,}) ms\. Its schema gives it 300 ms \("ikigai\.timeoutMs"\)\. It usually waits for more input: read stdin until it ends, once/,
  ],
  [
    "answers",
    "an answer and a hang",
    nodeTool({
      schemaText: JSON.stringify({ ...schema, ikigai: { timeoutMs: 3_000 } }),
      answer: "console.log('{}'); setInterval(() => {}, 1_000);",
    }),
    /"sample"\}: it answered, but was still running after \d{4,} ms\. Its schema gives it 3000 ms \("ikigai\.timeoutMs"\)\. The host waits for its end, then kills it\. Exit after the answer/,
  ],
  [
    "answers",
    "no message",
    nodeTool({ answer: "process.exit(7);" }),
    /"sample"\}: it exited with code 7\. .* it says nothing on stderr, so run it by hand/,
  ],
  [
    "answers",
    "a message",
    nodeTool({ answer: "console.error('no disk'); process.exit(7);" }),
    /it exited with code 7 \(stderr: "no disk"\)\. .* its stderr says where\.$/,
  ],
  [
    "ends-on-sigterm",
    "a handler that does not end it",
    nodeTool({
      answer: "process.on('SIGTERM', () => setTimeout(() => {}, 9_000)); setTimeout(() => console.log('{}'), 600);",
    }),
    /"sample"\}: it was still running 2000 ms after SIGTERM and had to be killed\./,
  ],
  ["executable", "nothing in it", "", /shout-tool is empty\. Write the tool into it, or build it again\.$/],
])("%s says how a tool ended that has %s", async (id, _, tool, problem) => {
  const dir = await tempDir({ "shout-tool": tool });
  expect(await conformance.find((check) => check.id === id)?.run(`${dir}/shout-tool`)).toMatch(problem);
});
