import { mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { loadConfig, readConfig } from "../src/internal.ts";
import { changeSettings, configSchema, parseSettingKey, settingKeys } from "../src/setup.ts";

const privately = (content: string) => ({ "config.json": { content, mode: 0o600 } });
const textIn = (home: string) => readFileSync(join(home, "config.json"), "utf8");

const commented = `// My settings.
{
    "model": "x/y", // fast
    /* what may run */
    "permission": {
        "mode": "ask", // careful
        "rules": [{ "deny": "bash(rm *)" }],
    },
}
`;

test("makes a private file in a new home", async () => {
  const home = join(await tempDir(), ".ikigai");
  changeSettings(home, [{ key: "model", value: "anthropic/claude-x" }]);
  expect(loadConfig(home).config).toEqual({ model: "anthropic/claude-x" });
  expect(statSync(join(home, "config.json")).mode & 0o777).toBe(0o600);
  expect(statSync(home).mode & 0o777).toBe(0o700);
});

test("keeps comments, order and indentation", async () => {
  const home = await tempDir(privately(commented));
  changeSettings(home, [
    { key: "model", value: "a/b" },
    { key: "screen.bell", value: false },
  ]);
  const changed = textIn(home);
  for (const line of commented.replace('"x/y"', '"a/b"').split("\n")) expect(changed).toContain(line);
  expect(changed).toContain('    "screen": {\n        "bell": false\n    }');
  changeSettings(home, [{ key: "permission.mode" }, { key: "tools.bash.timeoutMs" }]);
  for (const comment of ["// My settings.", "// fast", "/* what may run */", "// careful"])
    expect(textIn(home)).toContain(comment);
  expect(loadConfig(home).config).toEqual({
    model: "a/b",
    permission: { rules: [{ verdict: "deny", rule: "bash(rm *)" }] },
    screen: { bell: false },
  });
});

test("leaves each comment with its setting", async () => {
  const agreed = '{\n  "model": "offline", // costs\n  "maxSteps": 5 // agreed with Anna\n}\n';
  const home = await tempDir(privately(agreed));
  changeSettings(home, [
    { key: "$schema", value: "a" },
    { key: "sandbox.writable", value: ["/a"] },
    { key: "sandbox.network", value: true },
  ]);
  expect(textIn(home)).toBe(`{
  "model": "offline", // costs
  "maxSteps": 5, // agreed with Anna
  "$schema": "a",
  "sandbox": {
    "writable": [
      "/a"
    ],
    "network": true
  }
}
`);
  changeSettings(
    home,
    ["$schema", "sandbox.writable", "sandbox.network"].map((key) => ({ key })),
  );
  expect(textIn(home)).toBe(agreed);
});

test.each([
  ["permission.mode", "x", 'Expected "permission.mode" to be "'],
  ["sandbox.enabled", "true", 'Expected "sandbox.enabled" to be true or false, got "true".'],
  ["sandbox.enable", true, 'Unknown setting "sandbox.enable". Did you mean sandbox.enabled?'],
  ["permissions.mode", "edits", 'Unknown setting "permissions.mode". Did you mean permission.mode?'],
  ["permissions.nonsense", 1, 'Unknown setting "permissions.nonsense". Did you mean permission?'],
  ["sreen.them", "dark", 'Unknown setting "sreen.them". Did you mean screen.theme?'],
  ["foo.theme", "dark", 'Unknown setting "foo.theme". Did you mean screen.theme?'],
  ["tools.bash.timeout", 1, 'Unknown setting "tools.bash.timeout". Did you mean tools.bash.timeoutMs?'],
  ["foo.bar", 1, 'Unknown setting "foo.bar". Known settings here: model, models, providers'],
  ["timeoutMs", 1, 'Unknown setting "timeoutMs".'],
  ["maxRetries", 1, "Did you mean patience.maxRetries?"],
  ["tools.bash", { timeout: 1 }, 'Unknown setting "tools.bash.timeout". Did you mean "timeoutMs"?'],
  ["permission.rules", [{ deny: "bash(rm *" }], '"bash(rm *" is not a rule: Missing ")"'],
  ["model.name", "x", 'Unknown setting "model.name"'],
  ["tools", 5, 'Expected "tools" to be an object, got 5.'],
  ["__proto__.x", 1, "Unknown setting"],
  ["", 1, "Unknown setting"],
])("refuses %s = %j and writes nothing", async (key, value, problem) => {
  const home = await tempDir(privately(commented));
  expect(() =>
    changeSettings(home, [
      { key: "maxSteps", value: 7 },
      { key, value },
    ]),
  ).toThrow(problem);
  expect(textIn(home)).toBe(commented);
});

test.each([
  ["{broken", ":1:2: Expected a value"],
  ["[1]", "is not a JSON object"],
  ['{"permission": 5}', '"permission" is not an object'],
  ['{"permission": {"mode": "ask"}, "permission": {}}', "cannot be changed without a loss"],
])("leaves the file %s as it is", async (content, problem) => {
  const home = await tempDir(privately(content));
  expect(() => changeSettings(home, [{ key: "permission.mode", value: "deny" }])).toThrow(problem);
  expect(textIn(home)).toBe(content);
});

test("removes an object that becomes empty, unless it holds a comment, and returns what was set", async () => {
  const text = `{ // mine
  "model": "a/b",
  "tools": { "bash": { "timeoutMs": 5 } },
  "screen": {
    // bell: never
    "bell": false
  }
}
`;
  const home = await tempDir(privately(text));
  expect(changeSettings(home, [{ key: "tools.bash.timeoutMs" }, { key: "screen.bell" }, { key: "maxSteps" }])).toEqual([
    5,
    false,
    undefined,
  ]);
  expect(textIn(home)).toBe(`{ // mine
  "model": "a/b",
  "screen": {
    // bell: never
  }
}
`);
  const only = await tempDir(privately('{"sandbox":{},"permission":{"mode":"ask"}}'));
  expect(changeSettings(only, [{ key: "permission.mode" }])).toEqual(["ask"]);
  expect(textIn(only)).toBe('{"sandbox":{}}');
});

test.each([
  ['{\n  "model": "a/b"\n\n', '  "model": "a/b"', 2],
  ['{\r\n  "model": "a/b",\r\n\r\n', '  "model": "a/b",', 2],
  ['{\n  "providers": {\n    "openai": {}\n\n\n', '    "openai": {}', 3],
])("shows the last line with text for an error at the end of %j", async (content, line, number) => {
  const home = await tempDir(privately(content));
  const [problem] = readConfig(home).problems;
  expect(problem?.place).toEqual({
    line: number,
    column: line.length + 1,
    excerpt: `${line}\n${" ".repeat(line.length)}^`,
  });
});

test("repairs a bad value beside others", async () => {
  const home = await tempDir(privately('{"sandbox":{"enabled":"true"},"later":1}'));
  changeSettings(home, [{ key: "sandbox.enabled", value: true }]);
  expect(JSON.parse(textIn(home))).toEqual({ sandbox: { enabled: true }, later: 1 });
});

test("removes a key that is not a setting, even one whose name has a dot, and only if it exists", async () => {
  const text = '{"sandbox":{"enabled":true,"enabeld":true},"screen.thme":1,"old":{"x.y":2,"z":3}}';
  const home = await tempDir(privately(text));
  expect(changeSettings(home, [{ key: "sandbox.enabeld" }, { key: "screen.thme" }, { key: "old.x.y" }])).toEqual([
    true,
    1,
    2,
  ]);
  expect(JSON.parse(textIn(home))).toEqual({ sandbox: { enabled: true }, old: { z: 3 } });
  expect(() => changeSettings(home, [{ key: "sandbox.enabeld" }])).toThrow("Did you mean sandbox.enabled?");
  expect(() => changeSettings(home, [{ key: "old.z", value: 4 }])).toThrow('Unknown setting "old.z"');
  expect(JSON.parse(textIn(home))).toEqual({ sandbox: { enabled: true }, old: { z: 3 } });
});

test("writes through a symlink, and refuses one that leads nowhere", async () => {
  const dir = await tempDir({ "dotfiles/config.json": { content: commented, mode: 0o600 } });
  const home = join(dir, "home");
  mkdirSync(home, { mode: 0o700 });
  symlinkSync("../dotfiles/config.json", join(home, "config.json"));
  changeSettings(home, [{ key: "model", value: "a/b" }]);
  expect(readFileSync(join(dir, "dotfiles/config.json"), "utf8")).toBe(commented.replace("x/y", "a/b"));
  const other = await tempDir();
  symlinkSync("gone.json", join(other, "config.json"));
  expect(() => changeSettings(other, [{ key: "model", value: "a/b" }])).toThrow(
    "is a symlink to a file that does not exist",
  );
});

test("refuses a file that others can write", async () => {
  const home = await tempDir({ "config.json": { content: "{}", mode: 0o666 } });
  expect(() => changeSettings(home, [{ key: "model", value: "a/b" }])).toThrow("can be written by others");
  expect(textIn(home)).toBe("{}");
});

test("knows every setting of the schema by its key", () => {
  expect(settingKeys()).toEqual(
    expect.arrayContaining(["model", "providers.anthropic.baseUrl", "tools", "screen.full"]),
  );
  for (const key of settingKeys()) expect(parseSettingKey(key)).toEqual(key.split("."));
  expect(Object.keys(configSchema())).toContain("properties");
});
