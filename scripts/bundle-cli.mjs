// Bundles the command: main.ts becomes dist/ikigai.js, and the rest a few files that load when they are needed.
import { join } from "node:path";
import { rolldown } from "rolldown";
import { lazyBuiltins } from "./lazy-builtins.mjs";
import { mergeChunks } from "./merge-chunks.mjs";

/** How much more often than other commands these are started. */
const weights = {
  ...{ "run-print": 10, "run-calls": 10, "run-repl": 10, "run-tui": 10, "rule-warnings": 10, "tool-list": 3 },
  // A client starts it once and keeps it: no other start may get slower for its sake. At 0, it would load the editor protocol too.
  ...{ "mcp-serve": 0, "run-mcp-server": 0.05 },
  // They start a server, or are rare.
  ...{ "mcp-add": 0, "mcp-login": 0 },
};

const lightHeaders = JSON.stringify(join(import.meta.dirname, "../apps/cli/src/start/light-headers.ts"));
const lightStreams = JSON.stringify(join(import.meta.dirname, "../packages/models/src/light-streams.ts"));

/** Gives the provider packages, and no other, our `Headers` and streams in place of the platform's: they cost less. */
const lightProviders = {
  name: "light-providers",
  transform: {
    filter: { id: /\/@ai-sdk\/[^/]+\/dist\/index\.m?js$|\/eventsource-parser\/dist\/stream\.js$/ },
    handler: (code, path) => `import { Headers } from ${lightHeaders};
import { ${path.includes("/provider-utils/") ? "ReadableStream, " : ""}TextDecoderStream, TransformStream } from ${lightStreams};
${code}`,
  },
};

/**
 * Leaves out the validator of the MCP SDK, 120 kB with ajv: a server needs it only for answers to questions, and ikigai asks none.
 */
const withoutValidator = {
  name: "without-validator",
  load: {
    filter: { id: /\/@modelcontextprotocol\/server\/dist\/shimsNode\.mjs$/ },
    handler: () =>
      'import process from "node:process";\nexport { process };\nexport class DefaultJsonSchemaValidator { getValidator() { throw new Error("The validator is not in this bundle (scripts/bundle-cli.mjs)."); } }',
  },
};

/**
 * Bundles the package in the current directory into dist/.
 *
 * @param define name → expression that replaces it.
 * @returns the source files with code in the bundles.
 */
export async function bundleCli(define) {
  const bundle = await rolldown({
    input: { ikigai: "src/main.ts" },
    platform: "node",
    tsconfig: false,
    preserveEntrySignatures: false,
    resolve: { alias: { "ikigai:highlighter": "highlight.js/lib/common" } },
    transform: { target: "node20", define },
    // A library without side effects that does not declare it, and ours.
    treeshake: {
      moduleSideEffects: [{ test: /\/pi-tui\/|\/(packages|apps)\/[^/]+\/src\/(?!main\.ts$)/, sideEffects: false }],
    },
    plugins: [lightProviders, withoutValidator, lazyBuiltins],
  });
  const { output: chunks } = await bundle.generate(options);
  const { output } = await bundle.write({ ...options, dir: "dist", codeSplitting: { groups: [mergedGroup(chunks)] } });
  await bundle.close();
  return output.flatMap(({ modules = {} }) => Object.keys(modules).filter((file) => modules[file].renderedLength > 0));
}

const options = {
  // Loading an ES module costs 5 ms more on Node 20.
  format: "cjs",
  strict: true,
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
  // Names stay, so that stack traces can be read.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  comments: { legal: false },
  // publint takes a file with the text of an ES module in a string for one, unless it sees CommonJS at the start of a line.
  postFooter: ({ isEntry }) => (isEntry ? "" : "module.exports;"),
};

/** Tells rolldown which modules belong into one file. */
function mergedGroup(output) {
  const found = output.filter(({ type }) => type === "chunk");
  const files = found.map(({ fileName }) => fileName);
  const indexesOf = (names) => names.map((name) => files.indexOf(name)).filter((index) => index >= 0);
  // rolldown sets `isDynamicEntry` only for modules that no other one imports statically.
  const targets = new Set(found.flatMap(({ dynamicImports }) => dynamicImports));
  const chunks = found.map(({ name, code, fileName, imports, dynamicImports, isDynamicEntry }) => ({
    name,
    size: code.length,
    imports: indexesOf(imports),
    dynamicImports: indexesOf(dynamicImports),
    isStart: isDynamicEntry || (name in weights && targets.has(fileName)),
  }));
  const weightOf = ({ name }) => weights[name] ?? 1;
  const names = new Map();
  const taken = new Set();
  for (const merged of mergeChunks(chunks, weightOf)) {
    const rank = ({ isStart, name, size }) => (isStart ? weightOf({ name }) * 1e9 : 0) + size;
    const [{ name }] = merged.map((index) => chunks[index]).sort((one, other) => rank(other) - rank(one));
    if (merged.includes(0)) continue;
    // The entries of many packages have the same name.
    const unique = taken.has(name) ? `${name}-${taken.size}` : name;
    taken.add(unique);
    for (const index of merged) for (const id of found[index].moduleIds) names.set(id, unique);
  }
  return { debugName: "merged", name: (id) => names.get(id) ?? null, includeDependenciesRecursively: false };
}
