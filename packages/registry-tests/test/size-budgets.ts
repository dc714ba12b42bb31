import { budgetsOf, shippedTools } from "../../../apps/cli/test/shipped-tools.ts";

/** The tools say how large they may be in `test/size-budgets.json`. */
const tools = Object.fromEntries(
  shippedTools.map((folder) => [`@ikigai/${folder}`, budgetsOf(folder).tarballKibibytes]),
);
const allTools = Object.values(tools).reduce((sum, budget) => sum + budget, 0);

/** How large a published tarball may be, in KiB: a little above what it is. Most of the largest is the providers' SDKs. */
export const sizeBudgets: Readonly<Record<string, number>> = {
  ...tools,
  "@ikigai/adapters": 6,
  "@ikigai/agent": 670,
  // It brings the tools along.
  "@ikigai/cli": 835 + allTools,
  "@ikigai/core": 66,
  "@ikigai/create-tool": 15,
  "@ikigai/posix-ere": 21,
  "@ikigai/posix-glob": 12,
  "@ikigai/protocol": 11,
  "@ikigai/testing": 145,
  "@ikigai/tool-sdk": 23,
};
