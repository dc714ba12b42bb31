import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { loadConfig } from "../src/internal.ts";
import { removeRule, saveRule } from "../src/setup.ts";

const privately = (content: string) => ({ "config.json": { content, mode: 0o600 } });

test("adds an allow rule below the last deny rule and above the rest", async () => {
  const home = await tempDir(
    privately('{"model":"x/y","permission":{"mode":"ask","rules":[{"deny":"bash(rm *)"},{"ask":"bash"}]},"later":1}'),
  );
  saveRule(home, { verdict: "allow", rule: "bash(npm test)" });
  expect(JSON.parse(readFileSync(join(home, "config.json"), "utf8"))).toEqual({
    model: "x/y",
    permission: { mode: "ask", rules: [{ deny: "bash(rm *)" }, { allow: "bash(npm test)" }, { ask: "bash" }] },
    later: 1,
  });
  expect(statSync(join(home, "config.json")).mode & 0o777).toBe(0o600);
  const fresh = join(await tempDir(), "new");
  saveRule(fresh, { verdict: "allow", rule: "weather" });
  expect(loadConfig(fresh).config.permission?.rules).toEqual([{ verdict: "allow", rule: "weather" }]);
});

test("adds a deny rule before the others, and an ask rule below the last deny rule", async () => {
  const home = await tempDir(privately('{"permission":{"rules":[{"allow":"a"},{"deny":"b"},5,{"allow":"c"}]}}'));
  const rules = () => JSON.parse(readFileSync(join(home, "config.json"), "utf8")).permission.rules;
  saveRule(home, { verdict: "ask", rule: "d" });
  expect(rules()).toEqual([{ allow: "a" }, { deny: "b" }, { ask: "d" }, 5, { allow: "c" }]);
  saveRule(home, { verdict: "deny", rule: "e" });
  expect(rules()).toEqual([{ deny: "e" }, { allow: "a" }, { deny: "b" }, { ask: "d" }, 5, { allow: "c" }]);
});

test("leaves the comment at the end of a line with the rule it follows", async () => {
  const home = await tempDir(privately('{ "permission": { "rules": [\n  { "deny": "a" } // never\n] } }\n'));
  saveRule(home, { verdict: "allow", rule: "b" });
  saveRule(home, { verdict: "allow", rule: "c" });
  expect(readFileSync(join(home, "config.json"), "utf8")).toBe(
    '{ "permission": { "rules": [\n  { "deny": "a" }, // never\n  { "allow": "c" },\n  { "allow": "b" }\n] } }\n',
  );
});

const commented = `// My settings.
{
    "model": "x/y", // fast
    /* what may run */
    "permission": {
        "rules": [
            { "allow": "bash(npm test)" }, // the tests
            { "deny": "bash(rm *)" },
        ],
    },
}
`;

test("keeps comments, indentation and trailing commas", async () => {
  const home = await tempDir(privately(commented));
  saveRule(home, { verdict: "ask", rule: "bash(git push*)" });
  saveRule(home, { verdict: "deny", rule: "bash(sudo *)" });
  const text = readFileSync(join(home, "config.json"), "utf8");
  for (const line of commented.split("\n")) expect(text).toContain(line.trimEnd());
  expect(text).toContain('{ "deny": "bash(rm *)" },\n            { "ask": "bash(git push*)" },\n        ],');
  expect(loadConfig(home).config.permission?.rules).toEqual([
    { verdict: "deny", rule: "bash(sudo *)" },
    { verdict: "allow", rule: "bash(npm test)" },
    { verdict: "deny", rule: "bash(rm *)" },
    { verdict: "ask", rule: "bash(git push*)" },
  ]);
  removeRule(home, { verdict: "deny", rule: "bash(sudo *)" });
  removeRule(home, { verdict: "ask", rule: "bash(git push*)" });
  removeRule(home, { verdict: "deny", rule: "bash(rm *)" });
  const left = readFileSync(join(home, "config.json"), "utf8");
  for (const kept of ["// My settings.", '    "model": "x/y", // fast', "/* what may run */", "// the tests"])
    expect(left).toContain(kept);
  expect(loadConfig(home).config.permission?.rules).toEqual([{ verdict: "allow", rule: "bash(npm test)" }]);
});

test.each([
  ["{broken", ":1:2: Expected"],
  ["[1]", "is not a JSON object"],
  ["null", "is not a JSON object"],
  ['{"permission": 5}', '"permission" is not an object'],
  ['{"permission": {"rules": {}}}', '"permission.rules" is not a list'],
  [" ".repeat(2_000_000), "is longer than 1048576 bytes"],
])("does not overwrite a configuration it cannot read: %.30s", async (text, why) => {
  const home = await tempDir(privately(text));
  expect(() => saveRule(home, { verdict: "allow", rule: "weather" })).toThrow(why);
  expect(readFileSync(join(home, "config.json"), "utf8")).toBe(text);
});

const words = fc.constantFrom("/* a */", "// b\n", " ", "\n", "\t", "");
const rules = fc.array(
  fc.record({
    verdict: fc.constantFrom("allow" as const, "deny" as const),
    rule: fc.constantFrom("a", "b(*)", "c(//)"),
  }),
  { maxLength: 4 },
);

test("keeps every comment and the order of the rules in any sequence of changes", async () => {
  const home = await tempDir();
  const path = join(home, "config.json");
  const property = fc.property(
    rules,
    rules,
    rules,
    fc.array(words, { minLength: 6, maxLength: 6 }),
    (first, added, removed, gaps) => {
      const [a, b, c, d, e, f] = gaps;
      const list = first.map(({ verdict, rule }) => `${c}{"${verdict}": "${rule}"}${d}`).join(",");
      const text = `${a}{${b}"permission"${a}:{"rules":[${list}${e}]}${f}}${f}`;
      writeFileSync(path, text, { mode: 0o600 });
      for (const rule of added) saveRule(home, rule);
      const expected = [...first];
      for (const rule of added) {
        const place = rule.verdict === "deny" ? 0 : expected.findLastIndex(({ verdict }) => verdict === "deny") + 1;
        expected.splice(place, 0, rule);
      }
      expect(loadConfig(home).config.permission?.rules).toEqual(expected);
      const changed = readFileSync(path, "utf8");
      for (const comment of ["/* a */", "// b\n"]) {
        expect(changed.split(comment).length).toBe(text.split(comment).length);
      }
      for (const rule of removed) removeRule(home, rule);
      const left = expected.filter(
        (one) => !removed.some(({ verdict, rule }) => verdict === one.verdict && rule === one.rule),
      );
      expect(loadConfig(home).config.permission?.rules).toEqual(left);
    },
  );
  fc.assert(property, { numRuns: Number(process.env.IKIGAI_CONFIG_RUNS ?? 60) });
});
