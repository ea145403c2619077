import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const coloursMax = 256;

/**
 * Reduces a picture to its 256 most frequent colours, which takes a third of the bytes; a page hardly has more colours.
 * Accepts the PNGs that browsers write (third edition): 8 bits each for red, green and blue, optionally alpha, not
 * interlaced.
 */
export const withPalette = (png: Buffer): Buffer => {
  const { width, height, channels, data } = chunksOf(png);
  const bytes = unfiltered(inflateSync(data), width * channels, height, channels);
  const colours = new Uint32Array(width * height);
  const counts = new Map<number, number>();
  for (let at = 0; at < colours.length; at++) {
    const colour = bytes.readUIntBE(at * channels, 3);
    colours[at] = colour;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const frequent = [...counts].sort(([, a], [, b]) => b - a).slice(0, coloursMax);
  const palette = frequent.map(([colour]) => colour);
  const places = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let at = 0; at < colours.length; at++) rows[at + Math.floor(at / width) + 1] = places.get(colours[at] ?? 0) ?? 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const table = Buffer.alloc(palette.length * 3);
  palette.forEach((colour, at) => table.writeUIntBE(colour, at * 3, 3));
  const image = deflateSync(rows, { level: 9 });
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', table),
    chunk('IDAT', image),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

const chunksOf = (png: Buffer) => {
  const data: Buffer[] = [];
  for (let at = signature.length; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const body = at + 8;
    if (png.toString('latin1', at + 4, body) === 'IDAT') data.push(png.subarray(body, body + png.readUInt32BE(at)));
  }
  // The header is the first chunk: its fields follow the signature and the chunk's length and name.
  const [width, height, colourType] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25]];
  return { width, height, channels: colourType === 6 ? 4 : 3, data: Buffer.concat(data) };
};

/** Undoes the filter of each row (PNG, section 9). */
const unfiltered = (raw: Buffer, stride: number, height: number, channels: number): Buffer => {
  const bytes = Buffer.alloc(stride * height);
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (stride + 1)] ?? 0;
    for (let column = 0; column < stride; column++) {
      const at = row * stride + column;
      const left = column < channels ? 0 : (bytes[at - channels] ?? 0);
      const above = row === 0 ? 0 : (bytes[at - stride] ?? 0);
      const corner = row === 0 || column < channels ? 0 : (bytes[at - stride - channels] ?? 0);
      const predicted = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter] ?? 0;
      bytes[at] = (raw[row * (stride + 1) + column + 1] ?? 0) + predicted;
    }
  }
  return bytes;
};

const paeth = (left: number, above: number, corner: number): number => {
  const guess = left + above - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
};

const nearest = (palette: readonly number[], colour: number): number => {
  let [best, least] = [0, Infinity];
  for (const [at, candidate] of palette.entries()) {
    const distance = distanceOf(candidate, colour);
    if (distance < least) [best, least] = [at, distance];
  }
  return best;
};

const distanceOf = (one: number, other: number): number =>
  [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);

const chunk = (name: string, body: Buffer): Buffer => {
  const typeAndBody = Buffer.concat([Buffer.from(name, 'latin1'), body]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  check.writeUInt32BE(crc32(typeAndBody));
  return Buffer.concat([length, typeAndBody, check]);
};
