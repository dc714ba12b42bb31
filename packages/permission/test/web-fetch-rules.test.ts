import { join } from "node:path";
import { discover, findTool, type RegisteredTool } from "@ikigai/core";
import { tempDir } from "@ikigai/testing";
import { beforeAll, expect, test } from "vitest";
import { factsOf } from "../src/decision/call-facts.ts";
import { ruleFor } from "../src/decision/offers.ts";
import { decide, type Permission, type Verdict, whyStillAsked } from "../src/index.ts";

const directory = join(import.meta.dirname, "../../web-fetch-tool/dist");

let webFetch: RegisteredTool;
beforeAll(async () => {
  const home = await tempDir();
  const found = await discover({ directories: [{ path: directory, scope: "system" }], home, projectDir: home });
  const tool = findTool(found, "web_fetch");
  if (tool === undefined) throw new Error("No web_fetch: npm run build");
  webFetch = tool;
});

const callTo = (url: string) => ({ id: "c", name: "web_fetch", arguments: JSON.stringify({ url }) });

function verdictOn(url: string, permission: Partial<Permission> = {}): Verdict {
  return decide(callTo(url), webFetch, { mode: "ask", rules: [], projectDir: "/nowhere", home: "/home", ...permission })
    .verdict;
}

test.each([
  ["ask", "ask"],
  ["edits", "ask"],
  ["plan", "ask"],
  ["deny", "deny"],
  ["allow", "allow"],
] as const)("web_fetch in mode %s: %s", (mode, verdict) => {
  expect(verdictOn("https://docs.rs/regex", { mode })).toBe(verdict);
});

test.each([
  ["allow", "host(docs.rs)", "allow"],
  ["allow", "host(*)", "allow"],
  ["allow", "host(docs.rs:8443)", "ask"],
  ["deny", "host(docs.rs)", "deny"],
  ["ask", "host(*.rs)", "ask"],
] as const)("rules about hosts count for a page: %s %s", (verdict, rule, wanted) => {
  const rules = [{ verdict, rule }];
  expect(verdictOn("https://docs.rs/regex", { rules })).toBe(wanted);
  const allowed = { verdict: "allow", rule: "web_fetch(domain:docs.rs)" } as const;
  expect(verdictOn("https://docs.rs/regex", { rules: [allowed, ...rules] })).toBe(wanted === "deny" ? "deny" : "allow");
  expect(verdictOn("https://docs.rs@evil.example/", { rules: [{ verdict: "allow", rule }] })).toBe("ask");
});

test.each([
  "https://docs.rs@evil.example/",
  " https://docs.rs/",
  "https://docs.rs/\t",
  "https://docs.rs\\@evil.example/",
  "https:/docs.rs/",
  "https://docs.rs../",
  "https://docs.rs/\u200b",
])("the question about %j offers no rule: it would allow all hosts", (url) => {
  expect(ruleFor(factsOf(callTo(url), webFetch, { projectDir: "/nowhere" }), "/nowhere")).toBeUndefined();
  expect(verdictOn(url, { rules: [{ verdict: "allow", rule: "web_fetch(domain:docs.rs)" }] })).toBe("ask");
});

test.each(["ftp://docs.rs/", "git@docs.rs:x", "", "https://"])(
  "the question about %j, which is no address of a page, offers the tool's name",
  (url) => {
    expect(ruleFor(factsOf(callTo(url), webFetch, { projectDir: "/nowhere" }), "/nowhere")).toBe("web_fetch");
  },
);

test("says nothing about a rule that will allow the call, whose address is not in its normal form yet", () => {
  const added = { verdict: "allow", rule: "web_fetch(domain:docs.rs)" } as const;
  const permission: Permission = { mode: "ask", rules: [added], projectDir: "/nowhere", home: "/home" };
  expect(whyStillAsked({ call: callTo("https://DOCS.rs"), tool: webFetch }, permission, added)).toBeUndefined();
  expect(whyStillAsked({ call: callTo("https://mdn.dev"), tool: webFetch }, permission, added)).toMatch(
    /does not cover/,
  );
});

test.each([
  ["https://docs.rs/regex?x=1#y", "web_fetch(domain:docs.rs)"],
  ["http://localhost:3000/", "web_fetch(domain:localhost:3000)"],
])("the question about %s offers %s, which then allows the host and no other", (url, rule) => {
  expect(ruleFor(factsOf(callTo(url), webFetch, { projectDir: "/nowhere" }), "/nowhere")).toBe(rule);
  const rules = [{ verdict: "allow", rule } as const];
  expect(verdictOn(url, { rules })).toBe("allow");
  expect(verdictOn(`https://evil.example/?${url}`, { rules })).toBe("ask");
  expect(verdictOn(url, { rules, mode: "plan" })).toBe("allow");
});

test("the question about a call without its address offers no rule", () => {
  const call = { id: "c", name: "web_fetch", arguments: "{}" };
  expect(ruleFor(factsOf(call, webFetch, { projectDir: "/nowhere" }), "/nowhere")).toBeUndefined();
});
