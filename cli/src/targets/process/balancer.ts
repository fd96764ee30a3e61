import type { ProcessSpec } from './supervisor';
import type { ProcessPlace } from './workspace';

/** What webhook processors serve; everything else, and every `-test` path, is main's. */
const processorPaths = ['webhook', 'webhook-waiting', 'form', 'form-waiting', 'mcp'];

export interface BalancerPorts {
  own: number;
  main: number;
  webhooks: readonly number[];
}

/** nginx before main and the webhook processors, as an ingress would stand there. `config`: a file with the text below. */
export function balancer(program: string, config: string, place: ProcessPlace): ProcessSpec {
  return {
    ...place,
    role: 'balancer',
    instance: 'balancer',
    command: [program, '-p', place.folder, '-c', config, '-e', 'stderr'],
    env: {},
    limits: {},
    stopSignal: 'TERM',
    kind: 'service',
  };
}

/** `away`: ports that get no requests. It holds once nginx has had SIGHUP; what it is serving it serves to the end. */
export function balancerConfig(
  ports: BalancerPorts,
  folder: string,
  { away = new Set(), asRoot = false }: { away?: ReadonlySet<number>; asRoot?: boolean } = {},
): string {
  const server = (port: number): string =>
    `    server 127.0.0.1:${String(port)} max_fails=0${away.has(port) ? ' down' : ''};`;
  const servers = (list: readonly number[]): string => list.map(server).join('\n');
  return `daemon off;
# Root's nginx would hand its workers to a user that may not read this folder.
${asRoot ? 'user root;\n' : ''}worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr warn;
events { worker_connections 8192; }
http {
  access_log off;
  client_max_body_size 0;
  # n8n answers a webhook when its workflow ends: never cut it short, nor ask a second time.
  proxy_read_timeout 1h;
  proxy_send_timeout 1h;
  proxy_next_upstream off;
  proxy_http_version 1.1;
  proxy_request_buffering off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream main {
${servers([ports.main])}
    keepalive 64;
  }
  upstream webhooks {
${servers(ports.webhooks)}
    keepalive 256;
  }
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  server {
    listen 127.0.0.1:${String(ports.own)} backlog=4096;
    location ~ ^/(${processorPaths.join('|')})(/|$) {
      proxy_set_header Host $http_host;
      proxy_set_header Connection '';
      proxy_pass http://webhooks;
    }
    location / {
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_pass http://main;
    }
  }
}
`;
}
