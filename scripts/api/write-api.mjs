// Writes docs/api/PACKAGE.md from the docstrings of the libraries, which git does not have. Fails if a description is missing.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Application } from "typedoc";

const libraries = ["adapters", "agent", "core", "protocol", "testing", "tool-sdk"];
const target = "docs/api";

process.chdir(join(import.meta.dirname, "../.."));
const pages = await makePages();
for (const [file, text] of pages) refuseUndescribed(file, text);
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
for (const [file, text] of pages) writeFileSync(join(target, file), text);

/** In a table that has descriptions, every row needs one: a docstring on the property or a @param. So does every method. */
function refuseUndescribed(file, text) {
  const [, method] = /\n#+ (\S+\(\))\n\n> .*\n\n#/.exec(text) ?? [];
  if (method !== undefined) throw new Error(`${target}/${file}: no description of ${method}`);
  const row = text.split("\n").find((line) => line.endsWith("| - |"));
  if (row !== undefined) throw new Error(`${target}/${file}: no description in the row ${row}`);
}

/** The pages by file name. */
async function makePages() {
  const directory = mkdtempSync(join(tmpdir(), "ikigai-api-"));
  try {
    await writeMarkdown(directory);
    const files = readdirSync(directory, { recursive: true }).filter((file) => file.endsWith(".md"));
    const pages = new Map(files.sort().map((file) => [file, readFileSync(join(directory, file), "utf8")]));
    return pages.set("README.md", overview());
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The list of the libraries, each with its description from package.json. */
function overview() {
  const rows = libraries.map((library) => {
    const { name, description } = JSON.parse(readFileSync(`packages/${library}/package.json`, "utf8"));
    return `- [${name}](${library}.md): ${description}\n`;
  });
  return `# API reference\n\nThe protocol that tools and hosts follow: [docs/protocol.md](../protocol.md).\n\n${rows.join("")}`;
}

async function writeMarkdown(directory) {
  mkdirSync(".turbo", { recursive: true });
  const entryPoints = libraries.map((library) => resolve(`packages/${library}/src/index.ts`));
  writeFileSync(
    ".turbo/tsconfig.api.json",
    JSON.stringify({ extends: "../tsconfig.json", include: [], files: entryPoints }),
  );
  const app = await Application.bootstrapWithPlugins({
    plugin: ["typedoc-plugin-markdown"],
    entryPoints,
    tsconfig: resolve(".turbo/tsconfig.api.json"),
    name: "API reference",
    readme: "none",
    router: "module",
    // No paths, lines or commits: they differ between machines.
    disableSources: true,
    disableGit: true,
    excludeInternal: true,
    excludeExternals: true,
    // `npm run typecheck` does that.
    skipErrorChecking: true,
    githubPages: false,
    hideBreadcrumbs: true,
    hidePageHeader: true,
    pageTitleTemplates: { module: ({ name }) => `@ikigai/${name}` },
    // Otherwise a property that is a function shows only the names of its parameters.
    expandParameters: true,
    parametersFormat: "table",
    interfacePropertiesFormat: "table",
    classPropertiesFormat: "table",
    typeAliasPropertiesFormat: "table",
    tableColumnSettings: { hideInherited: true, hideOverrides: true, hideSources: true },
    // A warning is about a docstring, and stops nothing.
    logLevel: "Error",
  });
  const project = await app.convert();
  if (!project || app.logger.hasErrors()) throw new Error("typedoc reported errors.");
  // `core/src` as typedoc names it.
  for (const module of project.children ?? []) module.name = module.name.replace(/\/src$/, "");
  await app.outputs.writeOutput({ name: "markdown", path: directory }, project);
}
