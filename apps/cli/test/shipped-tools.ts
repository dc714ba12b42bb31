import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Size limits of a tool, a little above its current size. */
interface ToolBudgets {
  /** The executable, in kilobytes. */
  readonly executableKilobytes: number;
  /** The published package, in KiB. */
  readonly tarballKibibytes: number;
}

const { devDependencies }: { devDependencies: Record<string, string> } = readJson("apps/cli/package.json");

/** The folders of the shipped tools, sorted. The command's dependencies are the only list of them. */
export const shippedTools: readonly string[] = Object.keys(devDependencies)
  .filter((name) => name.endsWith("-tool") && name !== "@ikigai/create-tool")
  .map((name) => name.replace("@ikigai/", ""))
  .sort();

/** The file names of their executables, sorted. */
export const shippedExecutables: readonly string[] = shippedTools.map(executableOf).sort();

/** Their names, in the order in which tools are listed. */
export const shippedToolNames: readonly string[] = shippedExecutables
  .map((file) => file.replace(/-tool$/, "").replaceAll("-", "_"))
  .sort();

/** Those without `agent`, which runs outside of the sandbox and is not offered to MCP clients. */
export const toolNamesWithoutAgent: readonly string[] = shippedToolNames.filter((name) => name !== "agent");

/** The file name of the executable in this folder of `packages`. */
export function executableOf(folder: string): string {
  const { bin }: { bin: Record<string, string> } = readJson(`packages/${folder}/package.json`);
  return String(Object.keys(bin)[0]);
}

/** The limits of the tool in this folder of `packages`, from its `test/size-budgets.json`. */
export function budgetsOf(folder: string): ToolBudgets {
  const path = budgetPath(folder);
  if (existsSync(inRepository(path))) return readJson(path);
  throw new Error(`${path} is missing. Write: {"executableKilobytes": 1, "tarballKibibytes": 1}`);
}

/** Says what to do about a tool that is larger than its budget. */
export function budgetAdvice(folder: string, budget: keyof ToolBudgets, size: number): string {
  return `Set ${budget} in ${budgetPath(folder)} to ${Math.ceil(size)}. If the tool is not new, find out first what made it grow`;
}

function budgetPath(folder: string): string {
  return `packages/${folder}/test/size-budgets.json`;
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(inRepository(path), "utf8"));
}

function inRepository(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}
