import { expect, test } from "vitest";
import { placeWith } from "./catalog.ts";

const verbs = ["create", "read", "update", "delete", "list"];
const things = [
  "invoice",
  "customer",
  "ticket",
  "repository",
  "branch",
  "pipeline",
  "secret",
  "volume",
  "queue",
  "topic",
];

/** 500 tools with descriptions that share most of their words. */
const many = Array.from({ length: 500 }, (_, index) => {
  const [verb, thing] = [verbs[index % 5], things[Math.floor(index / 5) % 10]];
  const service = `svc${Math.floor(index / 50)}`;
  return { name: `${service}_${verb}_${thing}`, description: `${verb} a ${thing} of ${service}. Returns JSON.` };
});

const first = (output: unknown) => String(output).split(":")[0];

test.each([
  ["list the tickets of svc7", "svc7_list_ticket"],
  ["delete branch svc3", "svc3_delete_branch"],
  ["SVC0 createSecret", "svc0_create_secret"],
])("finds the right one of 500 tools for %s", async (query, name) => {
  const { load } = await placeWith(many);
  const { result } = await load({ query });
  expect(first(result?.output)).toBe(name);
  expect(String(result?.output).trim().split("\n")).toHaveLength(10);
  expect(result?.introduces).toHaveLength(5);
  expect(result).toMatchObject({ introduces: [name, ...Array(4).fill(expect.any(String))] });
});

test("finds skills beside tools, and introduces only the tools", async () => {
  const { load } = await placeWith([
    { kind: "skill", name: "pdf-forms", description: "Fills in PDF forms. Use it for PDFs.", path: "SKILL.md" },
    { name: "pdf_merge", description: "Merges two documents" },
  ]);
  expect((await load({ query: "a pdf form" })).result).toEqual({
    output: "pdf-forms (skill: load it by name): Fills in PDF forms.\npdf_merge: Merges two documents\n",
    introduces: ["pdf_merge"],
  });
});

test("finds a tool by the name of a parameter", async () => {
  const { load } = await placeWith([{ name: "a", parameters: ["latitude"] }, { name: "b" }]);
  expect((await load({ query: "latitude" })).result?.introduces).toEqual(["a"]);
});

test("skips words that say nothing", async () => {
  const { load } = await placeWith([
    { name: "x", description: "A tool for the web" },
    { name: "y", description: "Data" },
  ]);
  expect((await load({ query: "use a tool for the data" })).result?.introduces).toEqual(["y", "x"]);
  expect((await load({ query: "for the" })).result).toMatchObject({ error_code: "NOT_FOUND" });
});

test("a skill takes precedence over a tool of the same name", async () => {
  const { load } = await placeWith([{ name: "db" }, { kind: "skill", name: "db", path: "SKILL.md" }], {
    "SKILL.md": "---\nname: db\n---\nText",
  });
  expect((await load({ name: "db" })).result?.output).toContain("Text");
});

test.each([
  [{}, "INVALID_ARG", undefined],
  [{ name: " ", query: "" }, "INVALID_ARG", undefined],
  [{ name: "db_qurey" }, "NOT_FOUND", "The nearest name is db_query."],
  [{ name: "anything else" }, "NOT_FOUND", "Find one by words, with query."],
  [{ query: "weather" }, "NOT_FOUND", "Try other words."],
])("answers %j with %s", async (input, code, hint) => {
  const { load } = await placeWith([{ name: "db_query", description: "Runs a query" }]);
  expect((await load(input)).result).toMatchObject({ error_code: code, ...(hint && { hint }) });
});

test.each(["", "/nowhere", "/dev/zero"])("says what to do without a catalog (%j)", async (path) => {
  const { load } = await placeWith([]);
  expect((await load({ name: "db" }, { IKIGAI_CATALOG: path })).result).toMatchObject({
    error_code: "NO_CATALOG",
    help: { steps: [expect.stringContaining("ikigai tool call load")] },
  });
});

test("ignores lines and fields that it does not know", async () => {
  const { load } = await placeWith([
    { kind: "model" as "tool", name: "db" },
    { kind: "skill", name: "db" },
    { name: "db", description: 5 as unknown as string },
    { name: "db", parameters: "x" as unknown as string[] },
    { name: "db", description: "Right", ...{ extra: 1 } },
  ]);
  expect((await load({ name: "db" })).result).toEqual({ output: "db: Right", introduces: ["db"] });
});
