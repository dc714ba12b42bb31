/** A setting in a git configuration file. */
export interface GitSetting {
  /** Section and key, without the subsection, in lower case: `include.path`. */
  readonly name: string;
  readonly value: string;
}

/** The escapes in values. */
const escapes: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b", '"': '"', "\\": "\\" };

/**
 * Parses a git configuration file: sections, comments, quotes, values over several lines. Skips lines that git would reject.
 */
export function readGitConfig(text: string): GitSetting[] {
  const settings: GitSetting[] = [];
  const source = text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  let section = "";
  let at = 0;
  while (at < source.length) {
    const rest = source.slice(at, at + maxHeadLength);
    const blank = /^\s+|^[#;][^\n]*/.exec(rest)?.[0];
    const head = blank === undefined ? /^\[\s*([\w.-]+)(?:\s+"(?:\\.|[^"\\\n])*")?\s*\]/.exec(rest) : null;
    const key = blank === undefined && head === null ? /^([A-Za-z][\w-]*)[ \t]*(=?)/.exec(rest) : null;
    if (blank !== undefined) at += blank.length;
    else if (head !== null) {
      section = (head[1] ?? "").toLowerCase().replace(/\..*/s, "");
      at += head[0].length;
    } else if (key !== null) {
      const read = key[2] === "=" ? readValue(source, at + key[0].length) : { value: "", end: at + key[0].length };
      settings.push({ name: `${section}.${(key[1] ?? "").toLowerCase()}`, value: read.value });
      at = read.end;
    } else {
      const end = source.indexOf("\n", at);
      at = end < 0 ? source.length : end;
    }
  }
  return settings;
}

/** Longer than any section header or key, in characters. */
const maxHeadLength = 4_096;

/** @param start the offset after the equals sign. */
function readValue(source: string, start: number): { value: string; end: number } {
  let value = "";
  // The length that must not be trimmed: up to the last quoted or non-space character.
  let keptLength = 0;
  let isQuoted = false;
  let at = start;
  for (; at < source.length; at++) {
    const character = source.charAt(at);
    if (character === "\n") break;
    if (!isQuoted && (character === "#" || character === ";")) {
      const end = source.indexOf("\n", at);
      at = end < 0 ? source.length : end;
      break;
    }
    if (character === "\\") {
      at++;
      if (source.charAt(at) === "\n") continue;
      value += escapes[source.charAt(at)] ?? source.charAt(at);
      keptLength = value.length;
    } else if (character === '"') {
      isQuoted = !isQuoted;
      keptLength = value.length;
    } else if (isQuoted || !/\s/.test(character)) {
      value += character;
      keptLength = value.length;
    } else if (value !== "") value += character;
  }
  return { value: value.slice(0, keptLength), end: at };
}
