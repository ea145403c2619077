import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import type { Config } from '../config.ts';

type Sampling = NonNullable<Config['traces']>['sampler'];

/** Returns the sampler for a value of `OTEL_TRACES_SAMPLER`. `parentbased_` samplers follow the caller's decision. */
export const samplerOf = ({ name, ratio }: Sampling): Sampler =>
  name.startsWith('parentbased_') ? new ParentBasedSampler({ root: rootOf(name, ratio) }) : rootOf(name, ratio);

const rootOf = (name: Sampling['name'], ratio: number): Sampler => {
  if (name.endsWith('always_on')) return new AlwaysOnSampler();
  return name.endsWith('always_off') ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
};
