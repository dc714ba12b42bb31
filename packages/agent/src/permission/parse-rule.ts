/** A rule, taken apart: `tool` or `tool(pattern)`. */
export interface RuleParts {
  /** A tool's name; one that ends in `*` stands for every tool whose name begins so. */
  readonly tool: string;
  readonly pattern?: string;
}

/** What is wrong with a rule, and where. */
export interface RuleProblem {
  /** Where in the rule, in UTF-16 code units from its beginning. */
  readonly index: number;
  /** What is wrong and what to write instead; a sentence. */
  readonly message: string;
}

/** How long the name of a tool may be, as everywhere. */
const maxNameLength = 64;

/** Takes a rule apart; `undefined` when it is none, and then {@link ruleProblem} says why. */
export function parseRule(rule: string): RuleParts | undefined {
  if (ruleProblem(rule)) return undefined;
  const open = rule.indexOf("(");
  if (open < 0) return { tool: rule.trim() };
  return { tool: rule.slice(0, open).trim(), pattern: rule.slice(open + 1, rule.lastIndexOf(")")) };
}

/** What is wrong with a rule; `undefined` when it is one. */
export function ruleProblem(rule: string): RuleProblem | undefined {
  const start = rule.length - rule.trimStart().length;
  const end = rule.trimEnd().length;
  const open = rule.indexOf("(");
  const nameEnd = open < 0 ? end : rule.slice(0, open).trimEnd().length;
  if (start >= nameEnd) {
    return { index: Math.min(start, rule.length), message: "Missing tool name. Write bash, or bash(npm test)." };
  }
  return nameProblem(rule, start, nameEnd) ?? patternProblem(rule, open, end);
}

function nameProblem(rule: string, start: number, end: number): RuleProblem | undefined {
  const name = rule.slice(start, end);
  const [valid = ""] = /^(?:[A-Za-z][A-Za-z0-9_]*)?\*?/.exec(name) ?? [];
  if (valid.length < name.length) {
    const index = start + valid.length;
    const isStar = valid.endsWith("*");
    const message = isStar
      ? 'Unexpected text after "*" in a tool name. A star may only be its last character.'
      : `Unexpected ${JSON.stringify(String.fromCodePoint(rule.codePointAt(index) ?? 0))} in a tool name. ` +
        "It begins with a letter and has letters, digits and _; a pattern goes in parentheses: bash(npm test).";
    return { index, message };
  }
  if (name.replace("*", "").length <= maxNameLength) return undefined;
  return { index: start + maxNameLength, message: `A tool's name has at most ${maxNameLength} characters.` };
}

function patternProblem(rule: string, open: number, end: number): RuleProblem | undefined {
  if (open < 0 || (rule.charAt(end - 1) === ")" && end - 1 > open)) return undefined;
  const close = rule.lastIndexOf(")");
  if (close < open) return { index: end, message: 'Missing ")" at the end of the rule.' };
  return { index: close + 1, message: 'Unexpected text after the closing ")". Remove it.' };
}

/** Whether a rule speaks of a tool. */
export function namesTool({ tool }: RuleParts, name: string): boolean {
  return tool.endsWith("*") ? name.startsWith(tool.slice(0, -1)) : tool === name;
}
