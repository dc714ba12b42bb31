// Promise 6 of SECURITY.md.
import { chmodSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { readShell, type SimpleCommand } from "../src/shell/shell.ts";
import { rules, verdictOn } from "./decide-call.ts";
import { plainCommands, trickyCommands } from "./random-commands.ts";
import { type Invocation, runningStubNames, shells, startRunner, stubDirectory } from "./stub-shells.ts";

const numRuns = inject("isThorough") ? 10_000 : 300;
// An integer: fast-check does not end after another number of runs.
const trickyRuns = Math.round((2 * numRuns) / 3);

const found = shells();
const stubs = await stubDirectory();
const home = await tempDir();
chmodSync(home, 0o755);
const work = join(home, "work");
mkdirSync(work);

const allowing = rules(["allow", "bash(good *)"], ["allow", "bash(fine *)"]);
const denying = rules(["deny", "bash(bad *)"]);
const both = rules(["deny", "bash(bad *)"], ["allow", "bash(good *)"]);

/** Starts every installed shell; returns what a command calls in all of them, each time in an empty directory. */
function startShells(): (command: string) => Promise<readonly Invocation[]> {
  const runners = found.map((shell, index) => startRunner(shell, { stubs, cwd: join(home, String(index)) }));
  return async (command) => (await Promise.all(runners.map((runner) => runner.invocationsOf(command)))).flat();
}

function verdict(command: string, options: object): string {
  return verdictOn("bash", { command }, { projectDir: work, ...options });
}

/** Whether a program was called by one of the parsed commands, with the parsed words. */
function isExpected(invocation: Invocation, commands: readonly SimpleCommand[]): boolean {
  return commands.some(({ words }) => {
    const texts = words.map(({ text }) => text);
    if (words.some(({ isPattern, isTilde }) => isPattern || isTilde)) return texts.includes(invocation[0] ?? "");
    // A stub that is read by the shell; dash drops what follows its name.
    const isSourced = texts[0] === "." || texts[0] === "source";
    if (isSourced && texts[1] === invocation[0]) return true;
    const isRunner = isSourced || [...runningStubNames, "command", "exec", "builtin"].includes(texts[0] ?? "");
    const received = isRunner ? texts.slice(texts.length - invocation.length) : texts;
    return JSON.stringify(received) === JSON.stringify(invocation);
  });
}

test("no shell runs without a question what no rule allows or what a rule denies", { timeout: 3_600_000 }, async () => {
  const called = startShells();
  const count = { all: 0, understood: 0, allowed: 0, notDenied: 0, called: 0 };
  const property = fc.asyncProperty(trickyCommands, async (command) => {
    const commands = readShell(command);
    const isAllowed = verdict(command, allowing) === "allow";
    const isNotDenied = verdict(command, { mode: "allow", ...denying }) === "allow";
    const isNarrow = verdict(command, both) === "allow";
    count.all++;
    if (commands) count.understood++;
    if (isAllowed) count.allowed++;
    if (isNotDenied) count.notDenied++;
    if (!commands && !isAllowed && !isNotDenied && !isNarrow) return;
    const invocations = await called(command);
    count.called += invocations.length;
    const names = invocations.map(([name = ""]) => name);
    if (commands) expect(invocations.filter((invocation) => !isExpected(invocation, commands))).toEqual([]);
    if (isAllowed) expect(names.filter((name) => name !== "good" && name !== "fine")).toEqual([]);
    if (isNotDenied) expect(names).not.toContain("bad");
    if (isNarrow) expect(names.filter((name) => name !== "good")).toEqual([]);
  });
  // A shrink would take longer than the rest, and the command is short.
  await fc.assert(property, { numRuns: trickyRuns, endOnFailure: true });
  // Otherwise nothing has been tested. A share of the random commands would be missed by chance in a short run.
  const commands = inject("isThorough") ? count.all : 0;
  expect(count.allowed).toBeGreaterThan(commands / 50);
  expect(count.notDenied).toBeGreaterThan(commands / 50);
  expect(count.called).toBeGreaterThan(commands / 10);
  expect(readdirSync(stubs)).toHaveLength(6);
  if (inject("isThorough"))
    process.stderr.write(`${found.map(({ name }) => name).join(", ")}: ${JSON.stringify(count)}\n`);
});

test("asks about at most one in twenty plain commands whose parts are allowed", { timeout: 3_600_000 }, async () => {
  const called = startShells();
  let asked = 0;
  let tried = 0;
  const property = fc.asyncProperty(plainCommands, async (command) => {
    const isAsked = verdict(command, allowing) !== "allow";
    if (isAsked) asked++;
    if (isAsked || tried++ > numRuns / 30) return;
    const commands = readShell(command) ?? [];
    const invocations = await called(command);
    expect(invocations.length).toBeGreaterThanOrEqual(found.length);
    expect(invocations.filter((invocation) => !isExpected(invocation, commands))).toEqual([]);
  });
  await fc.assert(property, { numRuns });
  expect(asked / numRuns).toBeLessThanOrEqual(0.05);
});
