import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { call, startServed, tempDir } from "@ikigai/testing";
import { expect, inject, test } from "vitest";
import { shippedExecutables } from "./shipped-tools.ts";

/** The calls of a tool in one process: in groups of three, the third repeats the first. */
const groups = inject("isThorough") ? 30 : 4;

interface Property {
  readonly type: string;
  readonly enum?: readonly string[];
}

interface Schema {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, Property>>;
}

/** Texts that are file names, patterns, content and commands, whatever a parameter means. */
const texts = [
  "a.txt",
  "sub/b.txt",
  "missing/c",
  "new.txt",
  ".",
  "",
  "*",
  "**/*",
  "o+",
  "(",
  "one",
  "é😀\n\u0000",
  "echo one; exit 3",
  "cat *.txt",
];

/** Parameters whose effect depends on the time, or that give a process id. */
const unsteady = new Set(["background", "timeout_ms"]);

/** Pseudorandom numbers from 0 to 1, the same in every run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    const more = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((more ^ (more >>> 14)) >>> 0) / 2 ** 32;
  };
}

function randomArguments({ required = [], properties }: Schema, random: () => number): object {
  const choose = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)];
  const makeValue = ({ type, enum: choices }: Property) => {
    if (random() < 0.05) return choose([null, 1.5, [], {}, "text"]);
    if (choices) return choose(choices);
    if (type === "integer") return choose([-3, 0, 1, 2, 100_000]);
    return type === "boolean" ? choose([true, false]) : choose(texts);
  };
  const names = Object.keys(properties).filter((name) => !unsteady.has(name));
  const given = names.filter((name) => random() < (required.includes(name) ? 0.95 : 0.4));
  const entries = given.map((name) => [name, makeValue(properties[name] ?? { type: "string" })]);
  return Object.fromEntries(random() < 0.1 ? [...entries, ["unknown", 1]] : entries);
}

/** What a tool answers with one process per call, as the reply of a served process with the id "1". */
async function oneShot(bin: string, args: object, cwd: string, env: Record<string, string>): Promise<string> {
  const { exitCode, stdout, stderr } = await call(bin, JSON.stringify(args), { cwd, env });
  if (exitCode === 0) return `{"call":"1","answer":${stdout}}`;
  return JSON.stringify({ call: "1", refused: stderr.replace(/\n$/, "") });
}

const executable = (name: string) => fileURLToPath(new URL(`../libexec/ikigai/${name}`, import.meta.url));

/** The shipped tools that declare it. */
const serving = shippedExecutables.filter((name) => {
  const { ikigai = {} } = JSON.parse(execFileSync(executable(name), ["--schema"], { encoding: "utf8" }));
  return ikigai.serves === true;
});

test.each(serving)(
  "%s answers random calls in one process as with one process per call",
  { timeout: 180_000 },
  async (name) => {
    const bin = executable(name);
    const schema: Schema = JSON.parse(execFileSync(bin, ["--schema"], { encoding: "utf8" })).parameters;
    const random = randomNumbers(name.length);
    const files = { "a.txt": "one\ntwo\nthree\n", "sub/b.txt": "o\n".repeat(500), "e.txt": "é😀" };
    // The same calls in two equal trees.
    const [alone, served] = [await tempDir(files), await tempDir(files)];
    await using tool = await startServed(bin, { cwd: served });
    expect(await tool.nextLine()).toBe('{"ready":true}');
    for (let group = 0; group < groups; group++) {
      const [first, second] = [randomArguments(schema, random), randomArguments(schema, random)];
      for (const args of [first, second, first]) {
        const env = random() < 0.3 ? { IKIGAI_MAX_OUTPUT_BYTES: "120" } : {};
        const expected = await oneShot(bin, args, alone, env);
        expect(await tool.call(args, { id: "1", env }), JSON.stringify(args)).toBe(expected);
        expect(await tool.nextLine(), `${JSON.stringify(args)}\n${tool.stderr()}`).toBe('{"ready":true}');
      }
    }
    execFileSync("diff", ["-r", alone, served]);
  },
);
