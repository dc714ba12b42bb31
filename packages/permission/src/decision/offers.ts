// Which rules a question offers. A command is taken apart: each part that nothing allows yet gets a rule. The rule is wide where the
// program and its first words say what it does; it is exact for interpreters, and for all that runs or installs what its arguments
// name. A wide rule never covers more than `*` does (programs.ts). Then: the rule that allows exactly one call, and what an added rule
// changes.

import { relative, sep } from "node:path";
import { dirname } from "node:path/posix";
import type { RegisteredTool } from "@ikigai/core";
import { isInside } from "@ikigai/system";
import type { CallToPermit, PendingCall, Permission, PermissionRule } from "../permission.ts";
import { insertRule, outsideRule, parseRule } from "../rules/rules.ts";
import { exactly, overlaps } from "../rules/wildcard.ts";
import { isReader } from "../shell/reading.ts";
import type { SimpleCommand } from "../shell/shell.ts";
import { isSearchAccess, realTarget } from "../targets/paths.ts";
import { domainOf, haveCommonHosts, isDoubtfulUrl, readUrl } from "../targets/urls.ts";
import { argumentsOf, type CallFacts, factsOf, missingArgument } from "./call-facts.ts";
import { decide, judge } from "./judge.ts";
import { ruleVerdict } from "./rule-match.ts";

/** Programs of which one word is enough: they check and build the project. */
const builders = wordSet(
  "ava biome cargo-nextest clippy ctest eslint jest knip make mocha mypy ninja oxlint phpunit playwright prettier pyright " +
    "pytest rspec rubocop ruff stylelint svelte-check swiftlint tap tsc vitest vue-tsc",
);

/** Programs whose first words say what they do; the other words are its objects. */
const commanders = wordSet(
  "brew bun bundle cargo composer dotnet gh git go gradle just make mix mvn npm pip pip3 pnpm poetry rake rails svn turbo uv yarn",
);

/** Commands of those that run, install or publish what their arguments name, change how programs run, or lose work. */
const risky = wordSet(
  "a add api alias auth bisect checkout ci clean clone config configure console cp credential daemon dbconsole debug delete dlx " +
    "difftool download e edit env eval exec explore extension filter-branch generate get global hook i import init install link login " +
    "mergetool pip plugin plugins publish python rebase release remote remove repo require reset restore rm run runner secret self " +
    "set shell stash submodule switch sync task tool tx uninstall unlink unpublish upgrade update x yank",
);

/** Words after which the next one is the program, or the script. */
const launchers: readonly (readonly string[])[] =
  "npx|bunx|pnpx|uvx|npm exec|npm x|pnpm exec|pnpm dlx|yarn exec|yarn dlx|yarn|bun x|bundle exec|uv run|poetry run|pipenv run"
    .split("|")
    .map((words) => words.split(" "));
const scriptRunners: readonly (readonly string[])[] =
  "npm run|npm run-script|pnpm run|yarn run|bun run|composer run|turbo run|deno task"
    .split("|")
    .map((words) => words.split(" "));

const subcommand = /^[a-z][\w:.-]*$/;
const packageName = /^@?[a-z][\w./-]*$/;

/** Most parts of a command that are taken apart. */
const maxParts = 5;

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/**
 * Returns the rules that a question offers, the first one first: a list of rules each, which together allow the call.
 *
 * @param rule the one that allows exactly this call.
 * @example `npm test && git push origin main` → [["bash(npm test *)", "bash(git push *)"], ["bash(npm test && git push origin main)"]]
 */
export function ruleOffers(
  one: CallToPermit,
  facts: CallFacts,
  rule: string,
  permission: Permission,
): readonly (readonly string[])[] {
  const { tool, command } = facts;
  const around = facts.outside === undefined ? (inner: string) => inner : outsideRule;
  const exact = [rule];
  if (tool.scope !== "system") return [exact];
  if (command !== undefined) {
    const apart = rulesOfParts(one, facts, permission, around);
    return apart === undefined || apart.join("\n") === rule ? [exact] : [apart, exact];
  }
  const { pattern = "" } = parseRule(rule) ?? {};
  const directory = dirname(pattern);
  // The project's own directory has no name in a rule. A directory is wider than the call, so it comes second.
  return facts.filePath === undefined || directory === "." || directory === "/"
    ? [exact]
    : [exact, [around(`${tool.name}(${directory}/*)`)]];
}

