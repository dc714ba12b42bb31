import { chmodSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { ikigai } from "./ikigai.ts";

test("tells what is there, and that all is well", async () => {
  const HOME = await tempDir();
  const { exitCode, stdout, stderr } = await ikigai(["doctor"], { env: { HOME } });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain(`  Node ${process.versions.node}, ${process.platform} `);
  expect(stdout).toMatch(/^Tools: 6\n {2}bash \(system\) /m);
  expect(stdout).toContain("  anthropic: key missing (ANTHROPIC_API_KEY)\n");
  expect(stdout).toContain("  ~/.ikigai/config.json (not there)\n");
  expect(stdout).toMatch(/\nAll is well\.\n$/);
});

test("tells what is broken, and never a key", async () => {
  const key = "sk-very-secret-key";
  const HOME = await tempDir({
    ".ikigai/tools/slow-tool": "#!/bin/sh\nsleep 9\n",
    ".ikigai/tools/bash-tool": `#!/bin/sh\necho '{"name":"other","description":"","parameters":{"type":"object","properties":{}}}'\n`,
    ".ikigai/config.json": JSON.stringify({
      mdoel: "x",
      providers: { openai: { apiKey: key } },
      tools: { bash: { timeoutMs: 60_000 } },
    }),
  });
  chmodSync(join(HOME, ".ikigai"), 0o777);
  const env = { HOME, ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: `http://me:${key}@127.0.0.1:9/v1` };
  const { exitCode, stdout } = await ikigai(["doctor"], { env });
  expect(exitCode).toBe(1);
  expect(stdout).not.toContain(key);
  expect(stdout).toContain("! slow ~/.ikigai/tools/slow-tool: timeout: ");
  expect(stdout).toMatch(
    / {2}bash \(user\) ~\/\.ikigai\/tools\/bash-tool, overrides .*libexec\/ikigai\/bash-tool\n! bash: /,
  );
  expect(stdout).toContain("  anthropic: key from ANTHROPIC_API_KEY\n  anthropic: at http://127.0.0.1:9/v1\n");
  expect(stdout).toContain("  openai: key from the configuration\n");
  expect(stdout).toMatch(/^! .*mdoel/m);
  expect(stdout).toContain("  bash: 1 min 0 s, by the configuration\n");
  expect(stdout).toMatch(/^! .*\/\.ikigai .*chmod 7\d\d/m);
  expect(stdout).toMatch(/\n\d to mend: the lines that begin with "!"\.\n$/);
});
