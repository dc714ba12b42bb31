import type { HostMethod } from "@ikigai/protocol";

/** The host's methods that the tool of this process declares; `undefined` before `serve` runs it. */
let declared: readonly string[] | undefined;

/** Notes which of the host's methods the tool declares. */
export function declareHostMethods(methods: readonly string[]): void {
  declared = methods;
}

/** @throws Error if the tool does not declare this method: no host has it then, whoever is there. */
export function checkDeclared(method: HostMethod): void {
  if (declared?.includes(method) === false)
    throw new Error(`${method} needs ikigai: { host: ["${method}"] } in defineTool.`);
}
