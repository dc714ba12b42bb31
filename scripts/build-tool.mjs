// Builds the tool package in the current directory: src/main.ts becomes dist/NAME-tool, one file that runs anywhere.
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { build } from "esbuild";
import { compileSchema } from "./compile-schema.mjs";

const { name, version } = JSON.parse(readFileSync("package.json", "utf8"));
const outfile = `dist/${basename(name)}`;

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
const compiled = {
  name: "compiled",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^ikigai:compiled$/ }, ({ path }) => ({ path, namespace: "compiled" }));
    onLoad({ filter: /.*/, namespace: "compiled" }, async () => ({
      contents: await compileSchema(resolve("src/schema.ts"), version),
      resolveDir: import.meta.dirname,
    }));
  },
};

await build({
  entryPoints: ["src/main.ts"],
  outfile,
  bundle: true,
  platform: "node",
  target: "node20",
  format: "iife",
  minifySyntax: true,
  banner: { js: "#!/usr/bin/env node" },
  plugins: [builtins, compiled],
  logLevel: "warning",
});
chmodSync(outfile, 0o755);
// Below this package's own `"type": "module"` the file would start as ESM, which takes 6 ms more.
writeFileSync("dist/package.json", '{ "type": "commonjs" }\n');
