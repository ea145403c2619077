import { describe } from 'vitest';
import { testHostile } from '../test/hostile-documents.ts';

describe('nothing read from a document of ten million characters exceeds its limit', () => testHostile(10_000_000));
