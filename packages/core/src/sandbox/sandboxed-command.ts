import { realPathOf } from "../files/real-path-of.ts";
import type { Command } from "../process/start-process.ts";
import type { SandboxPolicy, SandboxSettings } from "./sandbox-policy.ts";
import { temporaryDirectory } from "./temporary-directory.ts";
import { wrap } from "./wrap.ts";

/** What is different from process to process. */
export type SandboxPlace = Pick<SandboxPolicy, "projectDir" | "isReadOnly" | "toolFiles">;

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
  const policy = { ...settings, ...place, cwd: realPathOf(command.cwd), temporaryDir };
  const wrapped = wrap([command.path, ...command.args], policy);
  if ("problem" in wrapped) return { failure: `the sandbox cannot be started: ${wrapped.problem}` };
  const [path, ...args] = wrapped.argv;
  const env: NodeJS.ProcessEnv = {
    ...command.env,
    IKIGAI_SANDBOX: process.platform === "linux" ? "bubblewrap" : "sandbox-exec",
  };
  for (const name of outsideNames) delete env[name];
  env.TMPDIR = process.platform === "linux" ? "/tmp" : temporaryDir;
  return {
    ...command,
    path,
    args,
    env,
    ...(process.platform === "linux" && { through: { kind: "sandbox" } as const }),
  };
}
