import { languageOfClass } from "./code-language.ts";
import { blockElements } from "./element-rules.ts";
import type { PageEvent, Tag } from "./page.ts";

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
