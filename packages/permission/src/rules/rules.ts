// Reads the rules that a user writes, `tool(pattern)`, says what is wrong with one, and where a new one belongs in the list.

import type { Permission, PermissionRule, Verdict } from "../permission.ts";
import { type Domain, domainPrefix, readDomain } from "../targets/urls.ts";

/** A parsed rule: `tool`, `tool(pattern)`, `tool(domain:HOST)`, `outside(…)` around one of these, `host(HOST)` or `path(pattern)`. */
export interface RuleParts {
  /** A tool name; a trailing `*` matches every tool whose name begins with it. */
  readonly tool: string;
  readonly pattern?: string;
  /** The hosts that the pattern stands for. */
  readonly domain?: Domain;
  /** Whether the rule is only about calls that ask to leave the sandbox. */
  readonly isOutside?: true;
  /** The hosts that programs in the sandbox may reach, or may not: the rule is about no call. */
  readonly reach?: Domain | "*";
}

/** What a rule about hosts is called. */
const hostRule = "host";

const outsideForm = /^(\s*outside\s*\(\s*)(.*?)\s*\)\s*$/s;

/** Returns a rule that is like this one, but about calls that leave the sandbox. */
export function outsideRule(rule: string): string {
  return `outside(${rule})`;
}

/** An error in a rule, and its position. */
export interface RuleProblem {
  /** The offset in the rule, in UTF-16 code units. */
  readonly index: number;
  /** The error and what to write instead, as a sentence. */
  readonly message: string;
}

/** Maximum length of a tool name, as in the protocol. */
const maxNameLength = 64;

const pathForm = /^\s*path\s*\(\s*(.*?)\s*\)\s*$/s;

/** The pattern of a rule about places, `path(PATTERN)`; `undefined` for a rule about tools. */
export function pathPattern(rule: string): string | undefined {
  return pathForm.exec(rule)?.[1];
}

/** Parses a rule; `undefined` if it is invalid, and {@link ruleProblem} then says why. */
export function parseRule(rule: string): RuleParts | undefined {
  if (ruleProblem(rule)) return undefined;
  const [, , inner] = outsideForm.exec(rule) ?? [];
  if (inner !== undefined) {
    const parts = parseRule(inner);
    return parts && { ...parts, isOutside: true };
  }
  const open = rule.indexOf("(");
  if (open < 0) return { tool: rule.trim() };
  const pattern = patternOf(rule, open);
  const tool = rule.slice(0, open).trim();
  if (tool === hostRule) {
    const reach = pattern === "*" ? pattern : readDomain(`${domainPrefix}${pattern}`);
    return reach && (reach === "*" || !("problem" in reach)) ? { tool, pattern, reach } : undefined;
  }
  const domain = readDomain(pattern);
  return { tool, pattern, ...(domain && !("problem" in domain) && { domain }) };
}

/** Returns the error in a rule; `undefined` if it is valid. */
export function ruleProblem(rule: string, verdict?: Verdict): RuleProblem | undefined {
  const path = pathPattern(rule);
  if (path === "") return { index: rule.indexOf("(") + 1, message: "Missing pattern in path(…). Write path(.env*)." };
  if (path !== undefined && verdict === "allow")
    return {
      index: 0,
      message: "A rule about places can only deny or ask. To allow calls, name the tool: file_edit(src/*)",
    };
  if (path !== undefined) return undefined;
  const [, before, inner] = outsideForm.exec(rule) ?? [];
  if (before !== undefined && inner !== undefined) {
    if (pathPattern(inner) !== undefined)
      return { index: before.length, message: "A rule about places counts everywhere. Write it without outside(…)." };
    const problem = ruleProblem(inner);
    return problem && { ...problem, index: before.length + problem.index };
  }
  const start = rule.length - rule.trimStart().length;
  const end = rule.trimEnd().length;
  const open = rule.indexOf("(");
  const nameEnd = open < 0 ? end : rule.slice(0, open).trimEnd().length;
  if (rule.slice(start, nameEnd) === "outside")
    return { index: start, message: "Missing rule in outside(…). Write outside(bash(docker *))." };
  if (rule.slice(start, nameEnd) === "path")
    return { index: start, message: "Missing pattern in path(…). Write path(.env*)." };
  if (start >= nameEnd) {
    return { index: Math.min(start, rule.length), message: "Missing tool name. Write bash, or bash(npm test)." };
  }
  return (
    nameProblem(rule, start, nameEnd) ??
    patternProblem(rule, open, end) ??
    blankProblem(rule, open) ??
    hostProblem(rule, start, open) ??
    domainProblem(rule, open) ??
    colonProblem(rule, open)
  );
}

