import type { ShellWord } from "./read-word.ts";

/*
 * What makes a program that reads, or does what its name says, run or write what its arguments name: a hint for rules with a star, and
 * for commands that are taken for reading ones. Only the sandbox holds what is missing here.
 */

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
