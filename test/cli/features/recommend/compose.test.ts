import { parse } from 'yaml';
import type { CapacityEvidence } from '../../../../cli/src/features/recommend/analysis/evidence';
import { recommend } from '../../../../cli/src/features/recommend/analysis/recommend';
import { correctedCompose } from '../../../../cli/src/features/recommend/compose';
import { Mistake } from '../../../../cli/src/ui/exit';
import { queue, regular } from './evidence';

type Services = Record<string, Record<string, unknown>>;

const FILE = 'docker-compose.yml';

function corrected(text: string, evidence: CapacityEvidence[], ratePerSecond: number) {
  const found = recommend(evidence, ratePerSecond, { cpu: 1, memory: 1 });
  if (found === null) throw new Error('nothing is enough');
  const made = correctedCompose(text, FILE, found.best);
  return {
    ...made,
    services: (parse(made.text, { merge: true }) as { services: Services }).services,
  };
}

const alone = (text: string) => corrected(text, [regular(60)], 40);

/** A file like that in n8n's own documentation of queue mode. */
const QUEUE = `
x-shared: &shared
  image: docker.n8n.io/n8nio/n8n:2.41.1
  restart: always
  environment:
    - DB_TYPE=postgresdb
    - DB_POSTGRESDB_PASSWORD=\${POSTGRES_PASSWORD}
    - N8N_ENCRYPTION_KEY
  deploy:
    resources: { limits: { cpus: '2' } }
services:
  postgres:
    image: postgres:16
  redis:
    image: redis:7
  n8n:
    <<: *shared
    ports: ['5678:5678']
  n8n-worker:
    <<: *shared
    command: worker
`;

describe('a Compose file with recommended settings', () => {
  it('keeps all that it says, comments included, and has the variables that make n8n fast', () => {
    const { text, services, changes } = alone(`
# Ours.
services:
  proxy: { image: 'traefik:v3' } # in front
  n8n:
    image: n8nio/n8n:2.41.1
    environment:
      N8N_HOST: n8n.example.org # of DNS
      N8N_LOG_LEVEL: info
    volumes: ['data:/home/node/.n8n']
volumes: { data: {} }
`);
    expect(text).toMatch(/# Ours\.[\s\S]*# in front[\s\S]*# of DNS/);
    expect(services['n8n']).toMatchObject({
      environment: {
        N8N_HOST: 'n8n.example.org',
        N8N_LOG_LEVEL: 'warn',
        N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
        NODE_OPTIONS: '--max-old-space-size=768',
      },
      volumes: ['data:/home/node/.n8n'],
      deploy: { resources: { limits: { memory: '1536M' } } },
    });
    expect(services['proxy']).toEqual({ image: 'traefik:v3' });
    expect(changes).toContain('n8n: N8N_LOG_LEVEL from info to warn');
    expect(changes).toContain('n8n: memory limit set to 1536M');
  });

  it('leaves what is kept and where to the user, and says what was measured', () => {
    const { services, left } = alone(`
services:
  n8n:
    image: n8nio/n8n
    environment: [EXECUTIONS_DATA_SAVE_ON_ERROR=none, 'NODE_OPTIONS=--max-old-space-size=4096 --inspect']
`);
    const environment = services['n8n']?.['environment'] as string[];
    expect(environment).toContain('EXECUTIONS_DATA_SAVE_ON_ERROR=none');
    expect(environment).toContain('NODE_OPTIONS=--inspect --max-old-space-size=768');
    expect(environment.filter((line) => line.startsWith('NODE_OPTIONS'))).toHaveLength(1);
    expect(left).toEqual([
      'n8n: EXECUTIONS_DATA_SAVE_ON_ERROR stays none, but the measurement used all',
    ]);
  });

  it('is the same when it is corrected again', () => {
    const once = corrected(QUEUE, [queue(2, 90)], 60);
    const twice = corrected(once.text, [queue(2, 90)], 60);
    expect(twice.changes).toEqual([]);
    expect(twice.text).toBe(once.text);
  });

  it('gives each role its own, where they share an anchor', () => {
    const { services } = corrected(QUEUE, [queue(2, 90)], 60);
    const { n8n, 'n8n-worker': worker } = services;
    expect(worker).toMatchObject({
      command: 'worker --concurrency=10',
      deploy: { replicas: 2, resources: { limits: { cpus: '2' } } },
      environment: {
        DB_TYPE: 'postgresdb',
        DB_POSTGRESDB_PASSWORD: '${POSTGRES_PASSWORD}',
        N8N_ENCRYPTION_KEY: null,
        N8N_RUNNERS_MAX_CONCURRENCY: '10',
      },
    });
    expect(n8n?.['environment']).not.toHaveProperty('N8N_RUNNERS_MAX_CONCURRENCY');
    expect(n8n).not.toHaveProperty('command');
    expect(n8n).not.toHaveProperty('deploy.replicas');
    expect(services['postgres']).toEqual({ image: 'postgres:16' });
  });

  it('gets the variables that its own n8n knows', () => {
    const { services } = alone('services: { n8n: { image: "n8nio/n8n:2.30.8" } }');
    expect(services['n8n']?.['environment']).toMatchObject({ N8N_LOG_LEVEL: 'warn' });
    expect(services['n8n']?.['environment']).not.toHaveProperty(
      'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE',
    );
  });

  it.each([
    ['services: [', 'not YAML'],
    ['volumes: {}', 'no services'],
    ['services: { web: { image: nginx } }', 'no service that starts n8n'],
    [QUEUE, 'has the service n8n-worker'],
  ])('is refused in one sentence where nothing can be written: %#', (text, why) => {
    expect(() => alone(text)).toThrow(Mistake);
    expect(() => alone(text)).toThrow(why);
  });

  it('is refused where the recommendation needs a service that is not there, or one that cannot be repeated', () => {
    const two = (text: string) => corrected(text, [queue(2, 90)], 60);
    expect(() => two('services: { n8n: { image: n8nio/n8n } }')).toThrow(
      'no service for the worker',
    );
    expect(() =>
      two(QUEUE.replace('command: worker', 'command: worker\n    container_name: w')),
    ).toThrow('remove that line');
  });
});
