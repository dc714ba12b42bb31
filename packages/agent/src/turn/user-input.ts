import type { Image } from "@ikigai/models";

/** A user message with its images. */
export interface UserInput {
  readonly text: string;
  readonly images?: readonly Image[];
}
