// From which sources a package's programs were built. As the last step of a build, this program writes their hash into
// .turbo/built-from, which turbo keeps with dist. Tests compare it with the current sources: modification times say nothing after a
// checkout or a restored cache.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** What is bundled, and how. */
const sourceFolders = ["src", "build"];
const importedPackage = /\b(?:from|import\() ?"@ikigai\/([\w-]+)/g;

if (process.argv[1] === import.meta.filename) {
  const root = resolve(import.meta.dirname, "..");
  mkdirSync(".turbo", { recursive: true });
  writeFileSync(".turbo/built-from", readBuilds(root).currentHash(process.cwd().slice(root.length + 1)));
}

/** Returns functions that take a package's folder, such as `packages/core`. They read each source once. */
export function readBuilds(root) {
  const known = new Map();

  /** Whether a package's build makes programs. */
  const hasPrograms = (folder) => manifestOf(folder).scripts?.build?.includes("build-record") === true;

  /** The packages whose programs the build of the command copies. */
  function copiedPackages(folder) {
    if (!folder.startsWith("apps/")) return [];
    const names = Object.keys(manifestOf(folder).devDependencies ?? {}).filter((name) => name.startsWith("@ikigai/"));
    return names.map((name) => name.replace("@ikigai/", "packages/")).filter(hasPrograms);
  }

  function currentHash(folder) {
    const folders = new Set([folder]);
    for (const bundled of folders) for (const other of ownSources(bundled).imported) folders.add(other);
    const hashes = [...folders].sort().map((bundled) => ownSources(bundled).hash);
    return digest([...hashes, ...copiedPackages(folder).map(recordedHash)]);
  }

  function ownSources(folder) {
    if (known.has(folder)) return known.get(folder);
    const texts = [];
    const imported = new Set();
    for (const file of sourceFolders.flatMap((name) => filesBelow(join(root, folder, name)))) {
      const text = readFileSync(file, "utf8");
      texts.push(file.slice(root.length), text);
      for (const [, name] of text.matchAll(importedPackage)) imported.add(`packages/${name}`);
    }
    const sources = { hash: digest(texts), imported: [...imported].filter((name) => existsSync(join(root, name))) };
    known.set(folder, sources);
    return sources;
  }

  function manifestOf(folder) {
    const path = join(root, folder, "package.json");
    return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  }

  function recordedHash(folder) {
    const record = join(root, folder, ".turbo/built-from");
    return existsSync(record) && existsSync(join(root, folder, "dist")) ? readFileSync(record, "utf8") : "";
  }

  const isStale = (folder) => hasPrograms(folder) && recordedHash(folder) !== currentHash(folder);

  return { currentHash, staleBuilds: (folder) => [folder, ...copiedPackages(folder)].filter(isStale) };
}

function digest(texts) {
  const hash = createHash("sha1");
  for (const text of texts) hash.update(`${text}\0`);
  return hash.digest("hex");
}

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => join(entry.parentPath, entry.name)).sort();
}
