/** A rule, taken apart: `tool` or `tool(pattern)`; `*` for any tool. */
export interface RuleParts {
  readonly tool: string;
  readonly pattern?: string;
}

const rulePattern = /^\s*([A-Za-z][A-Za-z0-9_]{0,63}|\*)\s*(?:\((.*)\))?\s*$/s;

/** `undefined` when it is no rule. */
export function parseRule(rule: string): RuleParts | undefined {
  const [, tool, pattern] = rulePattern.exec(rule) ?? [];
  return tool === undefined ? undefined : { tool, ...(pattern !== undefined && { pattern }) };
}
