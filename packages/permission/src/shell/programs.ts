// What is known about programs by their names: which of their options and scripts run or write what they name, which programs run
// others, and what therefore no star of an allow rule covers: such an option, or a `..`. A rule covers what it names:
// `bash(find . -exec wc *)`. For commands that are taken for reading ones it is a hint; only the sandbox holds what is missing here.

import { basename } from "node:path";
import type { ShellWord } from "./shell.ts";

/** Options by program, or by command of git; those of `*` count for every program. Long ones count abbreviated, too. */
const options: Readonly<Record<string, string>> = {
  "*": "--exec --eval --upload-pack --receive-pack -exec -execdir -toolexec",
  awk: "-f -i -l -E --file --include --load",
  cargo: "--config",
  date: "-s --set -f --file",
  diff: "-l --paginate",
  fd: "-x -X --exec-batch",
  fdfind: "-x -X --exec-batch",
  file: "-C --compile -m --magic-file -z -Z -S",
  find: "-delete -ok -okdir -fprint -fprint0 -fprintf -fls -files0-from",
  gofmt: "-w -cpuprofile -r",
  go: "-vettool",
  hostname: "-F -b",
  make: "-E",
  printf: "-v",
  rg: "--pre --hostname-bin -z --search-zip",
  sed: "-i --in-place -f --file",
  sort: "-o --output -T --temporary-directory --compress-program",
  tar: "-I -F --to-command --checkpoint-action --use-compress-program --rsh-command --info-script",
  tree: "-o -R",
  xxd: "-r",
  git: "--output --ext-diff --textconv --open-files-in-pager --show-signature --filters --edit-description",
  "git branch": "-d -D -m -M -c -C -f -u --delete --move --copy --force --set-upstream-to --unset-upstream",
  "git clone": "-c --config -u",
  "git grep": "-O",
  "git rebase": "-x",
  "git tag": "-d -a -s -u -m -F -f --delete --annotate --sign --local-user --message --file --force",
};

/** Options of git before its command: they say what runs, and where. */
const beforeCommand = "-c --config-env --exec-path --git-dir --work-tree -p --paginate".split(" ");

/** A `sed` command that selects, changes or prints lines, with its addresses. */
const address = String.raw`(?:[\d$]+(?:~\d+)?|\/(?:[^\\/\n]|\\.)*\/I?)`;
const text = String.raw`(?:(?!\1)[^\\\n]|\\.)*`;
const sedCommand = new RegExp(
  String.raw`^\s*(?:${address}(?:\s*,\s*[+~]?${address})?)?\s*!?\s*(?:[=dDgGhHlnNpPqx]|s([^\w\s\\])${text}\1${text}\1[gipIm\d]*|)\s*$`,
);

/** Longest script that is looked at, in UTF-16 code units. */
export const maxScriptLength = 1_000;

/**
 * The parts of a command that run or write what they name: the names of options, and whole scripts.
 *
 * @param program its name without a directory.
 */
export function dangersIn(program: string, words: readonly Pick<ShellWord, "text">[]): string[] {
  const texts = words.map((word) => word.text);
  return [...optionsIn(program, texts), ...scriptsIn(program, texts).filter((script) => !isHarmless(program, script))];
}

function optionsIn(program: string, texts: readonly string[]): string[] {
  const at = program === "git" ? texts.findIndex((one) => !one.startsWith("-")) : 0;
  const known = listed([program, ...(at > 0 || program === "git" ? [`git ${texts[at] ?? ""}`] : [])]);
  return texts.flatMap((one, index) => {
    const [name = one] = one.split("=", 1);
    if (!/^-[^-]|^--./.test(name)) return [];
    const all = index < at ? [...known, ...beforeCommand] : known;
    const meant = all.find(
      (each) => each === name || (each.startsWith("--") && name.length > 3 && each.startsWith(name)),
    );
    if (meant !== undefined) return [meant];
    // Letters in one word; find and go have whole words after one dash.
    if (name.startsWith("--") || program === "find") return [];
    return [...name.slice(1)].map((letter) => `-${letter}`).filter((letter) => all.includes(letter));
  });
}

function listed(names: readonly string[]): string[] {
  return ["*", ...names].flatMap((name) => (Object.hasOwn(options, name) ? (options[name] ?? "").split(" ") : []));
}

/** The scripts of a program that has its own language. */
function scriptsIn(program: string, texts: readonly string[]): string[] {
  const isSed = program === "sed";
  if (!isSed && !/^[gmn]?awk$/.test(program)) return [];
  const scripts: string[] = [];
  let hasScript = false;
  for (let index = 0; index < texts.length; index++) {
    const one = texts[index] ?? "";
    const [isScript, attached] =
      (isSed ? /^(?:-[nErsz]*e|--expression=?)(.*)$/s : /^(?:-e|--source=?)(.*)$/s).exec(one) ?? [];
    if (isScript !== undefined) {
      hasScript = true;
      scripts.push(attached || (texts[++index] ?? ""));
    } else if (!isSed && /^-[Fv]$/.test(one)) index++;
    else if (!/^-./.test(one) && !hasScript) {
      // It is one unless an option gives another; with POSIXLY_CORRECT, also then.
      hasScript = true;
      scripts.push(one);
    }
  }
  return scripts;
}

function isHarmless(program: string, script: string): boolean {
  if (script.length > maxScriptLength) return false;
  if (program !== "sed") return !/system|getline|[|>@]/.test(script);
  return sedCommand.test(script) || script.split(/[;\n]/).every((command) => sedCommand.test(command));
}

