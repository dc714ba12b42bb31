// Builds the tool package in the current directory: bundles src/main.ts into the file named by `bin`, which runs anywhere. Below:
// Node's own modules in a bundle, the trial start of what was built, and what esbuild reports.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { build, formatMessages } from "esbuild";
import { compileSchema, SchemaProblem } from "./compile-schema.mjs";
import { bundledFiles, thirdPartyNotices } from "./third-party-notices.mjs";

/** Provides `ikigai:compiled`: the code generated from the schema. */
function compiled(contents) {
  return {
    name: "compiled",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^ikigai:compiled$/ }, ({ path }) => ({ path, namespace: "compiled" }));
      onLoad({ filter: /.*/, namespace: "compiled" }, () => ({ contents, resolveDir: import.meta.dirname }));
    },
  };
}

/** The code generated from the schema. Before the build: esbuild would print the error with a stack, or not end in time. */
async function schemaCode(version) {
  try {
    return await compileSchema(resolve("src/schema.ts"), version);
  } catch (error) {
    if (error instanceof SchemaProblem) fail(error.message);
    throw error;
  }
}

/** Builds the package. On an error, prints it to stderr and sets exit code 1. */
export async function bundleTool() {
  try {
    await writeBundle();
  } catch (error) {
    if (error.errors) await printMessages("error", error.errors);
    else console.error(error);
    process.exitCode = 1;
  }
}

async function writeBundle() {
  const { version, outfile } = readPackage();
  const { metafile, outputFiles, warnings } = await build({
    entryPoints: ["src/main.ts"],
    outfile,
    write: false,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "iife",
    minifySyntax: true,
    banner: { js: "#!/usr/bin/env node" },
    plugins: [builtins, compiled(await schemaCode(version))],
    metafile: true,
    logLevel: "silent",
  });
  await printMessages("warning", warnings);
  // Inside the file, so that copies have them too.
  const notices = thirdPartyNotices(bundledFiles(metafile));
  const end = notices && `/*! Contains\n\n${notices.replaceAll("*/", "* /")}*/\n`;
  mkdirSync(dirname(outfile), { recursive: true });
  // With a package's own `"type": "module"` the file would start as ESM, which takes 6 ms more.
  writeFileSync(join(dirname(outfile), "package.json"), '{ "type": "commonjs" }\n');
  // At once, and only if it starts: a host that runs meanwhile must not get half of the tool, or one that is worse than before.
  const temporary = `${outfile}-${process.pid}`;
  writeFileSync(temporary, outputFiles[0].text + end);
  chmodSync(temporary, 0o755);
  const problem = await startProblem(temporary, outfile);
  if (problem === undefined) return renameSync(temporary, outfile);
  rmSync(temporary);
  fail(problem);
}

function readPackage() {
  for (const needed of ["package.json", "src/main.ts", "src/schema.ts"])
    if (!existsSync(needed)) fail(`No ${needed} in ${process.cwd()}. Run this in the tool's package.`);
  const { version = "0.0.0", bin = {} } = JSON.parse(readFileSync("package.json", "utf8"));
  const outfiles = Object.entries(bin).filter(([command]) => command.endsWith("-tool"));
  if (outfiles.length !== 1)
    fail(
      `Expected one "bin" that ends in -tool in package.json, got ${outfiles.length}: "bin": {"x-tool": "./dist/x-tool"}`,
    );
  return { version, outfile: outfiles[0][1] };
}

function fail(reason) {
  console.error(`ikigai-build-tool: ${reason}`);
  process.exit(1);
}

// Node's own modules in a bundle, which has no `import` and `require`, so that it runs as CommonJS and as ESM.

/** Node's modules with and without `node:`, as sources and packages name them. */
const names = new RegExp(`^(?:node:.+|${builtinModules.join("|")})$`);

/** Takes Node's modules from the process. */
export const builtins = {
  name: "builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: names }, ({ path, kind }) => {
      const name = path.startsWith("node:") ? path : `node:${path}`;
      if (kind === "require-resolve") return undefined;
      return { path: name, namespace: kind === "require-call" ? "required" : "imported" };
    });
    onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({ contents: `module.exports = ${taken(path)};` }));
    onLoad({ filter: /.*/, namespace: "imported" }, ({ path }) => ({ contents: exportsOf(path) }));
  },
};

