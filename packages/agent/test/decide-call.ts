import { decide, type Permission, type PermissionRule, type Verdict } from "../src/index.ts";
import { registeredTool } from "./registered-tool.ts";

/** What happens to a call of a system tool, in mode ask unless told. */
export function verdictOn(name: string, args: object, permission: Partial<Permission> = {}): Verdict {
  const call = { id: "c", name, arguments: JSON.stringify(args) };
  const whole: Permission = { mode: "ask", rules: [], projectDir: "/nowhere", home: "/nowhere/home", ...permission };
  return decide(call, registeredTool(name, "system"), whole).verdict;
}

export function rules(...all: [Verdict, string][]): { rules: PermissionRule[] } {
  return { rules: all.map(([verdict, rule]) => ({ verdict, rule })) };
}
