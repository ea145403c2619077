/** What the calls ask for: one person, one API, some days. */
export interface UseFilter {
  readonly from?: string;
  readonly to?: string;
  readonly collection?: string;
  readonly profile?: string;
}
