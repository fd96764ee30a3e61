/** A registry that keeps what is pushed in memory: as much of the OCI distribution specification as Helm uses. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface OciRegistry {
  /** Such as `127.0.0.1:40001`. */
  host: string;
  /** Manifests as they were pushed, by `name:tag`. */
  manifest(reference: string): unknown;
  /** Swaps a byte of a blob that is of this media type in a manifest, as whoever owns the registry could. */
  spoil(reference: string, mediaType: string): void;
  close(): Promise<void>;
}

interface Manifest {
  layers: { mediaType: string; digest: string }[];
}

const digestOf = (content: Buffer): string =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`;

export async function startOciRegistry(): Promise<OciRegistry> {
  const blobs = new Map<string, Buffer>();
  const uploads = new Map<string, Buffer>();
  const manifests = new Map<string, { type: string; content: Buffer }>();

  const answer = (
    response: ServerResponse,
    status: number,
    headers: Record<string, string> = {},
    content: Buffer = Buffer.alloc(0),
  ): void => {
    response.writeHead(status, { 'content-length': String(content.length), ...headers });
    response.end(response.req.method === 'HEAD' ? undefined : content);
  };

  function blob(response: ServerResponse, digest: string): void {
    const content = blobs.get(digest);
    if (content === undefined) answer(response, 404);
    else answer(response, 200, { 'docker-content-digest': digest }, content);
  }

  function upload(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    body: Buffer,
  ): void {
    if (request.method === 'POST') {
      const id = String(uploads.size + 1);
      uploads.set(id, Buffer.alloc(0));
      answer(response, 202, { location: `${url.pathname.replace(/\/$/, '')}/${id}` });
      return;
    }
    const id = url.pathname.split('/').at(-1) ?? '';
    const content = Buffer.concat([uploads.get(id) ?? Buffer.alloc(0), body]);
    uploads.set(id, content);
    if (request.method === 'PATCH') {
      answer(response, 202, { location: url.pathname, range: `0-${String(content.length - 1)}` });
      return;
    }
    const digest = url.searchParams.get('digest') ?? '';
    if (digest !== digestOf(content)) {
      answer(response, 400);
      return;
    }
    blobs.set(digest, content);
    answer(response, 201, { 'docker-content-digest': digest });
  }

  function manifest(
    request: IncomingMessage,
    response: ServerResponse,
    [name, reference]: [string, string],
    body: Buffer,
  ): void {
    if (request.method === 'PUT') {
      const { layers } = JSON.parse(body.toString('utf8')) as Manifest;
      // By the specification, what it refers to comes first.
      if (!layers.every(({ digest }) => blobs.has(digest))) {
        answer(response, 400);
        return;
      }
      const kept = { type: request.headers['content-type'] ?? '', content: body };
      manifests.set(`${name}:${reference}`, kept);
      manifests.set(`${name}:${digestOf(body)}`, kept);
      answer(response, 201, { 'docker-content-digest': digestOf(body) });
      return;
    }
    const found = manifests.get(`${name}:${reference}`);
    if (found === undefined) answer(response, 404);
    else {
      const headers = {
        'content-type': found.type,
        'docker-content-digest': digestOf(found.content),
      };
      answer(response, 200, headers, found.content);
    }
  }

  function tags(response: ServerResponse, name: string): void {
    const own = [...manifests.keys()]
      .filter((key) => key.startsWith(`${name}:`) && !key.includes(':sha256:'))
      .map((key) => key.slice(name.length + 1));
    const type = { 'content-type': 'application/json' };
    answer(response, 200, type, Buffer.from(JSON.stringify({ name, tags: own })));
  }

  function handle(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
    const url = new URL(request.url ?? '/', 'http://registry');
    const [, name = '', kind = '', rest = ''] =
      /^\/v2\/(.+?)\/(blobs\/uploads|blobs|manifests|tags)\/(.*)$/.exec(url.pathname) ?? [];
    if (url.pathname === '/v2/') answer(response, 200);
    else if (kind === 'blobs/uploads') upload(request, response, url, body);
    else if (kind === 'blobs') blob(response, rest);
    else if (kind === 'manifests') manifest(request, response, [name, rest], body);
    else if (kind === 'tags') tags(response, name);
    else answer(response, 404);
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      handle(request, response, Buffer.concat(parts));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const read = (reference: string): Manifest => {
    const found = manifests.get(reference);
    if (found === undefined) throw new Error(`there is no ${reference} in the registry`);
    return JSON.parse(found.content.toString('utf8')) as Manifest;
  };
  return {
    host: `127.0.0.1:${String(port)}`,
    manifest: read,
    spoil: (reference, mediaType) => {
      // A registry that lies also gives the digest of what it changed.
      const own = read(reference);
      const layer = own.layers.find((one) => one.mediaType === mediaType);
      const content = Buffer.from(blobs.get(layer?.digest ?? '') ?? '');
      if (layer === undefined) throw new Error(`${reference} has no ${mediaType}`);
      // In the middle of the archive, where its compressed content is.
      const at = Math.floor(content.length / 2);
      content.writeUInt8(content.readUInt8(at) ^ 1, at);
      layer.digest = digestOf(content);
      blobs.set(layer.digest, content);
      const type = manifests.get(reference)?.type ?? '';
      manifests.set(reference, { type, content: Buffer.from(JSON.stringify(own)) });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
