// Images in a message: reads those that the user mentions with `@`, and turns pasted paths into mentions.

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Image } from "@ikigai/models";
import { maxImageBytes, toImage } from "@ikigai/session";
import { fromUserHome, isInside, realPathOf } from "@ikigai/system";
import { fileSize } from "../render/short-forms.ts";

const imageName = /\.(?:png|jpe?g|gif|webp)$/i;

/** A word after `@`. A quote or a parenthesis of the sentence may open before it. */
const mention = /(?:^|\s)["'(]*@(?:"([^"]+)"|(\S+))/g;

/** An image name, and the punctuation of the sentence behind it. */
const imageThenPunctuation = /^(.+\.(?:png|jpe?g|gif|webp))(?:['’]s)?[.,;:!?)\]}>'"’”…]*$/i;

/** The images of a message. */
interface MentionedImages {
  readonly images: readonly Image[];
  /** Why others are not attached, one sentence each. */
  readonly problems: readonly string[];
}

/**
 * Reads the images that a message mentions with `@`.
 *
 * @param typed only what the user typed: the text of a custom command may come from a project.
 */
export function imagesIn(typed: string, projectDir: string): MentionedImages {
  const images: Image[] = [];
  const problems: string[] = [];
  const absolute = (path: string) => resolve(projectDir, fromUserHome(path));
  for (const [, quoted, plain = ""] of typed.matchAll(mention)) {
    const written = quoted ?? plain;
    const [, named = written] = (quoted === undefined && imageThenPunctuation.exec(written)) || [];
    // A file may have such a name.
    const path = named !== written && existsSync(absolute(written)) ? written : named;
    if (!imageName.test(path)) continue;
    const found = readImageOf(absolute(path), realPathOf(projectDir));
    if ("problem" in found) problems.push(`${path} is not attached: ${found.problem}.`);
    else images.push(found);
  }
  return { images, problems };
}

/** As `readImage`, but follows no symlink of the project out of it: the user sees a file of the project, and would send another. */
function readImageOf(path: string, projectDir: string): ReturnType<typeof readImage> {
  const real = realPathOf(path);
  if (isBelow(path, projectDir) && !isInside(real, projectDir))
    return { problem: `it leads out of the project, to ${real}. To attach it, mention this path` };
  return readImage(real);
}

/** Whether a path is in a directory, or goes through it, also under other names of the directory. */
function isBelow(path: string, directory: string): boolean {
  const parent = dirname(path);
  return isInside(realPathOf(parent), directory) || (parent !== path && isBelow(parent, directory));
}

/** Reads an image; `problem` is the end of a sentence that says why it cannot. */
function readImage(path: string): Image | { readonly problem: string } {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return { problem: "it is not a regular file" };
    if (stats.size > maxImageBytes) {
      return { problem: `it is ${fileSize(stats.size)}, and the limit is ${fileSize(maxImageBytes)}` };
    }
    return toImage(readFileSync(path)) ?? { problem: "it is not a PNG, JPEG, GIF or WebP image" };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { problem: code === "ENOENT" ? "no such file" : message };
  }
}

/**
 * Turns a pasted image path into a mention, or several paths into one each; terminals paste the paths of the files that are dropped
 * onto them. Undefined for any other text.
 */
export function pastedImage(pasted: string): string | undefined {
  const text = pasted.trim();
  if (!imageName.test(text.replace(/['"]$/, ""))) return undefined;
  const mentions = shellWords(text).map(mentionOf);
  if (mentions.every((one) => one !== undefined)) return mentions.join("");
  // Some terminals escape nothing in the path of a single file.
  return text.includes("\n") ? undefined : mentionOf(text.replace(/^(['"])(.*)\1$/, "$2"));
}

/** The words of a text as a shell reads them. */
function shellWords(text: string): string[] {
  const words = text.match(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g) ?? [];
  return words.map((word) =>
    word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single, double, escaped) => single ?? double ?? escaped),
  );
}

/** The mention of a pasted image; undefined if it is no image that can be read. */
function mentionOf(pasted: string): string | undefined {
  const path = pasted.startsWith("file://") ? fromUrl(pasted) : pasted;
  if (!path?.startsWith("/") || !imageName.test(path) || "problem" in readImage(path)) return undefined;
  return /\s/.test(path) ? `@"${path}" ` : `@${path} `;
}

function fromUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
