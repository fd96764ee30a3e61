import { indexBackends } from './backends.ts';
import { GATEWAY_CLASS, gatewayRoutes, schemeOf } from './gateway.ts';
import { ingressRoutes, isOurs } from './ingress.ts';
import type { Certificate, Site } from './nginx.ts';
import type { Objects, Secret } from './objects.ts';

/** A certificate to be written to files. */
export interface CertificateFile {
  file: string;
  content: string;
}

export interface Routing {
  sites: Site[];
  files: CertificateFile[];
}

/** The certificate that is shown for names without one of their own. */
const FALLBACK: Certificate = {
  hosts: [],
  file: '/tmp/fallback.crt',
  keyFile: '/tmp/fallback.key',
};

interface Wanted {
  namespace: string;
  secret: string;
  hosts: string[];
}

function certificates(
  folder: string,
  wanted: Wanted[],
  secrets: Secret[],
): { shown: Certificate[]; files: CertificateFile[] } {
  const shown: Certificate[] = [FALLBACK];
  const files: CertificateFile[] = [];
  for (const { namespace, secret, hosts } of wanted) {
    const data = secrets.find(
      (s) => s.metadata.namespace === namespace && s.metadata.name === secret,
    )?.data;
    const [crt, key] = [data?.['tls.crt'], data?.['tls.key']];
    if (!crt || !key || hosts.length === 0) continue;
    const file = `${folder}/${namespace}.${secret}`;
    shown.push({ hosts, file: `${file}.crt`, keyFile: `${file}.key` });
    files.push({ file: `${file}.crt`, content: Buffer.from(crt, 'base64').toString() });
    files.push({ file: `${file}.key`, content: Buffer.from(key, 'base64').toString() });
  }
  return { shown, files };
}

/** What nginx has to do, from the objects of the cluster alone. */
export function routing(objects: Objects, certificateFolder: string): Routing {
  const backends = indexBackends(objects.services, objects.endpointSlices);
  const ingresses = objects.ingresses.filter(isOurs);
  const gateways = objects.gateways.filter(
    (gateway) => gateway.spec.gatewayClassName === GATEWAY_CLASS,
  );

  const forIngress = certificates(
    certificateFolder,
    ingresses.flatMap((ingress) =>
      (ingress.spec.tls ?? []).map((tls) => ({
        namespace: ingress.metadata.namespace ?? '',
        secret: tls.secretName ?? '',
        hosts: tls.hosts ?? [],
      })),
    ),
    objects.secrets,
  );
  const forGateway = certificates(
    certificateFolder,
    gateways.flatMap((gateway) =>
      gateway.spec.listeners
        .filter((listener) => schemeOf(listener) === 'https')
        .flatMap((listener) =>
          (listener.tls?.certificateRefs ?? []).map((ref) => ({
            namespace: gateway.metadata.namespace ?? '',
            secret: ref.name,
            hosts: [listener.hostname ?? '~.'],
          })),
        ),
    ),
    objects.secrets,
  );
  const gatewaySite = (scheme: 'http' | 'https'): Site['routes'] =>
    gatewayRoutes(objects.httpRoutes, gateways, backends, scheme);
  return {
    sites: [
      {
        name: 'ingress',
        httpPort: 8080,
        https: { port: 8443, certificates: forIngress.shown },
        routes: ingressRoutes(ingresses, backends),
      },
      { name: 'gateway', httpPort: 9080, routes: gatewaySite('http') },
      {
        name: 'gateway_tls',
        https: { port: 9443, certificates: forGateway.shown },
        routes: gatewaySite('https'),
      },
    ],
    files: [...forIngress.files, ...forGateway.files],
  };
}
