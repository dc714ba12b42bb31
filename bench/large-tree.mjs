// A large tree to search: the Linux source from Debian.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./measure.mjs";

const name = "linux-source-6.1";

/**
 * The directory on the command line, or the Linux source (140 MB download, 1.4 GB unpacked, kept in the temporary directory), or,
 * without apt, the repository's own dependencies.
 */
export function largeTree() {
  const given = process.argv.slice(2).find((argument) => !argument.startsWith("--"));
  if (given) return given;
  const place = join(tmpdir(), "ikigai-bench-tree");
  const tree = join(place, name);
  if (existsSync(tree)) return tree;
  try {
    mkdirSync(place, { recursive: true });
    execFileSync("apt-get", ["download", name], { cwd: place, stdio: "ignore", timeout: 120_000 });
    const archive = readdirSync(place).find((file) => file.endsWith(".deb"));
    const unpack = `dpkg-deb --fsys-tarfile "$0" | tar -xO ./usr/src/${name}.tar.xz | xz -dc -T0 | tar -x -C unpacking`;
    mkdirSync(join(place, "unpacking"));
    execFileSync("sh", ["-c", unpack, archive], { cwd: place, stdio: "ignore", timeout: 300_000 });
    renameSync(join(place, "unpacking", name), tree);
    return tree;
  } catch {
    return join(root, "node_modules");
  }
}
