import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";

const program = "/usr/sbin/sshd";

/** Whether this machine can act as a remote host. Tests that need one are skipped otherwise, and say so in their titles. */
export const hasSshd =
  spawnSync(program, ["-V"]).error === undefined &&
  spawnSync("ssh", ["-V"]).error === undefined &&
  spawnSync("ssh-keygen", ["-?"]).error === undefined;

/** A host to reach by ssh. */
export interface RemoteHost {
  /** The launcher for it. */
  readonly launcher: readonly string[];
  /** Breaks all connections, like a lost network. */
  disconnect(): void;
  close(): void;
}

/** Starts an sshd on loopback with throw-away keys. */
export async function startSshd(): Promise<RemoteHost> {
  const dir = await tempDir();
  for (const name of ["host", "own"]) spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(dir, name)]);
  const port = await freePort();
  const settings = [
    `ListenAddress=127.0.0.1`,
    `Port=${port}`,
    `HostKey=${join(dir, "host")}`,
    `AuthorizedKeysFile=${join(dir, "own.pub")}`,
    "StrictModes=no",
    "UsePAM=no",
    "PidFile=none",
    "PermitRootLogin=yes",
    "PasswordAuthentication=no",
  ];
  if (process.getuid?.() === 0) spawnSync("mkdir", ["-p", "/run/sshd"]);
  const server = spawn(program, ["-D", "-e", "-f", "/dev/null", ...settings.flatMap((setting) => ["-o", setting])], {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  let said = "";
  server.stderr.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  const disconnect = () => {
    for (const line of spawnSync("ps", ["-Ao", "pid=,ppid="], { encoding: "utf8" }).stdout.split("\n")) {
      const [pid, parent] = line.trim().split(/\s+/).map(Number);
      if (pid !== undefined && parent === server.pid) process.kill(pid, "SIGKILL");
    }
  };
  const close = () => {
    disconnect();
    server.kill("SIGKILL");
  };
  while (!said.includes("listening")) {
    if (server.exitCode !== null) throw new Error(`sshd ended: ${said}`);
    await new Promise((settle) => setTimeout(settle, 10));
  }
  const options = ["UserKnownHostsFile=/dev/null", "StrictHostKeyChecking=no", "BatchMode=yes", "LogLevel=ERROR"];
  const own = ["-F", "/dev/null", "-i", join(dir, "own"), "-p", String(port)];
  return { launcher: ["ssh", ...own, ...options.flatMap((option) => ["-o", option]), "127.0.0.1"], disconnect, close };
}

function freePort(): Promise<number> {
  return new Promise((settle) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => settle(typeof address === "object" && address ? address.port : 0));
    });
  });
}
