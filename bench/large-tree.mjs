// A large tree to search: the source of Linux, as Debian packages it.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./measure.mjs";

const name = "linux-source-6.1";

/**
 * The directory named on the command line, else the source of Linux (140 MB to download, 1.4 GB unpacked, kept among the
 * temporary files), else, where apt is not to be had, the repository's own dependencies.
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
