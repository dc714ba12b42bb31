import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { callTool } from "../src/index.ts";
import { circumstances, schema, tool, world } from "./world.ts";

const tells = tool(schema("a"), `cat > /dev/null; printf '{"shell":"%s"}' "$IKIGAI_SHELL"`);
const shell = { content: "#!/bin/sh\n", mode: 0o755 };

test("a tool gets the shell of the user's configuration, and no other", async () => {
  const { discover } = await world({ "system/a-tool": tells, "system/b-tool": tells.replace('"a"', '"b"') });
  const path = join(await tempDir({ bash: shell }), "bash");
  const registry = await discover({ shells: { a: path } });
  const options = await circumstances({ env: { ...process.env, IKIGAI_SHELL: "/outer" } });
  expect((await callTool(registry, "a", "{}", options)).envelope).toMatchObject({ result: { shell: path } });
  expect((await callTool(registry, "b", "{}", options)).envelope).toMatchObject({ result: { shell: "" } });
});

test("a shell that others could replace or change makes the tool fail, and no other takes its name", async () => {
  const { root, projectDir, discover } = await world({
    "system/a-tool": tells,
    "home/tools/a-tool": tells,
    "project/bash": shell,
    "bin/open": shell,
    "bin/plain": "#!/bin/sh\n",
    "bin/good": shell,
  });
  chmodSync(join(root, "bin/open"), 0o775);
  symlinkSync(join(projectDir, "bash"), join(root, "bin/link"));
  const problemOf = async (path: string) => {
    const { tools, failed } = await discover({ shells: { a: path } });
    expect(tools.map(({ name }) => name)).toEqual(failed.length > 0 ? [] : ["a"]);
    return failed[0]?.detail.replace(root, "ROOT");
  };
  expect(await problemOf(join(root, "bin/good"))).toBeUndefined();
  expect(await problemOf("bash")).toBe("its shell bash is not an absolute path");
  expect(await problemOf(join(root, "bin/none"))).toBe("its shell ROOT/bin/none is not an executable file");
  expect(await problemOf(join(root, "bin/plain"))).toBe("its shell ROOT/bin/plain is not an executable file");
  expect(await problemOf(join(root, "bin/open"))).toBe("its shell ROOT/bin/open can be changed by others");
  expect(await problemOf(join(root, "bin/link"))).toBe("its shell ROOT/bin/link is in the project");
  expect(await problemOf(join(projectDir, "bash"))).toBe("its shell ROOT/project/bash is in the project");
});
