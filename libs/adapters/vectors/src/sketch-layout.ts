/** What `sketch-kernel.wat` exports. */
export interface SketchFunctions {
  /** The address of 64 bytes as `sketch-kernel.wat` says, with the first half of the signs. */
  head(row: number): number;
  /** The address of 64 bytes like these, with the other half of the signs. */
  tail(row: number): number;
  /** The address of the row's levels. */
  levels(row: number): number;
  /** The address of the row's strip. */
  strip(row: number): number;
  rotate(): void;
  scan(strips: number, step: number, base: number, queryLength: number): void;
  keepRows(strips: number, least: number): number;
  bound(place: number, end: number, queryLength: number): number;
  keep(count: number, least: number): number;
  keepBySigns(count: number, least: number, queryLength: number): number;
  keepCloser(count: number, least: number, worth: number, middle: number, reach: number): number;
}

/** The memory layout of `sketch-kernel.wat`, in bytes. */
export const layout = {
  query: 0,
  cosinesOfHalf: 1024,
  cosines: 4096,
  queryLevels: 8192,
  rotated: 12_288,
  signs: 16_384,
  worths: 24_576,
  addedOfFour: 28_672,
  list: 65_536,
  bounds: 4_259_840,
  kept: 8_454_144,
  greatestOfStrips: 14_745_600,
  visible: 14_876_672,
  sketches: 15_007_744,
} as const;
