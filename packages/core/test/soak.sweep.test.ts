// Promise 9 of SECURITY.md.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, inject, test } from "vitest";

const soak = fileURLToPath(new URL("../../../bench/soak.mjs", import.meta.url));

test.runIf(process.platform === "linux")(
  "hundreds of calls that fail in every way leave nothing behind in their host",
  () => {
    const seed = String(Math.floor(Math.random() * 1e6));
    const [seconds, calls] = inject("isThorough") ? ["120", "5000"] : ["1", "200"];
    const options = ["--seconds", seconds, "--calls", calls, "--seed", seed, "--json"];
    const { stdout, stderr, status } = spawnSync(process.execPath, ["--expose-gc", soak, ...options], {
      encoding: "utf8",
      env: { ...process.env, NODE_EXTRA_CA_CERTS: "" },
    });
    expect({ seed, stderr }).toEqual({ seed, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ seed: Number(seed), wrong: [], leaks: [], after: { processes: 0 } });
    expect(status).toBe(0);
  },
  600_000,
);
