// Promise 3 of SECURITY.md.
// @module-tag tables
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { keyRemover } from "../src/engines.ts";
import { responseWith, search, serverOf, settings } from "./search-server.ts";

const key = "Key-0123456789-ABCdef";

const encoded = (text: string) => [...text].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("");
const withEach = (text: string, between: string) => [...text].join(between);

/** How a service can write a key anywhere. */
const forms = [
  key,
  key.toLowerCase(),
  key.toUpperCase(),
  encoded(key),
  encoded(key).toUpperCase(),
  encoded(key).replaceAll("%", "%25"),
];

/** And in a text. */
const textForms = [...forms, `&#75;&#x65;${key.slice(2)}`, withEach(key, "<b></b>"), withEach(key, "\u200b")];

/** The texts of a result. */
const texts: Record<string, (text: string) => object> = {
  "a title": (title) => ({ title }),
  "a title that is cut": (text) => ({ title: "x".repeat(180) + text }),
  "a title that is cut as it came": (text) => ({ title: `${"<b></b>".repeat(283)}${text}`.slice(-2_010) }),
  "a text": (description) => ({ description }),
};

/** The parts of a result's URL. */
const urls: Record<string, (text: string) => object> = {
  "the host of a result": (text) => ({ url: `https://${text}.example/` }),
  "a host that is the title": (text) => ({ title: "", url: `https://a.${text}/` }),
  "the path of a result": (text) => ({ url: `https://example.com/${text}/x` }),
  "the query of a result": (text) => ({ url: `https://example.com/?k=${text}#${text}` }),
};

const failure = (status: number) => (response: ServerResponse, text: string) =>
  response.writeHead(status).end(JSON.stringify({ error: { detail: text, code: text }, message: text }));

const header =
  (status: number, name: string, before = "", after = "") =>
  (response: ServerResponse, text: string) =>
    response.writeHead(status, { [name]: `${before}${text}${after}` }).end("{}");

type Failures = Record<string, (response: ServerResponse, text: string) => unknown>;

/** What else a service answers with a text that is shown. */
const failures: Failures = {
  ...Object.fromEntries([400, 401, 429, 432].map((status) => [`an error ${status}`, failure(status)])),
  "the host of a redirect": header(302, "location", "https://", ".example/"),
  "an encoding": header(200, "content-encoding"),
};

/** And with a text that is never shown. */
const unshown: Failures = {
  "the reason of a status": (response, text) => response.writeHead(500, text).end("{}"),
  "the path of a redirect": header(302, "location", "https://example.com/"),
  "a redirect to no URL": header(302, "location", "https://["),
  "a long encoding": header(200, "content-encoding", "x".repeat(190)),
  "the time to try again": header(429, "retry-after"),
};

const withResults = (items: readonly object[]) => (response: ServerResponse) =>
  response.writeHead(200).end(
    responseWith(
      "brave",
      items.map((item) => ({ title: "t", url: "https://example.com/", ...item })),
    ),
  );

function decoded(text: string): string {
  const once = text.replaceAll(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return once === text ? text : decoded(once);
}

/** The parts of a key by which its presence is noticed, even if it is cut. */
const telling = Array.from({ length: key.length - 9 }, (_, at) => key.slice(at, at + 10).toLowerCase());

/** Calls the tool, and returns what it prints. */
async function printedFor(answer: (response: ServerResponse) => unknown, format = "text"): Promise<string> {
  const server = await serverOf(answer);
  const env = { ...settings("brave", server), BRAVE_API_KEY: key };
  const { exitCode, stdout, stderr } = await search(env, { format, count: 20 });
  expect(exitCode).toBe(0);
  return stdout + stderr;
}

/** Calls the tool, and returns what it prints if part of the key is in it. */
async function shownBy(answer: (response: ServerResponse) => unknown, format?: string): Promise<string | undefined> {
  const all = decoded(await printedFor(answer, format)).toLowerCase();
  return telling.some((part) => all.includes(part)) ? all : undefined;
}

test.each([
  ...Object.entries(texts).map(([place, make]) => ({ place, items: textForms.map(make), plain: make("harmless") })),
  ...Object.entries(urls).map(([place, make]) => ({ place, items: forms.map(make), plain: make("harmless") })),
])("hides the key in $place, however it is written", async ({ items, plain }) => {
  expect(await printedFor(withResults([plain]))).toContain("harmless");
  for (const format of ["text", "json"]) expect(await shownBy(withResults(items), format)).toBeUndefined();
});

test.each(Object.entries(failures))("hides the key in %s, however it is written", async (_, fail) => {
  expect(await printedFor((response) => fail(response, "harmless"))).toContain("harmless");
  const shown = await Promise.all(forms.map((text) => shownBy((response) => fail(response, text))));
  expect(shown.filter((text) => text !== undefined)).toEqual([]);
});

test.each(Object.entries(unshown))("never shows %s", async (_, fail) => {
  expect(await printedFor((response) => fail(response, "harmless"))).not.toContain("harmless");
});

test("never shows a date that cannot be one", async () => {
  expect(await printedFor(withResults([{ page_age: "harmless" }]))).not.toContain("harmless");
});

test("hides nothing else", () => {
  const clean = keyRemover(key);
  for (const text of ["Key-0123456789-ABCde", "key 0123456789 abcdef", "%4b%65%79", ""]) expect(clean(text)).toBe(text);
  expect(clean(`a ${key}${key.toLowerCase()} b`)).toBe("a [key removed][key removed] b");
  expect(keyRemover("")("text")).toBe("text");
  expect([keyRemover("passwor")("passwor"), keyRemover("password")("password")]).toEqual(["passwor", "[key removed]"]);
  expect(keyRemover("a.c+e(g$")("abcde(g$ a.c+e(g$")).toBe("abcde(g$ [key removed]");
});