/** Programs and builtins whose arguments name a program to run. */
const runners = new Set(
  (
    ". arch builtin busybox bwrap caffeinate cgexec choom chroot chrt command corepack dbus-launch dbus-run-session doas " +
    "dumb-init eatmydata entr env exec faketime fakeroot firejail flock gdb gosu hyperfine ionice jobs ltrace nice nohup nsenter " +
    "numactl parallel pkexec prlimit proxychains proxychains4 rlwrap rr run0 runuser script setarch setpriv setsid sg source " +
    "ssh ssh-agent start-stop-daemon stdbuf strace su su-exec sudo systemd-inhibit systemd-run taskset timeout tini torify " +
    "torsocks toybox unbuffer unshare valgrind watch xargs xvfb-run"
  ).split(" "),
);

/** Options of find and fd that are followed by a command. */
const runningOption = /^(?:-exec|-execdir|-ok|-okdir|-x|-X|--exec|--exec-batch)$/;

/** Those of them that may take a command as one text. */
const textRunners = new Set("env flock parallel script sg ssh su watch".split(" "));

const shells = new Set("ash bash csh dash fish ksh mksh rbash sh tcsh yash zsh".split(" "));

/** Returns the program that a word names, as found by a case-insensitive file system. */
export function programName({ text }: ShellWord): string {
  return basename(text).toLowerCase();
}

/** Whether a command runs a program that its arguments name. */
export function runsArguments(words: readonly ShellWord[]): boolean {
  const [first, ...operands] = words;
  if (first === undefined) return false;
  const name = programName(first);
  if (name === "command") return !operands[0] || !/^-[a-z]*v/i.test(operands[0].text);
  if (name === "find" || name === "fd" || name === "fdfind") {
    return operands.some(({ text }) => runningOption.test(text));
  }
  return runners.has(name) || shells.has(name);
}

/** Whether a shell is among a command's words. */
export function runsShell(words: readonly ShellWord[]): boolean {
  return words.some((word) => shells.has(programName(word)));
}

/**
 * Whether a command runs something that its words do not show: a shell that reads commands from a text or its input, another
 * text that is run as a command, or a program whose name is a pattern or comes from the input.
 */
export function runsUnknown(words: readonly ShellWord[]): boolean {
  if (setsGitAlias(words)) return true;
  if (!runsArguments(words)) return false;
  if (words.some(({ isPattern, isTilde }) => isPattern || isTilde)) return true;
  const names = words.map(programName);
  const start = names.findIndex((name) => shells.has(name));
  if (start >= 0 && readsCommands(words.slice(start + 1))) return true;
  if (names[0] === "xargs" && names.slice(1).some((name) => runners.has(name))) return true;
  return names.some((name) => textRunners.has(name)) && words.some(({ text }) => /[\s"'\\]/.test(text));
}

/** Whether git may get the meaning of its subcommand from an option before it: an alias, or a file that may define one. */
function setsGitAlias(words: readonly ShellWord[]): boolean {
  const git = words.findIndex((word) => programName(word) === "git");
  if (git < 0) return false;
  if (words.slice(0, git).some(({ text }) => text.startsWith("GIT_CONFIG"))) return true;
  const texts = words.slice(git + 1).map(({ text }) => text.toLowerCase());
  return texts.some((text, index) => {
    const setting = texts[index - 1] === "-c" ? text : text.replace(/^-c|^--config-env(?:=|$)/, "");
    return /^(?:alias|include|includeif)\./.test(setting);
  });
}

/** Whether a shell with these operands runs anything but a file. */
function readsCommands(operands: readonly ShellWord[]): boolean {
  const texts = operands.map(({ text }) => text);
  const file = texts.findIndex((text) => !/^[-+]/.test(text));
  return file < 0 || texts.slice(0, file).some((option) => /^[-+][a-z]*[cs]/i.test(option));
}

/** A path segment that may become `..`: shells let `.*` match it. */
const mayBeParent = /^\.(?:\.$|\.?[*?[])/;

/** Whether a command has something that is in none of a rule's words, and that a star does not cover. */
export function exceedsStars(pattern: string, words: readonly ShellWord[]): boolean {
  const named = pattern.split(/\s+/).map((one) => ({ text: one, isPattern: false }));
  if (countParents(words) > countParents(named)) return true;
  const [first, ...rest] = words;
  if (first === undefined) return false;
  const program = programName(first);
  // It may expand to any option.
  if (rest.some(({ text, isPattern }) => isPattern && text.startsWith("-") && !pattern.includes(text))) return true;
  const covered = new Set(dangersIn(program, named.slice(1)));
  const isCovered = (danger: string) => covered.has(danger) || (!danger.startsWith("-") && pattern.includes(danger));
  return !dangersIn(program, rest).every(isCovered);
}

/** How many segments of paths are, or may become, `..`. */
function countParents(words: readonly Pick<ShellWord, "text" | "isPattern">[]): number {
  const isParent = (segment: string, isPattern: boolean) =>
    segment === ".." || (isPattern && mayBeParent.test(segment));
  return words.reduce((sum, { text, isPattern }) => {
    const segments = text.replace(/^-\w(?=\.\.)/, "").split(/[/=:,"]/);
    return sum + segments.filter((segment) => isParent(segment, isPattern)).length;
  }, 0);
}

/** Whether the strings in a call's arguments have more `..` than a rule's pattern. Texts with blanks are no paths. */
export function hasMoreParents(pattern: string, value: unknown): boolean {
  const texts: string[] = [];
  JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === "string" && !/\s/.test(one)) texts.push(one);
    return one;
  });
  const asWords = (all: readonly string[]) => all.map((text) => ({ text, isPattern: false }));
  return countParents(asWords(texts)) > countParents(asWords([pattern]));
}
