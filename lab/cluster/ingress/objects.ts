/** The parts of Kubernetes' objects that routing needs, as the API server gives them. */

export interface Metadata {
  name: string;
  namespace?: string;
  uid?: string;
  creationTimestamp?: string;
  generation?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

export interface Resource {
  metadata: Metadata;
}

export interface IngressBackend {
  service?: { name: string; port: { name?: string; number?: number } };
}

export interface Ingress extends Resource {
  spec: {
    ingressClassName?: string;
    defaultBackend?: IngressBackend;
    tls?: { hosts?: string[]; secretName?: string }[];
    rules?: {
      host?: string;
      http?: {
        paths: {
          path?: string;
          pathType: 'Exact' | 'Prefix' | 'ImplementationSpecific';
          backend: IngressBackend;
        }[];
      };
    }[];
  };
  status?: unknown;
}

export interface Listener {
  name: string;
  port: number;
  protocol: string;
  hostname?: string;
  tls?: { mode?: string; certificateRefs?: { kind?: string; name: string; namespace?: string }[] };
  allowedRoutes?: { namespaces?: { from?: string } };
}

export interface Gateway extends Resource {
  spec: { gatewayClassName: string; listeners: Listener[] };
  status?: unknown;
}

export interface ParentRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  sectionName?: string;
  port?: number;
}

export interface HttpRouteMatch {
  path?: { type?: string; value?: string };
  method?: string;
  headers?: { type?: string; name: string; value: string }[];
  queryParams?: unknown[];
}

export interface BackendRef {
  group?: string;
  kind?: string;
  name: string;
  namespace?: string;
  port?: number;
  weight?: number;
  filters?: unknown[];
}

export interface HttpRoute extends Resource {
  spec: {
    parentRefs?: ParentRef[];
    hostnames?: string[];
    rules?: {
      matches?: HttpRouteMatch[];
      filters?: unknown[];
      backendRefs?: BackendRef[];
      timeouts?: { request?: string; backendRequest?: string };
    }[];
  };
  status?: unknown;
}

export interface Service extends Resource {
  spec: { ports?: { name?: string; port: number }[] };
}

export interface EndpointSlice extends Resource {
  ports?: { name?: string; port?: number }[];
  endpoints?: { addresses: string[]; conditions?: { ready?: boolean } }[];
}

export interface Secret extends Resource {
  data?: Record<string, string>;
}

export interface Objects {
  ingresses: Ingress[];
  gateways: Gateway[];
  httpRoutes: HttpRoute[];
  services: Service[];
  endpointSlices: EndpointSlice[];
  secrets: Secret[];
}
