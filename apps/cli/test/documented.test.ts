import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commands } from "../src/args/commands.ts";
import { mainOptions } from "../src/args/option.ts";

const own = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const front = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");

test.each(Object.values(commands))("the README of the command lists $name and its options", ({ name, options }) => {
  // In a table row, a bar is escaped with a backslash.
  const row = own.split("\n").find((line) => line.startsWith(`| \`ikigai ${name}`)) ?? "";
  expect(row).not.toBe("");
  // The help of tool check and docs/protocol.md list its other options.
  const told = name === "tool check" ? ["call", "tap", "json", "list"] : Object.keys(options);
  for (const option of told) expect(row).toMatch(new RegExp(`--${option}\\b(?!-)`));
});

test("the front page quotes the measured figures", () => {
  const results: Record<string, { figures: Record<string, number> }> = JSON.parse(
    readFileSync(new URL("../../../bench/results.json", import.meta.url), "utf8"),
  );
  const figure = (bench: string, name: string) => results[bench]?.figures[name] ?? Number.NaN;
  const quoted = /<!-- measured -->(.*)<!-- \/measured -->/.exec(front)?.[1];
  expect(quoted).toContain(`after ${figure("session", "first request ms").toFixed(0)} ms`);
  expect(quoted).toContain(`takes ${figure("calls", "served p50, small host").toFixed(1)} ms`);
  expect(quoted).toContain(`calls take ${(figure("peers", "ikigai session ms") / 1_000).toFixed(2)} s`);
});

test("the README of the command lists every option", () => {
  const missing = Object.keys(mainOptions).filter((option) => !new RegExp(`--${option}\\b(?!-)`).test(own));
  expect(missing).toEqual([]);
});
