import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKernel, pageBytes } from './create-kernel.ts';
import { sketchKernelBase64 } from './sketch-kernel.ts';

interface Kernel {
  head(row: number): number;
  tail(row: number): number;
  bound(place: number, end: number, queryLength: number): number;
  keepBySigns(count: number, least: number, queryLength: number): number;
}

/** As `sketch-kernel.wat` says. */
const at = { query: 0, cosinesOfHalf: 1_024, cosines: 4_096, list: 65_536, bounds: 4_259_840, kept: 8_454_144 };
const halfBytes = 48;

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
  const kernel = createKernel<Kernel>(sketchKernelBase64);
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
