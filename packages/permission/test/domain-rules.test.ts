// Promise 6 of SECURITY.md.
import { parse } from "node:url";
import type { RegisteredTool } from "@ikigai/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { factsOf } from "../src/decision/call-facts.ts";
import { stricterRule } from "../src/decision/offers.ts";
import { decide, type Permission, type PermissionRule, parseRule, type Verdict } from "../src/index.ts";
import { ruleProblem } from "../src/rules/rules.ts";
import { readUrl, refusedAddress } from "../src/targets/urls.ts";
import { rules } from "./decide-call.ts";
import { registeredTool } from "./registered-tool.ts";

/** A tool of the user with these parameters. */
function tool(name: string, ...parameters: string[]): RegisteredTool {
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter, { type: "string" }]));
  const plain = registeredTool(name, "user");
  return { ...plain, schema: { ...plain.schema, parameters: { type: "object", properties } } };
}

function verdictOn(args: object, permission: Partial<Permission>, called = tool("getter", "url")): Verdict {
  const call = { id: "c", name: called.name, arguments: JSON.stringify(args) };
  const whole = { mode: "ask", rules: [], projectDir: "/nowhere", home: "/nowhere/home", ...permission } as const;
  return decide(call, called, { ...whole, rules: [...whole.rules] }).verdict;
}

/** The verdict in the mode that a rule of this verdict changes. */
function verdictBy(verdict: Verdict, domain: string, url: string): Verdict {
  return verdictOn(
    { url },
    { mode: verdict === "allow" ? "deny" : "allow", ...rules([verdict, `getter(domain:${domain})`]) },
  );
}

describe("an address that the system's tool would refuse", () => {
  const plain = tool("web_fetch", "url");
  const guarded = {
    ...plain,
    scope: "system" as const,
    schema: { ...plain.schema, ikigai: { needs: { env: ["IKIGAI_WEB_ALLOW"] } } },
  };
  const refused = (url: string, called: RegisteredTool, env = {}) => {
    const call = { id: "c", name: called.name, arguments: JSON.stringify({ url }) };
    return refusedAddress(factsOf(call, called, { projectDir: "/nowhere" }), env);
  };

  test.each([
    "http://127.0.0.1:9911/",
    "http://[::1]/",
    "http://localhost:3000/",
    "http://169.254.169.254/",
    "http://10.0.0.1/",
  ])("is refused without a question, with the setting that opens it: %s", async (url) => {
    const { host } = new URL(url);
    expect(await refused(url, guarded)).toContain(`start ikigai with IKIGAI_WEB_ALLOW=${host}`);
  });

  test("is asked about if the user has opened it, and if the tool is another one", async () => {
    const env = { IKIGAI_WEB_ALLOW: "127.0.0.1:9911" };
    expect(await refused("https://docs.rs/", guarded)).toBeUndefined();
    expect(await refused("http://127.0.0.1:9911/", tool("web_fetch", "url"))).toBeUndefined();
    expect(await refused("http://127.0.0.1:9911/", guarded, env)).toBeUndefined();
    expect(await refused("http://127.0.0.1:9912/", guarded, env)).toBeDefined();
  });
});

