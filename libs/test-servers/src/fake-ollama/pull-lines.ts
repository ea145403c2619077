import type { Json } from './embed-response.ts';
import type { FakeModel } from './fake-model.ts';

/**
 * How a pull fails: immediately (`unknown`), halfway with an error line (`midway`), by going silent (`hang`), by
 * retrying a part forever (`stall`: lines keep arriving, always for the same byte), with a broken connection (`reset`),
 * with an HTML page (`html`), or by reporting success without installing the model (`not installed`).
 */
export type PullFault = 'unknown' | 'midway' | 'hang' | 'stall' | 'reset' | 'html' | 'not installed';

/** The interval between lines while a part stalls. The real server then sends about 17 lines per second. */
export const stalledLineMs = 60;

const bytesTotal = 274_290_656;

/** Returns the lines of a pull in order. A failure is also a line. */
export const createPullLines = (model: FakeModel | undefined, fault: PullFault | null): readonly Json[] => {
  const manifest = { status: 'pulling manifest' };
  if (!model) return [manifest, { error: 'pull model manifest: file does not exist' }];
  const digest = `sha256:${model.digest}`;
  const layer = { status: `pulling ${model.digest.slice(0, 12)}`, digest, total: bytesTotal };
  const firstHalf = [manifest, layer, { ...layer, completed: bytesTotal / 4 }, { ...layer, completed: bytesTotal / 2 }];
  if (fault === 'midway') return [...firstHalf, { error: 'max retries exceeded: unexpected EOF' }];
  const finalLines = ['verifying sha256 digest', 'writing manifest', 'success'].map((status) => ({ status }));
  return [...firstHalf, { ...layer, completed: bytesTotal }, ...finalLines];
};
