// Writes the WebAssembly that finds literals, as base64, from its source in text format.
// With --check it writes nothing, and exits with 1 if the module differs from its source.
import { readFileSync, writeFileSync } from "node:fs";
import initialize from "wabt";

const source = "packages/system/src/text/scan.wat";
const target = "packages/system/src/text/scan-module.ts";

const wabt = await initialize();
const module = wabt.parseWat(source, readFileSync(source), { simd: true });
module.validate();
const { buffer } = module.toBinary({});
const text = [
  `/** \`scan.wat\` as WebAssembly, in base64. \`npm run wasm\` writes this file. */`,
  "export const scanModule =",
  `  "${Buffer.from(buffer).toString("base64")}";`,
  "",
].join("\n");
if (!process.argv.includes("--check")) writeFileSync(target, text);
else if (readFileSync(target, "utf8") !== text) {
  console.log(`${target} differs from ${source}. Run: npm run wasm`);
  process.exitCode = 1;
}
