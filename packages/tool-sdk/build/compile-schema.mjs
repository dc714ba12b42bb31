// Compiles a tool's schema to code: an argument check (ajv) and a serializer (fast-json-stringify), both without `new Function`.
import { Ajv } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import fastJson from "fast-json-stringify";
import { compiledOf, SchemaProblem } from "./schema-problem.mjs";

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
    asFunction("check", compiledOf("parameters", parameters, argumentCheck)),
    asFunction("serialize", `${strictIntegers}${compiledOf("output", output, serializer)}`),
  ].join("\n");
}

async function load(schemaFile) {
  const { outputFiles } = await build({
    entryPoints: [schemaFile],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

function argumentCheck(parameters) {
  // A `format` tells the model more; checking it would add every format to the tool.
  const ajv = new Ajv({ code: { source: true }, messages: false, strict: true, validateFormats: false });
  return standaloneCode.default(ajv, ajv.compile(parameters));
}

function serializer(output) {
  return fastJson(output, { mode: "standalone" });
}

/** fast-json-stringify would write 1.5 as 1 and `null` as 0. */
const strictIntegers = `require("fast-json-stringify/lib/serializer").prototype.asInteger = (value) => {
  if (Number.isInteger(value) || typeof value === "bigint") return String(value);
  throw new TypeError(\`Expected an integer in the answer, got \${value} (\${typeof value}).\`);
};
`;

/** Both generators write CommonJS; wrapped in a function, several fit in one module. */
function asFunction(name, commonJs) {
  return `function ${name}() { const module = { exports: {} }; const exports = module.exports;\n${commonJs}\nreturn module.exports; }`;
}
