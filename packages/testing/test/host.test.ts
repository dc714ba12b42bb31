import { execFile, execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { tempDir } from "../src/temp-dir.ts";

const hosts = join(import.meta.dirname, "../../../examples/hosts");
const run = promisify(execFile);

/** The programs of examples/hosts, and how they are started. Go's is built. */
const references: readonly { name: string; isMissing: boolean; start: () => Promise<readonly string[]> }[] = [
  { name: "host.py", isMissing: isMissing("python3"), start: async () => ["python3", join(hosts, "host.py")] },
  {
    name: "go",
    isMissing: isMissing("go"),
    async start() {
      const program = join(await tempDir(), "host");
      execFileSync("go", ["build", "-o", program, "."], { cwd: join(hosts, "go") });
      return [program];
    },
  },
];

function isMissing(program: string): boolean {
  return spawnSync(program, ["version"]).error !== undefined;
}

const jsonTool = (answer: string) => `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"description":"Answers","parameters":{"type":"object"}}'; exit; fi
cat > /dev/null; echo '${answer}'
`;

for (const { name, isMissing, start } of references)
  test.skipIf(isMissing)(`the host ${name} finds tools and calls them`, async () => {
    const [program = "", ...args] = await start();
    const dir = await tempDir({
      "near/hello-tool":
        '#!/bin/sh\n# @describe Greet a person\n# @option --name! Whom to greet\necho "Hello $argc_name"\n',
      "near/both-tool": jsonTool('{"from":"near"}'),
      "near/broken-tool": "#!/bin/sh\nexit 3\n",
      "far/both-tool": jsonTool('{"from":"far"}'),
      "far/broken-tool": jsonTool('{"number":10000000000000000001}'),
    });
    const host = async (...words: string[]) => {
      const { stdout } = await run(program, [...args, `${dir}/near:${dir}/far`, ...words]);
      return stdout;
    };
    const { tools, skipped } = JSON.parse(await host());
    expect(tools.map((tool: { name: string }) => tool.name)).toEqual(["both", "broken", "hello"]);
    expect(skipped).toMatchObject([{ name: "broken", path: join(dir, "near/broken-tool"), reason: "crash" }]);
    expect(tools[2]).toMatchObject({ parameters: { properties: { name: { type: "string" } }, required: ["name"] } });
    expect(JSON.parse(await host("hello", '{"name":"Ada"}'))).toEqual({
      tool_success: true,
      result: { output: "Hello Ada" },
    });
    expect(JSON.parse(await host("both", "{}"))).toMatchObject({ result: { from: "near" } });
    // A nearer tool that cannot be used overrides nothing, and an answer keeps its digits.
    expect(await host("broken", "{}")).toBe('{"tool_success":true,"result":{"number":10000000000000000001}}\n');
    await expect(host("missing", "{}")).rejects.toMatchObject({ code: 1 });
  });
