import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { expect, test } from "vitest";
import { shippedExecutables } from "../../../apps/cli/test/shipped-tools.ts";
import { released } from "./released.ts";
import { root, version } from "./repository.ts";
import { publishedTarballs } from "./tarball.ts";

const { storage, registry } = await released();
const tarballs = await publishedTarballs(storage, version);
const libraries = tarballs.filter(({ manifest }) => manifest.exports);
const commands = tarballs.filter(({ manifest }) => manifest.bin);
test("a package is published after everything that it depends on", async () => {
  const published = await Promise.all(tarballs.map(async ({ name }) => [name, await publishedAt(name)] as const));
  const order = published.sort(([, a], [, b]) => a - b).map(([name]) => name);
  for (const { name, manifest } of tarballs) {
    const ours = Object.keys(manifest.dependencies ?? {}).filter((dependency) => dependency.startsWith("@ikigai/"));
    expect(order.slice(0, order.indexOf(name))).toEqual(expect.arrayContaining(ours));
  }
});

async function publishedAt(name: string): Promise<number> {
  const { time } = (await (await fetch(`${registry}${name}`)).json()) as { time: Record<string, string> };
  return Date.parse(String(time[version]));
}

test.each(tarballs)("$name contains a license, a README and only the files it lists", ({ files, manifest, read }) => {
  expect(read("LICENSE")).toBe(readFileSync(join(root, "LICENSE"), "utf8"));
  expect(read("README.md")).toMatch(/^# .+\n/);
  const rest = files.filter((file) => !manifest.files.includes(String(file.split("/")[0])));
  expect(rest).toEqual(["LICENSE", "README.md", "package.json"]);
  expect(files.filter((file) => /\.map$|(^|\/)(test|fixtures|node_modules)\//.test(file))).toEqual([]);
});

test.each(tarballs)("$name depends on released versions, and has no install scripts", ({ manifest }) => {
  const { preinstall, install, postinstall, prepare } = manifest.scripts ?? {};
  expect([preinstall, install, postinstall, prepare].filter(Boolean)).toEqual([]);
  for (const [name, range] of Object.entries(manifest.dependencies ?? {})) {
    expect(`${name}@${range}`).toMatch(name.startsWith("@ikigai/") ? `@${version}` : /@\d+\.\d+\.\d+$/);
  }
});

test.each(tarballs)("$name names the address of the root's package.json", ({ name, manifest }) => {
  const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const directory = `${name === "@ikigai/cli" ? "apps" : "packages"}/${name.replace("@ikigai/", "")}`;
  expect(manifest).toMatchObject({
    homepage: `${repository}/tree/main/${directory}#readme`,
    bugs: `${repository}/issues`,
    repository: { type: "git", url: `git+${repository}.git`, directory },
  });
});

test("the command contains the pages that its help names, with links into the repository", () => {
  const cli = tarballs.find(({ name }) => name === "@ikigai/cli");
  const names = [
    "agents",
    "editors",
    "hooks",
    "launchers",
    "mcp",
    "plain-tools",
    "protocol",
    "registry",
    "sandbox",
    "writing-a-tool",
  ];
  const levels = ["answers", "host", "processes"].map((level) => `protocol-${level}`);
  const pages = [...names, ...levels].map((page) => `dist/docs/${page}.md`).sort();
  expect(cli?.files.filter((file) => file.startsWith("dist/docs/")).sort()).toEqual(pages);
  for (const page of pages) expect(cli?.read(page)).not.toMatch(/\]\(\.\.\//);
});

test("packages contain the licenses of bundled code", () => {
  const licenses = (name: string, file: string) => tarballs.find((tarball) => tarball.name === name)?.read(file);
  const ofCli = licenses("@ikigai/cli", "dist/third-party-licenses.txt");
  for (const name of ["@ai-sdk/anthropic", "@earendil-works/pi-tui", "ajv", "zod"]) expect(ofCli).toMatch(`${name} `);
  expect(ofCli).toContain("Apache License");
  // A tool is one file, so they are inside it.
  expect(licenses("@ikigai/grep-tool", "dist/grep-tool")).toMatch(/fast-json-stringify .*, MIT\n\nMIT License/);
  expect(licenses("@ikigai/cli", "libexec/ikigai/grep-tool")).toBe(licenses("@ikigai/grep-tool", "dist/grep-tool"));
});

test("only the SDK has a third-party dependency", () => {
  const others = tarballs.map(({ name, manifest }) => [
    name,
    Object.keys(manifest.dependencies ?? {}).filter((dependency) => !dependency.startsWith("@ikigai/")),
  ]);
  expect(others.filter(([, names]) => names?.length)).toEqual([["@ikigai/tool-sdk", ["json-schema-to-ts"]]]);
});

test.each(tarballs)("$name passes publint", async ({ bytes, manifest }) => {
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
  const { messages } = await publint({ pack: { tarball }, strict: true });
  expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
});

test.each(libraries)("$name has types for every module resolution", async ({ bytes }) => {
  const analysis = await checkPackage(createPackageFromTarballData(bytes));
  // The packages are ES modules; resolution as in Node 10, or from CommonJS without `require(esm)`, fails with Node's own error.
  const isOurs = (problem: object) =>
    !("resolutionKind" in problem && /^node(10|16-cjs)$/.test(String(problem.resolutionKind)));
  expect("problems" in analysis ? analysis.problems.filter(isOurs) : "no types").toEqual([]);
});

test.each(libraries)("$name has types only for its entries", ({ files, manifest, read }) => {
  const types = Object.values(manifest.exports ?? {}).flatMap((entry) =>
    typeof entry === "string" ? [] : entry.types,
  );
  const reached = new Set<string>();
  const visit = (file: string) => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, target] of read(file).matchAll(/(?:from |import\(|import )"(\.[^"]+)\.ts"/g)) {
      visit(join(file, "..", `${target}.d.ts`));
    }
  };
  for (const entry of types) visit(join(entry));
  expect(files.filter((file) => /^dist\/.*\.d\.ts$/.test(file))).toEqual([...reached].sort());
});

test.each(commands)("$name keeps its executables executable", ({ name, files, manifest, executables, read }) => {
  const shipped = name === "@ikigai/cli" ? shippedExecutables.map((tool) => `libexec/ikigai/${tool}`) : [];
  const bins = Object.values(manifest.bin ?? {}).map((file) => join(file));
  const inNode = [...bins, ...shipped];
  const inShell = (file: string) => file === "libexec/ikigai-git/git" || file.startsWith("dist/conformance/host/");
  expect(executables.filter((file) => !inShell(file))).toEqual(inNode.sort());
  for (const file of executables)
    expect(read(file)).toMatch(inShell(file) ? /^#!|@describe/ : /^#!\/usr\/bin\/env node\n/);
  expect(files.filter((file) => file.startsWith("libexec/") && file.endsWith("-tool"))).toEqual(shipped);
});
