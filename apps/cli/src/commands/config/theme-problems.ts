/** What is wrong with a theme's name or file; nothing for `auto` and the themes that ship. */
export async function themeProblems(name: string, home: string): Promise<readonly string[]> {
  if (name === "auto") return [];
  const { loadTheme } = await import("../../tui/app/theme-file.ts");
  return loadTheme(name, home, {}).problems;
}
