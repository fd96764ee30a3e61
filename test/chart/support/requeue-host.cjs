// A process that accepts executions, with n8n's own queue and n8n's own way to it: over IPC it is told which executions to
// queue, how the database has them, and when a worker begins; it tells what it takes for the end of each.
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');

const [manifest, port] = process.argv.slice(2);
const load = createRequire(manifest);
load('reflect-metadata');
const Redis = load('ioredis');
const { WorkflowRunner } = load(join(dirname(manifest), 'dist/workflow-runner.js'));

const statuses = new Map();
let reads = 0;
const executionRepository = {
  find: async ({ where }) => {
    reads += 1;
    return where.map(({ id }) => ({ id, status: statuses.get(id) }));
  },
};

/** It goes no further than to where n8n asks for the queue, which is where scripts learn of the database. */
const queueOne = () =>
  WorkflowRunner.prototype.enqueueExecution
    .call({ executionRepository, scalingService: {}, poolConfigService: {} })
    .catch(() => undefined);

async function main() {
  const { default: Queue } = await import(load.resolve('bull'));
  const open = () =>
    new Queue('jobs', {
      prefix: 'bull',
      settings: { maxStalledCount: 0 },
      createClient: () => new Redis({ port, enableReadyCheck: false, maxRetriesPerRequest: null }),
    });
  const queue = open();
  await queue.isReady();

  const commands = {
    async add({ executionId }) {
      statuses.set(executionId, 'new');
      await queueOne();
      const options = { priority: 100, removeOnComplete: 0, removeOnFail: 0 };
      const job = await queue.add('job', { executionId }, options);
      const ended = job.finished();
      process.send({ queued: executionId, id: job.id });
      const said = await ended.then(
        () => 'completed',
        ({ message }) => message,
      );
      process.send({ ended: executionId, said });
    },
    status: ({ executionId, status }) => statuses.set(executionId, status),
    reads: () => process.send({ reads }),
    work() {
      void open().process('job', 5, async ({ data: { executionId } }) => {
        statuses.set(executionId, 'success');
        process.send({ worked: executionId });
      });
    },
  };
  process.on('message', (message) => void commands[message.what](message));
  process.send({ ready: true });
}

void main();
