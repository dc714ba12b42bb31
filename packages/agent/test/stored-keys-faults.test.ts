// Promise 7 of SECURITY.md.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { keyedAccess } from "@ikigai/models";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { storedKeys } from "../src/internal.ts";
import { changeSettings, removeKey, storeKey } from "../src/setup.ts";

/** A keyring that stores every key, and then exits with what is in its file `status`. */
const secretTool = `#!/bin/sh
dir=$(dirname "$0")
case $1 in
  store) cat > "$dir/key"; exit "$(cat "$dir/status" 2>/dev/null || echo 0)" ;;
  lookup) cat "$dir/key" ;;
  clear) rm -f "$dir/key" ;;
esac
`;

async function open(status = "0") {
  const root = await tempDir({
    "bin/secret-tool": { content: secretTool, mode: 0o755 },
    "bin/status": status,
    "repository/.git/HEAD": "",
    "repository/tools/secret-tool": { content: `#!/bin/sh\ntouch "$0.ran"\n`, mode: 0o755 },
    "repository/sub/.keep": "",
  });
  const path = [join(root, "bin"), "/usr/bin", "/bin"].join(delimiter);
  return { root, home: join(root, ".ikigai"), projectDir: join(root, "repository/sub"), env: { PATH: path } };
}

const key = "sk-test-0123456789";
const inKeyring = (root: string) => join(root, "bin/key");

test("keeps the old key in the keyring when the file cannot be written", async () => {
  const places = await open();
  await storeKey("openai", key, places);
  chmodSync(places.home, 0o777);
  await expect(storeKey("openai", "sk-new-0123456789", places)).rejects.toMatchObject({
    code: "key_not_stored",
    message: expect.stringContaining("can be written by others"),
  });
  chmodSync(places.home, 0o700);
  expect(readFileSync(inKeyring(places.root), "utf8")).toBe(key);
  mkdirSync(join(places.home, "credentials.json.lock"));
  await expect(storeKey("openai", "sk-new-0123456789", places)).rejects.toThrow();
  expect(readFileSync(inKeyring(places.root), "utf8")).toBe(key);
  rmdirSync(join(places.home, "credentials.json.lock"));
  await storeKey("openai", "sk-new-0123456789", places);
  expect(await storedKeys(places).read("openai")).toBe("sk-new-0123456789");
}, 30_000);

test("leaves no key in a keyring that stores it and fails", async () => {
  const places = await open("1");
  expect(await storeKey("openai", key, places)).toMatchObject({ place: "file" });
  expect(existsSync(inKeyring(places.root))).toBe(false);
});

test("removes a key from the keyring too when it is in the file", async () => {
  const places = await open();
  await storeKey("openai", key, { ...places, env: { PATH: "/nowhere" } });
  await storeKey("google", key, places);
  expect(existsSync(inKeyring(places.root))).toBe(true);
  expect(await removeKey("openai", places)).toEqual({ place: "file" });
  expect(existsSync(inKeyring(places.root))).toBe(false);
});

test("runs no secret-tool of the repository around the working directory", async () => {
  const places = await open();
  const tools = join(places.root, "repository/tools");
  const hostile = { ...places, env: { PATH: [tools, places.env.PATH].join(delimiter) } };
  expect(await storeKey("openai", key, hostile)).toEqual({ place: "keyring" });
  expect(readdirSync(tools)).toEqual(["secret-tool"]);
  const withoutOwn = { ...places, env: { PATH: tools } };
  expect(await storeKey("openai", key, withoutOwn)).toMatchObject({ place: "file" });
  expect(readdirSync(tools)).toEqual(["secret-tool"]);
});

test("writes nothing where others could replace it, and writes where they cannot", async () => {
  const places = await open();
  mkdirSync(places.home);
  chmodSync(places.home, 0o777);
  await expect(storeKey("openai", key, places)).rejects.toThrow("can be written by others (mode 777)");
  expect(() => changeSettings(places.home, [{ key: "model", value: "openai/m" }])).toThrow("can be written by others");
  expect([readdirSync(places.home), existsSync(inKeyring(places.root))]).toEqual([[], false]);
  chmodSync(places.home, 0o755);
  await storeKey("openai", key, places);
  changeSettings(places.home, [{ key: "model", value: "openai/m" }]);
  expect(readdirSync(places.home).sort()).toEqual(["config.json", "credentials.json"]);
});

const gateway = "https://gateway.example/v1";

test.each([
  ["the provider's own", {}, {}, key],
  ["the provider's own, in the environment", {}, { OPENAI_BASE_URL: "https://api.openai.com/" }, key],
  ["the one it was stored for", {}, { OPENAI_BASE_URL: "https://gateway.example" }, key],
  ["the configured one", { baseUrl: "https://other.example" }, {}, key],
  [
    "the configured one, in the environment too",
    { baseUrl: "http://a.example" },
    { OPENAI_BASE_URL: "http://a.example/v1" },
    key,
  ],
  [
    "any in the environment, with a key there",
    {},
    { OPENAI_BASE_URL: "http://a.example", OPENAI_API_KEY: "own" },
    "own",
  ],
])("sends a stored key to this base URL: %s", async (_, openai, env, expected) => {
  const places = await open();
  await storeKey("openai", key, places, { baseUrl: gateway });
  const access = await keyedAccess("openai", { providers: { openai }, storedKeys: storedKeys(places) }, env);
  expect(access.apiKey).toBe(expected);
});

test.each([
  ["another server", "http://a.example", {}],
  ["another scheme", "http://gateway.example/v1", {}],
  ["another port", "https://gateway.example:444/v1", {}],
  ["another path", "https://gateway.example/evil/v1", {}],
  ["a prefix", "https://gateway.example.evil.example/v1", {}],
  ["the recorded one as a user name", "https://gateway.example@evil.example/v1", {}],
  ["another server, for a configured key", "http://a.example", { apiKey: "sk-configured-01" }],
])("sends no stored key to this base URL in the environment: %s", async (_, url, openai) => {
  const places = await open();
  await storeKey("openai", key, places, { baseUrl: gateway });
  const config = { providers: { openai }, storedKeys: storedKeys(places) };
  await expect(keyedAccess("openai", config, { OPENAI_BASE_URL: url })).rejects.toMatchObject({
    code: "configuration",
    message: expect.stringMatching(/was not sent to the base URL in OPENAI_BASE_URL.*Set OPENAI_API_KEY too/),
  });
});

test("sends the key of openai-compatible to the server that it was stored for, and to no other", async () => {
  const places = await open();
  await storeKey("openai-compatible", key, places, { baseUrl: "http://127.0.0.1:8080" });
  const config = { storedKeys: storedKeys(places) };
  const at = async (url: string) => {
    const access = await keyedAccess("openai-compatible", config, { OPENAI_COMPATIBLE_BASE_URL: url });
    return access.apiKey;
  };
  expect([await at("http://127.0.0.1:8080/v1"), await at("http://127.0.0.1:8081/v1")]).toEqual([key, undefined]);
  // Without a base URL it is Ollama.
  expect((await keyedAccess("openai-compatible", config, {})).apiKey).toBeUndefined();
});
