// Builds the tool package in the current directory: bundles src/main.ts into the file named by `bin`, which runs anywhere.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { builtins } from "./builtin-modules.mjs";
import { startProblem } from "./check-start.mjs";
import { compileSchema } from "./compile-schema.mjs";
import { printMessages } from "./print-messages.mjs";
import { SchemaProblem } from "./schema-problem.mjs";
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
