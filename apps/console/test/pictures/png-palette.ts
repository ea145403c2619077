import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const coloursMax = 256;

/**
 * Reduces a picture to its 256 most frequent colours, which takes a third of the bytes; a page hardly has more colours.
 * Accepts the PNGs that browsers write (third edition): 8 bits each for red, green and blue, optionally alpha, not
 * interlaced.
 */
export const reduceColours = (png: Buffer): Buffer => {
  const { width, height, channels, data } = chunksOf(png);
  const bytes = removeFilters(inflateSync(data), width * channels, height, channels);
  const colours = new Uint32Array(width * height);
  const counts = new Map<number, number>();
  for (let index = 0; index < colours.length; index++) {
    const colour = bytes.readUIntBE(index * channels, 3);
    colours[index] = colour;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const frequentColours = [...counts].sort(([, a], [, b]) => b - a).slice(0, coloursMax);
  const palette = frequentColours.map(([colour]) => colour);
  const indexes = new Map([...counts.keys()].map((colour) => [colour, findNearestIndex(palette, colour)]));
  const rows = Buffer.alloc((width + 1) * height);
  for (let index = 0; index < colours.length; index++)
    rows[index + Math.floor(index / width) + 1] = indexes.get(colours[index] ?? 0) ?? 0;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  const paletteBytes = Buffer.alloc(palette.length * 3);
  palette.forEach((colour, index) => paletteBytes.writeUIntBE(colour, index * 3, 3));
  const image = deflateSync(rows, { level: 9 });
  return Buffer.concat([
    signature,
    createChunk('IHDR', header),
    createChunk('PLTE', paletteBytes),
    createChunk('IDAT', image),
    createChunk('IEND', Buffer.alloc(0)),
  ]);
};

const chunksOf = (png: Buffer) => {
  const data: Buffer[] = [];
  for (let offset = signature.length; offset < png.length; offset += 12 + png.readUInt32BE(offset)) {
    const body = offset + 8;
    if (png.toString('latin1', offset + 4, body) === 'IDAT')
      data.push(png.subarray(body, body + png.readUInt32BE(offset)));
  }
  // The header is the first chunk: its fields follow the signature and the chunk's length and name.
  const [width, height, colourType] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25]];
  return { width, height, channels: colourType === 6 ? 4 : 3, data: Buffer.concat(data) };
};

/** Undoes the filter of each row (PNG, section 9). */
const removeFilters = (raw: Buffer, stride: number, height: number, channels: number): Buffer => {
  const bytes = Buffer.alloc(stride * height);
  for (let row = 0; row < height; row++) {
    const filter = raw[row * (stride + 1)] ?? 0;
    for (let column = 0; column < stride; column++) {
      const offset = row * stride + column;
      const left = column < channels ? 0 : (bytes[offset - channels] ?? 0);
      const above = row === 0 ? 0 : (bytes[offset - stride] ?? 0);
      const aboveLeft = row === 0 || column < channels ? 0 : (bytes[offset - stride - channels] ?? 0);
      const predictedByte = [0, left, above, (left + above) >> 1, predictPaeth(left, above, aboveLeft)][filter] ?? 0;
      bytes[offset] = (raw[row * (stride + 1) + column + 1] ?? 0) + predictedByte;
    }
  }
  return bytes;
};

const predictPaeth = (left: number, above: number, aboveLeft: number): number => {
  const estimate = left + above - aboveLeft;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - above), Math.abs(estimate - aboveLeft)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : aboveLeft;
};

const findNearestIndex = (palette: readonly number[], colour: number): number => {
  let [bestIndex, leastDistance] = [0, Infinity];
  for (const [index, candidate] of palette.entries()) {
    const distance = distanceOf(candidate, colour);
    if (distance < leastDistance) [bestIndex, leastDistance] = [index, distance];
  }
  return bestIndex;
};

const distanceOf = (a: number, b: number): number =>
  [16, 8, 0].reduce((sum, shift) => sum + (((a >> shift) & 255) - ((b >> shift) & 255)) ** 2, 0);

const createChunk = (name: string, body: Buffer): Buffer => {
  const typeAndBody = Buffer.concat([Buffer.from(name, 'latin1'), body]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(body.length);
  checksum.writeUInt32BE(crc32(typeAndBody));
  return Buffer.concat([length, typeAndBody, checksum]);
};
