/** Creates a function that passes text on, and holds back the first half of a surrogate pair that arrives in two pieces. */
export function wholeCharacters(): (text: string) => string {
  let half = "";
  return (text) => {
    const come = half + text;
    half = /[\ud800-\udbff]$/.test(come) ? come.slice(-1) : "";
    return come.slice(0, come.length - half.length);
  };
}
