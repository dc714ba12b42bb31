import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

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

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(inRepository(path), "utf8"));
}

function inRepository(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}
