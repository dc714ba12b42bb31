import { decide, type Permission, type PermissionRule, type Verdict } from "../src/index.ts";
import { registeredTool } from "./registered-tool.ts";

/** The verdict on a call of a system tool by mode (default: ask) and rules alone. */
export function verdictOn(name: string, args: object, permission: Partial<Permission> = {}): Verdict {
  const call = { id: "c", name, arguments: JSON.stringify(args) };
  const whole: Permission = {
    mode: "ask",
    rules: [],
    readOnlyCommands: false,
    projectDir: "/nowhere",
    home: "/nowhere/home",
    ...permission,
  };
  return decide(call, registeredTool(name, "system"), whole).verdict;
}

export function rules(...all: [Verdict, string][]): { rules: PermissionRule[] } {
  return { rules: all.map(([verdict, rule]) => ({ verdict, rule })) };
}
