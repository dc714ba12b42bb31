/** The build inlines the file as a string. */
declare module "*.txt" {
  const text: string;
  export = text;
}
