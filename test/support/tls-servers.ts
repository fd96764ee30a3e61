/** Servers whose certificate is not trusted, and others that are no n8n; all on loopback. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttp, type RequestListener } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const openssl = (folder: string, ...words: string[]): void => {
  execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' });
};
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** `old` has expired long ago. */
function makeCertificates(folder: string): void {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  openssl(folder, 'req', '-x509', ...KEY, '-keyout', 'own.key', '-out', 'own.crt', ...subject);
  const authority =
    '[ca]\ndefault_ca=c\n[c]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n';
  writeFileSync(join(folder, 'ca.cnf'), authority);
  writeFileSync(join(folder, 'index'), '');
  writeFileSync(join(folder, 'serial'), '01');
  const signed = ['-subj', '/CN=localhost'];
  openssl(folder, 'req', ...KEY, '-keyout', 'old.key', '-out', 'old.csr', ...signed);
  const times = ['-startdate', '20200101000000Z', '-enddate', '20200102000000Z'];
  openssl(
    folder,
    ...['ca', '-selfsign', '-config', 'ca.cnf', '-in', 'old.csr', '-keyfile', 'old.key'],
    ...['-out', 'old.crt', '-batch', '-notext', ...times],
  );
}

export interface Servers {
  /** The port of each. */
  port: Record<
    'selfSigned' | 'expired' | 'plain' | 'noHttp' | 'silent' | 'closing' | 'nobody',
    number
  >;
  /** The certificate of selfSigned. */
  certificate: string;
  end(): Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const folder = mkdtempSync(join(tmpdir(), 'tls-servers-'));
  makeCertificates(folder);
  const pair = (name: string) => ({
    key: readFileSync(join(folder, `${name}.key`)),
    cert: readFileSync(join(folder, `${name}.crt`)),
  });
  const fine: RequestListener = (_, response) => response.end('{}');
  const servers = {
    selfSigned: createHttps(pair('own'), fine),
    expired: createHttps(pair('old'), fine),
    plain: createHttp(fine),
    noHttp: createTcp((socket) => socket.on('error', () => undefined).write('SSH-2.0-it\r\n')),
    silent: createTcp((socket) => socket.on('error', () => undefined)),
    closing: createTcp((socket) => socket.on('error', () => undefined).destroy()),
    nobody: createTcp(),
  };
  const port = {} as Servers['port'];
  const all = Object.entries(servers) as [keyof Servers['port'], Server][];
  const open = new Set<{ destroy(): void }>();
  for (const [name, server] of all) {
    server.on('connection', (socket: { destroy(): void }) => open.add(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port[name] = (server.address() as AddressInfo).port;
  }
  servers.nobody.close();
  return {
    port,
    certificate: join(folder, 'own.crt'),
    end: async () => {
      for (const [name, server] of all) if (name !== 'nobody') server.close();
      for (const socket of open) socket.destroy();
      rmSync(folder, { recursive: true, force: true });
      await Promise.resolve();
    },
  };
}
