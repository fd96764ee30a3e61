import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { repositoryRoot } from '../../cli/src/lab/paths';
import { QueueRedisApi } from '../../credentials/QueueRedisApi.credentials';
import { LoadTarget } from '../../nodes/LoadTarget/LoadTarget.node';
import {
  CLUSTER_READER_RIGHTS,
  ONCE_RIGHTS,
  READER_RIGHTS,
} from '../../credentials/QueueRedisApi.credentials';
import { Once } from '../../nodes/QueueMonitor/Once.node';
import { QueueMonitor } from '../../nodes/QueueMonitor/QueueMonitor.node';
import { QueueMonitorTrigger } from '../../nodes/QueueMonitor/QueueMonitorTrigger.node';

const docs = readFileSync(join(repositoryRoot(), 'nodes/README.md'), 'utf8');
const readme = readFileSync(join(repositoryRoot(), 'nodes/QueueMonitor/README.md'), 'utf8');
const described = {
  'Load Target': new LoadTarget().description.properties,
  'Queue Monitor': new QueueMonitor().description.properties,
  'Queue Monitor Trigger': new QueueMonitorTrigger().description.properties,
  Once: new Once().description.properties,
  'Queue Redis API': new QueueRedisApi().properties,
} satisfies Record<string, INodeProperties[]>;

test.each(Object.entries(described))(
  'every parameter of %s is in the docs',
  (_name, properties) => {
    const missing = properties
      .map(({ displayName }) => displayName)
      .filter((name) => name !== 'Operation' && !emphasised(name).test(docs));
    expect(missing).toEqual([]);
  },
);

test.each(
  Object.values(described)
    .flat()
    .map((property) => [property.displayName, property] as const),
)('%s says what it is, and a number has bounds', (_name, property) => {
  if (property.type === 'number') {
    expect(property.typeOptions).toMatchObject({
      minValue: expect.any(Number) as number,
      maxValue: expect.any(Number) as number,
    });
  }
  const options = (property.options ?? []) as { description?: string }[];
  expect(options.filter(({ description }) => !description)).toEqual([]);
});

test('the credential, the docs and the README name the same rights of a user of Redis', () => {
  const user = described['Queue Redis API'].find(({ name }) => name === 'user');
  expect(user?.description).toContain(READER_RIGHTS);
  const ofOnce = ONCE_RIGHTS.replace(`${READER_RIGHTS} `, '');
  for (const text of [docs, readme, user?.description]) expect(text).toContain(ofOnce);
  for (const rights of [READER_RIGHTS, CLUSTER_READER_RIGHTS]) {
    const rule = `ACL SETUSER reader reset on >PASSWORD ${rights}\n`;
    for (const text of [docs, readme]) expect(text).toContain(rule);
  }
});

test('every operation is in the docs', () => {
  for (const properties of [described['Load Target'], described['Queue Monitor'], described.Once]) {
    const operation = properties.find(({ name }) => name === 'operation');
    for (const { name } of operation?.options ?? []) expect(docs).toContain(`**${name}`);
  }
});

/** The name in italics or bold, wherever the line breaks. */
function emphasised(name: string): RegExp {
  const words = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '\\s+');
  return new RegExp(`[*_]${words}[*_]`);
}
