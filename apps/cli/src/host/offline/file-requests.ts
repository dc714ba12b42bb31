import { callOf, type PlainRequest } from "./plain-request.ts";
import { quotedOr, unquote } from "./unquote.ts";

/** A pattern of a request, and what it means. Groups are named. */
export interface RequestForm {
  readonly pattern: RegExp;
  toRequest(groups: Readonly<Record<string, string | undefined>>): PlainRequest;
}

const path = quotedOr(String.raw`\S+`);
const some = quotedOr(".+?");

/** `form("read (?<file>PATH)")`: PATH is one word or a quoted text, SOME any text or a quoted one. */
export function form(source: string, toRequest: RequestForm["toRequest"]): RequestForm {
  const pattern = source.replaceAll("PATH", path).replaceAll("SOME", some).replaceAll(" ", String.raw`\s+`);
  return { pattern: new RegExp(`^(?:${pattern})$`, "is"), toRequest };
}

const readVerb = "(?:read|show|cat|open|print|display|view)(?: me)?(?: the)?(?: contents? of)?(?: file)?";
const lineRange = String.raw`(?:lines? )?(?<first>\d+)(?:\s*(?:-|–|\.\.|to|through)\s*(?<last>\d+))?`;

function read({ file = "", first, last, count }: Readonly<Record<string, string | undefined>>): PlainRequest {
  const file_path = unquote(file);
  if (count) return callOf("file_read", { file_path, limit: Number(count) });
  if (!first) return callOf("file_read", { file_path });
  return callOf("file_read", { file_path, offset: Number(first), limit: Number(last ?? first) - Number(first) + 1 });
}

function replace(groups: Readonly<Record<string, string | undefined>>): PlainRequest {
  const { old = "", next = "", file = "", all, everywhere } = groups;
  const args = { file_path: unquote(file), old_string: unquote(old), new_string: unquote(next) };
  return callOf("file_edit", all || everywhere ? { ...args, replace_all: true } : args);
}

function write({ text = "", file = "" }: Readonly<Record<string, string | undefined>>): PlainRequest {
  return callOf("file_write", { file_path: unquote(file), content: unquote(text) });
}

/** Reading, replacing and writing, in the ways people say it. The first form that fits counts. */
export const fileForms: readonly RequestForm[] = [
  form(`${readVerb} ${lineRange} (?:of|from|in) (?<file>PATH)`, read),
  form(`${readVerb} (?:the )?first (?<count>\\d+) lines (?:of|from|in) (?<file>PATH)`, read),
  form(
    `${readVerb} (?<file>PATH),?(?: from)? lines? (?<first>\\d+)(?:\\s*(?:-|–|\\.\\.|to|through)\\s*(?<last>\\d+))?`,
    read,
  ),
  form(`${readVerb} (?<file>[^\\s"'\`]+?):(?<first>\\d+)(?:-(?<last>\\d+))?`, read),
  form(`${readVerb} (?<file>PATH)`, read),
  form(
    "(?:replace|change|substitute)(?<all> all| every)?(?: occurrences? of)? (?<old>SOME) (?:with|by|to) (?<next>SOME) in (?:the )?(?:file )?(?<file>PATH)(?<everywhere> everywhere)?",
    replace,
  ),
  form(
    "(?:write|save|put) (?:(?:the )?text )?(?<text>SOME) (?:in)?to (?:the |a )?(?:new )?(?:file )?(?:called |named )?(?<file>PATH)",
    write,
  ),
  form("(?:write|save) (?:to )?(?:the |a )?(?:file )?(?<file>PATH)\\s*: ?(?<text>.*)", write),
  form(
    "(?:create|make|write)(?: a| the)?(?: new)?(?: file)?(?: called| named)? (?<file>PATH) (?:with|containing|saying)(?: the)?(?: contents?| text)?:? (?<text>.+)",
    write,
  ),
  form("(?:create|make|touch)(?: an| a)?(?: new)?(?: empty)?(?: file)?(?: called| named)? (?<file>PATH)", write),
];
