// Builds the command in the current directory: src/main.ts becomes dist/ikigai.js and chunks that load when they are needed;
// copies the built tools to libexec/ikigai/ and pages of the docs to dist/docs/, and writes the manual page and the schemas.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { thirdPartyNotices } from "../packages/tool-sdk/build/third-party-notices.mjs";
import { importBuilt } from "./import-built.mjs";
import { lazyBuiltins } from "./lazy-builtins.mjs";
import { templateVersions } from "./template-versions.mjs";

const packages = fileURLToPath(new URL("../packages", import.meta.url));
const { version, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));

/** Libraries without side effects that do not declare it; otherwise all of their files would be in the bundle. */
const withoutSideEffects = {
  name: "without-side-effects",
  setup({ onResolve, resolve }) {
    onResolve(
      { filter: /^@earendil-works\/pi-tui$|^\.{1,2}\// },
      async ({ path, importer, resolveDir, kind, pluginData }) => {
        const isLibrary = path.startsWith("@") || /\/pi-tui\//.test(importer);
        if (!isLibrary || pluginData === "without-side-effects") return undefined;
        return {
          ...(await resolve(path, { importer, resolveDir, kind, pluginData: "without-side-effects" })),
          sideEffects: false,
        };
      },
    );
  },
};

/**
 * The provider packages import zod as one object, which cannot be tree-shaken: all its locales and half of its schemas are bundled
 * and run at every start. Imported as a module, unused parts are dropped. The packages also get our own `Headers`.
 */
const lightProviders = {
  name: "light-providers",
  setup({ onLoad, onEnd }) {
    const headers = JSON.stringify(join(process.cwd(), "src/host/light-headers.ts"));
    let changed = 0;
    onLoad({ filter: /\/@ai-sdk\/[^/]+\/dist\/index\.m?js$/ }, ({ path }) => {
      const contents = readFileSync(path, "utf8").replaceAll(
        /import \{ z(?: as (\w+))? \} from "zod\/v4"/g,
        (_, name = "z") => {
          changed++;
          return `import * as ${name} from "zod/v4"`;
        },
      );
      const missed = /\bimport \{[^}]*\bz\b[^}]*\} from "zod[^"]*"/.exec(contents);
      if (missed) return { errors: [{ text: `light-providers: no rule for \`${missed[0]}\` in ${path}` }] };
      return { contents: `import { Headers } from ${headers};\n${contents}`, loader: "js" };
    });
    onEnd(() => {
      if (changed > 0) return undefined;
      return { errors: [{ text: "light-providers: found no @ai-sdk file that imports z from zod/v4" }] };
    });
  },
};

await bundle();
await writeManual();
await writeConfigSchema();
copyTools();
copyDocs();

async function bundle() {
  const { outputFiles, metafile } = await build({
    // Short names for lazily loaded parts; shared code goes to chunks named by content.
    entryPoints: { ikigai: "src/main.ts" },
    outdir: "dist",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    write: false,
    platform: "node",
    target: "node20",
    format: "esm",
    minifySyntax: true,
    minifyWhitespace: true,
    plugins: [withoutSideEffects, lightProviders, lazyBuiltins],
    alias: { "ikigai:highlighter": "highlight.js/lib/common" },
    define: {
      IKIGAI_VERSION: JSON.stringify(version),
      BUILT_HELP: JSON.stringify(await helpText()),
      ...templateVersions,
    },
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  rmSync("dist", { recursive: true, force: true });
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, withRequire(text));
  }
  writeFileSync("dist/third-party-licenses.txt", thirdPartyNotices([metafile]));
  writeEntry();
}

/** The output of `ikigai --help`, the same for everyone, so it is built once. */
async function helpText() {
  const entryPoints = ["src/help/explain-command.ts"];
  const { outputFiles } = await build({ entryPoints, bundle: true, write: false, format: "esm", platform: "node" });
  const [{ text }] = outputFiles;
  const { overview } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  return overview();
}

/**
 * The entry has no `import` and no `export`, so that any version of Node can parse it. Not being an ES module, it also starts 3 ms
 * sooner.
 */
function writeEntry() {
  const module = join("dist", "ikigai.mjs");
  const entry = join("dist", "ikigai.js");
  writeFileSync(entry, `#!/usr/bin/env node\n${readFileSync(module, "utf8")}`);
  chmodSync(entry, 0o755);
  rmSync(module);
  writeFileSync(join("dist", "package.json"), '{ "type": "commonjs" }\n');
}

/**
 * A bundled CommonJS dependency that requires a Node module needs `require`, which ES modules lack. Only chunks with such a
 * dependency get one.
 */
function withRequire(text) {
  if (!text.includes("Dynamic require of")) return text;
  const name = "createRequireForBundledCommonJsOfIkigai";
  return `import{createRequire as ${name}}from"node:module";var require=${name}(import.meta.url);${text}`;
}

/** Returns the folders of the tools that ship. The package's devDependencies are the only list of them. */
function shippedTools() {
  const folders = Object.keys(devDependencies).map((name) => name.replace("@ikigai/", ""));
  return folders.filter((folder) => folder.endsWith("-tool") && folder !== "create-tool");
}

/** Writes the schema with which editors complete and check `config.json`. */
async function writeConfigSchema() {
  const { configSchema } = await importBuilt("../../packages/agent/src/config/config-schema.ts");
  writeFileSync(join("dist", "config.schema.json"), `${JSON.stringify(configSchema(), null, 2)}\n`);
}

async function writeManual() {
  const { manPage } = await importBuilt("src/help/man-page.ts");
  writeFileSync(join("dist", "ikigai.1"), manPage(version));
}

/** Copies the pages that the help names. Links to other files lead to the repository. */
function copyDocs() {
  const { repository } = JSON.parse(readFileSync("../../package.json", "utf8"));
  const pages = ["protocol.md", "writing-a-tool.md", "sandbox.md"];
  mkdirSync(join("dist", "docs"), { recursive: true });
  for (const page of pages) {
    const text = readFileSync(join("../../docs", page), "utf8").replace(/\]\((?!https?:|#)([^)#]+)/g, (link, path) =>
      pages.includes(path) ? link : `](${repository}/blob/main/${join("docs", path)}`,
    );
    writeFileSync(join("dist", "docs", page), text);
  }
}

function copyTools() {
  const target = join("libexec", "ikigai");
  const schemas = {};
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  // Under this package's own `"type": "module"` the tools would start as ES modules, which takes 6 ms longer.
  writeFileSync(join(target, "package.json"), '{ "type": "commonjs" }\n');
  for (const tool of shippedTools()) {
    const file = join(target, tool);
    copyFileSync(join(packages, tool, "dist", tool), file);
    chmodSync(file, 0o755);
    schemas[createHash("sha256").update(readFileSync(file)).digest("hex")] = JSON.parse(
      execFileSync(process.execPath, [file, "--schema"], { encoding: "utf8" }),
    );
  }
  // The first start in a new home reads them here instead of starting every tool.
  writeFileSync(join(target, "schemas.json"), JSON.stringify(schemas));
}
