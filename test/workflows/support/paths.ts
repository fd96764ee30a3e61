import { join } from 'node:path';

export const root = join(__dirname, '../../..');
export const workflowsFolder = join(root, 'workflows');
