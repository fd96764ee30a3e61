/** Whether only this machine or its own network is reached by an address. */
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { Mistake } from '../../ui/exit';
import { unreachable } from '../../ui/unreachable';

const OWN = new BlockList();
for (const [net, prefix] of [
  ...[['127.0.0.0', 8] as const, ['0.0.0.0', 32] as const],
  // RFC 1918, link-local, and the range for benchmarks (RFC 2544).
  ...[['10.0.0.0', 8] as const, ['172.16.0.0', 12] as const, ['192.168.0.0', 16] as const],
  ...[['169.254.0.0', 16] as const, ['198.18.0.0', 15] as const],
]) {
  OWN.addSubnet(net, prefix, 'ipv4');
}
for (const [net, prefix] of [
  ...[['::1', 128] as const, ['::', 128] as const],
  // Link-local, and unique local addresses.
  ...[['fe80::', 10] as const, ['fc00::', 7] as const],
]) {
  OWN.addSubnet(net, prefix, 'ipv6');
}

/** Whether an IPv4 or IPv6 address is private; an IPv4 address written as IPv6 counts as IPv4. */
export function isPrivate(address: string): boolean {
  const kind = isIP(address);
  return kind !== 0 && OWN.check(address, kind === 4 ? 'ipv4' : 'ipv6');
}

/** The addresses of a URL's host that are neither of this machine nor private; a name is looked up. */
export async function publicAddresses(
  url: string,
  resolve: (name: string) => Promise<readonly { address: string }[]> = (name) =>
    lookup(name, { all: true }),
): Promise<string[]> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return isPrivate(host) ? [] : [host];
  const found = await resolve(host).catch((error: unknown) => {
    throw new Mistake(`${unreachable(error, url).why}?`);
  });
  return found.map(({ address }) => address).filter((address) => !isPrivate(address));
}
