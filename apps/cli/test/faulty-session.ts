import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Message } from "@ikigai/models";
import { resumeConversation } from "@ikigai/session";
import { tempDir } from "@ikigai/testing";
import { expect, inject } from "vitest";
import { ikigai, type RunEnd } from "./ikigai.ts";
import { startModel } from "./model-server.ts";

const hook = fileURLToPath(new URL("fixtures/fault.cjs", import.meta.url));

/** A step to fail, for `fixtures/fault.cjs`. */
export interface Fault {
  readonly program: string;
  readonly path: string;
  readonly at: number;
  readonly how: string;
}

export interface Played extends RunEnd {
  readonly home: string;
  readonly cwd: string;
  /** Whether the session reached the fault. */
  readonly wasHit: boolean;
}

const steps = [
  { text: "I write.", calls: [{ name: "file_write", arguments: { file_path: "a.txt", content: "new a\n" } }] },
  {
    calls: [
      { name: "file_edit", arguments: { file_path: "b.txt", old_string: "old", new_string: "new" } },
      { name: "bash", arguments: { command: "cat a.txt b.txt" } },
    ],
  },
  { text: "Both are new." },
];

/** Runs the same session each time: a write, an edit, a command. `env` injects the fault. */
export async function play(env: Record<string, string>, run: typeof ikigai = ikigai): Promise<Played> {
  const home = await tempDir();
  const cwd = await tempDir({ "a.txt": "old a\n", "b.txt": "old b\n" });
  const model = await startModel(steps);
  const args = ["-p", "go", "--model", "openai-compatible/m", "--permission-mode", "allow", "--output-format", "json"];
  const mark = join(home, "fault-hit");
  const end = await run(args, { cwd, env: { ...model.env, HOME: home, FAULT_MARK: mark, ...env } });
  return { ...end, home, cwd, wasHit: existsSync(mark) };
}

function faultVariables(fault: Fault): Record<string, string> {
  return { NODE_OPTIONS: `--require=${hook}`, FAULT: JSON.stringify(fault) };
}

/**
 * Runs with the fault at the first step, at the second, and so on, until there is no such step. A quick run takes only one of
 * `stride` steps. Returns the number of the last step.
 */
export async function sweep(
  fault: Omit<Fault, "at">,
  check: (played: Played, at: number) => void | Promise<void>,
  { stride: quickStride = 10 } = {},
): Promise<number> {
  const stride = inject("isThorough") ? 1 : quickStride;
  const atOnce = 4;
  let last = 0;
  for (let first = 1; ; first += atOnce * stride) {
    const ats = Array.from({ length: atOnce }, (_, index) => first + index * stride);
    const all = await Promise.all(
      ats.map(async (at) => ({ at, played: await play(faultVariables({ ...fault, at })) })),
    );
    for (const { at, played } of all) {
      if (!played.wasHit) return last;
      last = at;
      await check(played, last);
    }
  }
}

/** The session's lines, and the messages after it is resumed. */
export function resumed({ home, cwd }: Played): { lines: string[]; messages: readonly Message[] } | undefined {
  const directory = join(home, ".ikigai/sessions");
  const [name] = existsSync(directory) ? readdirSync(directory).filter((file) => file.endsWith(".jsonl")) : [];
  if (name === undefined) return undefined;
  const text = readFileSync(join(directory, name), "utf8");
  const lines = text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter(Boolean);
  if (lines.length === 0) return undefined;
  const { conversation } = resumeConversation({
    home: join(home, ".ikigai"),
    cwd,
    id: name.slice(0, -".jsonl".length),
  });
  conversation.log.close();
  return { lines, messages: conversation.messages };
}

/** Asserts that a provider accepts it: after each step follow the results of its calls, one each, and nothing else. */
export function expectValid(messages: readonly Message[]): void {
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") continue;
    const next = messages.findIndex(({ role }, later) => later > index && role !== "tool");
    const results = messages.slice(index + 1, next < 0 ? undefined : next);
    const calls = message.role === "assistant" ? message.parts.filter(({ type }) => type === "tool_call") : [];
    expect(results.map((result) => result.role === "tool" && result.id).sort()).toEqual(
      calls.map((call) => call.type === "tool_call" && call.id).sort(),
    );
  }
}

export function expectOldOrNew({ cwd }: Played): void {
  expect(["old a\n", "new a\n"]).toContain(readFileSync(join(cwd, "a.txt"), "utf8"));
  expect(["old b\n", "new b\n"]).toContain(readFileSync(join(cwd, "b.txt"), "utf8"));
}
