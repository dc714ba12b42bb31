import type { RegisteredTool } from "@ikigai/core";
import type { Decision, PendingCall, Permission } from "./permission.ts";

/** Whether a call may run, must be asked about, or must not run. */
export declare function decide(call: PendingCall, tool: RegisteredTool, permission: Permission): Decision;
