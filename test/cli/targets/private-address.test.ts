import { ownAddress } from '../../../cli/src/targets/url/needs';
import { isPrivate, publicAddresses } from '../../../cli/src/targets/url/private-address';

test.each([
  ...['127.0.0.1', '127.255.255.255', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['169.254.169.254', '198.18.0.1', '0.0.0.0', '::1', 'fe80::1', 'fc00::1', 'fdff::1', '::'],
  ...['::ffff:10.0.0.1', '::ffff:127.0.0.1'],
])('%s is of this machine or its own network', (address) => {
  expect(isPrivate(address)).toBe(true);
});

test.each([
  ...['8.8.8.8', '172.15.255.255', '172.32.0.0', '192.167.0.1', '192.169.0.0', '11.0.0.1'],
  ...['100.64.0.1', '198.17.255.255', '2001:db8::1', 'fe00::1', '::ffff:8.8.8.8', 'localhost', ''],
])('the address %s is not private', (address) => {
  expect(isPrivate(address)).toBe(false);
});

describe('of a URL', () => {
  const resolve =
    (...addresses: string[]) =>
    () =>
      Promise.resolve(addresses.map((address) => ({ address })));

  test.each([
    ...['http://127.0.0.1:5678', 'http://[::1]:5678', 'http://2130706433/', 'http://0x7f.1/'],
    ...['http://[::ffff:192.168.0.1]/'],
  ])('%s no address is public', async (url) => {
    expect(await publicAddresses(url, () => Promise.reject(new Error('looked up')))).toEqual([]);
  });

  test('a name is what it stands for, and one public address of several is enough', async () => {
    const url = 'https://n8n.internal/';
    expect(await publicAddresses(url, resolve('10.0.0.1', 'fd00::1'))).toEqual([]);
    expect(await publicAddresses(url, resolve('10.0.0.1', '8.8.8.8'))).toEqual(['8.8.8.8']);
    expect(await publicAddresses('http://127.0.0.1.example.com', resolve('8.8.8.8'))).toEqual([
      '8.8.8.8',
    ]);
  });

  test('a name without an address is told in a sentence', async () => {
    const nobody = (): Promise<never> =>
      Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' }));
    await expect(publicAddresses('http://nowhere.example', nobody)).rejects.toThrow(
      'the name nowhere.example is not known to DNS: is it spelled correctly, and do you need a VPN?',
    );
  });
});

test.each([
  ['http://127.0.0.1:5690', '127.0.0.1'],
  ['http://localhost:5690', '127.0.0.1'],
  // Nobody has it (RFC 5737).
  ['http://203.0.113.7:5690', null],
  ['http://gateway.invalid:5690', null],
])(
  'a stand-in that n8n reaches at %s listens on no other address of this machine than %p',
  async (url, own) => {
    expect(await ownAddress(url)).toBe(own);
  },
);
