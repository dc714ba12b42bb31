import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { keyRemover } from "../src/hide-key.ts";
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
  key.slice(0, 7) + encoded(key.slice(7)),
  encoded(key).replaceAll("%", "%25"),
  encoded(key.toUpperCase()).replaceAll("%", "%2525"),
];

/** And in a text. */
const textForms = [...forms, `&#75;&#x65;${key.slice(2)}`, withEach(key, "<b></b>"), withEach(key, "\u200b")];

/** The parts of a result with a text in them. */
const results: Record<string, (text: string) => object> = {
  "a title": (title) => ({ title }),
  "a title that is cut": (text) => ({ title: "x".repeat(180) + text }),
  "a text": (description) => ({ description }),
  "a date": (page_age) => ({ page_age }),
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

/** What else a service answers with a text in it. */
const failures: Record<string, (response: ServerResponse, text: string) => unknown> = {
  "the reason of a status": (response, text) => response.writeHead(500, text).end("{}"),
  ...Object.fromEntries([400, 401, 429, 432].map((status) => [`an error ${status}`, failure(status)])),
  "the host of a redirect": header(302, "location", "https://", ".example/"),
  "the path of a redirect": header(302, "location", "https://example.com/"),
  "a redirect to no URL": header(302, "location", "https://["),
  "an encoding": header(200, "content-encoding"),
  "an encoding that is cut": header(200, "content-encoding", "x".repeat(190)),
  "when to try again": header(429, "retry-after"),
};

function decoded(text: string): string {
  const once = text.replaceAll(/%([\da-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return once === text ? text : decoded(once);
}

/** Calls the tool, and returns what it shows if the beginning of the key is in it. */
async function shownBy(answer: (response: ServerResponse) => unknown, format: string): Promise<string | undefined> {
  const server = await serverOf(answer);
  const { exitCode, stdout, stderr } = await search({ ...settings("brave", server), BRAVE_API_KEY: key }, { format });
  expect(exitCode).toBe(0);
  const all = decoded(stdout + stderr).toLowerCase();
  return all.includes(key.slice(0, 10).toLowerCase()) ? all : undefined;
}

test.each(Object.keys(results))("hides the key in %s, however it is written", async (place) => {
  const items = textForms.map((text) => ({ title: "t", url: "https://example.com/", ...results[place]?.(text) }));
  const answer = (response: ServerResponse) => response.writeHead(200).end(responseWith("brave", items));
  for (const format of ["text", "json"]) expect(await shownBy(answer, format)).toBeUndefined();
});

test.each(Object.keys(failures))("hides the key in %s, however it is written", async (place) => {
  const answers = forms.map((text) => (response: ServerResponse) => failures[place]?.(response, text));
  const shown = await Promise.all(answers.map((answer) => shownBy(answer, "text")));
  expect(shown.filter((text) => text !== undefined)).toEqual([]);
});

test("hides nothing else", () => {
  const clean = keyRemover(key);
  for (const text of ["Key-0123456789-ABCde", "key 0123456789 abcdef", "%4b%65%79", ""]) expect(clean(text)).toBe(text);
  expect(clean(`a ${key}${key.toLowerCase()} b`)).toBe("a [key removed][key removed] b");
  expect(keyRemover("")("text")).toBe("text");
  expect(keyRemover("a.c+e(g$")("abcde(g$ a.c+e(g$")).toBe("abcde(g$ [key removed]");
});

test("takes no time for texts that are made to be slow", () => {
  const clean = keyRemover("%".repeat(20));
  const start = process.cpuUsage();
  for (const part of ["%", "%25", "%2525252", "%2"]) clean(part.repeat(100_000));
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
});
