// Builds the tool package in the current directory: bundles src/main.ts into the file named by `bin`, which runs anywhere.
import { spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { compileSchema } from "./compile-schema.mjs";
import { SchemaProblem } from "./schema-problem.mjs";
import { bundledFiles, thirdPartyNotices } from "./third-party-notices.mjs";

/**
 * Takes `node:` modules from the process: a bundle without `import` and `require` runs as CommonJS and as ESM.
 *
 * Each export is a call that esbuild may drop. Given a CommonJS module instead, it would copy the 100 properties of
 * `node:fs` for every file that imports it, at every start of the tool: 1.5 ms.
 */
const builtins = {
  name: "builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: "builtin" }));
    onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: [
        // Names that no module exports: node:http has `get`.
        `const $module = process.getBuiltinModule(${JSON.stringify(path)});`,
        "const $get = (name) => $module[name];",
        "export default $module;",
        ...Object.keys(process.getBuiltinModule(path)).map(
          (name) => `export const ${name} = /* @__PURE__ */ $get(${JSON.stringify(name)});`,
        ),
      ].join("\n"),
    }));
  },
};

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
    // esbuild has already printed errors in the sources.
    if (!error.errors) console.error(error);
    process.exitCode = 1;
  }
}

async function writeBundle() {
  const { version, outfile } = readPackage();
  const { metafile } = await build({
    entryPoints: ["src/main.ts"],
    outfile,
    bundle: true,
    platform: "node",
    target: "node20",
    format: "iife",
    minifySyntax: true,
    banner: { js: "#!/usr/bin/env node" },
    plugins: [builtins, compiled(await schemaCode(version))],
    metafile: true,
    logLevel: "warning",
  });
  // Inside the file, so that copies have them too.
  const notices = thirdPartyNotices(bundledFiles(metafile));
  if (notices) appendFileSync(outfile, `/*! Contains\n\n${notices.replaceAll("*/", "* /")}*/\n`);
  chmodSync(outfile, 0o755);
  // With a package's own `"type": "module"` the file would start as ESM, which takes 6 ms more.
  writeFileSync(join(dirname(outfile), "package.json"), '{ "type": "commonjs" }\n');
  checkStart(outfile);
}

/** How long the built tool may take for its schema, in milliseconds: far more than a host allows, for a busy machine. */
const schemaPatienceMs = 60_000;

/** Runs the built tool with `--schema`: a name that no file defines fails only when the tool runs. */
function checkStart(outfile) {
  const { status, signal, stderr } = spawnSync(process.execPath, [outfile, "--schema"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: schemaPatienceMs,
  });
  if (status !== 0) fail(`${outfile} --schema failed with ${signal ?? `exit code ${status}`}:\n${stderr.trimEnd()}`);
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
