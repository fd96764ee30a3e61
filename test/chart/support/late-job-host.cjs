// Has n8n's own JobProcessor run a job whose execution is stored with the status given, and writes how far it got. Reads
// {status}.
const { EventEmitter } = require('node:events');
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');

const manifest = process.argv[2];
const load = createRequire(manifest);
load('reflect-metadata');
const { JobProcessor } = load(join(dirname(manifest), 'dist/scaling/job-processor.js'));
const { status } = JSON.parse(readFileSync(0, 'utf8'));

const BEGUN = 'it was begun';
const processor = Object.assign(Object.create(JobProcessor.prototype), {
  logger: { info: () => undefined },
  executionPersistence: {
    findSingleExecution: async () => ({ status, data: {}, workflowData: { id: 'w', name: 'W' } }),
  },
  executionRepository: {
    setRunning: async () => {
      throw new Error(BEGUN);
    },
  },
});
/** A queue that is not connected. */
const client = Object.assign(new EventEmitter(), { status: 'wait' });
const queue = { keyPrefix: 'bull', client };
processor
  .processJob({ id: '7', queue, data: { executionId: '1' } })
  .catch((error) => (error.message === BEGUN ? 'begun' : `${error}`))
  .then((result) => {
    console.log(JSON.stringify(result));
    process.exit();
  });
