import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { commands } from "../src/args/commands.ts";
import { mainOptions } from "../src/args/option.ts";
import { escaped } from "../src/help/man-page.ts";

const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const page = fileURLToPath(new URL(`../${manifest.man[0]}`, import.meta.url));
const topicNames = readdirSync(new URL("../src/help/topics", import.meta.url)).map((file) => file.replace(".txt", ""));
const customary: Record<string, string> = { "exit-codes": "EXIT STATUS", commands: "SLASH COMMANDS" };

const isMissing = (program: string) => spawnSync(program, ["--version"]).error !== undefined;

function render(device = "utf8"): string {
  // With every warning, at the width of a usual terminal, without colors and bold.
  const args = ["-man", `-T${device}`, "-ww", "-rLL=78n", "-P-c", "-P-bou", page];
  const { status, stdout, stderr } = spawnSync("groff", args, { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

test.skipIf(isMissing("groff"))("the manual lists every command, option and topic, in 80 columns (needs groff)", () => {
  const text = render();
  expect(text).toMatch(/^NAME\n +ikigai +- +a +terminal +coding +agent/m);
  for (const { name, options } of Object.values(commands)) {
    const section = text.split(new RegExp(`^ {3}${name}\n`, "m"))[1]?.split(/^ {3}\S/m)[0] ?? "";
    for (const option of Object.keys(options)) expect(section).toMatch(new RegExp(`^ {2}(-\\w, )?--${option}\\b`, "m"));
    expect(section.replace(/ +/g, " ")).toContain(`ikigai ${name}`);
  }
  const own = text.split(/^OPTIONS\n/m)[1]?.split(/^\S/m)[0] ?? "";
  for (const option of Object.keys(mainOptions)) expect(own).toMatch(new RegExp(`^ {2}(-\\w, )?--${option}\\b`, "m"));
  for (const topic of topicNames) expect(text).toContain(`\n${customary[topic] ?? topic.toUpperCase()}\n`);
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
});

test.skipIf(isMissing("groff"))("the manual loses nothing in the C locale (needs groff)", () => {
  expect(render("ascii")).toContain("$(...)");
});

test("the manual has each section once, in the customary order", () => {
  const titles = [...readFileSync(page, "utf8").matchAll(/^\.SH "(.*)"$/gm)].map(([, title]) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(titles.slice(0, 5)).toEqual(["NAME", "SYNOPSIS", "OPTIONS", "COMMANDS", "TOOLS"]);
  expect(titles.slice(-5)).toEqual(["EXIT STATUS", "ENVIRONMENT", "FILES", "BUGS", "SEE ALSO"]);
});

test.skipIf(isMissing("mandoc"))("the manual passes mandoc's checks (needs mandoc)", () => {
  const { stdout } = spawnSync("mandoc", ["-T", "lint", "-W", "warning", page], { encoding: "utf8" });
  // A date would make every build different.
  expect(stdout.split("\n").filter((line) => line !== "" && !line.includes("missing date"))).toEqual([]);
});

test("escapes the special characters of roff", () => {
  expect(escaped(".TH is no request, \\n no escape, é no ASCII, … three dots, ' a quote")).toBe(
    "\\&.TH is no request, \\en no escape, \\[u00E9] no ASCII, ... three dots, \\(aq a quote",
  );
  expect(escaped("-p")).toBe("\\-p");
});
