// Compiles a tool's schema to code: an argument check (ajv) and a serializer (fast-json-stringify), both without `new Function`.
import standaloneCode from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import fastJson from "fast-json-stringify";
import { ajvFor } from "./dialect.mjs";
import { compiledOf, parameterDefaultProblem, SchemaProblem } from "./schema-problem.mjs";

/**
 * The source of the module `ikigai:compiled` for the tool whose `schema.ts` exports `parameters` and `output`.
 *
 * @throws SchemaProblem if one of the two is missing or cannot be compiled.
 */
export async function compileSchema(schemaFile, version) {
  const { parameters, output } = await load(schemaFile);
  if (!parameters || !output) throw new SchemaProblem(`Expected ${schemaFile} to export "parameters" and "output".`);
  return [
    `export const compiled = { version: ${JSON.stringify(version)}, check: check(), serialize: serialize() };`,
    asFunction("check", compiledOf("parameters", parameters, argumentCheck, parameterDefaultProblem)),
    asFunction("serialize", `${strictNumbers}${compiledOf("output", output, serializer)}`),
  ].join("\n");
}

async function load(schemaFile) {
  const { outputFiles } = await build({
    entryPoints: [schemaFile],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    logLevel: "silent",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

/** Checks arguments, and fills in what the schema gives as their `default`. */
function argumentCheck(parameters) {
  const isOpen = ([keyword, value]) => value !== false || !/^(additional|unevaluated)Properties$/.test(keyword);
  // A tool ignores unknown arguments, so none refuses them.
  const open = Object.fromEntries(Object.entries(parameters).filter(isOpen));
  const ajv = ajvFor(parameters, { code: { source: true }, messages: false, useDefaults: true });
  return standaloneCode.default(ajv, ajv.compile(open));
}

/** Draft 7 for whatever it says: fast-json-stringify has no other, and ignores the keywords that only check. */
function serializer({ $schema, ...output }) {
  return fastJson(output, { mode: "standalone", ajv: { strict: false } });
}

/** fast-json-stringify would write 1.5 as the integer 1, `null` as 0, and Infinity as `null`. */
const strictNumbers = `const { prototype: numbers } = require("fast-json-stringify/lib/serializer");
numbers.asInteger = (value) => {
  if (Number.isInteger(value) || typeof value === "bigint") return String(value);
  throw new TypeError(\`Expected an integer, got \${value} (\${typeof value}).\`);
};
const asNumber = numbers.asNumber;
numbers.asNumber = function (value) {
  if (value === Infinity || value === -Infinity) throw new TypeError(\`Expected a finite number, got \${value}.\`);
  return asNumber.call(this, value);
};
`;

/** Both generators write CommonJS; wrapped in a function, several fit in one module. */
function asFunction(name, commonJs) {
  return `function ${name}() { const module = { exports: {} }; const exports = module.exports;\n${commonJs}\nreturn module.exports; }`;
}
