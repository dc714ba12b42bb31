// Packs libraries of this repository as they are published, so that a project outside of it can install them:
// node scripts/pack-libraries.mjs DIR [NAME…] (default: all). They must have been built. npm pack would leave the workspace's versions
// and the sources in package.json, which no project can install.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const [directory, ...wanted] = process.argv.slice(2);
if (directory === undefined) fail("Usage: node scripts/pack-libraries.mjs DIR [NAME…]");
const names = wanted.length > 0 ? wanted : libraries();
const missing = names.filter((name) => !existsSync(join(root, "packages", name, "dist")));
if (missing.length > 0) fail(`Not built: ${missing.join(", ")}. Run in ${root}: npm run build`);

const target = resolve(directory);
mkdirSync(target, { recursive: true });
const filters = names.flatMap((name) => ["--filter", `@ikigai/${name}`]);
const args = ["run", "--silent", "pnpm", "--", ...filters, "-r", "pack", "--pack-destination", target];
try {
  execFileSync("npm", args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
} catch (error) {
  fail(`${error.stderr}${error.stdout}`.trim());
}

/** The published packages that a program imports. */
function libraries() {
  return readdirSync(join(root, "packages")).filter((name) => {
    const { private: isPrivate, exports: entries } = JSON.parse(
      readFileSync(join(root, "packages", name, "package.json"), "utf8"),
    );
    return !isPrivate && entries?.["."] !== undefined;
  });
}

function fail(reason) {
  process.stderr.write(`pack-libraries: ${reason}\n`);
  process.exit(1);
}
