// @module-tag sampled
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai, some, until } from "./ikigai.ts";

/** Number of additional random rhythms: `SIGNAL_ROUNDS=100` for a thorough run. */
const randomRounds = Number(process.env.SIGNAL_ROUNDS ?? 4);

const signals = ["SIGTERM", "SIGHUP", "SIGINT"] as const;
type Signal = (typeof signals)[number];

/** Signals, each with the pause before it in milliseconds. */
type Rhythm = readonly (readonly [signal: Signal, pauseMs: number])[];

const oneOf = <Value>(values: readonly Value[]) => values[Math.floor(Math.random() * values.length)] as Value;

const randomRhythms = Array.from({ length: randomRounds }, () =>
  Array.from({ length: oneOf([2, 3]) }, () => [oneOf(signals), oneOf([5, 20, 80, 200])] as const),
);

const rhythms: readonly Rhythm[] = [
  [
    ["SIGHUP", 0],
    ["SIGHUP", 20],
  ],
  [
    ["SIGTERM", 0],
    ["SIGTERM", 5],
  ],
  [
    ["SIGINT", 0],
    ["SIGINT", 80],
  ],
  [
    ["SIGTERM", 0],
    ["SIGHUP", 20],
    ["SIGINT", 200],
  ],
  ...randomRhythms,
];

test.each(
  some(
    3,
    rhythms.map((rhythm) => [rhythm.map(([signal, ms]) => `${ms} ms ${signal}`).join(", "), rhythm] as const),
  ),
)("leaves no lock and no call without a result: %s", async (_, rhythm) => {
  const cwd = await tempDir();
  const home = await tempDir();
  const pid = () => Number(readFileSync(join(cwd, "pid"), "utf8"));
  // The tool takes its two seconds after SIGTERM, so the other signals arrive during the shutdown.
  const command = "trap '' TERM; echo $$ > pid; while :; do sleep 1; done";
  await ikigai(["-p", `run ${command}`, "--model", "offline", "--permission-mode", "allow"], {
    cwd,
    env: { HOME: home },
    async whileRunning({ kill }) {
      await until(() => existsSync(join(cwd, "pid")) && pid() > 0, "the command");
      for (const [signal, pauseMs] of rhythm) {
        await sleep(pauseMs);
        kill(signal);
      }
    },
  });
  const sessions = join(home, ".ikigai/sessions");
  const names = readdirSync(sessions);
  expect(names.filter((name) => !/\.(jsonl|files|outputs)$/.test(name))).toEqual([]);
  const lines = readFileSync(join(sessions, names.find((name) => name.endsWith(".jsonl")) ?? ""), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const idsOf = (type: string) => lines.filter((line) => line.type === type).map(({ id }) => id);
  expect(idsOf("tool_call")).toHaveLength(1);
  expect(idsOf("tool_result")).toEqual(idsOf("tool_call"));
  await expect.poll(() => isRunning(pid())).toBe(false);
});
