import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { commands } from "../src/args/commands.ts";
import { mainOptions } from "../src/args/main-options.ts";
import { parseArgv } from "../src/args/parse-argv.ts";
import { readOptions } from "../src/args/read-options.ts";
import { manExamples } from "../src/help/man-examples.ts";
import { blocksOf } from "../src/help/man-page.ts";

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
    const section = text.split(new RegExp(`^ {3}${name}\n`, "m"))[1]?.split(/^ {0,3}\S/m)[0] ?? "";
    for (const option of Object.keys(options)) expect(section).toMatch(new RegExp(`^ {7}(-\\w, )?--${option}\\b`, "m"));
    expect(section.replace(/ +/g, " ")).toContain(`ikigai ${name}`);
  }
  const own = text.split(/^OPTIONS\n/m)[1]?.split(/^\S/m)[0] ?? "";
  for (const option of Object.keys(mainOptions)) expect(own).toMatch(new RegExp(`^ {7}(-\\w, )?--${option}\\b`, "m"));
  for (const topic of topicNames) expect(text).toContain(`\n${customary[topic] ?? topic.toUpperCase()}\n`);
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
});

test.skipIf(isMissing("groff"))("the manual loses nothing in the C locale (needs groff)", () => {
  expect(render("ascii")).toContain("such as $(...)");
});

test("the manual has each section once, in the customary order", () => {
  const titles = [...readFileSync(page, "utf8").matchAll(/^\.SH "(.*)"$/gm)].map(([, title]) => title);
  expect(new Set(titles).size).toBe(titles.length);
  expect(titles.slice(0, 5)).toEqual(["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS"]);
  expect(titles.slice(-6)).toEqual(["EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "BUGS", "SEE ALSO"]);
});

test.each(manExamples.map(([line]) => [line]))("the manual's example %s is a command line of ikigai", (line) => {
  // A shell takes the line apart, as it does for a person.
  const script = `ikigai() { printf '%s\\0' "$@"; }; ${line}`;
  const { stdout } = spawnSync("bash", ["-c", script], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const invocation = parseArgv(stdout.split("\0").slice(0, -1));
  if (invocation.kind === "command") readOptions(invocation.args, commands[invocation.name].options);
  expect(["repl", "print", "command"]).toContain(invocation.kind);
});

test.skipIf(isMissing("mandoc"))("the manual passes mandoc's checks (needs mandoc)", () => {
  const { stdout } = spawnSync("mandoc", ["-T", "lint", "-W", "warning", page], { encoding: "utf8" });
  // A date would make every build different.
  expect(stdout.split("\n").filter((line) => line !== "" && !line.includes("missing date"))).toEqual([]);
});

test("splits a topic into paragraphs, tables and examples", () => {
  const text = "One\ntwo.\n\n  key     what it\n          means\n  other   more\n\n  $ run  a  b\n    c\n\nEnd.";
  expect(blocksOf(text)).toEqual([
    { kind: "paragraph", text: "One two." },
    {
      kind: "table",
      rows: [
        ["key", "what it means"],
        ["other", "more"],
      ],
    },
    { kind: "literal", lines: ["$ run  a  b", "  c"] },
    { kind: "paragraph", text: "End." },
  ]);
});

test("escapes the special characters of roff", async () => {
  const { roffText } = await import("../src/help/man-page.ts");
  expect(roffText(".TH is no request, \\n no escape, é no ASCII, … three dots")).toBe(
    "\\&.TH is no request, \\en no escape, \\[u00E9] no ASCII, ... three dots\n",
  );
  expect(roffText("-p")).toBe("\\-p\n");
});
