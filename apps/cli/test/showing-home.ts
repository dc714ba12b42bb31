import { deflateSync } from "node:zlib";
import { tempDir } from "@ikigai/testing";
import type { Step } from "./model-server.ts";

const schema = {
  name: "look",
  description: "Show something",
  parameters: { type: "object", properties: {} },
  ikigai: { host: ["show"] },
};

/** A tool that answers with its argument `answer`, after it has shown each of `show` during the call. */
const lookTool = `#!/usr/bin/env node
if (process.argv[2] === "--schema") { console.log(${JSON.stringify(JSON.stringify(schema))}); process.exit(); }
const { answer, show = [] } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const methods = process.env.IKIGAI_HOST_METHODS;
const replies = [];
const end = () => process.stdout.write(JSON.stringify({ ...answer, ...(show.length > 0 && { methods, replies }) }), () => process.exit());
if (methods === undefined || show.length === 0) end();
else {
  const socket = new (require("node:net").Socket)({ fd: 3 });
  let text = "";
  const next = () => socket.write(JSON.stringify({ id: replies.length, method: "show", params: { visual: show[replies.length] } }) + "\\n");
  socket.on("data", (chunk) => {
    text += chunk;
    if (!text.endsWith("\\n")) return;
    replies.push(JSON.parse(text));
    text = "";
    if (replies.length === show.length) end();
    else next();
  });
  next();
}
`;

/** A home with the tool `look`. */
export async function lookHome(): Promise<string> {
  return tempDir({ ".ikigai/tools/look-tool": { content: lookTool, mode: 0o755 } });
}

/** A step of the model that calls the tool, which answers with these visuals. */
export const look = (visual: readonly unknown[], show?: readonly unknown[]): Step => ({
  calls: [{ name: "look", arguments: { answer: { output: "Looked.", visual }, ...(show && { show }) } }],
});

/** A PNG of one colour with the given chunks before its end. */
export function png(width: number, height: number, more: readonly Buffer[] = [], data?: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const pixels = data ?? deflateSync(Buffer.alloc(height * (1 + 3 * width), 0x55));
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", pixels),
    ...more,
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

export function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc(typed));
  return Buffer.concat([length, typed, sum]);
}

/** As in the specification of PNG. Node 20 may not have `zlib.crc32`. */
export function crc(bytes: Buffer): number {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}
