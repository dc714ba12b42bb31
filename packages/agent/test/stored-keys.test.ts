// Promise 7 of SECURITY.md.
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { modelProblem, secretsOf } from "@ikigai/models";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { privacyProblems } from "../src/agent/privacy-problems.ts";
import { lookUpKey, removeFromKeyring, storeInKeyring } from "../src/config/keyring.ts";
import { storedKeys } from "../src/internal.ts";
import { removeKey, storeKey } from "../src/setup.ts";

/** A keyring as `secret-tool` shows it: one file for each set of attributes. Says on which command line it was called. */
const secretTool = `#!/bin/sh
dir=$(dirname "$0"); action=$1; shift
echo "$action $*" >> "$dir/called"
case $1 in --label=*) shift ;; esac
file="$dir/key-$(echo "$*" | tr -c 'a-z0-9-\\n' _)"
case $action in
  store) cat > "$file" ;;
  lookup) [ -f "$file" ] && cat "$file" ;;
  clear) rm -f "$file" ;;
esac
`;

/** \`security\` of macOS, as far as it is used: \`-i\` reads its command from stdin. */
const security = `#!/bin/sh
dir=$(dirname "$0")
echo "$*" >> "$dir/called"
[ "$1" = -i ] && { read -r line; eval "set -- $line"; }
case $1 in
  add-generic-password) printf '%s' "$8" > "$dir/key-$4" ;;
  find-generic-password) cat "$dir/key-$3" ;;
  delete-generic-password) rm "$dir/key-$3" ;;
esac
`;

async function open(files: Readonly<Record<string, string>> = {}) {
  const scripts = Object.entries(files).map(([name, content]) => [`bin/${name}`, { content, mode: 0o755 }]);
  const root = await tempDir({ ...Object.fromEntries(scripts), "bin/.keep": "", "project/.keep": "" });
  const home = join(root, ".ikigai");
  const path = [join(root, "bin"), "/usr/bin", "/bin"].join(delimiter);
  return { root, home, projectDir: join(root, "project"), env: { PATH: path } };
}

const key = "sk-test-0123456789";
const fileIn = (home: string) => join(home, "credentials.json");

test("stores a key in the keyring and never on a command line", async () => {
  const places = await open({ "secret-tool": secretTool });
  expect(await storeKey("anthropic", key, places)).toEqual({ place: "keyring" });
  expect(readFileSync(fileIn(places.home), "utf8")).not.toContain(key);
  expect(readFileSync(join(places.root, "bin/called"), "utf8")).not.toContain(key);
  const keys = storedKeys(places);
  const secrets = secretsOf({ storedKeys: keys }, {});
  expect([keys.placeOf("anthropic"), keys.known("anthropic"), keys.placeOf("openai")]).toEqual([
    "keyring",
    undefined,
    undefined,
  ]);
  expect(secrets).toEqual([]);
  expect(await keys.read("anthropic")).toBe(key);
  expect([secrets, keys.known("anthropic")]).toEqual([[key], key]);
  expect(JSON.stringify({ keys })).toBe("{}");
  expect(await removeKey("anthropic", places)).toEqual({ place: "keyring" });
  expect(storedKeys(places).placeOf("anthropic")).toBeUndefined();
  expect(readdirSync(join(places.root, "bin")).filter((name) => name.startsWith("key-"))).toEqual([]);
});

test("reads the keyring only when the key is wanted, and once", async () => {
  const places = await open({ "secret-tool": secretTool });
  await storeKey("openai", key, places);
  const before = readFileSync(join(places.root, "bin/called"), "utf8");
  const keys = storedKeys(places);
  expect(modelProblem({ config: { model: "openai/m", storedKeys: keys }, env: {} })).toBeUndefined();
  expect(readFileSync(join(places.root, "bin/called"), "utf8")).toBe(before);
  await Promise.all([keys.read("openai"), keys.read("openai")]);
  expect(readFileSync(join(places.root, "bin/called"), "utf8").slice(before.length).split("\n")).toHaveLength(2);
});

test.each([
  ["no program", undefined, "is not installed."],
  ["no service", "#!/bin/sh\necho 'Cannot autolaunch D-Bus' >&2; exit 1\n", "failed (exit code 1)."],
  ["one that forgets", "#!/bin/sh\ncat > /dev/null; exit 0\n", "has no key."],
  [
    "one that gives garbage",
    "#!/bin/sh\n[ $1 = lookup ] && printf 'a b\\001'; exit 0\n",
    "returned something that is not a key.",
  ],
  ["one that gives another key", "#!/bin/sh\n[ $1 = lookup ] && echo other; exit 0\n", "returned a different key"],
  ["one that hangs", "#!/bin/sh\nsleep 30\n", "did not answer in 0.5 s."],
])("stores a key in a private file where the keyring is %s", async (_, script, why) => {
  const places = await open(script === undefined ? {} : { "secret-tool": script });
  if (script === undefined) places.env.PATH = join(places.root, "bin");
  const stored = await storeKey("google", key, places, { timeoutMs: 500 });
  expect(stored).toEqual({ place: "file", why: expect.stringContaining(why) });
  expect(statSync(fileIn(places.home)).mode & 0o777).toBe(0o600);
  expect(statSync(places.home).mode & 0o777).toBe(0o700);
  const keys = storedKeys(places);
  expect([keys.placeOf("google"), keys.known("google")]).toEqual(["file", key]);
  expect(secretsOf({ storedKeys: keys }, {})).toEqual([key]);
  expect(readdirSync(places.home)).toEqual(["credentials.json"]);
});

