import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";

export const examples = fileURLToPath(new URL("../../../examples", import.meta.url));

/** A tool of `examples/`, and the program without which it cannot be built or run. */
export interface ExampleTool {
  readonly name: string;
  readonly needs: string;
  /** Whether that program is missing here. */
  readonly isMissing: boolean;
  /** The executable; built first, if it has to be. */
  path(): Promise<string>;
}

export const exampleTools = {
  weather: example("weather", "python3", async () => join(examples, "weather-tool")),
  gitChanges: example("git_changes", "git", async () => join(examples, "git-changes-tool")),
  bash: example("bash", "python3", async () => join(examples, "bash-tool")),
  sqlQuery: example("sql_query", "node", once(buildSqlQuery)),
  checksum: example("checksum", "go", once(buildChecksum)),
} as const;

function example(name: string, needs: string, path: () => Promise<string>): ExampleTool {
  const flag = needs === "go" ? "version" : "--version";
  return { name, needs, isMissing: spawnSync(needs, [flag]).status !== 0, path };
}

async function buildSqlQuery(): Promise<string> {
  const path = join(await tempDir(), "sql-query-tool");
  execFileSync(process.execPath, ["build.mjs", path], { cwd: join(examples, "sql-query") });
  return path;
}

async function buildChecksum(): Promise<string> {
  const path = join(await tempDir(), "checksum-tool");
  // The commit it was built from is of no interest, and asking for it fails in a checkout of another user.
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
