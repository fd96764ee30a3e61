/** How much load well-known services say that they take, as read in November 2026. Plans and regions differ: each has its source. */

export interface PublishedLimit {
  perSecond: number;
  /** What the limit counts. */
  of: string;
  source: string;
}

const LIMITS: Record<string, PublishedLimit> = {
  'slack.com': {
    perSecond: 1,
    of: 'messages per channel',
    source: 'https://docs.slack.dev/apis/web-api/rate-limits',
  },
  'sheets.googleapis.com': {
    perSecond: 1,
    of: 'reads per user, and the same number of writes',
    source: 'https://developers.google.com/workspace/sheets/api/limits',
  },
  'api.notion.com': {
    perSecond: 3,
    of: 'requests per integration',
    source: 'https://developers.notion.com/reference/request-limits',
  },
  'api.airtable.com': {
    perSecond: 5,
    of: 'requests per base',
    source: 'https://airtable.com/developers/web/api/rate-limits',
  },
  'api.stripe.com': {
    perSecond: 100,
    of: 'requests of an account in live mode',
    source: 'https://docs.stripe.com/rate-limits',
  },
  'api.github.com': {
    perSecond: 5000 / 3600,
    of: 'requests per user',
    source: 'https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api',
  },
  'api.telegram.org': {
    perSecond: 30,
    of: 'messages per bot',
    source: 'https://core.telegram.org/bots/faq',
  },
};

/** Hosts of the services that nodes of n8n are named after. */
const HOSTS: Record<string, string> = {
  slack: 'slack.com',
  googleSheets: 'sheets.googleapis.com',
  notion: 'api.notion.com',
  airtable: 'api.airtable.com',
  stripe: 'api.stripe.com',
  github: 'api.github.com',
  telegram: 'api.telegram.org',
};

/** What calls of a node are counted under: the host of its service where that has a known limit, else its name. */
export const hostOfNode = (name: string): string =>
  HOSTS[name.replace(/(Tool|Trigger)$/, '')] ?? name.toLowerCase();

/** Finds the limit of the host, or of the domain that it belongs to; null: none is known. */
export function limitOf(host: string): PublishedLimit | null {
  const found = Object.keys(LIMITS).find((name) => host === name || host.endsWith(`.${name}`));
  return found === undefined ? null : (LIMITS[found] ?? null);
}
