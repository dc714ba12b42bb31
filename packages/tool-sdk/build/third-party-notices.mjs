// The licenses of what a bundle has taken over from other packages: most of them ask for being handed on.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * One text for all packages of which esbuild has put something into the bundle; empty if there are none.
 *
 * @param metafiles what esbuild reports, with `metafile: true`.
 * @param ours whether a package, by its name, needs no mention.
 */
export function thirdPartyNotices(metafiles, ours = (name) => name.startsWith("@ikigai/")) {
  const folders = new Set(metafiles.flatMap(bundledFiles).flatMap(packageFolder));
  const notices = new Map();
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    if (!ours(name)) notices.set(`${name} ${version}, ${license}`, licenseOf(folder, license));
  }
  return [...notices]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([title, text]) => `${title}\n\n${text}\n`)
    .join("\n\n");
}

/** esbuild names many files of which nothing is left in the end. */
function bundledFiles({ outputs }) {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0),
  );
}

function packageFolder(file) {
  const found = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(resolve(file));
  return found ? [found[0]] : [];
}

function licenseOf(folder, license) {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  // Some packages name their license and leave its text to the reader.
  if (files.length === 0) return `License: ${license}`;
  return files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
}