describe("a rule about hosts", () => {
  test.each([
    ["docs.rs", "https://docs.rs/serde"],
    ["docs.rs", "http://docs.rs/"],
    ["DOCS.rs", "https://docs.rs/"],
    ["docs.rs.", "https://docs.rs/"],
    ["docs.rs", "https://docs.rs./"],
    ["docs.rs:443", "https://docs.rs/"],
    ["docs.rs:8443", "https://docs.rs:8443/"],
    ["*.mdn.dev", "https://a.b.mdn.dev/"],
    ["localhost:3000", "http://localhost:3000/"],
    ["bücher.example", "https://xn--bcher-kva.example/"],
    ["[::1]:3000", "http://[::1]:3000/"],
    ["0x7f.1", "http://127.0.0.1/"],
    ["127.0.0.1", "http://[::ffff:7f00:1]/"],
  ])("%s is about %s", (domain, url) => {
    expect(verdictBy("allow", domain, url)).toBe("allow");
    expect(verdictBy("ask", domain, url)).toBe("ask");
    expect(verdictBy("deny", domain, url)).toBe("deny");
  });

  test.each([
    ["docs.rs", "https://evil.example/?docs.rs"],
    ["docs.rs", "https://docs.rs.evil.example/"],
    ["docs.rs", "https://evil-docs.rs/"],
    ["docs.rs", "https://a.docs.rs/"],
    ["docs.rs:8443", "https://docs.rs/"],
    ["docs.rs:80", "https://docs.rs/"],
    ["*.mdn.dev", "https://notmdn.dev/"],
    ["127.0.0.1", "http://127.0.0.2/"],
  ])("%s is not about %s", (domain, url) => {
    expect(verdictBy("allow", domain, url)).toBe("deny");
    expect(verdictBy("ask", domain, url)).toBe("allow");
    expect(verdictBy("deny", domain, url)).toBe("allow");
  });

  test.each([
    ["www.evil.example", "https://evil.example/"],
    ["evil.example", "https://www.evil.example/"],
    ["evil.example:443", "http://evil.example/"],
    ["www.evil.example:443", "http://evil.example/"],
    ["evil.example:8443", "http://www.evil.example:8443/"],
    ["*.evil.example", "https://evil.example/"],
    ["*.evil.example:443", "http://evil.example/"],
    ["*.a.evil.example", "https://a.evil.example/"],
  ])("%s, if it denies or asks, is about %s, from where a redirect to it is followed", (domain, url) => {
    expect(verdictBy("deny", domain, url)).toBe("deny");
    expect(verdictBy("ask", domain, url)).toBe("ask");
    expect(verdictBy("allow", domain, url)).toBe("deny");
  });

  test.each([
    ["*.evil.example", "https://example/"],
    ["*.www.evil.example", "https://evil.example/"],
    ["evil.example", "https://wwww.evil.example/"],
    ["www.evil.example", "https://www2.evil.example/"],
    ["evil.example:443", "http://evil.example:8080/"],
    ["evil.example:80", "https://evil.example/"],
    ["evil.example:8443", "https://evil.example/"],
  ])("%s, even if it denies, is not about %s", (domain, url) => {
    expect(verdictBy("deny", domain, url)).toBe("allow");
  });

  test("without a port covers every port when it denies, and the scheme's own when it allows", () => {
    expect(verdictBy("deny", "docs.rs", "https://docs.rs:8443/")).toBe("deny");
    expect(verdictBy("ask", "docs.rs", "https://docs.rs:8443/")).toBe("ask");
    expect(verdictBy("allow", "docs.rs", "https://docs.rs:8443/")).toBe("deny");
    expect(verdictBy("allow", "docs.rs", "http://docs.rs:443/")).toBe("deny");
  });

  test.each([
    ["a user's name", "https://docs.rs@evil.example/"],
    ["a user's name without a host before it", "https://@docs.rs/"],
    ["a backslash", "https://docs.rs\\@evil.example/"],
    ["a space", "https://docs.rs/ x"],
    ["a line break", "https://docs.rs/\n"],
    ["a space before it", " https://docs.rs/"],
    ["a character of zero width", "https://docs\u200b.rs/"],
    ["a bidirectional character", "https://docs.rs/\u202e"],
    ["another scheme", "ftp://docs.rs/"],
    ["one slash", "https:/docs.rs/"],
    ["three slashes", "https:///docs.rs/"],
    ["no host", "https://"],
    ["an invalid port", "https://docs.rs:99999/"],
    ["no address", "docs.rs"],
    ["two dots at the end of its host", "https://docs.rs../"],
    ["a dot at the start of its host", "https://.docs.rs/"],
    ["two dots in its host", "https://docs..rs/"],
  ])("does not match an address with %s, and asks if it denies", (_, url) => {
    expect(verdictBy("allow", "docs.rs", url)).toBe("deny");
    expect(verdictBy("allow", "evil.example", url)).toBe("deny");
    expect(verdictBy("deny", "other.example", url)).toBe("ask");
    expect(verdictBy("ask", "other.example", url)).toBe("ask");
  });

  test("does not allow an address that the tool would get in another spelling", () => {
    expect(verdictBy("allow", "docs.rs", "https://DOCS.rs")).toBe("deny");
    expect(verdictBy("deny", "docs.rs", "https://DOCS.rs")).toBe("deny");
  });

  test("asks about a call without an address that can be read, if it denies or asks", () => {
    const denies = { mode: "allow" as const, ...rules(["deny", "getter(domain:evil.example)"]) };
    for (const args of [{}, { url: 7 }, { url: ["https://docs.rs/"] }, { uri: "https://evil.example/" }])
      expect(verdictOn(args, denies)).toBe("ask");
    expect(verdictOn({ uri: "https://evil.example/" }, denies, tool("getter", "uri"))).toBe("ask");
  });

  test.each([
    ["getter(domain:docs.rs)", { uri: "https://evil.example/" }, tool("getter", "uri")],
    ["mcp__browser__*(domain:docs.rs)", { script: "steal" }, tool("mcp__browser__evaluate", "script")],
    ["*(domain:docs.rs)", { file_path: "x.txt", content: "x" }, registeredTool("file_write")],
    ["web_*(domain:docs.rs)", { query: "x" }, tool("web_search", "query")],
  ])("%s does not count a url that the tool does not take: %j", (rule, args, called) => {
    const stray = { ...args, url: "https://docs.rs/" };
    expect(verdictOn(stray, { mode: "deny", ...rules(["allow", rule]) }, called)).toBe("deny");
    const denies = { mode: "allow" as const, ...rules(["deny", rule.replace("docs.rs", "evil.example")]) };
    expect(verdictOn(stray, denies, called)).toBe("ask");
  });

  test("for all tools is about those with an address only", () => {
    const denies = { mode: "allow" as const, ...rules(["deny", "*(domain:evil.example)"]) };
    expect(verdictOn({ url: "https://evil.example/" }, denies)).toBe("deny");
    expect(verdictOn({}, denies)).toBe("ask");
    expect(verdictOn({ path: "x" }, denies, tool("reader", "path"))).toBe("allow");
    const some = { mode: "allow" as const, ...rules(["deny", "get*(domain:evil.example)"]) };
    expect(verdictOn({ path: "x" }, some, tool("getter", "path"))).toBe("ask");
    expect(verdictOn({ path: "x" }, some, tool("reader", "path"))).toBe("allow");
  });

  test("asks about every command of bash, which has no address", () => {
    const denies = { mode: "allow" as const, ...rules(["deny", "bash(domain:evil.example)"]) };
    expect(verdictOn({ command: "ls" }, denies, registeredTool("bash"))).toBe("ask");
    const allows = { mode: "deny" as const, readOnlyCommands: false, ...rules(["allow", "bash(domain:docs.rs)"]) };
    expect(verdictOn({ command: "curl https://docs.rs/" }, allows, registeredTool("bash"))).toBe("deny");
  });
});