function rulesOfParts(
  one: CallToPermit,
  facts: CallFacts,
  permission: Permission,
  around: (rule: string) => string,
): readonly string[] | undefined {
  const { tool, commands = [] } = facts;
  const parts = commands.filter(({ words, source }) => words.length > 0 && words[0]?.text !== "cd" && source !== "");
  if (parts.length === 0 || parts.length > maxParts) return undefined;
  const open = parts.filter((part) => !isAllowed(part));
  const reads = (part: SimpleCommand) => isReader(part.words[0]?.text ?? "") && wideWords(part) === undefined;
  for (const chosen of [open.filter((part) => !reads(part)), open]) {
    const rules = [...new Set(chosen.map((part) => around(`${tool.name}(${patternFor(part)})`)))];
    if (rules.length > 0 && isEnough(rules)) return rules;
  }
  return undefined;

  function isAllowed(part: SimpleCommand): boolean {
    return ruleVerdict({ ...facts, command: part.source, commands: [part] }, permission) === "allow";
  }

  function isEnough(rules: readonly string[]): boolean {
    const more: { rules: PermissionRule[] } = { rules: [...permission.rules] };
    for (const rule of rules) insertRule(more, { verdict: "allow", rule });
    return judge(one.call, one.tool, { ...permission, ...more }, one.hooks).decision.verdict === "allow";
  }
}

function patternFor(part: SimpleCommand): string {
  const wide = wideWords(part);
  return wide === undefined ? exactly(part.source) : `${exactly(wide)} *`;
}

/** The words of a command that say what it does; `undefined` if all of them do. */
function wideWords({ words, redirects, source }: SimpleCommand): string | undefined {
  const texts = words.map(({ text }) => text);
  const count = keptWords(texts);
  if (
    count === undefined ||
    redirects.some(({ target }) => target.text !== "/dev/null" && !/^[\d-]$/.test(target.text))
  )
    return undefined;
  const kept = texts.slice(0, count).join(" ");
  // A word that the shell would change is not in the text of the rule.
  return source === kept || source.startsWith(`${kept} `) ? kept : undefined;
}

function keptWords(texts: readonly string[]): number | undefined {
  const [program = "", first = "", second = ""] = texts;
  const begins = (words: readonly string[]) => words.every((word, index) => word === texts[index]);
  const runner = scriptRunners.find(begins);
  if (runner) return subcommand.test(texts[runner.length] ?? "") ? runner.length + 1 : undefined;
  // `npm exec` before `npm`, which does not exist.
  const launcher = launchers.find(begins);
  if (launcher) {
    let at = launcher.length;
    while (/^(?:-y|--yes|-q|--quiet|--silent|--no-install|--)$/.test(texts[at] ?? "")) at++;
    const name = texts[at] ?? "";
    if (builders.has(name) && packageName.test(name)) return at + 1;
    if (program !== "yarn" || launcher.length > 1) return undefined;
  }
  if (builders.has(program) && program !== "make") return 1;
  if (program === "make") return subcommand.test(first) ? 2 : undefined;
  if (!commanders.has(program) || !subcommand.test(first) || risky.has(first) || first.startsWith("exec"))
    return undefined;
  // `gh pr view`: the first word is only the subject.
  if (program === "gh") return subcommand.test(second) && !risky.has(second) ? 3 : undefined;
  return 2;
}

/**
 * Returns the rule that would allow a call next time: the same host, the same command, the same file, the same search; for a
 * tool that declares nothing, any call. `undefined` for an address in which programs may find different hosts: no rule about
 * its host would allow the call, and a user who expects one must not allow all hosts. `undefined` also for a call that lacks an
 * argument, and for a path that leads nowhere, or elsewhere in another process.
 */
export function ruleFor(facts: CallFacts, projectDir: string): string | undefined {
  const rule = ruleInside(facts, projectDir);
  return rule === undefined || facts.outside === undefined ? rule : outsideRule(rule);
}

