/** The address of a release, and the source of its execution counts. Pure. */
import type { V1Pod, V1Service } from '../api/api-types';
import { COMPONENT } from '../objects/labels';
import { nameOf } from '../pods/pod-trouble';
import { roleOf, seatsOf, type ContainerSeat } from '../pods/pods';

/** The Service of the webhook processors, if there are any; else that of main. */
export function webhookService(services: readonly V1Service[]): V1Service | null {
  const usable = services.filter(
    ({ spec }) => spec?.clusterIP !== 'None' && (spec?.ports ?? []).length > 0,
  );
  const having = (pattern: RegExp): V1Service | undefined =>
    usable.find(({ metadata }) => pattern.test(metadata?.labels?.[COMPONENT] ?? ''));
  return having(/webhook/) ?? having(/main/) ?? soleN8n(usable);
}

/** Charts without components have one Service, or one with n8n's port. */
function soleN8n(services: readonly V1Service[]): V1Service | null {
  const theirs = services.filter(({ metadata }) =>
    /n8n/.test(metadata?.labels?.['app.kubernetes.io/name'] ?? ''),
  );
  return theirs.length === 1 ? (theirs[0] ?? null) : null;
}

export function urlOf({ metadata, spec }: V1Service): string {
  const port =
    spec?.ports?.find(({ name }) => name === 'http')?.port ?? spec?.ports?.[0]?.port ?? 80;
  const host = `${metadata?.name ?? ''}.${metadata?.namespace ?? ''}.svc`;
  return `http://${host}${port === 80 ? '' : `:${String(port)}`}`;
}

/** The container in which SQL runs: PostgreSQL's own, or main's, which has the file of SQLite. */
export function databaseSeat(
  pods: readonly V1Pod[],
): { kind: 'postgresql' | 'sqlite'; seat: ContainerSeat } | null {
  const seats = seatsOf(pods);
  const postgresql = seats.find(({ role }) => role === 'postgresql');
  if (postgresql !== undefined) return { kind: 'postgresql', seat: postgresql };
  const main = seats.find(({ role }) => role === 'main');
  if (main === undefined) return null;
  const pod = pods.find((each) => nameOf(each) === main.pod && roleOf(each) === 'main');
  const env = pod?.spec?.containers.find(({ name }) => name === main.container)?.env ?? [];
  const type = env.find(({ name }) => name === 'DB_TYPE')?.value ?? 'sqlite';
  return type === 'sqlite' ? { kind: 'sqlite', seat: main } : null;
}

/** Version of n8n from the tag of main's image; null if the tag is no version, such as `latest`, or of another image. */
export function versionIn(pods: readonly V1Pod[]): string | null {
  const main = seatsOf(pods).find(({ role }) => role === 'main');
  const pod = pods.find((each) => nameOf(each) === main?.pod);
  const image = pod?.spec?.containers.find(({ name }) => name === main?.container)?.image ?? '';
  return /(?:^|\/)n8n:v?(\d+\.\d+\.\d+)/.exec(image)?.[1] ?? null;
}
