import type { Image } from "../model/message.ts";

/** What a user says, with what they show. */
export interface UserInput {
  readonly text: string;
  readonly images?: readonly Image[];
}
