import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../loadtests/lib/settings';

const catalogue = join(__dirname, '../../workflows/catalogue.json');
const requestsWith = (env: Record<string, string>) =>
  readSettings('load', env, (file) => readFileSync(file, 'utf8'), catalogue).requests;

describe('headers, one per line', () => {
  const HEADERS = 'x-load-key: secret\nx-shop: 7';

  it('go with a request of the user', () => {
    const [request] = requestsWith({ REQUEST: 'GET /webhook/order', HEADERS });
    expect(request?.headers).toEqual({ 'x-load-key': 'secret', 'x-shop': '7' });
  });

  it('go with every request of a workload, besides its own headers', () => {
    const [upload] = requestsWith({ WORKLOAD: 'binary', HEADERS });
    expect(upload?.headers).toEqual({
      'content-type': 'application/octet-stream',
      'x-load-key': 'secret',
      'x-shop': '7',
    });
    const keys = requestsWith({ WORKLOAD: 'mixed', HEADERS }).map(
      ({ headers }) => headers['x-load-key'],
    );
    expect(new Set(keys)).toEqual(new Set(['secret']));
  });

  it('must have a name', () => {
    expect(() => requestsWith({ WORKLOAD: 'cpu', HEADERS: 'secret' })).toThrow(
      "the header 'secret' is not understood",
    );
  });
});
