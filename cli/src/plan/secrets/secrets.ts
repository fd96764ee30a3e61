/** What of an order goes into a record: nothing that may be a secret. */
import { maskOfNamed } from './mask';
import { withoutSecretParts } from './address';
import { withoutSecretWords } from './command';
import { isHarmlessVariable } from './variables';
import type { Server } from '../server';
import type { Topology } from '../topology';

type Variables = Record<string, string>;

export const environmentWithoutSecrets = (env: Variables): Variables =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      isHarmlessVariable(name, value) ? value : maskOfNamed(name, value),
    ]),
  );

/** The topology as it goes into the record: n8n's own variables may hold the user's passwords. */
export function topologyWithoutSecrets(topology: Topology): Topology {
  const hidden = <Part extends { env: Variables }>(part: Part): Part => ({
    ...part,
    env: environmentWithoutSecrets(part.env),
  });
  const { main, workers, webhooks } = topology;
  return {
    ...hidden(topology),
    main: hidden(main),
    workers: hidden(workers),
    webhooks: hidden(webhooks),
  };
}

/** The same of a server, whose command is a text of the user's own. */
export const serverWithoutSecrets = (server: Server): Server => ({
  ...server,
  command: withoutSecretWords(server.command),
  url: withoutSecretParts(server.url),
  env: environmentWithoutSecrets(server.env),
});
