// What a program needs that answers calls without being a tool of this SDK: the bridge to MCP servers.
export { checkObject, parseInput } from "./arguments.ts";
export { complain, describeFailure, InvalidCall, ToolFailure } from "./failure.ts";
export { runService } from "./serving/service-loop.ts";
export { reportProgress } from "./tool-context.ts";
