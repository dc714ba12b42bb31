import { foldName } from "./fold-name.ts";
import type { ShellWord, SimpleCommand } from "./shell/read-shell.ts";
import { programName, runsArguments, runsShell } from "./shell/runs-arguments.ts";
import { matchesWildcard } from "./wildcard.ts";

/** ikigai itself, as a program, a script or a package. */
const ikigaiName = /(?:^|[/=:,!])(?:ikigai(?:\.[cm]?js|\.cmd|\.ps1)?|@ikigai\/cli)(?:@[^/]*)?$/;

/** Separates words where a text inside a word may be a command too. */
const betweenWords = /[\s;&|(){}<>`"'$\\]+/;

/** Splits a folded text into the words of all commands it may contain. */
export function tokensOf(folded: string): string[] {
  return folded.split(betweenWords);
}

export function isIkigai(word: string): boolean {
  return ikigaiName.test(word);
}

/** Whether an unparsed text contains ikigai's name, or a pattern that may expand to it. */
export function namesIkigai(words: readonly string[]): boolean {
  return words.flatMap((word) => word.split(/[,=]/)).some((word) => isIkigai(word) || mayExpandToIkigai(word));
}

/** Whether a pattern with at least two letters of the name may expand to a path of ikigai. */
function mayExpandToIkigai(word: string): boolean {
  const step = word.slice(word.lastIndexOf("/") + 1).replace(/\.(?:[cm]?js|cmd|ps1)$/, "");
  if (!/[*?[]/.test(step) || step.replace(/[^a-z]/g, "").length < 2) return false;
  return matchesWildcard(step.replace(/[?[].*|\*+/g, "*").replaceAll("\\", "\\\\"), "ikigai");
}

/** Programs that do not run their operands. */
const inert = new Set(
  (
    "basename cat cd chmod chown cmp cp cut date diff dirname du echo egrep fgrep file find git grep head jq ln ls mkdir mv " +
    "printf pwd readlink realpath rg rm rmdir sed sort stat tail tee test touch tr type uniq wc whereis which"
  ).split(" "),
);

/** Programs whose first operand may be a script or a package to run. */
const launchers = new Set("bun bunx deno node npm npx pnpm pnpx tsx yarn".split(" "));
const launcherCommand = /^(?:-.*|exec|x|dlx|run)$/;

/** Those of the inert programs that may run a text as a command: an alias of git, the `e` of sed. */
const mayRunText = new Set(["git", "sed"]);

const buildsWords = new Set(["xargs", "parallel"]);

/** Variables that determine which server ikigai sends a key to. */
const setsAddress = /^\w*(?:_base_url|_proxy)=/;

/** Whether parsed commands run ikigai with anything but known, harmless words. */
export function runsIkigai(commands: readonly SimpleCommand[]): boolean {
  return commands.some(({ words }) => runsUnchecked(words)) || (commands.length > 1 && pipesName(commands));
}

function runsUnchecked(words: readonly ShellWord[]): boolean {
  const [first] = words;
  if (first === undefined) return false;
  const name = programName(first);
  const texts = words.map(({ text }) => foldName(text));
  if (namesAsProgram(name, words)) return true;
  if (inert.has(name) && !mayRunText.has(name) && !runsArguments(words)) return false;
  const mayRunPattern = runsArguments(words) || launchers.has(name);
  const start = words.findIndex(({ isPattern }, index) => {
    const text = texts[index] ?? "";
    return isIkigai(text) || (mayRunPattern && isPattern && mayExpandToIkigai(text));
  });
  const operands = texts.slice(start + 1);
  if (start === 0) return !isHarmless(operands);
  if (runsArguments(words)) return start > 0 && runsBehind(words, texts, start);
  const isLaunched = texts.slice(1, start).every((text) => launcherCommand.test(text));
  if (start > 0 && launchers.has(name) && (isLaunched || /\.[cm]?js$/.test(texts[start] ?? ""))) {
    return !isHarmless(operands);
  }
  return mayStart(mayRunText.has(name) ? runTexts(texts) : texts);
}

/** Options whose value is a program to run. */
const programOption =
  /^(?:-[xO]|--(?:pre|exec|extcmd|open-files-in-pager|upload-pack|receive-pack|(?:use-)?compress-program|checkpoint-action|to-command))(?:=|$)/;

/** A command `e` of sed with ikigai, and a replacement with ikigai that is run. */
const runBySed =
  /(?:^|[\s;{}\d$/!,])(?:e\s*\S*ikigai|s([^\w\s\\])(?:\\.|(?!\1).)*\1(?:\\.|(?!\1).)*ikigai(?:\\.|(?!\1).)*\1\w*e)/i;

/** The longest word that is searched for such a command, in UTF-16 code units. */
const maxScriptLength = 4_096;

/** Whether an option, or a setting of git, makes a program run ikigai. */
function namesAsProgram(name: string, words: readonly ShellWord[]): boolean {
  const isGit = name === "git";
  if (!isGit && !["rg", "sed", "sort", "tar"].includes(name)) return false;
  return words.some(({ text }, index) => {
    if (index === 0 || !/ikigai/i.test(text)) return false;
    const before = words[index - 1]?.text ?? "";
    if (name === "sed") return text.length > maxScriptLength || runBySed.test(text);
    if (isGit && (before === "-c" || text.startsWith("-c") || before === "--config-env")) return true;
    return programOption.test(before) || programOption.test(text) || (isGit && /^-[xO]/.test(text));
  });
}

/** The words that git or sed may run: those that are texts, and what comes after such a subcommand. */
function runTexts(texts: readonly string[]): readonly string[] {
  const start = texts.findIndex((text) => text === "run" || text === "foreach");
  return texts.filter((text, index) => /\s/.test(text) || (start >= 0 && index > start));
}

/** Whether a program that may run others, or a text, has a command of ikigai that is not harmless among its words. */
function mayStart(texts: readonly string[]): boolean {
  const tokens = tokensOf(texts.join("\n")).filter((token) => /\w/.test(token));
  return tokens.some((token, index) => {
    const [next = "", ...others] = isIkigai(token) ? tokens.slice(index + 1) : [];
    const isStarted =
      startsModel.test(next) || ikigaiCommands.has(next) || others.some((one) => startsUnasked.test(one));
    return isStarted && !isHarmless([next, ...others]);
  });
}

/** Whether a program that runs other programs, here with ikigai among its words, may run it with unchecked words. */
function runsBehind(words: readonly ShellWord[], texts: readonly string[], start: number): boolean {
  const option = texts.findIndex((text) => /^(?:-exec|-execdir|-ok|-okdir|-x|--exec|--exec-batch)$/.test(text));
  if (/^(?:find|fd|fdfind)$/.test(texts[0]?.replace(/.*\//, "") ?? "")) {
    // Its own operands before the option are only searched.
    return start > option || texts[option + 1]?.includes("{}") === true || runsArguments(words.slice(option + 1));
  }
  if (runsInert(words)) return false;
  if (words.slice(0, start).some((word) => buildsWords.has(programName(word)))) return true;
  return texts.some((text) => text.includes("{}") || setsAddress.test(text)) || !isHarmless(texts.slice(start + 1));
}

/** Options of such programs without a value, numbers and durations, and texts that `xargs` replaces. */
const plainOption = /^(?:--|-[0rt]+|--null|--no-run-if-empty|-[nPL]\d+|--[\w-]+=.*|\d[\w.]*|\{\}|%|@)$/;
const valueOption = /^-[nPLIk]$/;

/** Whether a program that runs other programs certainly runs one that does not run its operands. */
function runsInert(words: readonly ShellWord[]): boolean {
  for (const [index, word] of words.entries()) {
    if (inert.has(programName(word))) return true;
    const isValue = index > 0 && valueOption.test(words[index - 1]?.text ?? "");
    if (!isValue && !valueOption.test(word.text) && !plainOption.test(word.text) && !runsArguments([word]))
      return false;
  }
  return false;
}

/** Whether a pipeline that names ikigai leads into a program that builds commands from its input. */
function pipesName(commands: readonly SimpleCommand[]): boolean {
  let isNamed = false;
  return commands.some(({ words, before }) => {
    if (before !== "|") isNamed = false;
    const isBuilder = words.some((word) => buildsWords.has(programName(word))) || runsShell(words);
    if (isNamed && runsArguments(words) && isBuilder && !runsInert(words)) return true;
    isNamed ||= words.some(({ text }) => tokensOf(foldName(text)).some(isIkigai));
    return false;
  });
}

/** Words after ikigai that send a request to a model or a server, or run tools. */
const startsModel =
  /^(?:models|init|replay|-p|--print|-c|--continue|-r|--resume|--model|--permission-mode|--allow|--output-format)(?:=.*)?$/;

/** Options that only a conversation of ikigai has, wherever they are. */
const startsUnasked = /^--(?:permission-mode|allow|print|output-format)(?:=|$)/;

/** The first words of ikigai's commands. Any other word after its name may be a message, but also a directory or an option's value. */
export const ikigaiCommands: ReadonlySet<string> = new Set(
  "acp completion config doctor help hook init login logout mcp models replay setup tool trust uninstall upgrade version".split(
    " ",
  ),
);

const information = new Set(["--help", "-h", "--version", "-v", "version"]);
const explaining = new Set(["help", "doctor", "completion"]);
const configReaders = new Set(["get", "path", "schema"]);
const toolReaders = new Set(["list", "show", "log"]);

/** Whether words after ikigai only show something. Everything unknown is not harmless, and `tool call` does not know the rules and hooks. */
function isHarmless(operands: readonly string[]): boolean {
  const named = operands.findIndex((word) => !isIkigai(word));
  const [first = "", second = "", ...rest] = named < 0 ? [] : operands.slice(named);
  const others = [second, ...rest];
  if (others.some((word) => startsModel.test(word) || tokensOf(word).some(isIkigai))) return first === "help";
  if (information.has(first)) return others.every((word) => word === "");
  if (explaining.has(first)) return true;
  return (first === "config" && configReaders.has(second)) || (first === "tool" && toolReaders.has(second));
}
