// Draws the screens of a terminal as one animated SVG.

const cell = { width: 8.4, height: 18 };
const padding = 16;
const background = "#161b22";
const foreground = "#d7dce2";

/** The first 16 colours; the others are computed. */
const palette = [
  ["#484f58", "#ff7b72", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#d7dce2"],
  ["#6e7681", "#ffa198", "#7ee787", "#f2cc60", "#a5d6ff", "#e2c5ff", "#8ddde4", "#ffffff"],
].flat();

/**
 * @param frames each with `rows` (runs of text with their column and look) and `seconds`, how long it is shown
 * @returns the text of a self-contained SVG
 */
export function drawFrames(frames, { cols, rows }) {
  const width = Math.ceil(cols * cell.width + 2 * padding);
  const height = rows * cell.height + 2 * padding;
  const total = frames.reduce((sum, { seconds }) => sum + seconds, 0);
  let start = 0;
  const styles = frames.map(({ seconds }, index) => {
    const [from, to] = [(100 * start) / total, (100 * (start + seconds)) / total];
    start += seconds;
    const until = index === frames.length - 1 ? 100 : to;
    const shown = `${from.toFixed(2)}%,${(until - 0.01).toFixed(2)}%{visibility:visible}`;
    const before = from > 0 ? `0%,${(from - 0.01).toFixed(2)}%{visibility:hidden}` : "";
    const after = until < 100 ? `${until.toFixed(2)}%,100%{visibility:hidden}` : "";
    return `@keyframes f${index}{${before}${shown}${after}}.f${index}{animation:f${index} ${total.toFixed(1)}s step-end infinite}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A session with ikigai">
<style>
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:${foreground}}
g{visibility:hidden}
${styles.join("\n")}
@media (prefers-reduced-motion:reduce){g{animation:none!important}.f${frames.length - 1}{visibility:visible}}
</style>
<rect width="100%" height="100%" rx="10" fill="${background}"/>
${frames.map((frame, index) => `<g class="f${index}">\n${frame.rows.flatMap(drawRow).join("\n")}\n</g>`).join("\n")}
</svg>
`;
}

function drawRow(runs, row) {
  const y = padding + row * cell.height;
  const grounds = runs.flatMap(({ look, column, text }) => {
    if (look.ground === undefined) return [];
    const x = padding + column * cell.width;
    return [
      `<rect x="${round(x)}" y="${y}" width="${round(text.length * cell.width)}" height="${cell.height}" fill="${colorOf(look.ground)}"/>`,
    ];
  });
  const spans = runs.filter(({ text }) => text.trim() !== "");
  if (spans.length === 0) return grounds;
  const drawn = spans.map(({ look, column, text }) => {
    const shown = text.trimEnd();
    const x = round(padding + column * cell.width);
    // Fixes the width, so that another font does not shift the rest of the row.
    const length = round(shown.length * cell.width);
    return `<tspan x="${x}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${attributes(look)}>${escapeText(shown)}</tspan>`;
  });
  return [...grounds, `<text xml:space="preserve" y="${y + 14}">${drawn.join("")}</text>`];
}

function attributes({ color, isBold, isDim, isItalic }) {
  return [
    color === undefined ? "" : ` fill="${colorOf(color)}"`,
    isBold ? ' font-weight="bold"' : "",
    isDim ? ' opacity=".6"' : "",
    isItalic ? ' font-style="italic"' : "",
  ].join("");
}

/** Returns one of the 256 colours: 16 named ones, a cube, and greys. */
function colorOf(index) {
  if (index < 16) return palette[index];
  const hex = (value) => value.toString(16).padStart(2, "0");
  if (index >= 232) return `#${hex(8 + 10 * (index - 232)).repeat(3)}`;
  const level = (value) => hex(value === 0 ? 0 : 55 + 40 * value);
  const at = index - 16;
  return `#${level(Math.floor(at / 36))}${level(Math.floor(at / 6) % 6)}${level(at % 6)}`;
}

function escapeText(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function round(value) {
  return Number(value.toFixed(1));
}
