import { readFileSync } from "node:fs";

/** The system's file of names and addresses. Its names are often those of this computer, or of its development servers. */
const hostsFile = "/etc/hosts";

/** Returns the text of the hosts file; empty if it cannot be read. */
export function readHosts(): string {
  try {
    return readFileSync(hostsFile, "utf8");
  } catch {
    return "";
  }
}

/** Returns the addresses that a hosts file has for a name in lower case. */
export function addressesInHosts(name: string, text: string): readonly string[] {
  return text.split("\n").flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/s, "").trim().split(/\s+/);
    return address !== undefined && names.some((one) => one.toLowerCase().replace(/\.$/, "") === name) ? [address] : [];
  });
}
