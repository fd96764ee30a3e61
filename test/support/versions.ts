import { pinned, readVersions } from '../../cli/src/lab/paths';

const versions = readVersions();

/** The n8n that tests run: lab/versions.env decides it, or N8N_TEST_VERSION, which npm test also reads. */
export const N8N_VERSION = process.env['N8N_TEST_VERSION'] || pinned(versions, 'N8N_VERSION');
/** The n8n below 1.0 that they run. */
export const N8N_LEGACY_VERSION = pinned(versions, 'N8N_LEGACY_VERSION');
