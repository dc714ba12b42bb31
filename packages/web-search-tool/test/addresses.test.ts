// Promise 3 of SECURITY.md.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin, key } from "./search-server.ts";

/** Options of bwrap: no network but loopback. */
const alone = ["--unshare-net", "--dev-bind", "/", "/"];

const hasBubblewrap = spawnSync("bwrap", [...alone, "true"]).status === 0;

/** Calls the tool where these are the only known hosts. */
function searchWith(hosts: string, env: Record<string, string>): Record<string, unknown> {
  const options = { input: '{"query":"x"}', encoding: "utf8", env: { PATH: process.env.PATH, ...env } } as const;
  const { stdout } = spawnSync("bwrap", [...alone, "--ro-bind", hosts, "/etc/hosts", bin], options);
  return JSON.parse(stdout);
}

test.skipIf(!hasBubblewrap)(
  "the usual servers must be on the internet, those that the user sets need not",
  async () => {
    const hosts = join(await tempDir(), "hosts");
    const names = { BRAVE: "api.search.brave.com", TAVILY: "api.tavily.com", KAGI: "kagi.com" };
    writeFileSync(hosts, `127.0.0.1 ${Object.values(names).join(" ")}\n`);
    for (const [service, name] of Object.entries(names)) {
      const env = { [`${service}_API_KEY`]: key };
      expect(searchWith(hosts, env)).toMatchObject({ error_code: "BLOCKED_ADDRESS" });
      const own = { ...env, [`${service}_BASE_URL`]: `https://${name}` };
      // Nothing listens there.
      expect(searchWith(hosts, own)).toMatchObject({ error_code: "CONNECT_FAILED" });
    }
  },
);
