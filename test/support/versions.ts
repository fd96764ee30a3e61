import { pinned, readVersions } from '../../cli/src/lab/paths';

const versions = readVersions();

/** The n8n that tests run: lab/versions.env decides it. */
export const N8N_VERSION = pinned(versions, 'N8N_VERSION');
/** The n8n below 1.0 that they run. */
export const N8N_LEGACY_VERSION = pinned(versions, 'N8N_LEGACY_VERSION');
