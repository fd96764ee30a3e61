import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { fileIn, type Packed } from './package';

export interface Registry {
  /** For a process that shall take this for the registry it knows. */
  env: Record<string, string>;
  /** The same in a folder's .npmrc, for an npm that is not given the environment. */
  npmrc: string;
  asked: string[];
  close(): Promise<void>;
}

/**
 * A package registry with these packages in it. n8n installs from the public registry and from no
 * other without a licence, so this one stands behind an HTTPS proxy that answers for every host.
 */
export async function startRegistry(folder: string, packages: Packed[]): Promise<Registry> {
  const openssl = (...args: string[]): unknown =>
    execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
    '-days',
    '2',
    '-subj',
    '/CN=Test CA',
  );
  const contextOf = (host: string): ReturnType<typeof createSecureContext> => {
    const file = (kind: string): string => `${host}.${kind}`;
    writeFileSync(join(folder, file('cnf')), `subjectAltName=DNS:${host}`);
    openssl('req', ...newKey, '-keyout', file('key'), '-out', file('csr'), '-subj', `/CN=${host}`);
    openssl(
      ...[
        'x509',
        '-req',
        '-in',
        file('csr'),
        '-CA',
        'ca.crt',
        '-CAkey',
        'ca.key',
        '-CAcreateserial',
      ],
      ...['-out', file('crt'), '-days', '2', '-extfile', file('cnf')],
    );
    const read = (kind: string): Buffer => readFileSync(join(folder, file(kind)));
    return createSecureContext({ key: read('key'), cert: read('crt') });
  };

  const asked: string[] = [];
  // What one n8n has installed must not come from a cache for the next.
  const cache = mkdtempSync(join(folder, 'npm-cache-'));
  const answers: Server = createServer((request, response) => {
    const host = request.headers.host ?? '';
    const path = decodeURIComponent(request.url ?? '').replace(/\?.*/, '');
    asked.push(path);
    const packed = packages.find(({ name }) => path.startsWith(`/${name}`));
    if (packed === undefined) return response.writeHead(404).end('{}');
    if (path.endsWith('.tgz')) return response.end(readFileSync(packed.tarball));
    const manifest = JSON.parse(fileIn(packed.tarball, 'package.json')) as object;
    const dist = { integrity: packed.integrity, tarball: `https://${host}/${packed.name}.tgz` };
    const version = { ...manifest, dist };
    const all = {
      ...{ name: packed.name, 'dist-tags': { latest: packed.version } },
      versions: { [packed.version]: version },
    };
    response.setHeader('content-type', 'application/json');
    return response.end(JSON.stringify(path === `/${packed.name}` ? all : version));
  });
  const open = new Set<Socket>();
  // Requests for more than a tunnel are refused: n8n 0.x asks n8n.io about packages.
  const proxy = createServer((_, response) => response.writeHead(502).end());
  proxy.on('connect', (request, socket: Socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    const [host = ''] = (request.url ?? '').split(':');
    const secure = new TLSSocket(socket, { isServer: true, secureContext: contextOf(host) });
    secure.on('error', () => undefined);
    answers.emit('connection', secure);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`;
  return {
    asked,
    env: {
      ...{ HTTPS_PROXY: url, https_proxy: url, NO_PROXY: '127.0.0.1,localhost' },
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.crt'),
      npm_config_cache: cache,
      // This machine's own settings of npm must not lead past the proxy.
      ...{
        npm_config_userconfig: join(folder, 'user-npmrc'),
        npm_config_globalconfig: join(folder, 'npmrc'),
      },
    },
    npmrc: [
      `https-proxy=${url}`,
      `cafile=${join(folder, 'ca.crt')}`,
      `cache=${cache}`,
      'registry=https://registry.npmjs.org/',
      // n8n-workflow, which npm would bring along, is not in this registry.
      'legacy-peer-deps=true',
    ].join('\n'),
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
