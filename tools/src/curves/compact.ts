/** A number in three significant digits at most, thousands as `k`, millions as `M`: 0.0456, 999, 1.5k, 10M. */
export const compact = (value: number): string => {
  if (!Number.isFinite(value)) return '–';
  const rounded = Number(value.toPrecision(3));
  const size = Math.abs(rounded);
  if (size >= 1e6) return `${rounded / 1e6}M`;
  if (size >= 1e3) return `${rounded / 1e3}k`;
  return String(rounded);
};
