import { budgetAdvice, budgetsOf, shippedTools } from "../../../apps/cli/test/shipped-tools.ts";

/** The budgets of the tools, from their `test/size-budgets.json`. */
const tools = Object.fromEntries(
  shippedTools.map((folder) => [`@ikigai/${folder}`, budgetsOf(folder).tarballKibibytes]),
);

/** Maximum size of each tarball in KiB, a little above the current size. The provider SDKs are most of the largest ones. */
export const sizeBudgets: Readonly<Record<string, number>> = {
  ...tools,
  "@ikigai/adapters": 7,
  "@ikigai/agent": 896,
  // Without the tools that it includes.
  "@ikigai/cli": 1_458,
  "@ikigai/core": 166,
  "@ikigai/create-tool": 20,
  "@ikigai/posix-ere": 21,
  "@ikigai/posix-glob": 12,
  "@ikigai/protocol": 19,
  "@ikigai/testing": 173,
  "@ikigai/tool-sdk": 36,
};

/** Where the budget of a package is set. */
export function budgetPlace(name: string): string {
  return name in tools
    ? `tarballKibibytes in packages/${folderOf(name)}/test/size-budgets.json`
    : `"${name}" in packages/registry-tests/test/size-budgets.ts`;
}

/** Says what to do about a package that is larger than its budget. */
export function sizeAdvice(name: string, kibibytes: number): string {
  if (name in tools) return budgetAdvice(folderOf(name), "tarballKibibytes", kibibytes);
  return `Find out what made it grow. If it is worth that, set ${budgetPlace(name)} to ${Math.ceil(kibibytes)}`;
}

function folderOf(name: string): string {
  return name.replace("@ikigai/", "");
}
