import { realpathSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { sandboxProblem, toolDirectories } from "@ikigai/core/internal";
import { AgentError } from "@ikigai/session";
import { userHome as userHomeIn } from "@ikigai/system";
import type { ToolRules } from "../config/tool-settings.ts";
import { type OutputSchema, readOutputSchema } from "../turn/output-schema.ts";
import type { AgentOptions } from "./agent-options.ts";
import type { Places } from "./open-toolbox.ts";

/** @throws AgentError `invalid_option` if a directory cannot be used. */
export function placesOf({ cwd = process.cwd(), home, toolsDir }: AgentOptions, env: NodeJS.ProcessEnv): Places {
  const projectDir = realpathSync(existingDirectory("cwd", cwd));
  const userHome = userHomeIn(env);
  if (userHome === undefined) {
    throw new AgentError("invalid_option", `Expected HOME to be an absolute path, got ${JSON.stringify(env.HOME)}.`);
  }
  const userDir = home === undefined ? env.IKIGAI_HOME || join(userHome, ".ikigai") : resolve(home);
  if (!isAbsolute(userDir)) {
    // A relative one would be a different directory in every project.
    const text = `Expected the user's directory to be an absolute path, got ${JSON.stringify(userDir)}. Set IKIGAI_HOME.`;
    throw new AgentError("invalid_option", text);
  }
  const systemDir = toolsDir === undefined ? undefined : existingDirectory("toolsDir", toolsDir);
  const directories = toolDirectories({ systemDir, home: userDir, projectDir, toolPath: env.IKIGAI_TOOL_PATH });
  return { home: userDir, userHome, projectDir, directories };
}

/**
 * Returns the absolute path of a directory that an option names.
 *
 * @throws AgentError `invalid_option` if it does not exist or is a file.
 */
export function existingDirectory(option: string, directory: string): string {
  const path = resolve(directory);
  try {
    if (statSync(path).isDirectory()) return path;
  } catch {
    // Reported below.
  }
  const meant = path === directory ? "" : `, which is ${path}`;
  throw new AgentError(
    "invalid_option",
    `Expected "${option}" to be a directory, got ${JSON.stringify(directory)}${meant}.`,
  );
}

/** @throws AgentError `invalid_option` if the output schema is not a usable JSON Schema. */
export async function outputSchemaOf({ outputSchema }: AgentOptions): Promise<OutputSchema | undefined> {
  if (outputSchema === undefined) return undefined;
  const read = await readOutputSchema(outputSchema);
  if ("problem" in read) throw new AgentError("invalid_option", `"outputSchema" is not usable. ${read.problem}`);
  return read.schema;
}

/** @throws AgentError `sandbox_unavailable` if the configured sandbox does not work here; nothing runs without it. */
export async function checkSandbox({ sandbox }: ToolRules, projectDir: string, env: NodeJS.ProcessEnv): Promise<void> {
  const problem = sandbox && (await sandboxProblem(sandbox, projectDir, env));
  if (problem) throw new AgentError("sandbox_unavailable", problem);
}
