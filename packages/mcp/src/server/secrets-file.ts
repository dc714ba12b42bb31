import { rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "@ikigai/protocol";
import { readRegularFile, writePrivateFile } from "@ikigai/system";

/** Values by the names that stand for them in an entry. */
export type Secrets = Readonly<Record<string, string>>;

/** The largest file that is read from a server's data directory, in bytes: the server can write there, also from the sandbox. */
export const maxDataBytes = 1_048_576;

function secretsFile(dataDir: string): string {
  return join(dataDir, "secrets.json");
}

/** Reads a server's secrets; none if there is no file, or it is damaged. @param dataDir the server's data directory. */
export function readSecrets(dataDir: string): Secrets {
  try {
    const value: unknown = JSON.parse(readRegularFile(secretsFile(dataDir), maxDataBytes).toString("utf8"));
    if (!isJsonObject(value)) return {};
    return Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  } catch {
    return {};
  }
}

/**
 * Writes a server's secrets for its user only; without secrets, removes the file.
 *
 * @throws the system's error.
 */
export function writeSecrets(dataDir: string, secrets: Secrets): void {
  if (Object.keys(secrets).length === 0) rmSync(secretsFile(dataDir), { force: true });
  else writePrivateFile(secretsFile(dataDir), `${JSON.stringify(secrets)}\n`);
}

/**
 * Writes a server's secrets for what is then done with them. If that fails, restores what was stored before.
 *
 * @throws the system's error, and what `work` throws.
 */
export async function withSecrets(dataDir: string, secrets: Secrets, work: () => Promise<void>): Promise<void> {
  const before = readSecrets(dataDir);
  writeSecrets(dataDir, secrets);
  try {
    await work();
  } catch (error) {
    writeSecrets(dataDir, before);
    removeIfEmpty(dataDir);
    throw error;
  }
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // It is missing, or has other data.
  }
}
