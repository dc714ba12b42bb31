/** How many visuals an answer may have. */
export const maxVisuals = 8;

/** Maximum size of a visual, in bytes of JSON. */
export const maxVisualBytes = 65_536;

/** Maximum size of the text that replaces a visual, in bytes. */
export const maxAltBytes = 2_048;

/** How many rows a table may have, and how many labels a chart. */
export const maxVisualRows = 200;

/** How many columns a table may have. */
export const maxVisualColumns = 60;

/** How many series a chart may have: more cannot be told apart. */
export const maxChartSeries = 8;

/** The greatest width and height of an image that a person sees, in pixels. */
export const maxVisualPixels = 4_096;

/** A value in a table. */
export type VisualCell = string | number | boolean | null;

/** A table. A row may have fewer cells than there are columns. */
export interface TableVisual {
  /** Tells it from the other visuals. */
  readonly type: "table";
  /** The names of the columns, at most `maxVisualColumns`. */
  readonly columns: readonly string[];
  /** At most `maxVisualRows`. */
  readonly rows: readonly (readonly VisualCell[])[];
  /** What the model gets instead, and what a person sees where it cannot be drawn; at most `maxAltBytes`. */
  readonly alt: string;
}

/** A change to a file. */
export interface DiffVisual {
  /** Tells it from the other visuals. */
  readonly type: "diff";
  /** The file, as a title: nothing reads it. */
  readonly path: string;
  /** In the unified format, of one file. */
  readonly text: string;
  /** What the model gets instead; at most `maxAltBytes`. */
  readonly alt: string;
}

/** A line of values in a chart. */
export interface ChartSeries {
  /** What the values are. */
  readonly name: string;
  /** Finite numbers, one for each label. */
  readonly values: readonly number[];
}

/** A chart. */
export interface ChartVisual {
  /** Tells it from the other visuals. */
  readonly type: "chart";
  /** Bars to compare values, or a line for values in an order. */
  readonly kind: "bar" | "line";
  /** What each value belongs to; at most `maxVisualRows`. */
  readonly labels: readonly string[];
  /** At most `maxChartSeries`. */
  readonly series: readonly ChartSeries[];
  /** What the model gets instead; at most `maxAltBytes`. */
  readonly alt: string;
}

/** An image for a person. The images that the model sees are another field of an answer: `images`. */
export interface ImageVisual {
  /** Tells it from the other visuals. */
  readonly type: "image";
  /** A PNG, JPEG, GIF or WebP file in the project or the temporary directory, of at most `maxImageBytes`. */
  readonly path: string;
  /** What the model gets instead; at most `maxAltBytes`. */
  readonly alt: string;
}

/** Something that the host draws for a person. */
export type Visual = TableVisual | DiffVisual | ChartVisual | ImageVisual;

/** A visual of an answer that is not drawn. */
export interface IgnoredVisual {
  /** Its place in the answer, from 0. */
  index: number;
  /** Why: the end of a sentence. */
  reason: string;
}
