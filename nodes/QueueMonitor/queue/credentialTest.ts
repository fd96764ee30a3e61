import type {
  ICredentialsDecrypted,
  ICredentialTestFunctions,
  INodeCredentialTestResult,
} from 'n8n-workflow';
import { Mistake } from '../../shared/mistake';
import { readQueue } from './read';

/** The test of the credential Queue Redis API, for every node that uses it: n8n asks the first one. */
export async function queueRedisApiTest(
  this: ICredentialTestFunctions,
  credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  try {
    const found = await readQueue(credential.data ?? {}, { queue: 'jobs' });
    const workers = found.workers ?? 'an unknown number of';
    return {
      status: 'OK',
      message: `Found the queue: ${found.waiting} waiting, ${found.active} active, ${workers} workers`,
    };
  } catch (error) {
    if (error instanceof Mistake) return { status: 'Error', message: error.message };
    throw error;
  }
}
