import { vectorTowards } from '@portico/contracts';
import { expect, test } from 'vitest';
import { VectorMemory } from './vector-memory.ts';

const scoresOf = (memory: VectorMemory, query: Float32Array, rows: readonly number[]): readonly number[] => {
  const scores = new Float32Array(rows.length);
  memory.score(VectorMemory.unit(query), Uint32Array.from(rows), scores);
  return [...scores];
};

test('vectors stay as they are while the memory grows past 1,024, 2,048 and 3,072 of them', () => {
  const memory = new VectorMemory();
  const rows = Array.from({ length: 3100 }, (_, i) => memory.add(vectorTowards(i, 1)));
  expect(rows).toEqual([...rows.keys()]);
  scoresOf(memory, vectorTowards(1), rows).forEach((score, i) => {
    expect(score).toBeCloseTo(i / Math.hypot(i, 1), 5);
  });
});

test('more rows than the list holds are scored in parts, each score in its place', () => {
  const memory = new VectorMemory();
  const [one, other] = [memory.add(vectorTowards(1)), memory.add(vectorTowards(3, 4))];
  for (const length of [7679, 7680, 7681, 15_360, 20_000]) {
    const rows = Array.from({ length }, (_, i) => (i % 3 === 0 ? one : other));
    const expected = rows.map((row) => (row === one ? 1 : Math.fround(0.6)));
    expect(scoresOf(memory, vectorTowards(1), rows)).toEqual(expected);
  }
});

test('a freed row is given to the next vector', () => {
  const memory = new VectorMemory();
  const rows = [vectorTowards(1), vectorTowards(0, 1), vectorTowards(1, 1)].map((vector) => memory.add(vector));
  memory.free(rows[1] ?? -1);
  expect(memory.add(vectorTowards(3, 4))).toBe(rows[1]);
  expect(scoresOf(memory, vectorTowards(1), rows)[1]).toBeCloseTo(0.6, 6);
  expect(memory.add(vectorTowards(1))).toBe(3);
});

test('equal vectors have equal scores in any row', () => {
  const memory = new VectorMemory();
  const vector = Float32Array.from({ length: 768 }, (_, i) => Math.sin(i * 1.7));
  const query = Float32Array.from({ length: 768 }, (_, i) => Math.cos(i * 0.3) + 0.4);
  const rows = Array.from({ length: 50 }, (_, i) => memory.add(vector.map((x) => x * 2 ** (i % 5))));
  expect(new Set(scoresOf(memory, query, rows)).size).toBe(1);
});

test('a score is never above 1, despite rounding', () => {
  const memory = new VectorMemory();
  for (let seed = 1; seed <= 200; seed += 1) {
    const vector = Float32Array.from({ length: 768 }, (_, i) => Math.sin(i * seed));
    const [score = Number.NaN] = scoresOf(memory, vector, [memory.add(vector)]);
    expect(score).toBeGreaterThan(0.999999);
    expect(score).toBeLessThanOrEqual(1);
  }
});

test('a refused vector takes no row', () => {
  const memory = new VectorMemory();
  expect(() => memory.add(new Float32Array(767).fill(1))).toThrow('A vector has 768 dimensions, not 767');
  expect(() => memory.add(new Float32Array(768).fill(Number.NaN))).toThrow('not a finite number');
  expect(() => memory.add(new Float32Array(768))).toThrow('no direction');
  expect(memory.add(vectorTowards(1))).toBe(0);
});

test('numbers at the limits of f32 are normalised too', () => {
  const memory = new VectorMemory();
  const rows = [1e38, 1e-38].map((size) => memory.add(vectorTowards(3, 4).map((x) => x * size)));
  scoresOf(memory, vectorTowards(1), rows).forEach((score) => expect(score).toBeCloseTo(0.6, 5));
});
