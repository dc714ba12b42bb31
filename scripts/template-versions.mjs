// The versions that a new tool's package is developed with: those that @ikigai/create-tool has installed itself.
import { readFileSync } from "node:fs";

const folder = new URL("../packages/create-tool/", import.meta.url);

/** For esbuild: the constant that the templates are filled with. A string, since esbuild would put an object into every entry. */
export const templateVersions = { IKIGAI_TEMPLATE_VERSIONS: JSON.stringify(JSON.stringify(readVersions())) };

function readVersions() {
  const { devDependencies } = readJson("package.json");
  return Object.fromEntries(
    Object.keys(devDependencies).map((name) => [name, readJson(`node_modules/${name}/package.json`).version]),
  );
}

function readJson(path) {
  return JSON.parse(readFileSync(new URL(path, folder), "utf8"));
}
