import { fileURLToPath } from "node:url";
import type { ContentBlock, EmbeddedResource } from "@agentclientprotocol/sdk";
import { type Image, toImage, type UserInput, unsafeCommand } from "@ikigai/agent/internal";
import type { Agent } from "../host/open-agent.ts";
import { imagesIn } from "../session/images-in.ts";
import { ownMessage, unusedCommandFiles } from "../session/own-commands.ts";
import { badParams } from "./acp-error.ts";

/** A prompt, and why parts of it are not sent, one sentence each. */
export interface PromptInput {
  readonly input: UserInput;
  readonly problems: readonly string[];
}

/**
 * Turns the blocks of a prompt into a message. A link is only named: its file is read by a tool, if the permissions allow that.
 *
 * @throws RequestError for a block that cannot be sent.
 */
export async function promptInput(blocks: readonly ContentBlock[], agent: Agent): Promise<PromptInput> {
  const images: Image[] = [];
  const texts: string[] = [];
  const problems: string[] = [];
  for (const block of blocks) {
    if (block.type === "text") {
      texts.push(block.text);
      // Only text that the user wrote may attach a file.
      const mentioned = imagesIn(block.text, agent.places.projectDir);
      images.push(...mentioned.images);
      problems.push(...mentioned.problems);
    } else if (block.type === "image") images.push(imageOf(block.data));
    else if (block.type === "resource_link") texts.push(linkText(block.name, block.uri));
    else if (block.type === "resource") texts.push(resourceText(block.resource));
    else throw badParams("ikigai does not accept audio.");
  }
  const typed = texts.join("\n\n").trim();
  const own = await ownMessage(typed, agent.places);
  problems.push(...(own?.notices ?? (await withoutOwn(typed, agent))));
  const text = own?.text ?? typed;
  if (text === "" && images.length === 0) throw badParams("The prompt is empty.");
  return { input: { text, images }, problems };
}

/** Says that the file of a command is not used: a prompt like `/help` is sent as it is. */
async function withoutOwn(typed: string, { places }: Agent): Promise<string[]> {
  const [, name] = /^\/([\w:-]+)(?:\s|$)/.exec(typed) ?? [];
  if (name === undefined) return [];
  const unsafe = unsafeCommand(places.home, name);
  return unsafe === undefined ? unusedCommandFiles(places, name) : [unsafe];
}

function imageOf(data: string): Image {
  const image = toImage(Buffer.from(data, "base64"));
  if (image === undefined) throw badParams("Expected an image to be PNG, JPEG, GIF or WebP of at most 5 MB.");
  return image;
}

function linkText(name: string, uri: string): string {
  return `[${name}](${pathOf(uri) ?? uri})`;
}

function resourceText(resource: EmbeddedResource["resource"]): string {
  const name = pathOf(resource.uri) ?? resource.uri;
  if ("text" in resource) return `From ${name}:\n\n${resource.text}`;
  return `[${name}: binary, not sent]`;
}

/** The path of a `file:` URI of this machine. */
function pathOf(uri: string): string | undefined {
  try {
    return uri.startsWith("file:") ? fileURLToPath(uri) : undefined;
  } catch {
    return undefined;
  }
}