test.each(["docs.rs", "*.docs.rs", "docs.rs:1", "docs.rs:65535", "[::1]"])(
  "domain:%s is a valid pattern",
  (pattern) => {
    expect(ruleProblem(`getter(domain:${pattern})`)).toBeUndefined();
  },
);

test.each([
  "domain:",
  "domain: docs.rs",
  "domain:*",
  "domain:*docs.rs",
  "domain:docs.*",
  "domain:https://docs.rs",
  "domain:docs.rs/",
  "domain:docs.rs:0",
  "domain:docs.rs:65536",
  "domain:docs.rs:http",
  "domain:me@docs.rs",
  "domain:docs.rs,mdn.dev",
  "domain:docs rs",
  "domain:*.127.0.0.1",
  "domain:*.[::1]",
  "domain:[::1",
  "domain:a%2eb",
  "Domain:docs.rs",
  "domains:docs.rs",
  "host:docs.rs",
])("%s is no valid pattern, and a rule with it denies nothing silently", (pattern) => {
  expect(ruleProblem(`getter(${pattern})`)).toEqual({
    index: 7,
    message: expect.stringMatching(/^Expected domain:HOST/),
  });
  expect(parseRule(`getter(${pattern})`)).toBeUndefined();
  const denies = { mode: "allow" as const, ...rules(["deny", `getter(${pattern})`]) };
  expect(verdictOn({ url: "https://docs.rs/" }, denies)).toBe("ask");
});

