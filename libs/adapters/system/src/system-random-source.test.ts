import { randomSourceContract } from '@portico/contracts';
import { test } from 'vitest';
import { systemRandomSource } from './system-random-source.ts';

for (const [sentence, check] of Object.entries(randomSourceContract)) {
  test(sentence, () => check(systemRandomSource));
}
