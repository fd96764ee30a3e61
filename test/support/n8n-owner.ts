import type { Running } from '../../cli/src/targets/target';
import { newOwnersKey } from '../../cli/src/targets/url/owner';

/** An API key with these scopes, of the owner of an n8n that was brought up. */
export function newApiKey({ baseUrl, owner }: Running, scopes: readonly string[]): Promise<string> {
  if (owner === undefined) throw new Error(`${baseUrl} has no owner`);
  return newOwnersKey(baseUrl, owner, scopes);
}
