// What ikigai's own packages need to make calls, to list tools and to clean up. It may change in any version.

/** It has a state, so a program must have it only once. */
export { temporaryDirectory as sandboxTemporaryDirectory } from "@ikigai/sandbox";
export { type CallArguments, outsideArgument } from "./call/arguments.ts";
export { dataDirectory, namedDataDirectory, outputsDirectory, unusedData } from "./call/directories.ts";
export { executeCall, notFound } from "./call/execute.ts";
export { startsAgents } from "./call/host-api.ts";
export type { ExpectedCall } from "./call/options.ts";
export { withField } from "./call/outcome.ts";
export { prepareCall } from "./call/prepare-call.ts";
export { toolDirectories } from "./discovery/candidates.ts";
export { knownTools, renderFailure } from "./discovery/known-tools.ts";
export { Jobs } from "./jobs/jobs.ts";
export { findLeftovers } from "./leftovers/find-leftovers.ts";
export { mayChange, sandboxProblem } from "./leftovers/host-sandbox.ts";
export { markedProcess } from "./leftovers/settle.ts";
export { agentDepth, hostCallId } from "./process/tool-command.ts";
export { addedPackages, broughtFolders } from "./registry/added-packages.ts";
export { catalogOf, takesCatalog } from "./skills/catalog.ts";
export { userSkills } from "./skills/skills-if-any.ts";
export { startAhead } from "./workers/start-ahead.ts";
