import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { onTestFinished } from "vitest";

/** A server on loopback that records its requests. */
export interface Recorder {
  readonly url: string;
  /** Method, address and headers of each request, as one text. */
  readonly requests: string[];
}

/** A package of the registry, at version 1.0.0: the other fields of its manifest. */
export type Published = Readonly<Record<string, object>>;

/**
 * Starts an npm registry with these packages, all at version 1.0.0; may be empty. Its search finds words in names and descriptions.
 *
 * @param files the other files of each package, by name.
 */
export async function startRegistry(packages: Published = {}, files = defaultFiles): Promise<Recorder> {
  const requests: string[] = [];
  const archives = new Map<string, Buffer>();
  for (const [name, manifest] of Object.entries(packages)) archives.set(name, await pack(name, manifest, files));
  const server = createServer(({ method, url = "", headers }, response) => {
    requests.push(`${method} ${url} ${JSON.stringify(headers)}`);
    const { pathname, searchParams } = new URL(url, "http://registry");
    if (pathname === "/-/v1/search") return void response.end(JSON.stringify(searched(packages, searchParams)));
    const [, one = "", number] = /^\/((?:@[^/]+\/)?[^/]+)\/(\d[^/]*)$/.exec(decodeURIComponent(url)) ?? [];
    if (number) return void response.end(JSON.stringify({ name: one, version: number, ...packages[one] }));
    const [, name = "", archive] = /^\/((?:@[^/]+\/)?[^/]+)(\/-\/.*)?$/.exec(decodeURIComponent(url)) ?? [];
    const content = archives.get(name);
    if (!content) return void response.writeHead(404).end("{}");
    if (archive) return void response.end(content);
    const address = `http://${headers.host}/${name}`;
    const integrity = `sha512-${createHash("sha512").update(content).digest("base64")}`;
    const dist = { tarball: `${address}/-/${name}-1.0.0.tgz`, integrity };
    const version = { name, version: "1.0.0", dist, ...packages[name] };
    const document = { name, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": version } };
    response.setHeader("content-type", "application/json").end(JSON.stringify(document));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** The answer of `/-/v1/search`, in the form of registry.npmjs.org; `downloads` and `date` are taken from the manifest. */
function searched(packages: Published, parameters: URLSearchParams) {
  const words = (parameters.get("text") ?? "").split(" ");
  const wanted = words.flatMap((word) => /^keywords:(.*)/.exec(word)?.[1] ?? []);
  const others = words.filter((word) => !word.startsWith("keywords:"));
  const objects = Object.entries(packages).flatMap(([name, manifest]) => {
    const { keywords = [], description, date, downloads } = manifest as SearchedFields;
    const isFound =
      wanted.every((word) => keywords.includes(word)) &&
      others.every((word) => `${name} ${description}`.includes(word));
    const found = { name, version: "1.0.0", description, keywords, date, publisher: {}, maintainers: [], links: {} };
    return isFound
      ? [{ downloads, dependents: 0, updated: date, searchScore: 1, package: found, score: {}, flags: {} }]
      : [];
  });
  return { objects: objects.slice(0, Number(parameters.get("size"))), total: objects.length, time: new Date() };
}

interface SearchedFields {
  readonly keywords?: readonly string[];
  readonly description?: string;
  readonly date?: string;
  readonly downloads?: { readonly weekly: number; readonly monthly: number };
}

const defaultFiles: Readonly<Record<string, string>> = { "index.js": "module.exports = 'from the registry';\n" };

async function pack(name: string, manifest: object, files: Readonly<Record<string, string>>): Promise<Buffer> {
  const folder = await tempDir();
  mkdirSync(join(folder, "package"));
  writeFileSync(join(folder, "package/package.json"), JSON.stringify({ name, version: "1.0.0", ...manifest }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, "package", file), text);
  execFileSync("tar", ["czf", "package.tgz", "package"], { cwd: folder });
  return readFileSync(join(folder, "package.tgz"));
}
