/** n8n's API from inside main's container: no Service, no Ingress and no port of this machine is needed. */
import { randomUUID } from 'node:crypto';
import { Failure, Mistake } from '../../../ui/exit';
import { within } from '../../../ui/within';
import type { N8nRequests } from '../../url/api';
import { onceRouted } from '../../url/owner';
import type { Cluster, Place } from '../api/api';

const ANSWERS_WITHIN_MS = 60_000;
const NEVER = new AbortController().signal;

/** Reads one line, which says what to ask, and writes what came. */
const ASK = `
require('node:readline').createInterface({ input: process.stdin }).once('line', async (line) => {
  const { path, ...init } = JSON.parse(line);
  const base = 'http://127.0.0.1:' + (process.env.N8N_PORT || 5678) + (process.env.N8N_PATH || '/').replace(/\\/$/, '');
  try {
    const reply = await fetch(base + path, init);
    const cookies = reply.headers.getSetCookie().map((cookie) => cookie.split(';')[0]).join('; ');
    process.stdout.write(JSON.stringify({ status: reply.status, text: await reply.text(), cookies }), () => process.exit(0));
  } catch (error) {
    process.stderr.write(String(error.cause || error));
    process.exit(1);
  }
});
`;

interface Reply {
  status: number;
  text: string;
  cookies: string;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Scopes of a key that puts workloads in. */
const SCOPES = [
  ...['create', 'list', 'read', 'delete', 'activate', 'deactivate'].map((s) => `workflow:${s}`),
  ...['credential:create', 'credential:delete'],
];

export class PodApi implements N8nRequests {
  private constructor(
    private readonly cluster: Pick<Cluster, 'exec'>,
    private readonly place: Place,
    readonly key: string,
  ) {}

  /** Makes the owner of a fresh n8n, unless this command has done so before, and a key of theirs. */
  static async ofNewOwner(
    cluster: Pick<Cluster, 'exec'>,
    place: Place,
    scopes: readonly string[] = SCOPES,
  ): Promise<PodApi> {
    const person = { email: 'owner@example.com', firstName: 'Owner', lastName: 'Example' };
    const send = (path: string, body: unknown, cookie: string): Promise<Reply> =>
      request(cluster, place, 'POST', path, { cookie }, body);
    const setUp = await onceRouted(() =>
      send('/rest/owner/setup', { ...person, password: PASSWORD }, ''),
    );
    const { email } = person;
    const owner =
      setUp.status === ALREADY_SET_UP
        ? await send('/rest/login', { emailOrLdapLoginId: email, email, password: PASSWORD }, '')
        : setUp;
    if (owner.status >= 400) accepted(setUp, 'the setup of an owner');
    // n8n wants another label for each key of a user.
    const label = `n8n-tuned ${randomUUID()}`;
    const key = accepted(
      await send('/rest/api-keys', { label, expiresAt: null, scopes }, owner.cookies),
      'an API key',
    );
    const { data } = JSON.parse(key.text) as { data: { rawApiKey: string } };
    return new PodApi(cluster, place, data.rawApiKey);
  }

  async ask<T>(
    method: Method,
    path: string,
    { body }: { body?: unknown; withinMs?: number } = {},
  ): Promise<T> {
    const headers = { 'x-n8n-api-key': this.key };
    const reply = await request(
      ...([this.cluster, this.place, method, `/api/v1${path}`, headers, body] as const),
    );
    return JSON.parse(accepted(reply, `${method} ${path}`).text) as T;
  }
}

/** n8n wants a capital, a digit and 8 characters. Of the owners that this process makes. */
const PASSWORD = `N8n-${randomUUID()}`;
const ALREADY_SET_UP = 400;

function accepted(reply: Reply, what: string): Reply {
  if (reply.status < 400) return reply;
  throw new Mistake(
    `n8n refused ${what} with status ${String(reply.status)}: ${reply.text.slice(0, 200)}`,
  );
}

async function request(
  cluster: Pick<Cluster, 'exec'>,
  place: Place,
  method: Method,
  path: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<Reply> {
  const order = {
    ...{ path, method },
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
  let text = '';
  const { code, stderr } = await within(ANSWERS_WITHIN_MS, NEVER, (signal) =>
    cluster.exec(
      place,
      // What Node.js loads before n8n is not for this.
      ['env', '-u', 'NODE_OPTIONS', 'node', '--no-warnings', '-e', ASK],
      {
        onOutput: (more) => {
          text += more;
          return null;
        },
        input: `${JSON.stringify(order)}\n`,
        signal,
      },
    ),
  );
  if (code !== 0) {
    throw new Failure(
      `n8n in ${place.pod} did not answer ${method} ${path}: ${stderr.trim() || 'the connection was cut'}`,
    );
  }
  return JSON.parse(text) as Reply;
}
