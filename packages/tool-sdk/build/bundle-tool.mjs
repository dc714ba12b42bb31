// Builds the tool package in the current directory: src/main.ts becomes what `bin` names, one file that runs anywhere.
import { appendFileSync, chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { compileSchema } from "./compile-schema.mjs";
import { thirdPartyNotices } from "./third-party-notices.mjs";

/**
 * `node:fs` and its like come from the process: a bundle without `import` and `require` runs as CommonJS and as ESM.
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
        `const builtin = process.getBuiltinModule(${JSON.stringify(path)});`,
        "const get = (name) => builtin[name];",
        "export default builtin;",
        ...Object.keys(process.getBuiltinModule(path)).map(
          (name) => `export const ${name} = /* @__PURE__ */ get(${JSON.stringify(name)});`,
        ),
      ].join("\n"),
    }));
  },
};

/** `ikigai:compiled` holds what can be worked out from the schema before anybody runs the tool. */
function compiled(version) {
  return {
    name: "compiled",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^ikigai:compiled$/ }, ({ path }) => ({ path, namespace: "compiled" }));
      onLoad({ filter: /.*/, namespace: "compiled" }, async () => ({
        contents: await compileSchema(resolve("src/schema.ts"), version),
        resolveDir: import.meta.dirname,
      }));
    },
  };
}

/** Says on stderr what is wrong with the package, with exit code 1. */
export async function bundleTool() {
  try {
    await writeBundle();
  } catch (error) {
    // esbuild has printed what is wrong with the sources.
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
    plugins: [builtins, compiled(version)],
    metafile: true,
    logLevel: "warning",
  });
  // Inside of the file, so that a copy of it has them too.
  const notices = thirdPartyNotices([metafile]);
  if (notices) appendFileSync(outfile, `/*! Contains\n\n${notices.replaceAll("*/", "* /")}*/\n`);
  chmodSync(outfile, 0o755);
  // Below a package's own `"type": "module"` the file would start as ESM, which takes 6 ms more.
  writeFileSync(join(dirname(outfile), "package.json"), '{ "type": "commonjs" }\n');
}

function readPackage() {
  for (const needed of ["package.json", "src/main.ts", "src/schema.ts"])
    if (!existsSync(needed)) fail(`Expected ${needed} in ${process.cwd()}, found none. Run it in the tool's package.`);
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
