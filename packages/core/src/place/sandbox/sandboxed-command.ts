import { realPathOf } from "../../files/real-path-of.ts";
import { withoutSecretVariables } from "../../process/secret-variables.ts";
import type { Command } from "../../process/start-process.ts";
import { withoutPointers } from "./pointed-places.ts";
import type { SandboxPolicy, SandboxSettings } from "./sandbox-policy.ts";
import { temporaryDirectory } from "./temporary-directory.ts";
import { wrap } from "./wrap.ts";

/** What is different from process to process. */
export type SandboxPlace = Pick<SandboxPolicy, "projectDir" | "isReadOnly" | "toolFiles"> & {
  /** The variables that the tool is given because its schema asks for them. */
  readonly wantedKeys?: readonly string[] | undefined;
};

/** Variables that name sockets and terminals outside, where they cannot be reached. */
const outsideNames = [
  "DBUS_SESSION_BUS_ADDRESS",
  "DISPLAY",
  "DOCKER_HOST",
  "GPG_AGENT_INFO",
  "SSH_AGENT_PID",
  "SSH_AUTH_SOCK",
  "TMUX",
  "WAYLAND_DISPLAY",
  "XDG_RUNTIME_DIR",
];

/** The same command in a sandbox, or why it cannot be started: the end of a sentence. */
export function sandboxedCommand(
  command: Command,
  settings: SandboxSettings,
  place: SandboxPlace,
): Command | { readonly failure: string } {
  let temporaryDir: string;
  try {
    temporaryDir = temporaryDirectory();
  } catch (error) {
    return { failure: `the sandbox cannot be started: it has no temporary directory: ${(error as Error).message}` };
  }
  const { wantedKeys = [], ...own } = place;
  const granted = [...(settings.env ?? []), ...wantedKeys];
  const cwd = realPathOf(command.cwd);
  // What starts the tool may be an interpreter somewhere else, which has to be seen as well.
  const toolFiles = [...own.toolFiles, command.path, realPathOf(command.path)];
  const policy = { ...settings, ...own, toolFiles, env: granted, environment: command.env, cwd, temporaryDir };
  const wrapped = wrap([command.path, ...command.args], policy);
  if ("problem" in wrapped) return { failure: `the sandbox cannot be started: ${wrapped.problem}` };
  const [path, ...args] = wrapped.argv;
  const env: NodeJS.ProcessEnv = {
    ...withoutPointers(withoutSecretVariables(command.env, granted), granted),
    IKIGAI_SANDBOX: process.platform === "linux" ? "bubblewrap" : "sandbox-exec",
  };
  for (const name of outsideNames) delete env[name];
  env.TMPDIR = process.platform === "linux" ? "/tmp" : temporaryDir;
  return {
    ...command,
    path,
    args,
    env,
    filter: wrapped.filter,
    ...(process.platform === "linux" && { through: { kind: "sandbox" } as const }),
  };
}
