/** Text as roff has it: nothing in it is a request, an escape or a character that a terminal might lack. */
function escaped(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(
      /[^\x20-\x7e]/gu,
      (character) => `\\[u${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}]`,
    )
    .replace(/^([.'])/, "\\&$1");
}

/** A line of text. */
export function roffText(text: string): string {
  return `${escaped(text)}\n`;
}

export function bold(text: string): string {
  return `.B "${escaped(text).replaceAll('"', "\\(dq")}"\n`;
}

export function section(title: string): string {
  return `.SH ${quoted(title)}\n`;
}

export function subsection(title: string): string {
  return `.SS ${quoted(title)}\n`;
}

export function paragraph(text: string): string {
  return `.PP\n${roffText(text)}`;
}

/** What is explained, and the explanation. */
export function term(tag: string, meaning: string): string {
  return `.TP\n${tag}${meaning}`;
}

/** Lines that stay as they are. */
export function literal(lines: readonly string[]): string {
  return `.PP\n.nf\n${lines.map((line) => (line === "" ? ".sp\n" : roffText(line))).join("")}.fi\n`;
}

function quoted(title: string): string {
  return `"${escaped(title).replaceAll('"', "\\(dq")}"`;
}
