// Promise 2 of SECURITY.md.
import { spawnSync } from "node:child_process";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { plainReaders, readingProblem } from "../src/shell/reading.ts";

const runs = inject("isThorough") ? 10_000 : 150;

const secret = "SECRET-OF-ELSEWHERE";
const tree = await tempDir({
  "proj/a.txt": "one\ntwo 2\nthree\n",
  "proj/b.json": '{"a": [1, 2]}\n',
  "proj/names": "a.txt\n../elsewhere/key\n",
  "proj/script": "w pwned\n",
  "proj/@options": "-f\n",
  "proj/key": { link: "../elsewhere/key" },
  "proj/sub/c.go": "package c\n",
  "proj/sub/out": { link: "../../elsewhere" },
  "proj/sub/key.go": { link: "../../elsewhere/key" },
  "proj/options/--output=pwned": "",
  "proj/options/-delete": "",
  "proj/options/z": "",
  "elsewhere/key": `${secret}\n`,
  "home/config.json": secret,
});
const projectDir = join(tree, "proj");
const scope = { projectDir, home: join(tree, "home"), path: process.env.PATH ?? "" };

/** Everything below a directory, with contents: a read-only command leaves it unchanged. */
function snapshot(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => {
      const path = join(directory, name);
      const stat = lstatSync(path);
      const content = stat.isSymbolicLink() ? readlinkSync(path) : stat.isFile() ? readFileSync(path, "hex") : "";
      return `${name} ${stat.mode} ${content}`;
    })
    .join("\n");
}

const operands = [
  "a.txt",
  "b.json",
  "names",
  "key",
  "sub",
  "sub/out",
  "sub/out/key",
  "../elsewhere/key",
  ".",
  "..",
  "*",
  "*/*",
  "sub/*",
  "*.txt",
  "./*",
  "'*'",
  "-",
  "pwned",
  "@options",
  "script",
  "p",
  "'w pwned'",
  "'$p'",
  "'{print}'",
  "'{print > \"pwned\"}'",
  "'BEGIN{system(\"touch pwned\")}'",
  "'s/o/touch pwned/e'",
  "'s/o/x/w pwned'",
  "env",
  ".a",
  "1",
  "+%s",
  "x",
  "--",
  "\\;",
  "touch",
  "{}",
  "'1~2p;r key'",
  "'1{p;q}'",
];

/** Options that programs have or may have: all letters, and the long ones in the programs' own help. */
const letters = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"];
const findWords = [
  "-delete",
  "-exec",
  "-fprint",
  "-name",
  "-type",
  "-newer",
  "-samefile",
  "-print",
  "-L",
  "-follow",
  "-ls",
  "-o",
];

function longOptions(program: string): string[] {
  const { stdout } = spawnSync(program, ["--help"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    timeout: 5_000,
  });
  return [...new Set((stdout ?? "").match(/--[a-z][a-z0-9-]+/g) ?? [])];
}

const programs = [...plainReaders].filter(
  (name) => spawnSync("sh", ["-c", `command -v '${name}'`], { stdio: "ignore" }).status === 0 && name !== "sleep",
);
const optionsOf = new Map(programs.map((name) => [name, name === "find" ? findWords : longOptions(name)]));

const commands = fc.constantFrom(...programs).chain((name) => {
  const operand = fc.constantFrom(...operands);
  const long = fc.constantFrom("--output", ...(optionsOf.get(name) ?? []));
  const option = fc.oneof(
    fc.constantFrom(...letters).map((letter) => `-${letter}`),
    fc.tuple(fc.constantFrom(...letters), operand).map(([letter, value]) => `-${letter}${value}`),
    fc.tuple(fc.constantFrom(...letters), fc.constantFrom(...letters)).map(([a, b]) => `-${a}${b}`),
    long,
    fc.tuple(long, operand).map(([one, value]) => `${one}=${value}`),
  );
  const words = fc.array(fc.oneof(option, operand, operand), { maxLength: 5 });
  const prefix = fc.constantFrom("", "", "", "cd sub && ", "cd options; ", "cd sub/out && ", "echo x | ");
  const suffix = fc.constantFrom("", "", "", " | head -3", " 2>/dev/null", " < a.txt", " > pwned", " | sort");
  return fc.tuple(prefix, words, suffix).map(([before, all, after]) => `${before}${[name, ...all].join(" ")}${after}`);
});

test("changes nothing and shows nothing from outside without a question", { timeout: 600_000 }, () => {
  const before = snapshot(tree);
  let ran = 0;
  const shells = ["sh", "bash"].filter((shell) => spawnSync(shell, ["-c", ":"]).status === 0);
  fc.assert(
    fc.property(commands, (command) => {
      if (readingProblem(command, scope) !== undefined) return;
      ran++;
      for (const shell of shells) {
        const { stdout, stderr } = spawnSync(shell, ["-c", command], {
          cwd: projectDir,
          input: "one\n",
          encoding: "utf8",
          timeout: 3_000,
          maxBuffer: 1e8,
        });
        expect(`${stdout}${stderr}`, command).not.toContain(secret);
      }
      expect(snapshot(tree), command).toBe(before);
    }),
    { numRuns: runs },
  );
  // Otherwise this would prove nothing.
  expect(ran).toBeGreaterThan(runs / 20);
});
