import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKernel, pageBytes } from './create-kernel.ts';
import { sketchKernelBase64 } from './sketch-kernel.ts';
import { layout as at, type SketchFunctions } from './sketch-layout.ts';

const halfBytes = 48;
const [groups, stripRows] = [96, 32];

const differentBits = (one: Uint8Array, other: Uint8Array): number =>
  one.reduce((sum, byte, i) => sum + (byte ^ (other[i] ?? 0)).toString(2).replaceAll('0', '').length, 0);

const half = fc.uint8Array({ minLength: halfBytes, maxLength: halfBytes });
const signs = { head: half, tail: half };
const sketches = fc.uniqueArray(fc.record({ row: fc.nat(4_095), ...signs }), {
  selector: ({ row }) => row,
  minLength: 1,
  maxLength: 40,
});

test('rows are bounded by the signs of their heads, then by those of head and tail, wherever they stand', () => {
  const kernel = createKernel<SketchFunctions>(sketchKernelBase64);
  kernel.memory.grow(Math.ceil((kernel.tail(4_095) + 1_048_576 - kernel.memory.buffer.byteLength) / pageBytes));
  const { buffer } = kernel.memory;
  const bytes = new Uint8Array(buffer);
  const boundsOf = (count: number) => Array.from(new Float32Array(buffer, at.bounds, count));
  // Where a bound is the number of different signs, less means more similar.
  new Float32Array(buffer, at.cosinesOfHalf, 385).forEach((_, n, cosines) => (cosines[n] = -n));
  new Float32Array(buffer, at.cosines, 769).forEach((_, n, cosines) => (cosines[n] = -n));

  fc.assert(
    fc.property(fc.record(signs), sketches, (query, stored) => {
      bytes.set(query.head, at.query);
      bytes.set(query.tail, at.query + halfBytes);
      const list = new Uint32Array(buffer, at.list, stored.length);
      for (const [place, { row, head, tail }] of stored.entries()) {
        list[place] = row;
        for (const [address, part] of [
          [kernel.head(row), head],
          [kernel.tail(row), tail],
        ] as const) {
          new Float32Array(buffer, address, 4).set([0, 1, 0, 0]);
          bytes.set(part, address + 16);
        }
      }
      const ofHeads = stored.map(({ head }) => differentBits(head, query.head));
      const ofBoth = stored.map(({ tail }, i) => (ofHeads[i] ?? 0) + differentBits(tail, query.tail));
      expect(kernel.bound(0, list.length, 1)).toBe(ofHeads.indexOf(Math.min(...ofHeads)));
      expect(boundsOf(list.length)).toEqual(ofHeads.map((different) => 0 - different));

      const most = ofBoth[0] ?? 0;
      const kept = new Uint32Array(buffer, at.kept, list.length);
      kept.set([...list.keys()]);
      const wanted = [...list.keys()].filter((place) => (ofBoth[place] ?? 0) <= most);
      expect(kernel.keepBySigns(list.length, -most, 1)).toBe(wanted.length);
      expect([...kept.subarray(0, wanted.length)]).toEqual(wanted);
      expect(boundsOf(list.length)).toEqual(ofBoth.map((different) => 0 - different));
    }),
  );
});

const words = (length: number) => fc.uint32Array({ minLength: length, maxLength: length });
/** Strips at both ends of a block of 1,024 rows. */
const strips = 34;

test('visible rows are bounded by what their codes are worth, and those are kept whose bound is enough', () => {
  const kernel = createKernel<SketchFunctions>(sketchKernelBase64);
  kernel.memory.grow(Math.ceil((kernel.strip(2_048) + 1_048_576 - kernel.memory.buffer.byteLength) / pageBytes));
  const { buffer } = kernel.memory;
  const [bytes, floats] = [new Uint8Array(buffer), new Float32Array(buffer)];
  new Float32Array(buffer, at.addedOfFour, 64).set(
    Array.from({ length: 64 }, (_, i) => ((i >> 2) & (1 << (i % 4)) ? 0 : -Infinity)),
  );
  const rows = [...Array(strips * stripRows).keys()];
  const numberAt = (row: number, i: number): number =>
    (kernel.strip(row) + 1_536) / 4 + i * stripRows + (row % stripRows);
  const worthOf = (row: number): number => {
    let sum = 0;
    for (let group = 0; group < groups; group += 1) {
      const byte = bytes[kernel.strip(row) + group * 16 + (row % 16)] ?? 0;
      sum += bytes[at.worths + group * 16 + (row & 16 ? byte >> 4 : byte & 15)] ?? 0;
    }
    return sum;
  };

  fc.assert(
    fc.property(fc.integer(), words(strips), fc.double({ min: 0, max: 1, noNaN: true }), (seed, visible, share) => {
      let state = seed;
      const below = (n: number) => ((state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) >>> 8) % n;
      for (let i = 0; i < groups * 16; i += 1) bytes[at.worths + i] = below(16);
      // Of as many as are added in a byte, each is worth as much as it can be.
      bytes.fill(15, at.worths, at.worths + 16 * 16);
      for (const row of rows) {
        if (row % stripRows === 0) for (let i = 0; i < 1_536; i += 1) bytes[kernel.strip(row) + i] = below(256);
        for (const [i, number] of [below(100) - 50, below(4), below(5)].entries()) floats[numberAt(row, i)] = number;
      }
      new Uint32Array(buffer, at.visible, strips).set(visible);
      const bounds = rows.map((row) => {
        if ((((visible[row >> 5] ?? 0) >>> (row & 31)) & 1) === 0) return -Infinity;
        const [product = 0, slope = 0, margin = 0] = [0, 1, 2].map((i) => floats[numberAt(row, i)]);
        return product + slope * (worthOf(row) * 0.5 - 700) + margin * 3;
      });
      kernel.scan(strips, 0.5, -700, 3);
      expect([...new Float32Array(buffer, at.bounds, rows.length)]).toEqual(bounds);
      const greatest = Array.from({ length: strips }, (_, i) => Math.max(...bounds.slice(i * 32, (i + 1) * 32)));
      expect([...new Float32Array(buffer, at.greatestOfStrips, strips)]).toEqual(greatest);

      const finite = bounds.filter(Number.isFinite).sort((x, y) => x - y);
      const least = finite[Math.floor(share * (finite.length - 1))] ?? 0;
      const wanted = rows.filter((row) => (bounds[row] ?? 0) >= least);
      expect(kernel.keepRows(strips, least)).toBe(wanted.length);
      expect([...new Uint32Array(buffer, at.list, wanted.length)]).toEqual(wanted);
      expect([...new Uint32Array(buffer, at.kept, wanted.length)]).toEqual([...wanted.keys()]);
    }),
  );
});
