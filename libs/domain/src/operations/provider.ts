/** Labels of a host name that do not identify the API's provider. */
const commonLabels = new Set(
  'www api apis rest app dev developer developers local localhost public sandbox test com org net gov edu ac co io'.split(
    ' ',
  ),
);

const nameMin = 3;
/**
 * Prefixes and suffixes that many host names add to the provider's name (`getpostman`, `greipapi`). The remaining name
 * must have at least this length.
 */
const verbPrefix = /^(?:get|use|try|my)(?=[a-z0-9]{5})/;
const genericSuffix = /(?<=[a-z0-9]{4})(?:api|apis|apps|hq|up|inc)$/;

/**
 * Returns the words that a person may use to refer to an API's provider, derived from the API's base URL:
 * `https://api.digitalocean.com/v2` is provided by `digitalocean`. Empty if the URL has no host, or a host without a
 * name.
 */
export const providerNamesOf = (baseUrl: string): readonly string[] => {
  const host = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/:?#]+)/i.exec(baseUrl)?.[1]?.toLowerCase() ?? '';
  const labels = host.split('.');
  const name = labels.slice(0, -1).findLast((label) => !commonLabels.has(label)) ?? '';
  return [...new Set([name, name.replace(genericSuffix, ''), name.replace(verbPrefix, '')])].filter((candidate) =>
    isName(candidate),
  );
};

const isName = (label: string): boolean => label.length >= nameMin && /^[a-z0-9-]+$/.test(label);