test("runs no secret-tool of the project", async () => {
  const places = await open();
  const evil = join(places.projectDir, "secret-tool");
  writeFileSync(evil, `#!/bin/sh\ncat > ${places.root}/stolen\n`);
  chmodSync(evil, 0o755);
  places.env.PATH = ["", ".", places.projectDir, join(places.projectDir, "node_modules/.bin")].join(delimiter);
  expect(await storeKey("openai", key, places)).toMatchObject({ place: "file" });
  expect(existsSync(join(places.root, "stolen"))).toBe(false);
});

test("gives the keychain of macOS its command on stdin", async () => {
  const places = await open({ security });
  const options = { isKeychain: true };
  expect(await storeInKeyring("anthropic", key, places, options)).toBeUndefined();
  expect(await lookUpKey("anthropic", places, options)).toEqual({ apiKey: key });
  expect(readFileSync(join(places.root, "bin/called"), "utf8")).not.toContain(key);
  expect(await storeInKeyring("openai", 'sk-"; quit', places, options)).toContain("has no safe way to accept this key");
  expect(await removeFromKeyring("anthropic", places, options)).toBeUndefined();
  expect(await lookUpKey("anthropic", places, options)).toMatchObject({ problem: expect.any(String) });
});

test.each(["", "a b", "two\nlines", "naïve", "x".repeat(5_000)])("refuses %j, which is not a key", async (text) => {
  const places = await open({ "secret-tool": secretTool });
  await expect(storeKey("openai", text, places)).rejects.toMatchObject({ code: "key_not_stored" });
  expect(existsSync(fileIn(places.home))).toBe(false);
});

test.each([
  "{broken",
  "[]",
  '{"anthropic": "sk-x"}',
  '{"evil": {"apiKey": "x"}}',
  '{"openai": {"apiKey": "a\\nb"}}',
  "null",
])("uses no key from %s, and leaves the file as it is", async (text) => {
  const places = await open({ "secret-tool": secretTool });
  const root = await tempDir({ "credentials.json": { content: text, mode: 0o600 } });
  const there = { ...places, home: root };
  expect(storedKeys(there).problem).toContain("This file is damaged, or ikigai login did not write it");
  await expect(storeKey("openai", key, there)).rejects.toMatchObject({ code: "key_not_stored" });
  await expect(removeKey("openai", there)).rejects.toMatchObject({ code: "key_not_stored" });
  expect(readFileSync(fileIn(root), "utf8")).toBe(text);
});

test("uses no key from a file that others can write, and reports one that they can read", async () => {
  const content = JSON.stringify({ openai: { apiKey: key } });
  const writable = await tempDir({ "credentials.json": { content, mode: 0o666 } });
  const places = await open();
  expect(storedKeys({ ...places, home: writable })).toMatchObject({
    problem: expect.stringContaining("written by others"),
  });
  const readable = await tempDir({ "credentials.json": { content, mode: 0o644 } });
  expect(privacyProblems(readable)).toEqual([expect.stringContaining("credentials.json (mode 644)")]);
  await storeKey("google", key, { ...places, home: readable });
  expect(privacyProblems(readable)).toEqual([]);
  expect(JSON.parse(readFileSync(fileIn(readable), "utf8"))).toMatchObject({ openai: { apiKey: key } });
});

test("keeps all keys when several are stored at once", async () => {
  const places = await open();
  await Promise.all(
    (["anthropic", "openai", "google"] as const).map((name) => storeKey(name, `${key}-${name}`, places)),
  );
  const keys = storedKeys(places);
  expect((["anthropic", "openai", "google"] as const).map((name) => keys.known(name))).toEqual([
    `${key}-anthropic`,
    `${key}-openai`,
    `${key}-google`,
  ]);
});

test("says why a keyring does not give a key, and what to do", async () => {
  const places = await open({ "secret-tool": secretTool });
  await storeKey("openai", key, places);
  places.env.PATH = "/nowhere";
  await expect(storedKeys(places).read("openai")).rejects.toThrow(
    "Cannot read the key of OpenAI from the keyring: secret-tool is not installed. Store it again with ikigai login openai, or set OPENAI_API_KEY.",
  );
});
