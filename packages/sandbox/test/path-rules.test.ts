import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { type PathRule, pathJudge, ruledPlaces } from "../src/decisive-files.ts";

const deny = (pattern: string): PathRule => ({ verdict: "deny", pattern });
const ask = (pattern: string): PathRule => ({ verdict: "ask", pattern });

test.each([
  [".env*", [".env", "a/.env.local", ".env/below"], ["env", "a.env", "a/x.env*"]],
  ["infra/**", ["infra", "infra/a/b"], ["a/infra", "infrared"]],
  ["a/*.txt", ["a/b.txt", "a/b.txt/below"], ["a/b/c.txt", "b.txt"]],
  ["a/**/key", ["a/key", "a/b/c/key"], ["key", "b/key"]],
  ["[!ab].pem", ["c.pem"], ["a.pem"]],
])("path(%s) is about %j, not about %j", (pattern, about, others) => {
  const judge = pathJudge([deny(pattern)], { projects: ["/p"], userHome: "/home/u" });
  for (const path of about) expect(judge(`/p/${path}`), path).toBe("deny");
  for (const path of others) expect(judge(`/p/${path}`), path).toBeUndefined();
});

describe("the files that rules are about now", () => {
  test("the first rule that matches decides, and what is below a match is not listed", async () => {
    const project = await tempDir({
      ".env": "",
      ".env.example": "",
      "a/.env/x": "",
      "node_modules/.env": "",
      "b/c": "",
    });
    const found = ruledPlaces([ask(".env.example"), deny(".env*")], { projects: [project], userHome: "/nowhere" });
    expect(found.ask).toEqual([join(project, ".env.example")]);
    expect([...found.deny].sort()).toEqual([join(project, ".env"), join(project, "a/.env")]);
  });

  test.runIf(process.platform === "linux")("a name that is not UTF-8 hides no file: nothing starts", async () => {
    const project = await tempDir({ "a/.env": "" });
    writeFileSync(Buffer.concat([Buffer.from(`${project}/a/x`), Buffer.from([0xff])]), "");
    expect(() => ruledPlaces([deny(".env")], { projects: [project], userHome: "/nowhere" })).toThrow(
      /cannot be looked through/,
    );
    expect(ruledPlaces([deny("b/.env")], { projects: [project], userHome: "/nowhere" }).deny).toEqual([]);
  });
});
