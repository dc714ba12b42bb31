/** The build makes a string of it. */
declare module "*.txt" {
  const text: string;
  export = text;
}
