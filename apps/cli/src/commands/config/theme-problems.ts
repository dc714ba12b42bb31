/** What is wrong with a theme's name or file; nothing for `auto` and the themes that ship. */
export async function themeProblems(name: string, home: string): Promise<readonly string[]> {
  return (await checkedTheme(name, home)).problems;
}

/** Why a theme cannot be used at all. Without a part of its file that is wrong it can be. */
export async function themeRefusals(name: string, home: string): Promise<readonly string[]> {
  const { isUsable, problems } = await checkedTheme(name, home);
  return isUsable ? [] : problems;
}

async function checkedTheme(name: string, home: string): Promise<{ isUsable: boolean; problems: readonly string[] }> {
  if (name === "auto") return { isUsable: true, problems: [] };
  const { loadTheme } = await import("../../tui/app/theme-file.ts");
  const { theme, problems } = loadTheme(name, home, {});
  return { isUsable: theme !== undefined, problems };
}
