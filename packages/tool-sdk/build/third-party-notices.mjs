// The licenses of bundled packages; most of them must be included with copies.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/**
 * Returns one text for all packages with code in the bundles; empty if the bundles contain no packages.
 *
 * @param files the bundled files.
 * @param ours whether the package with this name needs no notice.
 */
export function thirdPartyNotices(files, ours = (name) => name.startsWith("@ikigai/")) {
  const folders = new Set(files.flatMap(packageFolder));
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

/** The files with code left in the bundle, from esbuild's report (`metafile: true`), which lists many others. */
export function bundledFiles({ outputs }) {
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
  // Some packages name their license without its text.
  if (files.length === 0) return `License: ${license}`;
  return files.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
}
