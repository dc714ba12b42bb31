import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";

export const examples = fileURLToPath(new URL("../../../examples", import.meta.url));

/** A tool of `examples/`, and the programs needed to build or run it. */
export interface ExampleTool {
  readonly name: string;
  readonly needs: string;
  /** Whether it is missing on this machine. */
  readonly isMissing: boolean;
  /** The executable, built first if necessary. */
  path(): Promise<string>;
}

export const exampleTools = {
  weather: example("weather", "python3", async () => join(examples, "weather-tool")),
  gitChanges: example("git_changes", "git, jq", async () => join(examples, "git-changes-tool")),
  bash: example("bash", "python3", async () => join(examples, "bash-tool")),
  sqlQuery: example("sql_query", "node", once(buildSqlQuery)),
  counter: example("counter", "python3", async () => join(examples, "counter-tool")),
  coverage: example("coverage_chart", "python3", async () => join(examples, "coverage-chart/coverage-chart-tool")),
  checksum: example("checksum", "go", once(buildChecksum)),
} as const;

function example(name: string, needs: string, path: () => Promise<string>): ExampleTool {
  const isMissing = (program: string) => spawnSync(program, [program === "go" ? "version" : "--version"]).status !== 0;
  return { name, needs, isMissing: needs.split(", ").some(isMissing), path };
}

async function buildSqlQuery(): Promise<string> {
  const path = join(await tempDir(), "sql-query-tool");
  execFileSync(process.execPath, ["build.mjs", path], { cwd: join(examples, "sql-query") });
  return path;
}

async function buildChecksum(): Promise<string> {
  const path = join(await tempDir(), "checksum-tool");
  // Reading the commit fails in a checkout of another user, and the test does not need it.
  execFileSync("go", ["build", "-buildvcs=false", "-o", path, "."], { cwd: join(examples, "checksum") });
  return path;
}

function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
