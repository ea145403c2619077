/** Labels of a host that say nothing about who offers the API. */
const commonLabels = new Set(
  'www api apis rest app dev developer developers local localhost public sandbox test com org net gov edu ac co io'.split(
    ' ',
  ),
);

const nameMin = 3;
/** What stands before or after the name in many hosts (`getpostman`, `greipapi`). A name that is left has at least this. */
const barePrefix = /^(?:get|use|try|my)(?=[a-z0-9]{5})/;
const bareSuffix = /(?<=[a-z0-9]{4})(?:api|apis|apps|hq|up|inc)$/;

/**
 * The words by which a person may name who offers an API, from its base address: `https://api.digitalocean.com/v2` is
 * offered by `digitalocean`. None if the address has no host, or one without a name.
 */
export const providerNames = (baseUrl: string): readonly string[] => {
  const host = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/:?#]+)/i.exec(baseUrl)?.[1]?.toLowerCase() ?? '';
  const labels = host.split('.');
  const name = labels.slice(0, -1).findLast((label) => !commonLabels.has(label)) ?? '';
  return [...new Set([name, name.replace(bareSuffix, ''), name.replace(barePrefix, '')])].filter((each) =>
    isName(each),
  );
};

const isName = (label: string): boolean => label.length >= nameMin && /^[a-z0-9-]+$/.test(label);
