import { chanceContract } from '@portico/contracts';
import { test } from 'vitest';
import { systemChance } from './system-chance.ts';

for (const [sentence, check] of Object.entries(chanceContract)) {
  test(sentence, () => check(systemChance));
}
