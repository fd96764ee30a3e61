import { headerNames, routePattern, type Route, type Target } from './route.ts';

/** One table of routes, on the ports where nginx listens for it. */
export interface Site {
  name: string;
  httpPort?: number;
  https?: { port: number; certificates: Certificate[] };
  routes: Route[];
}

/** The files of a certificate and the names it is shown for; without names it is the one for all others. */
export interface Certificate {
  hosts: string[];
  file: string;
  keyFile: string;
}

const DEFAULT_READ_TIMEOUT_MS = 60_000;
const DEFAULT_CONNECT_TIMEOUT_MS = 5_000;

const PREAMBLE = `worker_processes 2;
pid /tmp/nginx.pid;
error_log stderr warn;
# A reload leaves the old workers to the requests that they have, WebSockets too, for this long.
worker_shutdown_timeout 300s;
events { worker_connections 4096; }
http {
  access_log off;
  server_tokens off;
  default_type text/plain;
  client_body_temp_path /tmp/body;
  proxy_temp_path /tmp/proxy;
  fastcgi_temp_path /tmp/fastcgi;
  uwsgi_temp_path /tmp/uwsgi;
  scgi_temp_path /tmp/scgi;
  map_hash_bucket_size 256;
  server_names_hash_bucket_size 256;
  underscores_in_headers on;
  keepalive_requests 100000;
  proxy_http_version 1.1;
  proxy_buffering off;
  proxy_set_header Host $http_host;
  proxy_set_header Upgrade $http_upgrade;
  proxy_set_header Connection $connection_of_upstream;
  proxy_set_header X-Real-IP $remote_addr;
  proxy_set_header X-Forwarded-For $remote_addr;
  proxy_set_header X-Forwarded-Host $http_host;
  proxy_set_header X-Forwarded-Port $port_of_client;
  proxy_set_header X-Forwarded-Proto $scheme;
  map $http_upgrade $connection_of_upstream { default upgrade; '' ''; }
  map $scheme $port_of_client { default 80; https 443; }
  upstream status_500 { server unix:/tmp/status-500.sock; }
  upstream status_503 { server unix:/tmp/status-503.sock; }
  server { listen unix:/tmp/status-500.sock; location / { return 500; } }
  server { listen unix:/tmp/status-503.sock; location / { return 503; } }
  server { listen 8081; location = /ready { return 200; } location / { return 404; } }
`;

const indent = (lines: string[]): string[] => lines.map((line) => `  ${line}`);

/** n8n closes an idle connection after 5 s: nginx must be done with it before, or a request meets a closed one. */
function upstream(name: string, addresses: string[]): string[] {
  return [
    `upstream ${name} {`,
    ...indent([
      ...addresses.map((address) => `server ${address};`),
      'keepalive 64;',
      'keepalive_timeout 4s;',
    ]),
    '}',
  ];
}

/** The lines of http and of server that send what a route takes to its backends. */
function renderTarget(id: string, target: Target): { http: string[]; location: string[] } {
  if (target.backends.length === 0)
    return { http: [], location: [`location = /${id} { return 404; }`] };
  const upstreams = target.backends.map(({ addresses }, index) =>
    Array.isArray(addresses)
      ? { name: `${id}_${index}`, addresses }
      : { name: `status_${addresses}`, addresses: [] },
  );
  const total = target.backends.reduce((sum, { weight }) => sum + weight, 0);
  const http = upstreams
    .filter(({ addresses }) => addresses.length > 0)
    .flatMap(({ name, addresses }) => upstream(name, addresses));
  const last = upstreams.length - 1;
  const only = last === 0 ? upstreams[0]?.name : undefined;
  if (only === undefined) {
    const shares = upstreams.map(({ name }, index) => {
      const percent = ((target.backends[index]?.weight ?? 0) / total) * 100;
      return `${index === last ? '*' : `${percent.toFixed(2)}%`} ${name};`;
    });
    http.push(`split_clients "$request_id ${id}" $split_${id} {`, ...indent(shares), '}');
  }
  const location = [
    `location = /${id} {`,
    ...indent([
      `client_max_body_size ${target.maxBodySize ?? '1m'};`,
      `proxy_connect_timeout ${target.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS}ms;`,
      `proxy_send_timeout ${target.sendTimeoutMs ?? DEFAULT_READ_TIMEOUT_MS}ms;`,
      `proxy_read_timeout ${target.readTimeoutMs ?? DEFAULT_READ_TIMEOUT_MS}ms;`,
      `proxy_pass http://${only ?? `$split_${id}`}$request_uri;`,
    ]),
    '}',
  ];
  return { http, location };
}

function renderSite(site: Site): string[] {
  const names = headerNames(site.routes);
  const headers = names.map((name) => `\${http_${name.replaceAll('-', '_')}}\\n`).join('');
  const targets = site.routes.map((route, index) =>
    renderTarget(`${site.name}${index}`, route.target),
  );
  const choice = [
    `map "$host\\n$request_method\\n${headers}$uri" $route_${site.name} {`,
    ...indent([
      'default none;',
      ...site.routes.map(
        (route, index) => `"~${routePattern(route, names)}" ${site.name}${index};`,
      ),
    ]),
    '}',
  ];
  // Every request is rewritten to its route's location, so no path of a client can name one.
  const server = (...lines: string[]): string[] => [
    'server {',
    ...indent([
      ...lines,
      'client_max_body_size 0;',
      `rewrite ^ /$route_${site.name} last;`,
      'location / { return 404; }',
      ...targets.flatMap(({ location }) => location),
    ]),
    '}',
  ];
  const plain =
    site.httpPort === undefined ? [] : server(`listen ${site.httpPort} default_server;`);
  const secure = (site.https?.certificates ?? []).flatMap((certificate) =>
    server(
      `listen ${site.https?.port} ssl http2${certificate.hosts.length === 0 ? ' default_server' : ''};`,
      `server_name ${certificate.hosts.length === 0 ? '""' : certificate.hosts.join(' ')};`,
      `ssl_certificate ${certificate.file};`,
      `ssl_certificate_key ${certificate.keyFile};`,
    ),
  );
  return [...targets.flatMap(({ http }) => http), ...choice, ...plain, ...secure];
}

/** The whole configuration of nginx. */
export function renderNginx(sites: Site[]): string {
  return `${PREAMBLE}${indent(sites.flatMap(renderSite)).join('\n')}\n}\n`;
}
