import { expect, test } from "vitest";
import { exportHtml, exportMarkdown } from "../src/export.ts";
import { agent } from "./agent-setup.ts";
import { modelServer } from "./model-server.ts";
import { modelOf, providers } from "./providers.ts";

const [anthropic] = providers;

const evil =
  "See **this** <script>alert(1)</script> [x](javascript:alert(1)) ![t](https://evil.test/pixel.png) `</pre>`";

async function said() {
  const one = await agent({ look: `printf '{"output": "%s"}' '\`\`\`\\n<b>bold</b> & more'` });
  const call = { text: "I look.", calls: [{ id: "c1", name: "look", arguments: '{"what":"<all>"}' }] };
  const server = await modelServer(call, { text: evil });
  await one.say(await modelOf(anthropic, server.url), "go\n# no heading <i>");
  return one;
}

test("exports everything as Markdown, and nothing ends its blocks early", async () => {
  const { conversation } = await said();
  expect(exportMarkdown(conversation).replace(/Started .*/, "Started …")).toBe(`# Session ${conversation.id}

Started …

## You

> go
> # no heading <i>

## anthropic/m

I look.

### look

\`\`\`json
{"what":"<all>"}
\`\`\`

\`\`\`\`text
\`\`\`
<b>bold</b> & more
\`\`\`\`

## anthropic/m

${evil}
`);
});

test("exports HTML that runs and loads nothing", async () => {
  const { conversation } = await said();
  const html = await exportHtml(conversation);
  expect(html).toContain("<strong>this</strong>");
  expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
  expect(html).toContain("&lt;b&gt;bold&lt;/b&gt; &amp; more");
  expect(html).toContain("# no heading &lt;i&gt;");
  expect(html).not.toMatch(/<script|<img|href="javascript|src=/);
});
