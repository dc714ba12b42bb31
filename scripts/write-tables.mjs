// Writes the generated tables of the READMEs, between <!-- table: NAME --> and <!-- /table -->, from the tables of the help.
// With --check it writes nothing, prints the tables that differ, one line each, and exits with 1 if there are any.
import { readFileSync, writeFileSync } from "node:fs";
import { importBuilt } from "./import-built.mjs";

const pages = ["apps/cli/README.md", "packages/models/README.md", "docs/sandbox.md"];
const isCheck = process.argv.includes("--check");
const problems = [];

const { readmeTables } = await importBuilt("apps/cli/src/help/readme-tables.ts");
const placed = new Set();
for (const page of pages) writePage(page);
for (const name of Object.keys(readmeTables)) if (!placed.has(name)) problems.push(`${name}: no page has this table`);
for (const problem of problems) console.log(problem);
process.exit(problems.length > 0 ? 1 : 0);

function writePage(page) {
  const text = readFileSync(page, "utf8");
  const written = text.replace(/(<!-- table: (\S+) -->\n)(.*?)(<!-- \/table -->)/gs, (all, begin, name, old, end) => {
    placed.add(name);
    const table = readmeTables[name];
    if (table === undefined) problems.push(`${page}: there is no table ${name}`);
    else if (isCheck && `\n${table}\n` !== old)
      problems.push(`${page}: ${name} differs from the help. Run: npm run tables`);
    return table === undefined ? all : `${begin}\n${table}\n${end}`;
  });
  if (!isCheck && written !== text) writeFileSync(page, written);
}
