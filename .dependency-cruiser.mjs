// Which way imports point. `npm run check` enforces it; `npm run graph` draws it.
import { readdirSync, readFileSync } from "node:fs";

/** Our own packages that each package may import. Core, agent and the command meet the tools only as executables. */
const mayImport = {
  protocol: [],
  system: ["protocol"],
  posix: [],
  "html-markdown": ["system"],
  "tool-sdk": ["protocol", "system"],
  "tool-files": ["protocol", "posix", "system", "tool-sdk"],
  http: ["system"],
  "git-files": ["system"],
  screen: ["protocol", "system"],
  sandbox: ["protocol", "system", "http"],
  core: ["protocol", "system", "sandbox"],
  permission: ["protocol", "core", "sandbox", "git-files", "posix", "system", "http"],
  adapters: ["protocol", "core", "system"],
  testing: ["protocol", "system"],
  "create-tool": ["system"],
  "tool-packages": ["protocol", "core", "system", "http"],
  mcp: ["protocol", "core", "system", "tool-sdk", "http", "tool-packages"],
  models: ["protocol", "core", "system", "http"],
  session: ["protocol", "core", "git-files", "models", "permission", "system"],
  agent: ["protocol", "core", "models", "permission", "session", "system", "sandbox"],
  cli: [
    ...["protocol", "core", "models", "session", "agent", "git-files", "testing", "create-tool", "system"],
    ...["tool-packages", "mcp", "permission", "sandbox", "http", "screen"],
  ],
};
const toolMayImport = ["protocol", "system", "tool-sdk", "tool-files", "git-files", "posix", "http", "html-markdown"];

/** Folders from the lowest up: each imports only those before it, and those named together do not know each other. */
const layers = {
  "packages/system/src": ["json", "text", "files", "process"],
  "packages/core/src": ["registry", "process", "trust leftovers", "skills jobs", "discovery call", "workers hooks"],
  "packages/permission/src": ["targets", "rules", "shell", "decision"],
  "packages/agent/src": ["config", "jobs project hooks", "subagents", "turn", "agent"],
  "apps/cli/src": ["args", "host", "render", "help", "session", "print lines tui acp mcp", "commands"],
  "apps/cli/src/tui": ["components", "app", "commands", "input"],
};

const packages = ["packages", "apps"].flatMap((group) => readdirSync(group).map((name) => `${group}/${name}`));

export default {
  forbidden: [
    {
      name: "through-exports",
      comment: "Another package is imported by its name, through its exports.",
      severity: "error",
      from: { path: "^(packages|apps)/([^/]+)/" },
      to: { path: "^(packages|apps)/", pathNot: ["^$1/$2/", ...packages.flatMap(entriesOf).map(exactly)] },
    },
    {
      name: "no-own-index",
      comment: "Inside a package, files import files, never their own index.ts.",
      severity: "error",
      from: { path: "^((?:packages|apps)/[^/]+)/src/" },
      to: { path: "^$1/src/index[.]ts$" },
    },
    ...packages.map(packageRule),
    ...Object.entries(layers).flatMap(([dir, rows]) =>
      layerRules(
        dir,
        rows.map((row) => row.split(" ")),
      ),
    ),
  ],
  options: {
    includeOnly: "^(packages|apps)/[^/]+/(src|build)/",
    tsPreCompilationDeps: true,
    skipAnalysisNotInRules: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import"] },
  },
};

function packageRule(dir) {
  const [, name] = dir.split("/");
  const isTool = name.endsWith("-tool") && name !== "create-tool";
  const allowed = (isTool ? toolMayImport : mayImport[name]) ?? [];
  return {
    name: `package-${name}`,
    comment: `${name} may import ${allowed.join(", ") || "no other package"}.`,
    severity: "error",
    from: { path: `^${dir}/src/` },
    to: { path: "^(packages|apps)/", pathNot: [`^${dir}/`, ...allowed.map((other) => `^packages/${other}/`)] },
  };
}

function layerRules(dir, rows) {
  return rows.flatMap((row, index) =>
    row.map((folder) => ({
      name: `layer-${folder}`,
      comment: `${dir}, from the lowest up: ${rows.map((one) => one.join(", ")).join("; ")}`,
      severity: "error",
      from: { path: `^${dir}/${folder}/` },
      // A package's errors, the words of permission and what differs between systems are below all folders.
      to: {
        path: `^${dir}/`,
        pathNot: [
          `^${dir}/(${[folder, ...rows.slice(0, index).flat()].join("|")})/`,
          `^${dir}/(errors|permission|platform)[.]ts$`,
        ],
      },
    })),
  );
}

function entriesOf(dir) {
  const { exports: entries = {} } = JSON.parse(readFileSync(`${dir}/package.json`, "utf8"));
  return Object.values(entries).map((file) => file.replace("./", `${dir}/`));
}

function exactly(path) {
  return `^${path.replaceAll(".", "[.]")}$`;
}
