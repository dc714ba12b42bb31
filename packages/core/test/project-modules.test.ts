// Promise 1 of SECURITY.md.
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findHooks, type Hook, runHook } from "../src/hooks.ts";
import { withoutProjectFiles } from "../src/process/tool-command.ts";
import { hookOptions, hookWorld } from "./hook-files.ts";
import { schema, world } from "./world.ts";

const root = realpathSync(await tempDir({ "project/lib/": "", "lib/": "", link: { link: "project/lib" } }));
const project = join(root, "project");

test("keeps only the parts of a search path that are elsewhere", () => {
  const inside = fc.constantFrom(
    "",
    ".",
    "lib",
    "./lib",
    "../lib",
    project,
    join(project, "lib"),
    join(root, "link"),
    `${project}/./lib`,
  );
  const outside = fc.constantFrom("/usr/lib", join(root, "lib"), "/opt");
  const name = fc.constantFrom(
    "PYTHONPATH",
    "PERL5LIB",
    "PERLLIB",
    "RUBYLIB",
    "NODE_PATH",
    "CLASSPATH",
    "LD_LIBRARY_PATH",
  );
  const property = fc.property(name, fc.array(fc.oneof(inside, outside), { minLength: 1 }), (variable, parts) => {
    const kept = withoutProjectFiles({ HOME: "/h", [variable]: parts.join(":") }, "user", project);
    const expected = parts.filter((part) => ["/usr/lib", join(root, "lib"), "/opt"].includes(part)).join(":");
    expect(kept).toEqual({
      HOME: "/h",
      ...(expected !== "" && { [variable]: expected }),
      ...(parts.join(":") === "" && { [variable]: "" }),
    });
  });
  fc.assert(property);
});

test.each([
  ["NODE_OPTIONS", "--require ./x.cjs"],
  ["NODE_OPTIONS", "--max-old-space-size=99 -r dotenv/config"],
  ["NODE_OPTIONS", "--import=./x.mjs"],
  ["NODE_OPTIONS", `--import ${project}/x.mjs`],
  ["NODE_OPTIONS", `--import "${root}/link/x.mjs"`],
  ["NODE_OPTIONS", `--require=${root}/lib/../project/x.cjs`],
  ["RUBYOPT", "-rbundler/setup"],
  ["RUBYOPT", "-W0 -I."],
  ["PERL5OPT", "-Mlib=."],
  ["PERL5OPT", "-I lib"],
  ["PERL_USE_UNSAFE_INC", "1"],
  ["JAVA_TOOL_OPTIONS", "-Xmx1g -javaagent:agent.jar"],
  ["JAVA_TOOL_OPTIONS", `-javaagent:${project}/agent.jar`],
  ["JDK_JAVA_OPTIONS", "@options"],
  ["JDK_JAVA_OPTIONS", "--class-path=lib"],
  ["ZDOTDIR", "."],
  ["XDG_CONFIG_HOME", project],
  ["PYTHONUSERBASE", ".local"],
  ["LD_PRELOAD", "./x.so"],
  ["LD_PRELOAD", `${project}/x.so`],
  ["LD_AUDIT", "lib/x.so"],
  ["TCLLIBPATH", ". lib"],
  ["OPENSSL_CONF", "openssl.cnf"],
  ["NODE_OPTIONS", "--openssl-config=openssl.cnf"],
  ["NODE_OPTIONS", `--openssl-config=${project}/openssl.cnf`],
])("drops %s=%s", (name, value) => {
  expect(withoutProjectFiles({ [name]: value }, "user", project)).toEqual({});
});

test.each([
  ["NODE_OPTIONS", "--max-old-space-size=99 --require /opt/x.cjs"],
  ["RUBYOPT", "-W0"],
  ["PERL5OPT", "-Mutf8"],
  ["JAVA_TOOL_OPTIONS", "-Xmx1g -javaagent:/opt/agent.jar"],
  ["ZDOTDIR", "/opt"],
  ["LD_PRELOAD", "libjemalloc.so.2"],
  ["OPENSSL_CONF", "/etc/ssl/openssl.cnf"],
])("keeps %s=%s", (name, value) => {
  const env = { [name]: value };
  expect(withoutProjectFiles(env, "user", project)).toEqual(env);
});

test.each(["system", "project"] as const)("a tool of the %s keeps its variables, but for empty parts", (scope) => {
  const env = {
    PATH: "./bin:/usr/bin",
    PYTHONPATH: "lib",
    NODE_OPTIONS: "--import=./x.mjs",
    LD_LIBRARY_PATH: "lib::/opt",
  };
  expect(withoutProjectFiles(env, scope, project)).toEqual({ ...env, LD_LIBRARY_PATH: "lib:/opt" });
});

test("the repository around a directory is part of the project", async () => {
  const around = realpathSync(await tempDir({ ".git/HEAD": "", "sub/": "", "lib/": "" }));
  const env = { PATH: `${around}/bin:/usr/bin`, PYTHONPATH: `${around}/lib`, BASH_ENV: `${around}/env.sh` };
  expect(withoutProjectFiles(env, "user", join(around, "sub"))).toEqual({ PATH: "/usr/bin" });
});

const script = (name: string) => `#!/usr/bin/env node
if (process.argv[2] === "--schema") console.log('${schema(name)}');
else console.log('{"output":"done"}');
`;

test("the user's tools load no module of the project, neither for the schema nor in a call", async () => {
  const made = await world({
    "home/tools/look-tool": { content: script("look"), mode: 0o755 },
    "project/x.cjs": 'require("node:fs").writeFileSync(process.env.RAN_FILE, "")',
  });
  const env = { ...process.env, NODE_OPTIONS: "--require ./x.cjs", RAN_FILE: join(made.root, "ran") };
  const envelope = await made.call("look", env);
  expect([envelope.tool_success, existsSync(env.RAN_FILE)]).toEqual([true, false]);
});

test("nor does a hook of the user's", async () => {
  const content = "#!/usr/bin/env node\nconsole.log('audited');\n";
  const made = await hookWorld({ "stop/audit": { content, mode: 0o755 } });
  const [hook] = (await findHooks(made).find("stop")).hooks as [Hook];
  const env = { ...process.env, NODE_OPTIONS: `--require ${join(made.projectDir, "nothing.cjs")}` };
  expect((await runHook(hook, "{}", hookOptions(made, { env }))).stdout).toBe("audited\n");
});
