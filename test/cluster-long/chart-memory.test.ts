// A Code node that returns more than the container holds: what our default does with it, and what a chart without any
// heap setting does with 1 GiB.
import { request, until } from '../support/cluster';
import { Release } from '../support/release';
import { seen } from '../support/seen';

jest.setTimeout(1_800_000);

/** MiB that a Code node builds; with `returned` it also hands them back to n8n. */
const SIZES = [50, 100, 150, 300, 600];
const PEER_LIKE = {
  heap: { enabled: false },
  main: { resources: { limits: { memory: '1Gi' } } },
};

/** A workflow of the test's own: the bundled one keeps its text inside the task runner. */
function hog(): object {
  const code = `const mib = Number($input.first().json.query.mib);
const pieces = [];
for (let i = 0; i < mib; i++) {
  const piece = String.fromCharCode(97 + (i % 26)).repeat(1 << 20);
  piece.charCodeAt(piece.length - 1);
  pieces.push(piece);
}
return [{ json: { text: pieces.join('') } }];`;
  const node = (name: string, type: string, typeVersion: number, parameters: object): object => ({
    ...{ id: name, name, type, typeVersion, parameters, position: [0, 0] },
  });
  return {
    ...{ id: 'chart-hog', name: 'hog', active: false, settings: {}, versionId: 'chart-hog-1' },
    nodes: [
      {
        ...node('Webhook', 'n8n-nodes-base.webhook', 2, {
          path: 'chart-hog',
          responseMode: 'lastNode',
          responseData: 'noData',
        }),
        webhookId: 'chart-hog',
      },
      node('Code', 'n8n-nodes-base.code', 2, { jsCode: code }),
    ],
    connections: { Webhook: { main: [[{ node: 'Code', type: 'main', index: 0 }]] } },
  };
}

async function release(prefix: string, values: object): Promise<Release> {
  const n8n = await Release.inNewNamespace(prefix);
  await n8n.deploy(values);
  const script = `echo '${Buffer.from(JSON.stringify(hog())).toString('base64')}' | base64 -d > /tmp/hog.json
    n8n import:workflow --input=/tmp/hog.json && n8n publish:workflow --id=chart-hog`;
  await n8n.exec(await n8n.pod('main'), 'sh', '-c', script);
  await n8n.space.kubectl('rollout', 'restart', 'deployment/n8n-main');
  await n8n.rolledOut('main');
  return n8n;
}

/** Asks for every size once; 0 stands for no answer at all. */
async function answers(n8n: Release): Promise<Record<string, number>> {
  const url = `${await n8n.serviceUrl()}/webhook/chart-hog`;
  await n8n.expectedResponse(`${url}?mib=1`);
  const statuses: Record<string, number> = {};
  for (const mib of SIZES) {
    statuses[`${mib}MiB`] = (await request(`${url}?mib=${mib}`, '-m', '120')).status;
    await until('n8n again', async () => (await request(`${url}?mib=1`)).status === 200, 180_000);
  }
  return statuses;
}

test('under the default the memory hog gets errors for answers and n8n is never killed', async () => {
  const n8n = await release('chart-hog', {});
  try {
    const statuses = await answers(n8n);
    const ends = await n8n.ends('main');
    seen('memory hog, defaults', { statuses, ...ends });
    expect(ends).toEqual({ restarts: 0, oomKilled: 0 });
    expect(Object.values(statuses)).not.toContain(0);
    expect(statuses['600MiB']).toBe(500);
  } finally {
    await n8n.remove();
  }
});

test('with 1 GiB and no heap setting the kernel kills it', async () => {
  const n8n = await release('chart-hog-peer', PEER_LIKE);
  try {
    const statuses = await answers(n8n);
    const ends = await n8n.ends('main');
    seen('memory hog, 1 GiB without heap settings', { statuses, ...ends });
    expect(ends.oomKilled).toBeGreaterThan(0);
  } finally {
    await n8n.remove();
  }
});
