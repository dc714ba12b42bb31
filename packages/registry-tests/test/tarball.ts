import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { tempDir } from "@ikigai/testing";

/** The published tarball of one package. */
export interface Tarball {
  readonly name: string;
  readonly bytes: Buffer;
  readonly manifest: Manifest;
  /** Paths inside the package, sorted. */
  readonly files: readonly string[];
  readonly executables: readonly string[];
  read(file: string): string;
}

export interface Manifest {
  readonly version: string;
  readonly files: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
  /** The targets of each entry; a plain path for `./package.json`. */
  readonly exports?: Readonly<Record<string, { readonly types: string; readonly default: string } | string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Reads all tarballs of one version from a registry's storage. */
export async function publishedTarballs(storage: string, version: string): Promise<Tarball[]> {
  const scope = join(storage, "@ikigai");
  const names = readdirSync(scope).sort();
  return Promise.all(names.map((name) => unpack(`@ikigai/${name}`, join(scope, name, `${name}-${version}.tgz`))));
}

async function unpack(name: string, path: string): Promise<Tarball> {
  const dir = await tempDir();
  execFileSync("tar", ["-xzf", path, "-C", dir]);
  const root = join(dir, "package");
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  return {
    name,
    bytes: readFileSync(path),
    manifest: JSON.parse(read("package.json")),
    files,
    executables: files.filter((file) => (statSync(join(root, file)).mode & 0o111) !== 0),
    read,
  };
}
