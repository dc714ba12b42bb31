// Compiles a tool's schema to code: an argument check (ajv) and a serializer (fast-json-stringify), both without `new Function`.
import { Ajv } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import fastJson from "fast-json-stringify";

/** The source of the module `ikigai:compiled` for the tool whose `schema.ts` exports `parameters` and `output`. */
export async function compileSchema(schemaFile, version) {
  const { parameters, output } = await load(schemaFile);
  if (!parameters || !output) throw new Error(`Expected ${schemaFile} to export "parameters" and "output".`);
  return [
    `export const compiled = { version: ${JSON.stringify(version)}, check: check(), serialize: serialize() };`,
    asFunction("check", argumentCheck(parameters)),
    asFunction("serialize", fastJson(output, { mode: "standalone" })),
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
  const ajv = new Ajv({ code: { source: true }, messages: false, strict: true });
  return standaloneCode.default(ajv, ajv.compile(parameters));
}

/** Both generators write CommonJS; wrapped in a function, several fit in one module. */
function asFunction(name, commonJs) {
  return `function ${name}() { const module = { exports: {} }; const exports = module.exports;\n${commonJs}\nreturn module.exports; }`;
}
