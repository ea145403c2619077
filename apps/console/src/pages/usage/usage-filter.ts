/** The filter for the calls: a person, an API, and a range of days. */
export interface UsageFilter {
  readonly from?: string;
  readonly to?: string;
  readonly collection?: string;
  readonly profile?: string;
}
