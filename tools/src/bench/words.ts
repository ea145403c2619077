import { createSeededRandom } from '../seeded-random.ts';

/** The vocabulary of the benchmark's documents and queries. */
export const words =
  'account address agent alert amount archive asset attempt balance batch bill booking branch budget calendar campaign card carrier cart channel charge claim client cluster code comment company contact contract country coupon credit currency customer dashboard dataset deal delivery deployment deposit device discount document domain driver email employee endpoint entry environment event expense export feature feed field file filter fleet flight folder forecast form gateway group guest holder host hotel identity image import incident index invoice issue item job journal key label language layer ledger license limit link list location log machine mail map market match member message meter method metric model module monitor music network news note notice object offer option order organisation owner package page parcel partner payment payout payroll period permission person phone pipeline plan platform policy pool portal position price process product profile project property provider purchase quota quote rate receipt recipe record refund region release reminder rental report request reservation resource response result review role room route rule sale sample schedule schema score search season secret section sensor server service session setting shift shipment sign signal site snapshot source space speech stage stock storage store stream subscription supplier survey table tag task tax team template tenant term ticket tier token topic total tour trace track trade transfer translate trip unit update upload usage user value vehicle vendor version video view visit volume voucher wallet warehouse weather webhook workflow workspace zone'.split(
    ' ',
  );

/** Returns a function that generates texts of `length` words, the same in each run. */
export const createTexts = (seed: number): ((length: number) => string) => {
  const random = createSeededRandom(seed);
  return (length) => Array.from({ length }, () => random.pick(words)).join(' ');
};