function ruleInside(facts: CallFacts, projectDir: string): string | undefined {
  const { tool, declared, args, command, filePath, url, argumentsText } = facts;
  if (missingArgument(facts) !== undefined) return undefined;
  if (command === undefined && !filePath) {
    if (url) return `${tool.name}(${domainOf(url)})`;
    if (typeof args.url === "string" && isDoubtfulUrl(args.url)) return undefined;
  }
  // A rule based on the tool's own declaration would not match.
  if (declared.by !== "system") return tool.name;
  if (command !== undefined) return `${tool.name}(${exactly(command)})`;
  if (filePath?.real !== undefined) return `${tool.name}(${exactly(shortest(filePath.real, projectDir))})`;
  if (isSearchAccess(declared.access)) return `${tool.name}(${exactly(argumentsText)})`;
  return filePath ? undefined : tool.name;
}

function shortest(real: string, projectDir: string): string {
  const project = realTarget(".", projectDir);
  if (project === undefined || project === sep || !isInside(real, project)) return real;
  const path = relative(project, real);
  // A pattern cannot begin with whitespace.
  return /^\s/.test(path) ? real : path;
}

/**
 * Says why ikigai will ask about a call again although the user has added a rule that allows: no allow rule covers it, or
 * another rule still asks. `undefined` if it will not ask.
 */
export function whyStillAsked(
  { call, tool }: { readonly call: PendingCall; readonly tool: RegisteredTool },
  permission: Permission,
  added: PermissionRule,
): string | undefined {
  const again = withPlainUrl(call);
  const asks = (rules: PermissionRule[]) => decide(again, tool, { ...permission, rules }).verdict === "ask";
  if (!asks(permission.rules)) return undefined;
  if (asks(permission.rules.filter(({ verdict }) => verdict === "allow"))) {
    return `\`${added.verdict} ${added.rule}\` does not cover this call, so ikigai will ask about it again.`;
  }
  const facts = factsOf(again, tool, permission);
  const applies = (rule: PermissionRule) =>
    rule.verdict !== "allow" && ruleVerdict(facts, { ...permission, rules: [rule] }) !== undefined;
  const above = rulesAbove(permission, added).find(applies);
  const asking = above ?? permission.rules.find(applies);
  if (!asking) return undefined;
  const name = `\`${asking.verdict} ${asking.rule}\``;
  const why = asking.verdict === "ask" && above ? "still asks" : "might apply to this call, so ikigai still asks";
  return above ? `Added below ${name}, which ${why}.` : `${name} ${why}.`;
}

/** The same call the next time: its address is then in the form in which a rule about its host allows it. */
function withPlainUrl(call: PendingCall): PendingCall {
  const value = argumentsOf(call);
  const href = typeof value.url === "string" ? readUrl(value.url)?.href : undefined;
  return href === undefined ? call : { ...call, value: { ...value, url: href } };
}

/**
 * Returns a stricter rule above `added` that decides some of the calls that `added` covers: the first `ask` rule, else the
 * first `deny` rule, else `undefined`.
 */
export function stricterRule(permission: Pick<Permission, "rules">, added: PermissionRule): PermissionRule | undefined {
  if (added.verdict === "deny") return undefined;
  const above = rulesAbove(permission, added).filter(({ rule }) => haveCommonCalls(rule, added.rule));
  const asks = above.find(({ verdict }) => verdict === "ask" && verdict !== added.verdict);
  return asks ?? above.find(({ verdict }) => verdict === "deny");
}

function rulesAbove({ rules }: Pick<Permission, "rules">, added: PermissionRule): readonly PermissionRule[] {
  return rules.slice(0, Math.max(0, rules.indexOf(added)));
}

function haveCommonCalls(one: string, other: string): boolean {
  const [first, second] = [parseRule(one), parseRule(other)];
  if (!first || !second) return false;
  if (!overlaps(first.tool, second.tool)) return false;
  if (first.domain && second.domain) return haveCommonHosts(first.domain, second.domain);
  // Which addresses a pattern for the arguments matches is not known.
  if (first.domain || second.domain) return true;
  return overlaps(first.pattern ?? "*", second.pattern ?? "*");
}
