import { join } from "node:path";
import { expect, test } from "vitest";
import { callTool, findTool, trust } from "../src/index.ts";
import { startAhead } from "../src/internal.ts";
import { callPrepared } from "./waiting-tool.ts";
import { circumstances, schema, tool, type World, world } from "./world.ts";

/** Answers with the variable, and says in its description whether it was set for `--schema`. */
function wrapper(more: object = {}): string {
  return `#!/bin/sh
if [ "$1" = --schema ]; then sed "s|MARK|$IKIGAI_SHADOWED_TOOL|" << 'END'
${schema("bash", { description: "asked with [MARK]", ...more })}
END
exit; fi
cat > /dev/null
printf '{"shadowed":"%s"}' "\${IKIGAI_SHADOWED_TOOL-unset}"
`;
}

const plain = tool(schema("bash"));
const unset = { tool_success: true, result: { shadowed: "unset" } };
const shadowing = (path: string) => ({ tool_success: true, result: { shadowed: path } });

async function callBash({ discover }: World, env: NodeJS.ProcessEnv = process.env) {
  return (await callTool(await discover(), "bash", "{}", await circumstances({ env }))).envelope;
}

test("passes a tool the path of the one it overrides", async () => {
  const place = await world({ "system/bash-tool": plain, "home/tools/bash-tool": wrapper() });
  expect(await callBash(place)).toEqual(shadowing(join(place.root, "system/bash-tool")));
});

test("passes the nearest of several, and to a project's tool the user's", async () => {
  const place = await world({
    "system/bash-tool": plain,
    "home/tools/bash-tool": plain,
    "project/.ikigai/tools/bash-tool": wrapper(),
  });
  await trust(place);
  expect(await callBash(place)).toEqual(shadowing(join(place.root, "home/tools/bash-tool")));
});

test("passes the real path, and never the tool's own", async () => {
  const place = await world({
    "elsewhere/real-tool": plain,
    "elsewhere/wrapper-tool": wrapper(),
    "system/bash-tool": { link: "../elsewhere/real-tool" },
    "home/tools/bash-tool": { link: "../../elsewhere/wrapper-tool" },
    "near/bash-tool": { link: "../elsewhere/wrapper-tool" },
  });
  const toolPath = join(place.root, "near");
  const registry = await place.discover({ toolPath });
  expect(findTool(registry, "bash")?.path).toBe(join(toolPath, "bash-tool"));
  const { envelope } = await callTool(registry, "bash", "{}", await circumstances());
  expect(envelope).toEqual(shadowing(join(place.root, "elsewhere/real-tool")));
});

test("passes nothing to a tool that overrides none, or only a broken one", async () => {
  const alone = await world({ "home/tools/bash-tool": wrapper() });
  expect(await callBash(alone)).toEqual(unset);
  const broken = await world({ "system/bash-tool": "#!/bin/sh\nexit 1\n", "home/tools/bash-tool": wrapper() });
  expect(await callBash(broken)).toEqual(unset);
});

test("does not pass on another host's variable", async () => {
  const place = await world({ "home/tools/bash-tool": wrapper() });
  expect(await callBash(place, { ...process.env, IKIGAI_SHADOWED_TOOL: "/other" })).toEqual(unset);
});

test("passes the path to a tool that was started ahead", async () => {
  const place = await world({
    "system/bash-tool": plain,
    "home/tools/bash-tool": wrapper({ ikigai: { prestart: true } }),
  });
  const bash = findTool(await place.discover(), "bash");
  if (bash === undefined) throw new Error("no tool");
  const options = await circumstances();
  const { envelope } = await callPrepared(bash, "{}", { ...options, ahead: startAhead(bash, options) });
  expect(envelope).toEqual(shadowing(join(place.root, "system/bash-tool")));
});

test("does not pass the path for `--schema`, which is cached whatever the tool overrides", async () => {
  const place = await world({ "system/bash-tool": plain, "home/tools/bash-tool": wrapper() });
  const env = { ...process.env, IKIGAI_SHADOWED_TOOL: "/other" };
  expect(findTool(await place.discover({ env }), "bash")?.schema.description).toBe("asked with []");
});

test("keeps the schema of the overridden system tool, or that it is unknown", async () => {
  const access = { kind: "run-command", command: "line" };
  const declaring = (one: object) => tool(schema("bash", { ikigai: { access: one } }));
  const systemOf = async (system: string) => {
    const place = await world({
      "system/bash-tool": system,
      "home/tools/bash-tool": declaring({ ...access, command: "x" }),
    });
    return findTool(await place.discover(), "bash");
  };
  const override = await systemOf(declaring(access));
  expect(override).toMatchObject({ scope: "user", system: { ikigai: { access } } });
  expect(await systemOf("#!/bin/sh\nexit 1\n")).toMatchObject({ scope: "user", system: "unknown" });
  expect(await systemOf(declaring({ kind: "teleport" }))).toMatchObject({ system: { ikigai: {} } });
  const alone = await world({ "home/tools/bash-tool": declaring(access) });
  expect(findTool(await alone.discover(), "bash")?.system).toBeUndefined();
});
