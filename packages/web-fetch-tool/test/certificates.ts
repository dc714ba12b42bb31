import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";

export const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** A certificate authority, and a certificate of it for 127.0.0.1 and a name. */
export interface Certificates {
  /** The path of the authority's certificate. */
  readonly authority: string;
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** Makes an authority of one test and a certificate for 127.0.0.1 and `name`. */
export async function makeCertificates(name = "web.test", days = 1): Promise<Certificates> {
  const dir = await tempDir();
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: dir, stdio: "ignore" });
  const rsa = ["-newkey", "rsa:2048", "-nodes"];
  openssl("req", "-x509", ...rsa, "-keyout", "ca.key", "-out", "ca.pem", "-days", "1", "-subj", "/CN=Test authority");
  openssl("req", ...rsa, "-keyout", "key.pem", "-out", "request.pem", "-subj", `/CN=${name}`);
  writeFileSync(join(dir, "names"), `subjectAltName=IP:127.0.0.1,DNS:${name}`);
  const signed = ["-in", "request.pem", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names"];
  openssl("x509", "-req", ...signed, "-out", "cert.pem", "-days", String(days));
  const read = (file: string) => readFileSync(join(dir, file));
  return { authority: join(dir, "ca.pem"), key: read("key.pem"), cert: read("cert.pem") };
}
