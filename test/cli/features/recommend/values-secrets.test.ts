import fc from 'fast-check';
import { parse } from 'yaml';
import { topologySchema } from '../../../../cli/src/plan/topology';
import { isMasked } from '../../../../cli/src/plan/secrets/mask';
import { topologyWithoutSecrets } from '../../../../cli/src/plan/secrets/secrets';
import { recommend } from '../../../../cli/src/features/recommend/analysis/recommend';
import { valuesYaml } from '../../../../cli/src/features/recommend/values';
import { queue, regular } from './evidence';

const variable = fc.constantFrom(
  'DB_POSTGRESDB_PASSWORD',
  'N8N_ENCRYPTION_KEY',
  'HTTP_PROXY',
  'N8N_LOG_LEVEL',
  'QUEUE_BULL_REDIS_DB',
);
const value = fc.constantFrom('s3cret', 'http://me:s3cret@proxy:8080', 'warn', '1');
const variables = fc.dictionary(variable, value);

test('a value that the record masks is never written as a value, and is named instead', () => {
  fc.assert(
    fc.property(variables, variables, variables, fc.boolean(), (env, main, workers, isQueue) => {
      const { topology: plain, ...rest } = isQueue ? queue(2, 50) : regular(50);
      const topology = topologyWithoutSecrets(
        topologySchema.parse({
          ...plain,
          env,
          main: { ...plain.main, env: main },
          workers: { ...plain.workers, env: workers },
        }),
      );
      const found = recommend([{ ...rest, topology }], 40);
      if (found === null) throw new Error('nothing is recommended');
      const text = valuesYaml(found);

      const written = JSON.stringify(parse(text));
      expect(written).not.toContain('***');
      const masked = Object.entries(topology.env).filter(([, each]) => isMasked(each));
      for (const [name] of masked) expect(text).toContain(`${name} (env)`);
      const kept = Object.entries(topology.env).filter(([, each]) => !isMasked(each));
      expect((parse(text) as { env?: object }).env ?? {}).toEqual(Object.fromEntries(kept));
    }),
  );
});
