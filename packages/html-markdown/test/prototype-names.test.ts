import { expect, test } from "vitest";
import { htmlToMarkdown } from "../src/index.ts";

const names = Object.getOwnPropertyNames(Object.prototype).filter((name) => /^[a-z]/.test(name));

test.each(names)("an element named %s is like any unknown one", (name) => {
  const page = (element: string) => htmlToMarkdown(`<p>a <${element}>b</${element}> c</p>`, "https://h.example/");
  expect(page(name)).toEqual(page("unknown"));
});
