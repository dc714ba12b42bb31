import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { factsOf } from "../src/decision/call-facts.ts";
import { ruleFor, ruleOffers } from "../src/decision/offers.ts";
import { type Permission, ruleProblem, type Verdict } from "../src/index.ts";
import { rules, verdictOn } from "./decide-call.ts";
import { registeredTool } from "./registered-tool.ts";

const project = await tempDir({ "src/a.ts": "" });

/** The rules that a question about a call offers. */
function offers(name: string, args: object, given: Partial<Permission> = {}): readonly (readonly string[])[] {
  const permission: Permission = { mode: "ask", rules: [], projectDir: project, home: "/nowhere/home", ...given };
  const call = { id: "1", name, arguments: JSON.stringify(args) };
  const tool = registeredTool(name, "system");
  const facts = factsOf(call, tool, { projectDir: project });
  const rule = ruleFor(facts, project);
  return rule === undefined ? [] : ruleOffers({ call, tool, hooks: [] }, facts, rule, permission);
}

const ofCommand = (command: string, given?: Partial<Permission>) => {
  const all = offers("bash", { command }, given);
  const exact = `bash(${command.replace(/[\\*]/g, "\\$&")})`;
  expect(all.at(-1)).toEqual([exact]);
  return all.length > 1 ? all[0] : [];
};

test.each([
  ["npm run build -- --production", ["npm run build *"]],
  ["npm run build", ["npm run build *"]],
  ["npm test", ["npm test *"]],
  ["git push --force origin main", ["git push *"]],
  ["cargo test -p core", ["cargo test *"]],
  ["go test ./...", ["go test *"]],
  ["vitest run a.test.ts", ["vitest *"]],
  ["npx -y vitest run", ["npx -y vitest *"]],
  ["npx tsc --noEmit", ["npx tsc *"]],
  ["pnpm exec eslint src", ["pnpm exec eslint *"]],
  ["yarn jest -t x", ["yarn jest *"]],
  ["yarn build --x", ["yarn build *"]],
  ["uv run pytest -q", ["uv run pytest *"]],
  ["npm exec prettier -- --check .", ["npm exec prettier *"]],
  ["make test V=1", ["make test *"]],
  ["gh pr view 3", ["gh pr view *"]],
  ["npm test 2>&1 | tail -5", ["npm test *"]],
  ["npm test && git push origin main", ["npm test *", "git push *"]],
  ["npx tsc --noEmit && node x.js", ["npx tsc *", "node x.js"]],
  ["cd src && npm test", ["npm test *"]],
  ["npm test > out.txt && npm run build", ["npm test > out.txt", "npm run build *"]],
])("%s is offered as %j", (command, expected) => {
  expect(ofCommand(command)).toEqual(expected.map((pattern) => `bash(${pattern})`));
});

test.each([
  ...[
    "node x.js",
    "python -c 1",
    "sh x.sh",
    "bash x.sh",
    "curl https://x",
    "sudo npm test",
    "xargs rm",
    "env npm test",
  ],
  ...["npx some-package", "npx node x.js", "uv run python x.py", "npm exec some-package", "yarn dlx some-package"],
  ...["npm install x", "pip install x", "go run x", "git config a b", "git checkout .", "gh api x", "npm publish --x"],
  ...["docker run x", "kubectl exec x", "deno run x.ts", "mvn exec:java", "git -C .. push", "npm run --silent build"],
  ...["rm -rf build", "cat /etc/hosts", "A=1 npm run build x", "npm run $(echo build) x", "npm run 'build' x"],
  ...["cat <<E\nnpm run build x\nE", "make --eval=x", "git push --receive-pack=x origin"],
])("%s is offered exactly", (command) => {
  expect(ofCommand(command)).toEqual([]);
});

test("only what no rule allows yet gets a rule", () => {
  const given = rules(["allow", "bash(npm test*)"]);
  expect(ofCommand("npm test && git push origin main", given)).toEqual(["bash(git push *)"]);
});

test("nothing is offered that would still be asked about", () => {
  expect(ofCommand("npm test rm x", rules(["deny", "bash(rm *)"]))).toEqual([]);
});

test("for a file, its directory comes second", () => {
  const edit = (file_path: string) => offers("file_edit", { file_path, old_string: "", new_string: "" });
  expect(edit("src/a.ts")).toEqual([["file_edit(src/a.ts)"], ["file_edit(src/*)"]]);
  expect(edit("a.ts")).toEqual([["file_edit(a.ts)"]]);
  expect(edit("/a.ts")).toEqual([["file_edit(/a.ts)"]]);
});

const word = fc.constantFrom(
  "run",
  "test",
  "-v",
  "--x=1",
  "a b",
  "*",
  "\\*",
  "$HOME",
  "'q'",
  "build",
  "..",
  ";",
  "&&",
  ">",
  "x",
);
const commands = fc
  .tuple(fc.constantFrom("npm", "git", "cargo", "rm", "env", "sh -c"), fc.array(word, { maxLength: 5 }))
  .map(([program, words]) => [program, ...words].join(" "));

test("the rules that are offered are valid, allow the call, and not the program alone", () => {
  let proposed = 0;
  const property = fc.property(commands, (command) => {
    const offered = ofCommand(command) ?? [];
    if (offered.length === 0) return;
    proposed++;
    for (const rule of offered) expect(ruleProblem(rule)).toBeUndefined();
    const all = rules(...offered.map((rule): [Verdict, string] => ["allow", rule]));
    expect(verdictOn("bash", { command }, { ...all, readOnlyCommands: true, projectDir: project })).toBe("allow");
    const [program = ""] = command.split(" ");
    expect(verdictOn("bash", { command: `${program} install x` }, all)).not.toBe("allow");
  });
  fc.assert(property, { numRuns: 1_000 });
  expect(proposed).toBeGreaterThan(50);
});
