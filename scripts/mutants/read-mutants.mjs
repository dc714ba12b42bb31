import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

const dir = import.meta.dirname;
const root = join(dir, "../..");

/**
 * Reads the lists in this directory. README.md describes their format.
 *
 * A mutant is `{ id, area, file, line, from, to, tests, builds, survives }`: `tests` and `builds` are paths from the root,
 * `survives` is the reason why no test can or need notice it, if given. `problems` are lines for a person, among them
 * each mutant whose text no longer occurs exactly once in its file.
 */
export function readMutants() {
  const mutants = [];
  const problems = [];
  const texts = new Map();
  for (const name of readdirSync(dir).sort()) {
    if (name.endsWith(".txt")) mutants.push(...readList(name, problems));
  }
  for (const mutant of mutants) checkMutant(mutant, texts, problems);
  return { mutants, problems };
}

function readList(name, problems) {
  const area = basename(name, ".txt");
  const mutants = [];
  const report = (index, problem) => problems.push(`scripts/mutants/${name}:${index + 1}: ${problem}`);
  let [file, tests, builds, from] = ["", [], [], undefined];
  for (const [index, text] of readFileSync(join(dir, name), "utf8").split("\n").entries()) {
    const [, word = "", rest = ""] = /^(\S+) ?(.*)$/.exec(text) ?? [];
    if (word === "" || word === "#") continue;
    if (word === "file") [file, builds] = [rest, []];
    else if (word === "tests") tests = rest.split(" ");
    else if (word === "build") builds = rest.split(" ");
    else if (word === "-") from = rest;
    else if (word === "+" && from !== undefined) {
      const place = `scripts/mutants/${name}:${index + 1}`;
      mutants.push({ id: `${area}:${mutants.length + 1}`, area, place, file, from, to: rest, tests, builds });
      from = undefined;
    } else if (word === "survives:" && mutants.length > 0) mutants[mutants.length - 1].survives = rest;
    else report(index, `expected file, tests, build, -, + (after -), survives: or #, got "${text}"`);
  }
  return mutants;
}

function checkMutant(mutant, texts, problems) {
  const { place, file, from, to, tests, builds } = mutant;
  const missing = [file, ...tests, ...builds].filter((path) => path === "" || !existsSync(join(root, path)));
  for (const path of missing) problems.push(`${place}: there is no "${path}"`);
  if (missing.length > 0) return;
  if (!texts.has(file)) texts.set(file, readFileSync(join(root, file), "utf8"));
  const parts = texts.get(file).split(from);
  mutant.line = parts[0].split("\n").length;
  if (from === to) problems.push(`${place}: changes nothing`);
  if (parts.length !== 2)
    problems.push(`${place}: occurs ${parts.length - 1} times in ${file}, expected once: ${from}\n  Adapt the list.`);
}
