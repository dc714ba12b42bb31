// The devDependencies of a new tool package: the versions that @ikigai/create-tool itself has installed.
import { readFileSync } from "node:fs";

const folder = new URL("../packages/create-tool/", import.meta.url);

/** For esbuild: the constant that fills the templates. A string, because esbuild would copy an object into every entry. */
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