test.each([
  ["getter(domain:docs.rs)", "getter(domain:docs.rs:8443)", true],
  ["getter(domain:docs.rs)", "getter(domain:www.docs.rs)", true],
  ["getter(domain:*.docs.rs)", "getter(domain:docs.rs)", true],
  ["getter(domain:docs.rs:443)", "getter(domain:docs.rs:80)", true],
  ["getter(domain:docs.rs:80)", "getter(domain:docs.rs:443)", false],
  ["getter(domain:*.mdn.dev)", "getter(domain:a.mdn.dev)", true],
  ["getter(domain:a.mdn.dev)", "getter(domain:*.mdn.dev)", true],
  ["getter(domain:*.mdn.dev)", "getter", true],
  ["getter(domain:docs.rs:1)", "getter(domain:docs.rs:2)", false],
  ["getter(domain:docs.rs)", "getter(domain:mdn.dev)", false],
  ["getter(domain:docs.rs)", "other(domain:docs.rs)", false],
])("%s above %s: have they calls in common? %s", (above, below, expected) => {
  const added: PermissionRule = { verdict: "allow", rule: below };
  const all = [...rules(["ask", above]).rules, added];
  expect(stricterRule({ rules: all }, added) !== undefined).toBe(expected);
});

/** The host as RFC 3986, appendix B, finds it. */
function hostByGrammar(url: string): string {
  const [, , , authority = ""] = /^(([^:/?#]+):)?(?:\/\/([^/?#]*))?/.exec(url) ?? [];
  return authority.replace(/^.*@/, "").replace(/:\d*$/, "");
}

test("programs find the same host in an address that rules can read", () => {
  const part = fc.constantFrom(
    ...[
      "http",
      "https",
      "HTTP",
      ":",
      "/",
      "//",
      "\\",
      "@",
      "?",
      "#",
      ".",
      "%",
      "%2f",
      "%40",
      "%00",
      "[",
      "]",
      "::1",
      "&",
    ],
    ...[
      "docs.rs",
      "evil.example",
      "0x7f.1",
      "127.1",
      ":80",
      ":0443",
      " ",
      "\t",
      "\u200b",
      "ﬁ",
      "。",
      "ß",
      "a",
      "-",
      "_",
      ";",
    ],
  );
  const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(""));
  const address = fc.oneof(
    text,
    text.map((rest) => `https://docs.rs${rest}`),
    text.map((rest) => `https://${rest}`),
  );
  fc.assert(
    fc.property(address, (given) => {
      const url = readUrl(given);
      if (!url) return;
      const host = new URL(given).hostname;
      expect(new URL(url.href).href).toBe(url.href);
      expect(hostByGrammar(url.href)).toBe(host);
      expect(parse(url.href).hostname).toBe(host.replace(/^\[|\]$/g, ""));
    }),
    { numRuns: 5_000 },
  );
});

test("a rule about a tool's arguments does not depend on their order", () => {
  const tickets = tool("tickets", "subcommand", "args");
  const allowed = { mode: "deny" as const, ...rules(["allow", 'tickets({"subcommand":"status"*)']) };
  expect(verdictOn({ subcommand: "status", args: "x" }, allowed, tickets)).toBe("allow");
  expect(verdictOn({ args: "x", subcommand: "status" }, allowed, tickets)).toBe("allow");
  expect(verdictOn({ args: '"subcommand":"status"', subcommand: "drop" }, allowed, tickets)).toBe("deny");
});
