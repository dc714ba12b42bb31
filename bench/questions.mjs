// Which of the shell commands that models really write are asked about in the mode auto, with the rules of a careful user and with none.
//   node bench/questions.mjs CORPUS [--list]     CORPUS: a directory with commands.jsonl; --list prints the commands that are asked about
// A command that a rule names is not counted: the user wants that question. All others are harmless for the user, since the sandbox holds them.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load, report, scratch, tool } from "./measure.mjs";

const [corpus] = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
if (corpus === undefined) {
  console.error("Usage: node bench/questions.mjs CORPUS [--list]");
  process.exit(2);
}

/** What people forbid and want to be asked about, whatever runs where. */
const carefulRules = [
  ...["sudo *", "rm -rf /*", "rm -rf ~*", "git push --force*", "git push -f*", "dd *", "shutdown *"].map((one) => [
    "deny",
    one,
  ]),
  ...[
    "git push*",
    "git reset --hard*",
    "rm -rf *",
    "npm publish*",
    "docker *",
    "kubectl *",
    "ssh *",
    "chmod 777 *",
  ].map((one) => ["ask", one]),
].map(([verdict, pattern]) => ({ verdict, rule: `bash(${pattern})` }));

const { discover, findTool } = await load("core");
const { decide } = await load("agent", "internal");
const dir = scratch();
const [home, projectDir] = ["home", "project"].map((name) => join(dir, name));
for (const path of [home, projectDir]) mkdirSync(path);
const directories = [{ path: join(tool("bash-tool"), ".."), scope: "system" }];
const bash = findTool(await discover({ directories, home, projectDir }), "bash");

const lines = readFileSync(join(corpus, "commands.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

/** Decides all commands; returns those that are asked about, by reason. */
function asked(rules) {
  const permission = { mode: "auto", rules, projectDir, home, sandboxOf: () => "offered" };
  const reasons = new Map();
  let counted = 0;
  for (const { command } of lines) {
    const call = { id: "c", name: "bash", arguments: JSON.stringify({ command }), gitProblem: "" };
    const { verdict, reason } = decide(call, bash, permission);
    if (/^a rule (?:denies|requires)/.test(reason)) continue;
    counted++;
    if (verdict !== "allow") reasons.set(reason, [...(reasons.get(reason) ?? []), command]);
  }
  return { counted, reasons };
}

for (const [name, rules] of [
  ["no rules", []],
  [`${carefulRules.length} careful rules`, carefulRules],
]) {
  const { counted, reasons } = asked(rules);
  const commands = [...reasons.values()].flat();
  const share = (100 * commands.length) / counted;
  report({
    title: `Questions about shell commands in the mode auto, ${name}`,
    text: [
      `${commands.length} of ${counted} commands are asked about: ${share.toFixed(1)} %`,
      ...[...reasons].map(([reason, all]) => `${String(all.length).padStart(6)}  ${reason}`),
    ].join("\n"),
    figures: { "asked %": share },
  });
  if (process.argv.includes("--list"))
    for (const [reason, all] of reasons)
      for (const command of all) console.log(`${reason}\t${JSON.stringify(command)}`);
}
