import { asciiSigns, type Signs } from "../../render/style.ts";
import { createImageTerminal, type ImageTerminal, type ImageTerminalOptions } from "../terminal/image-terminal.ts";
import { whenNotLent } from "../terminal/lend-terminal.ts";
import type { Surface } from "../terminal/surface.ts";

/** Returns what finds out how the terminal of a surface takes images. */
export function imagesOn(surface: Surface, env: ImageTerminalOptions["env"], signs: Signs): ImageTerminal {
  return createImageTerminal({
    env,
    isAscii: signs === asciiSigns,
    async ask(question) {
      // Another program would get the answer.
      await whenNotLent();
      surface.signal(question);
    },
  });
}
