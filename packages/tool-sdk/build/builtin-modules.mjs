// Node's own modules in a bundle, which has no `import` and `require`, so that it runs as CommonJS and as ESM.
import { builtinModules } from "node:module";

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