function patternOf(rule: string, open: number): string {
  return rule.slice(open + 1, rule.lastIndexOf(")"));
}

/** Returns the error in a part of a text that is a tool name or the beginning of one with a `*`; `undefined` if it is valid. */
export function nameProblem(rule: string, start = 0, end = rule.length): RuleProblem | undefined {
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

/** What is skipped before a command: `bash( *)` would be `bash(*)`, a slip that allows every command. */
const blanks = " \t\n";

function blankProblem(rule: string, open: number): RuleProblem | undefined {
  if (open < 0 || rule.charAt(open + 1) === "" || !blanks.includes(rule.charAt(open + 1))) return undefined;
  const name = rule.slice(0, open).trim();
  const pattern = patternOf(rule, open).trim();
  const isAll = pattern === "" || pattern === "*";
  const advice = isAll ? `Write ${name}(npm test*), or ${name} for every call.` : `Remove it: ${name}(${pattern})`;
  return { index: open + 1, message: `Unexpected whitespace at the beginning of the pattern. ${advice}` };
}

function hostProblem(rule: string, start: number, open: number): RuleProblem | undefined {
  if (open < 0 || rule.slice(start, open).trimEnd() !== hostRule) return undefined;
  const pattern = patternOf(rule, open);
  const reach = pattern === "*" ? undefined : readDomain(`${domainPrefix}${pattern}`);
  if (!reach || !("problem" in reach)) return undefined;
  const message = `Expected host(HOST), host(HOST:PORT), host(*.HOST) for its subdomains only, or host(*), got ${JSON.stringify(`host(${pattern})`)}.`;
  return { index: open + 1, message };
}

function domainProblem(rule: string, open: number): RuleProblem | undefined {
  const domain = open < 0 ? undefined : readDomain(patternOf(rule, open));
  return domain && "problem" in domain ? { index: open + 1, message: domain.problem } : undefined;
}

/** In Claude Code, `Bash(npm test:*)` is a command that begins with `npm test`. Here it would match nothing, silently. */
function colonProblem(rule: string, open: number): RuleProblem | undefined {
  const pattern = open < 0 ? "" : patternOf(rule, open);
  if (!pattern.endsWith(":*") || pattern.startsWith("{")) return undefined;
  const name = rule.slice(0, open).trim();
  // There, tools have capitals.
  const tool = name === "Bash" ? "bash" : name;
  const start = pattern.slice(0, -2);
  const message =
    `":" is part of the text here. For all that begins with ${JSON.stringify(start)}: ${tool}(${start}*). ` +
    `If the ":" is meant: ${tool}(${start}:**)`;
  return { index: open + 1 + start.length, message };
}

/** Whether a rule applies to a tool, or a name in the configuration means it. */
export function namesTool({ tool, reach }: Pick<RuleParts, "tool" | "reach">, name: string): boolean {
  if (reach !== undefined) return false;
  return tool.endsWith("*") ? name.startsWith(tool.slice(0, -1)) : tool === name;
}

/**
 * Returns the index at which a new rule goes into a list, given whether each of its rules denies: a deny rule comes first,
 * any other directly below the last deny rule, so that it never cancels one.
 */
export function placeOfRule(verdict: Verdict, isDeny: readonly boolean[]): number {
  return verdict === "deny" ? 0 : isDeny.lastIndexOf(true) + 1;
}

/** Adds a rule to the rules of a conversation, at the same place as in the configuration. */
export function insertRule({ rules }: Pick<Permission, "rules">, added: PermissionRule): void {
  const isDeny = rules.map(({ verdict }) => verdict === "deny");
  rules.splice(placeOfRule(added.verdict, isDeny), 0, added);
}
