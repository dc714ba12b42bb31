import type { Image } from "../model/message.ts";

/** A user message with its images. */
export interface UserInput {
  readonly text: string;
  readonly images?: readonly Image[];
}
