import { fileURLToPath } from "node:url";

/** The command's own program, which runs agents. The build puts it beside the file that contains this one. */
export const binPath = fileURLToPath(new URL("ikigai.js", import.meta.url));
