import type { ShellWord } from "./read-word.ts";

/** Builtins of dash or bash after which, or in whose arguments, a name may have another meaning. */
const builtins = new Set(
  (
    "alias bind compgen complete compopt declare enable eval export fc getopts hash let local mapfile read readarray " +
    "readonly set shopt trap typeset unset"
  ).split(" "),
);

/** Builtins that evaluate array subscripts in their arguments, including substitutions: `[ -v 'a[$(…)]' ]`. */
const evaluators = new Set(["[", "test", "printf", "wait"]);

/** Settings that do not affect how words are read. */
const harmlessSetting = /^(?:[-+][eux]*o?|pipefail|errexit|nounset|xtrace)$/;

/** The format of bash's `printf` that sets the variable named by an argument, possibly `PATH`. */
const setsVariable = /%[^%a-zA-Z]*[hjlLqtzZ]*n/;

/** Whether `printf` may set a variable: by its option, its format, or a file name that expands to one of those. */
function printfSets([first, second]: readonly ShellWord[]): boolean {
  const format = first?.text === "--" ? second : first;
  if (format === undefined) return false;
  return format.text.startsWith("-v") || format.isPattern || setsVariable.test(format.text);
}

/** Whether a builtin changes what the shell runs for the words around it, or runs its arguments as text. */
export function changesMeaning(words: readonly ShellWord[]): boolean {
  const texts = words.map(({ text }) => text);
  // `command` and `builtin` can run a builtin too.
  const start = texts.findIndex(
    (text, index) => !/^(?:command|builtin)$/.test(text) && (index === 0 || !text.startsWith("-")),
  );
  const [name, ...operands] = start < 0 ? [] : texts.slice(start);
  if (name === undefined) return false;
  if (name === "set") return !operands.every((operand) => harmlessSetting.test(operand));
  if (!evaluators.has(name)) return builtins.has(name);
  if (name === "printf" && printfSets(words.slice(start + 1))) return true;
  if (name === "wait" && operands.some((operand) => /^-\w*p/.test(operand))) return true;
  return operands.some((operand) => operand.includes("[") && /[$`]/.test(operand));
}
