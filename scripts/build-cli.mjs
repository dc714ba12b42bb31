// Builds the command in the current directory: bundles it into dist/, copies the built tools to libexec/ikigai/ and pages of the docs to dist/docs/, and writes the manual page and the schemas.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { bundledFiles, thirdPartyNotices } from "../packages/tool-sdk/build/third-party-notices.mjs";
import { bundleCli } from "./bundle-cli.mjs";
import { importBuilt } from "./import-built.mjs";
import { templateVersions } from "./template-versions.mjs";

const packages = fileURLToPath(new URL("../packages", import.meta.url));
const { version, devDependencies } = JSON.parse(readFileSync("package.json", "utf8"));

await bundle();
await writeManual();
await writeConfigSchema();
copyTools();
copyBridge();
copyGit();
copyDocs();

async function bundle() {
  rmSync("dist", { recursive: true, force: true });
  const files = await bundleCli({
    IKIGAI_VERSION: JSON.stringify(version),
    BUILT_HELP: JSON.stringify(await helpText()),
    ...templateVersions,
  });
  files.push(...(await bundleExportedTool()));
  writeFileSync("dist/third-party-licenses.txt", thirdPartyNotices(files));
  writeEntry();
}

/** Bundles the program that other agents start for an exported tool: one file, which works without the others. */
async function bundleExportedTool() {
  const { metafile } = await build({
    entryPoints: ["src/mcp/exported-tool.ts"],
    outfile: "dist/exported-tool.mjs",
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    minify: true,
    define: { IKIGAI_VERSION: JSON.stringify(version) },
    // Its build for Node is CommonJS, which a bundle of ES modules cannot load.
    alias: { yaml: join(packages, "system/node_modules/yaml/browser/index.js") },
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  return bundledFiles(metafile);
}

/** The output of `ikigai --help`, the same for everyone, so it is built once. */
async function helpText() {
  const entryPoints = ["src/help/explain-command.ts"];
  const { outputFiles } = await build({ entryPoints, bundle: true, write: false, format: "esm", platform: "node" });
  const [{ text }] = outputFiles;
  const { overview } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
  return overview();
}

/** The entry has no `import` and no `export`, so that any version of Node can parse it. */
function writeEntry() {
  const entry = join("dist", "ikigai.js");
  writeFileSync(entry, `#!/usr/bin/env node\n${readFileSync(entry, "utf8")}`);
  chmodSync(entry, 0o755);
  writeFileSync(join("dist", "package.json"), '{ "type": "commonjs" }\n');
}

/** Returns the folders of the tools that ship. The package's devDependencies are the only list of them. */
function shippedTools() {
  const folders = Object.keys(devDependencies).map((name) => name.replace("@ikigai/", ""));
  return folders.filter((folder) => folder.endsWith("-tool") && folder !== "create-tool");
}

/** Writes the schema with which editors complete and check `config.json`. */
async function writeConfigSchema() {
  const { configSchema } = await importBuilt("../../packages/agent/src/config/config-shape.ts");
  writeFileSync(join("dist", "config.schema.json"), `${JSON.stringify(configSchema(), null, 2)}\n`);
}

async function writeManual() {
  const { manPage } = await importBuilt("src/help/man-page.ts");
  writeFileSync(join("dist", "ikigai.1"), manPage(version));
}

/** Copies the pages that the help names, and those on its larger topics. Links to other files lead to the repository. */
function copyDocs() {
  const { repository } = JSON.parse(readFileSync("../../package.json", "utf8"));
  const pages = [
    "agents.md",
    "editors.md",
    "hooks.md",
    "launchers.md",
    "mcp.md",
    "plain-tools.md",
    "registry.md",
    "protocol.md",
    "protocol-answers.md",
    "protocol-host.md",
    "protocol-processes.md",
    "sandbox.md",
    "writing-a-tool.md",
  ];
  mkdirSync(join("dist", "docs"), { recursive: true });
  for (const page of pages) {
    const text = readFileSync(join("../../docs", page), "utf8").replace(/\]\((?!https?:|#)([^)#]+)/g, (link, path) =>
      pages.includes(path) ? link : `](${repository}/blob/main/${join("docs", path)}`,
    );
    writeFileSync(join("dist", "docs", page), text);
  }
}

/** Copies the program that speaks MCP, which is not a tool. */
function copyBridge() {
  const target = join("libexec", "ikigai-mcp");
  rmSync(target, { recursive: true, force: true });
  cpSync(join(packages, "mcp", "dist"), target, { recursive: true });
}

/** Copies the programs that programs find in place of git in the sandbox. */
function copyGit() {
  const target = join("libexec", "ikigai-git");
  rmSync(target, { recursive: true, force: true });
  cpSync(join(packages, "sandbox", "src/git-inside"), target, { recursive: true });
}

function copyTools() {
  const target = join("libexec", "ikigai");
  const schemas = {};
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  // Under this package's own `"type": "module"` the tools would start as ES modules, which takes 6 ms longer.
  writeFileSync(join(target, "package.json"), '{ "type": "commonjs" }\n');
  for (const tool of shippedTools()) {
    const { bin } = JSON.parse(readFileSync(join(packages, tool, "package.json"), "utf8"));
    const [name] = Object.keys(bin);
    const file = join(target, name);
    copyFileSync(join(packages, tool, "dist", name), file);
    chmodSync(file, 0o755);
    schemas[createHash("sha256").update(readFileSync(file)).digest("hex")] = JSON.parse(
      execFileSync(process.execPath, [file, "--schema"], { encoding: "utf8" }),
    );
  }
  // The first start in a new home reads them here instead of starting every tool.
  writeFileSync(join(target, "schemas.json"), JSON.stringify(schemas));
}
