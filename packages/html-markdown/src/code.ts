import { blockElements } from "./element-rules.ts";
import type { Attributes, PageEvent, Tag } from "./page.ts";

/** A code span whose fence is longer than any run of backticks inside. */
export function codeSpan(code: string): string {
  const fence = "`".repeat(longestRun(code) + 1);
  const padding = code.startsWith("`") || code.endsWith("`") ? " " : "";
  return fence + padding + code + padding + fence;
}

/** A code block, with its tabs; nothing if there is no code. */
export function codeBlock(text: string, language = ""): string {
  const code = text
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replace(/(?![\t\n])\p{Cc}|\ufeff/gu, "")
    .replaceAll("\u00a0", " ")
    .replace(/^\n/, "")
    .trimEnd();
  const fence = "`".repeat(Math.max(3, longestRun(code) + 1));
  return code.trim() === "" ? "" : `${fence}${language}\n${code}\n${fence}`;
}

function longestRun(code: string): number {
  let longest = 0;
  for (const [run] of code.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}

const languageClass = /(?:^|\s)(?:language|lang|highlight-source|highlight)-([a-z0-9+#._-]{1,30})(?=\s|$)/i;
/** What highlighters write for code in no language in particular. */
const noLanguage = /^(?:none|default|text|plain|plaintext|plain-text|notranslate|auto)$/;

/** The language of a code block by the class of an element, as highlighters and sites write it. */
export function languageOfClass(attributes: Attributes): string | undefined {
  if (attributes.size === 0) return undefined;
  const named = attributes.get("data-lang") ?? attributes.get("data-language");
  const language =
    named !== undefined && /^[a-z0-9+#._-]{1,30}$/i.test(named)
      ? named
      : languageClass.exec(attributes.get("class") ?? "")?.[1];
  return language && !noLanguage.test(language.toLowerCase()) ? language.toLowerCase() : undefined;
}

const preformatted = new Set(["pre", "xmp", "listing", "plaintext"]);

export function isPreformatted({ name }: Tag): boolean {
  return preformatted.has(name);
}

/** The text of a preformatted element, and what it says about its language. */
export interface Code {
  readonly text: string;
  readonly language: string | undefined;
  /** Index of its closing tag. */
  readonly end: number;
}

/** Reads a preformatted element as it is displayed: blocks inside are lines. */
export function readCode(events: readonly PageEvent[], start: number, tag: Tag): Code {
  const pieces: string[] = [];
  let language = languageOfClass(tag.attributes);
  let depth = 0;
  let index = start;
  for (; index < events.length; index++) {
    const event = events[index];
    if (event === undefined) break;
    if (typeof event === "string") {
      pieces.push(event);
    } else if ("closes" in event) {
      if (event.closes === tag.name && depth === 0) break;
      if (event.closes === tag.name) depth -= 1;
      if (blockElements.has(event.closes) && !pieces.at(-1)?.endsWith("\n")) pieces.push("\n");
    } else {
      if (event.name === tag.name) depth += 1;
      if (event.name === "br") pieces.push("\n");
      language ??= languageOfClass(event.attributes);
    }
  }
  return { text: pieces.join(""), language, end: index };
}
