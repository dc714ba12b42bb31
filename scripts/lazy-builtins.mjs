/**
 * Node's own modules that take long to load and are not needed before the prompt shows or a request is sent. Measured, with all
 * they load themselves: 6 ms, where Node itself takes 21.
 */
const slow = /^node:(crypto|http|https|tls)$/;

/**
 * Lets our own files import them as any other, and loads them when something of them is first used. Functions only: a class or
 * a value would have to be loaded to be exported, so it stands behind the default export.
 */
export const lazyBuiltins = {
  name: "lazy-builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: slow }, ({ path, importer }) =>
      importer.includes("/node_modules/") ? undefined : { path, namespace: "lazy-builtin" },
    );
    onLoad({ filter: /.*/, namespace: "lazy-builtin" }, ({ path }) => {
      const names = Object.entries(process.getBuiltinModule(path));
      const functions = names.filter(([name, value]) => typeof value === "function" && /^[a-z]/.test(name));
      return {
        contents: [
          `const load = () => process.getBuiltinModule(${JSON.stringify(path)});`,
          ...functions.map(([name]) => `export const ${name} = (...given) => load().${name}(...given);`),
          "export default new Proxy({}, { get: (_, name) => load()[name] });",
        ].join("\n"),
      };
    });
  },
};
