/** What a part may hold beside commands without doing more than they do: output thrown away or joined. */
const harmlessRedirects = /(?<=\s|^)(?:[12]?>&[12]|[12&]?>>?\s*\/dev\/null|<\s*\/dev\/null)(?=\s|$)/g;

/** Characters that end a command and begin another. */
const separators = new Set([";", "&", "|", "\n"]);

/**
 * The single commands of a shell command, or `undefined` where that cannot be told for certain: substitution, a
 * redirection to or from a file, a group, a quote without end, an escape that shells read differently.
 */
export function shellParts(command: string): string[] | undefined {
  const text = command.replace(/\\\n/g, " ").replace(harmlessRedirects, " ");
  const parts: string[] = [];
  let part = "";
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (separators.has(character)) {
      parts.push(part);
      part = "";
      continue;
    }
    const end = tokenEnd(text, index);
    if (end === undefined) return undefined;
    part += text.slice(index, end);
    index = end - 1;
  }
  return [...parts, part].map((one) => one.trim()).filter((one) => one !== "");
}

/** Where what begins at `index` ends: after a quotation, an escaped character, or one plain one. */
function tokenEnd(text: string, index: number): number | undefined {
  const character = text.charAt(index);
  const next = text.charAt(index + 1);
  if (character === "'") return after(text.indexOf("'", index + 1));
  if (character === '"') return doubleQuoteEnd(text, index);
  if (character === "\\") return next === "" ? undefined : index + 2;
  if (character === "$" && /[('"]/.test(next)) return undefined;
  if ("`<>(){}".includes(character) || isControl(character)) return undefined;
  return index + 1;
}

function doubleQuoteEnd(text: string, start: number): number | undefined {
  for (let index = start + 1; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === '"') return index + 1;
    if (character === "\\") index++;
    else if (character === "`" || (character === "$" && text.charAt(index + 1) === "(")) return undefined;
  }
  return undefined;
}

function after(index: number): number | undefined {
  return index < 0 ? undefined : index + 1;
}

function isControl(character: string): boolean {
  return character < " " && character !== "\t";
}

/** Every piece that could be a command, wherever a shell might see one: for rules that forbid. */
export function possibleCommands(command: string): string[] {
  return command
    .split(/[;&|\n`(){}<>"']|\$\(/)
    .map((one) => one.trim())
    .filter((one) => one !== "");
}