/**
 * Each export is a call that esbuild may drop. Given a CommonJS module instead, it would copy the 100 properties of
 * `node:fs` for every file that imports it, at every start of the tool: 1.5 ms.
 */
function exportsOf(path) {
  return [
    // Names that no module exports: node:http has `get`.
    `const $module = ${taken(path)};`,
    "const $get = (name) => $module[name];",
    "export default $module;",
    ...Object.keys(process.getBuiltinModule(path)).map(
      (name) => `export const ${name} = /* @__PURE__ */ $get(${JSON.stringify(name)});`,
    ),
  ].join("\n");
}

function taken(path) {
  return `process.getBuiltinModule(${JSON.stringify(path)})`;
}

// Runs a built tool with `--schema`: what no file defines, or what runs at the top level of a module, shows only then.

/** How long the tool may take, in milliseconds: far more than a host allows, for a busy machine. */
const patienceMs = 60_000;

/** How long it may run after it has closed its stdout, in milliseconds. Node needs a few to end. */
const endPatienceMs = 5_000;

/** Loaded before the tool: names what keeps it running, in the words of Node, and ends it. */
const namesWhatRuns = `data:text/javascript,${encodeURIComponent(
  `process.once("SIGTERM", () => {
    console.error([...new Set(process.getActiveResourcesInfo())].join(", "));
    process.kill(process.pid, "SIGKILL");
  });`,
)}`;

/**
 * Says what is wrong with the answer of a built tool to `--schema`; `undefined` if it is a schema, and the tool ends.
 *
 * @param name what the file will be called.
 */
export async function startProblem(file, name) {
  const args = ["--import", namesWhatRuns, file, "--schema"];
  const tool = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const giveUp = setTimeout(() => tool.kill("SIGKILL"), patienceMs);
  let isAsked = false;
  let ask;
  tool.stdout.once("end", () => {
    ask = setTimeout(() => {
      isAsked = tool.kill("SIGTERM");
    }, endPatienceMs);
  });
  const [stdout, stderr, [status, signal]] = await Promise.all([
    text(tool.stdout),
    text(tool.stderr),
    once(tool, "exit"),
  ]);
  clearTimeout(giveUp);
  clearTimeout(ask);
  const command = `${name} --schema`;
  if (isAsked)
    return `${command} does not end: something at the top level of a module keeps it running (${stderr.trimEnd()}). Start it in run.`;
  if (status !== 0) return `${command} failed with ${signal ?? `exit code ${status}`}:\n${stderr.trimEnd()}`;
  return schemaProblem(command, stdout);
}

function schemaProblem(command, stdout) {
  if (stdout.trim() === "")
    return `${command} printed nothing. src/main.ts has to call serve, and no module may end the process.`;
  const schema = parsed(stdout);
  if (schema === undefined) {
    const [line] = stdout.split("\n");
    return `${command} must print one JSON object and nothing else. Its first line: ${line}\nPrint logs with console.error.`;
  }
  if (schema.parameters?.type !== "object") return `${command} must print parameters with "type": "object".`;
  return undefined;
}

function parsed(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

// Prints what esbuild reports about a tool's sources.

const oneScript = "not supported: a built tool is one script, which runs as CommonJS and as ESM";

/** What esbuild says about an output format that the author of a tool cannot choose, and what to say instead. */
const replacements = [
  [/^Top-level await /, `await at the top level of a module is ${oneScript}`, "Await it in run."],
  [
    /^"import\.meta" /,
    `import.meta is ${oneScript}. It is empty`,
    "Files beside the sources are not part of the tool. To include data, import it from a .ts or .json file.",
  ],
];

/** Prints errors or warnings to stderr. @param kind "error" or "warning". */
export async function printMessages(kind, messages) {
  const texts = await formatMessages(messages.map(inOwnWords), { kind, color: process.stderr.isTTY });
  for (const text of texts) process.stderr.write(text);
}

function inOwnWords(message) {
  const [, text, note] = replacements.find(([pattern]) => pattern.test(message.text)) ?? [];
  return text === undefined ? message : { ...message, text, notes: [{ text: note }] };
}
