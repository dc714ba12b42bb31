import { dirname } from "node:path";
import { expect, test } from "vitest";
import { runHost } from "./host.ts";

/** Calls of the fixture's service in one pool, with and without free descriptors. */
const start = `
  const fs = await import("node:fs");
  const spares = core.spareTools();
  const count = () => call("counting", "{}", { spares, home });
  let open = [];
  const fill = () => {
    try { for (;;) open.push(fs.openSync("/dev/null")); } catch {}
  };
  const free = () => {
    for (const fd of open) fs.closeSync(fd);
    open = [];
  };
`;

test("cannot start a service without free descriptors, and starts it when there are some; one that runs needs none", async () => {
  const code = `
    ${start}
    fill();
    const none = (await count()).envelope;
    free();
    const first = (await count()).envelope;
    fill();
    const second = (await count()).envelope;
    free();
    await spares.close();
    print([none, first, second]);
  `;
  // Without directories of the project, which cost a look at the file.
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, IKIGAI_NO_SERVE: undefined };
  const ends = await runHost(code, { before: "ulimit -n 100;", closesInherited: true, env });
  expect(ends).toEqual([
    expect.objectContaining({ error_code: "TOOL_UNAVAILABLE", error: expect.stringContaining("too many open files") }),
    expect.objectContaining({ result: expect.objectContaining({ count: 1 }) }),
    expect.objectContaining({ result: expect.objectContaining({ count: 2 }) }),
  ]);
});
