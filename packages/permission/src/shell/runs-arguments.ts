import { basename } from "node:path";
import type { ShellWord } from "./read-word.ts";

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
