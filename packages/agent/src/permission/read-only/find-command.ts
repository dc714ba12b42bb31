import type { ShellWord } from "../shell/read-shell.ts";
import type { GivenArguments } from "./command-spec.ts";

/** Parts of an expression without a value. */
const alone = new Set(
  (
    "( ) ! , -a -and -o -or -not -true -false -empty -print -print0 -ls -prune -quit -depth -d -xdev -mount -daystart " +
    "-nouser -nogroup -readable -writable -executable -noleaf -warn -nowarn"
  ).split(" "),
);

/** Parts with one value. */
const withValue = new Set(
  (
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -mtime " +
    "-mmin -atime -amin -ctime -cmin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -used -printf"
  ).split(" "),
);

/** Parts that name a file to compare with. */
const withPath = /^-(?:newer(?:[acmB][acmB])?|samefile)$/;

/** Parts that are left out on purpose, and what they do. */
export const findRefused: Readonly<Record<string, string>> = {
  "-delete": "removes files",
  "-exec": "runs a program",
  "-execdir": "runs a program",
  "-ok": "runs a program",
  "-okdir": "runs a program",
  "-fprint": "writes a file",
  "-fprint0": "writes a file",
  "-fprintf": "writes a file",
  "-fls": "writes a file",
  "-files0-from": "reads the names of directories from a file",
  "-L": "follows symlinks, which may lead out of the project",
  "-follow": "follows symlinks, which may lead out of the project",
};

/** Sorts the arguments of `find`: paths first, then an expression, which may run programs, write and delete. */
export function sortFindArguments(words: readonly ShellWord[]): GivenArguments | string {
  const paths: ShellWord[] = [];
  let index = 0;
  while (words[index]?.text === "-P" || words[index]?.text === "-H") index++;
  for (; index < words.length; index++) {
    const word = words[index] as ShellWord;
    if (/^[-(),!]/.test(word.text)) break;
    paths.push(word);
  }
  const operands = [...paths];
  while (index < words.length) {
    const { text, isPattern } = words[index++] as ShellWord;
    if (isPattern) return `${text} may expand to options`;
    if (alone.has(text)) continue;
    const value = words[index++];
    if (withPath.test(text) && value) paths.push(value);
    else if (!withValue.has(text))
      return findRefused[text] ? `${text} ${findRefused[text]}` : `${text} is not known to be read-only`;
    // Its expansion may be read as options.
    else if (value?.isPattern || value?.isTilde) paths.push(value);
  }
  return { options: [], operands, paths, programs: [] };
}
