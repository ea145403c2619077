/** Labels of a host that do not identify the provider of the API. */
const commonLabels = new Set(
  'www api apis rest app dev developer developers local localhost public sandbox test com org net gov edu ac co io'.split(
    ' ',
  ),
);

const nameMin = 3;
/**
 * Prefixes and suffixes of the name in many hosts (`getpostman`, `greipapi`). A remaining name has at least this
 * length.
 */
const barePrefix = /^(?:get|use|try|my)(?=[a-z0-9]{5})/;
const bareSuffix = /(?<=[a-z0-9]{4})(?:api|apis|apps|hq|up|inc)$/;

/**
 * Returns the words by which a person may refer to the provider of an API, from its base URL:
 * `https://api.digitalocean.com/v2` is provided by `digitalocean`. Empty if the URL has no host, or one without a name.
 */
export const providerNames = (baseUrl: string): readonly string[] => {
  const host = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/:?#]+)/i.exec(baseUrl)?.[1]?.toLowerCase() ?? '';
  const labels = host.split('.');
  const name = labels.slice(0, -1).findLast((label) => !commonLabels.has(label)) ?? '';
  return [...new Set([name, name.replace(bareSuffix, ''), name.replace(barePrefix, '')])].filter((candidate) =>
    isName(candidate),
  );
};

const isName = (label: string): boolean => label.length >= nameMin && /^[a-z0-9-]+$/.test(label);
