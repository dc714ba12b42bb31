// @module-tag sampled
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { ikigai } from "./ikigai.ts";
import { startRegistry } from "./npm-registry.ts";
import { world } from "./tool-world.ts";

const keywords = ["ikigai-tool"];
const dayMs = 86_400_000;

/** Searches this registry, with a login in the user's npmrc and another registry in the project's. */
async function search(registry: string, ...args: string[]) {
  const { cwd, env } = await world({
    "home/.npmrc": `registry=${registry}/\n${registry.replace("http:", "")}/:_authToken=secret\n`,
    "project/.npmrc": "registry=http://127.0.0.1:9/\n",
  });
  return ikigai(["tool", "search", ...args], { cwd, env });
}

/** A server that answers each request like this. */
async function answering(status: number, body = "{}"): Promise<string> {
  const server = createServer((_, response) => void response.writeHead(status).end(body)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test("shows the tools that the user's registry finds, without their login", async () => {
  const { url, requests } = await startRegistry({
    "@acme/weather-tool": {
      keywords,
      description: "Weather of a city",
      date: new Date(Date.now() - 3 * dayMs),
      downloads: { weekly: 1234, monthly: 5000 },
      ikigai: { check: { ok: true } },
    },
    "weather-map": { keywords, description: "Weather\u001b[31m as a map", ikigai: { check: { ok: false } } },
    "weather-old": { keywords, description: "Weather of the past" },
    "weather-lib": { keywords: ["weather"], description: "Weather for programs" },
    "words-tool": { keywords, description: "Counts words" },
  });
  const { exitCode, stdout, stderr } = await search(url, "eather", "of");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toBe(`@acme/weather-tool 1.0.0  1,234 downloads a week  3 days ago  passes tool check, its author says
  Weather of a city
weather-old 1.0.0
  Weather of the past

To see what one has, and add it: ikigai tool add @acme/weather-tool
`);
  const [first = ""] = requests;
  expect(first).toContain("/-/v1/search?text=keywords%3Aikigai-tool+eather+of&size=20 ");
  expect(requests.join("\n")).not.toContain("secret");
  const map = await search(url, "map");
  expect(map.stdout).toMatch(/^weather-map 1\.0\.0 {2}fails tool check, its author says\n {2}Weather\S* as a map\n/);
  expect(map.stdout).not.toContain("\u001b");
  expect(JSON.parse((await search(url, "--json")).stdout)).toEqual([
    {
      name: "@acme/weather-tool",
      version: "1.0.0",
      description: "Weather of a city",
      weekly_downloads: 1234,
      published: expect.stringMatching(/^\d{4}-.*Z$/),
      passes_check: true,
    },
    expect.objectContaining({ name: "weather-map", passes_check: false }),
    expect.objectContaining({ name: "weather-old", weekly_downloads: null, published: null, passes_check: null }),
    expect.objectContaining({ name: "words-tool" }),
  ]);
});

test("says what to do if nothing is found", async () => {
  const { url } = await startRegistry();
  expect(await search(url, "no", "such")).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: `No tool in ${url}/ matches "no such". Try fewer words, or list all: ikigai tool search. To write one: ikigai tool new NAME\n`,
  });
  expect(await search(url, "no", "--json")).toMatchObject({ exitCode: 1, stdout: "[]\n" });
  expect((await search(url)).stderr).toContain("No package with the keyword ikigai-tool in ");
});

test("says what to do without a network", async () => {
  const { exitCode, stdout, stderr } = await search("http://127.0.0.1:9", "x");
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  expect(stderr).toMatch(
    /^ikigai: Cannot search http:\/\/127\.0\.0\.1:9\/: .*\. Check the network, and: npm config get /,
  );
  expect(stderr).toContain("git repositories need no registry: ikigai tool add SOURCE\n");
});

test.each([
  [401, "{}", "needs a login (401), which ikigai does not send. Search with npm: npm search keywords:ikigai-tool x\n"],
  [
    404,
    "{}",
    "has no usable search (404). Search another one: npm_config_registry=https://registry.npmjs.org ikigai tool ",
  ],
  [503, "{}", "cannot answer now (503). Try again later.\n"],
  [200, "<html>", "has no usable search (200). "],
])("says what to do if the registry answers %i %s", async (status, body, advice) => {
  const { exitCode, stderr } = await search(await answering(status, body), "x");
  expect(exitCode).toBe(1);
  expect(stderr).toContain(advice);
});

test("survives results of another form", async () => {
  const objects = [
    null,
    { package: { name: "--yes" } },
    { package: { name: "a/../b", keywords } },
    { package: { name: "other", keywords: ["x"] } },
    { downloads: 3, package: { name: "odd-tool", version: 1, description: {}, date: "soon", keywords } },
  ];
  const { exitCode, stdout } = await search(await answering(200, JSON.stringify({ objects })), "--json");
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual([
    { name: "odd-tool", version: "", description: "", weekly_downloads: null, published: null, passes_check: null },
  ]);
});
