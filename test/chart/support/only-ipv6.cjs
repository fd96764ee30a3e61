// Answers for one name as a DNS does where a Service has an IPv6 address alone: asked for IPv4, it knows none.
const dns = require('node:dns');

const NAME = 'redis-of-ipv6.test';
const lookup = dns.lookup;
dns.lookup = (host, options, found) => {
  if (host !== NAME) return lookup(host, options, found);
  const { family = 0, all = false } = typeof options === 'object' ? options : {};
  const isIpv4 = family === 4 || family === 'IPv4';
  if (isIpv4) return found(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));
  return all ? found(null, [{ address: '::1', family: 6 }]) : found(null, '::1', 6);
};
