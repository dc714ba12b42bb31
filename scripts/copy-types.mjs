// Copies the declarations that the entries of a library reach into its dist/. Those of private packages, which are bundled into the
// library, go into a folder with the package's name, and imports of them become relative.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const specifiers = /((?:from |import\(|import )")([^"]+)"/g;
const references = /(\/\/\/ <reference path=")([^"]+)"/g;

/**
 * The private packages that a package is built from, by name: folder and entries.
 *
 * @param folder a folder in packages/.
 */
export function privatePackages(folder, found = new Map()) {
  const { devDependencies = {}, dependencies = {} } = manifestOf(folder);
  for (const name of Object.keys({ ...devDependencies, ...dependencies })) {
    const other = name.replace("@ikigai/", "");
    if (other === name || found.has(name) || !existsSync(`../${other}`)) continue;
    const manifest = manifestOf(other);
    if (!manifest.private) continue;
    found.set(name, { folder: other, entries: manifest.exports ?? {} });
    privatePackages(other, found);
  }
  return found;
}

/**
 * @param types  the compiled declarations: `types/FOLDER/src/…` for each package.
 * @param own    the library's folder.
 * @param entries  its entries, as `./src/NAME.ts`.
 */
export function copyTypes(types, own, entries) {
  const packages = privatePackages(own);
  const copied = new Set();
  const copy = (file) => {
    if (copied.has(file)) return;
    copied.add(file);
    const target = placeOf(file);
    const text = readFileSync(join(types, declaration(file)), "utf8").replace(specifiers, (all, start, specifier) => {
      const imported = resolve(file, specifier);
      if (imported === undefined) return all;
      copy(imported);
      const path = relative(dirname(target), placeOf(imported));
      return `${start}${path.startsWith(".") ? path : `./${path}`}"`;
    });
    const referring = text.replace(
      references,
      (_, start, path) => `${start}${relative(dirname(join("dist", target)), join(types, dirname(file), path))}"`,
    );
    mkdirSync(dirname(join("dist", target)), { recursive: true });
    writeFileSync(join("dist", declaration(target)), referring);
  };
  for (const entry of entries) copy(join(own, entry));

  function resolve(file, specifier) {
    if (specifier.startsWith(".")) return join(dirname(file), specifier);
    const [scope, name, ...rest] = specifier.split("/");
    const found = packages.get(`${scope}/${name}`);
    return found && join(found.folder, found.entries[[".", ...rest].join("/")]);
  }

  /** `agent/src/turn/run.ts` is `turn/run.ts` in the agent's dist/; `session/src/log/log.ts` is `session/log/log.ts`. */
  function placeOf(file) {
    const [folder, , ...path] = file.split("/");
    return folder === own ? path.join("/") : [folder, ...path].join("/");
  }
}

function declaration(file) {
  return file.replace(/\.ts$/, ".d.ts");
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(`../${folder}/package.json`, "utf8"));
}
