import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import type { CommandSpec } from "../src/permission/read-only/command-spec.ts";
import { gitSpecs } from "../src/permission/read-only/git-specs.ts";
import { readingCommands } from "../src/permission/read-only/reading-commands.ts";
import { specOptions, type ValueKind } from "./spec-options.ts";

const tree = await tempDir({ "proj/f": "a\n", "proj/.gitignore": "ignored\n" });
const cwd = join(tree, "proj");
const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" };

interface Output {
  readonly status: number | null;
  readonly stderr: string;
  /** All of it. */
  readonly text: string;
}

function run([program = "", ...args]: readonly string[]): Output {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env,
    encoding: "utf8",
    timeout: 10_000,
    input: "",
  });
  return { status, stderr, text: `${status}\n${stdout}\n${stderr}` };
}

const git = (...args: string[]) => run(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...args]);

git("init", "-q");
git("add", "-A");
git("commit", "-qm", "first");
git("tag", "-am", "first", "v1");
writeFileSync(join(cwd, "f"), "b\n");
git("stash", "-q");

/** What follows the options, for the programs that do nothing without operands. */
const operandsOf: Readonly<Record<string, readonly string[]>> = {
  "git shortlog": ["HEAD"],
  "git blame": ["f"],
  "git rev-parse": ["HEAD"],
  "git rev-list": ["HEAD"],
  "git ls-tree": ["HEAD"],
  "git merge-base": ["HEAD", "HEAD"],
  "git name-rev": ["HEAD"],
  "git check-ignore": ["ignored"],
  "git diff-tree": ["HEAD"],
  "git cherry": ["HEAD", "HEAD"],
  "git grep": ["a"],
  diff: ["f", "f"],
  cmp: ["f", "f"],
  comm: ["f", "f"],
  join: ["f", "f"],
  paste: ["f"],
  cut: ["f"],
  grep: ["a", "f"],
  egrep: ["a", "f"],
  fgrep: ["a", "f"],
  rg: ["a", "f"],
  sed: ["p", "f"],
  awk: ["1", "f"],
  jq: ["."],
  tr: ["a", "b"],
  seq: ["3"],
  basename: ["f"],
  dirname: ["f"],
  stat: ["f"],
  realpath: ["f"],
  readlink: ["."],
};

interface Subject {
  readonly name: string;
  readonly spec: CommandSpec;
  readonly command: readonly string[];
  readonly operands: readonly string[];
}

const subjects: readonly Subject[] = [
  ...Object.entries(gitSpecs).flatMap(([name, spec]) => {
    const all = name === "stash" || name === "worktree" ? ["list"] : [];
    return { name: `git ${name}`, spec, command: ["git", name, ...all] };
  }),
  ...Object.entries(readingCommands)
    // These have no options with a separate value, and some run what they are given.
    .filter(
      ([name, { hasNoOptions }]) => !hasNoOptions && !/^(?:\[|test|command|node|python3?|make|cmake|perl)$/.test(name),
    )
    .map(([name, spec]) => ({ name, spec, command: [name] })),
].map((subject) => ({ ...subject, operands: operandsOf[subject.name] ?? [] }));

const canary = "--zzz-canary";

/** Options whose value cannot be attached. */
const neverAttached = /^(?:jq --indent|tree -[LPI])$/;

/** Options with which unknown ones are ignored. */
const ignores = /^git rev-parse --(?:short|verify)$/;

/** Whether a program takes the word after an option as its value: then it does what it does with the value attached. */
function takesNext({ name, command, operands, spec }: Subject, option: string): boolean {
  const runWith = (...words: string[]) => run([...command, ...words, ...operands]);
  if (neverAttached.test(`${name} ${option}`)) return !runWith(option, canary).text.includes(canary);
  const attach = (value: string) => (option.startsWith("--") ? `${option}=${value}` : `${option}${value}`);
  const values = spec.hasNoBundles ? ["1"] : [canary, "zzz", "1"];
  return values.some((value) => {
    const [separate, attached] = [runWith(option, value), runWith(attach(value))];
    return separate.text === attached.text || (isUnknown(separate, option) && isUnknown(attached, option));
  });
}

/** Whether a program says that it has no such option, so that it does nothing. */
function isUnknown({ status, text }: Output, option: string): boolean {
  const name = new RegExp(
    `(?:unknown|unrecognized|invalid|illegal) .*[ '\`"-]${option.replace(/^-+/, "")}(?![\\w-])`,
    "i",
  );
  return status !== 0 && name.test(text);
}

/** Whether a program reads the word after an option as an option: then it does what it does with the two in another order. */
function leavesNext({ name, command, operands }: Subject, option: string): boolean {
  const runWith = (...words: string[]) => run([...command, ...words, ...operands]);
  const after = runWith(option, canary);
  // It prints the options that it does not know.
  if (name === "git rev-parse" && after.text.includes(canary)) return true;
  if (after.stderr.includes(canary) || isUnknown(after, option)) return true;
  if (after.status === 0) return false;
  return after.text === runWith(canary, option).text || after.text === runWith(option).text;
}

describe.each(subjects)("$name (needs $command.0)", (subject) => {
  const { name, spec, command } = subject;
  // Those of macOS have other options, also under the same names.
  const isMeant = process.platform === "linux" || name.startsWith("git ");
  const isInstalled = isMeant && run([...command, "--version"]).status !== null;
  const wrong = (kinds: readonly ValueKind[], isRight: (subject: Subject, option: string) => boolean) =>
    specOptions(spec)
      .filter(([option, kind]) => kinds.includes(kind) && !isRight(subject, option))
      .map(([option]) => `${name} ${option}`);

  test.runIf(isInstalled)("takes the next word as the value of an option where the list says so", () => {
    expect(wrong(["separate"], takesNext)).toEqual([]);
  });

  test.runIf(isInstalled)("and does not where the list has no value or an attached one", () => {
    const isExempt = (option: string) =>
      /^-(?:-help|-version|V|v|h)$/.test(option) || ignores.test(`${name} ${option}`);
    expect(wrong(["attached", "none"], (one, option) => isExempt(option) || leavesNext(one, option))).toEqual([]);
  });
});
