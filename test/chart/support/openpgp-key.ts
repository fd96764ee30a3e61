/** A new OpenPGP key that signs, as `gpg --export-secret-keys` and `gpg --export` write it: RFC 4880, RSA, no passphrase. */
import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

const [SIGNATURE, SECRET_KEY, PUBLIC_KEY, USER_ID] = [2, 5, 6, 13];
const [RSA, SHA256] = [1, 8];
const POSITIVE_CERTIFICATION = 0x13;
const CERTIFY_AND_SIGN = 0x03;

const uint = (value: number, bytes: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntBE(value, 0, bytes);
  return buffer;
};

const packet = (tag: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0xc0 | tag, 0xff]), uint(body.length, 4), body]);

const subpacket = (type: number, body: Buffer): Buffer =>
  Buffer.concat([Buffer.from([body.length + 1, type]), body]);

/** A number with its length in bits, from the base64url of a JSON Web Key. */
function mpi(text: string | undefined): Buffer {
  const bytes = Buffer.from(text ?? '', 'base64url');
  const number = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  const bits = 8 * number.length - Math.clz32(number[0] ?? 0) + 24;
  return Buffer.concat([uint(bits, 2), number]);
}

export function openPgpKey(name: string): { secret: Buffer; public: Buffer } {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n, e, d, p, q, qi } = privateKey.export({ format: 'jwk' });
  const made = uint(Math.floor(Date.now() / 1000), 4);
  const own = Buffer.concat([Buffer.from([4]), made, Buffer.from([RSA]), mpi(n), mpi(e)]);
  // OpenPGP's inverse is that of its first prime, a JSON Web Key's that of its second.
  const secrets = Buffer.concat([d, q, p, qi].map(mpi));
  const checksum = secrets.reduce((sum, byte) => (sum + byte) % 0x10000, 0);
  const unprotected = Buffer.from([0]);
  const secret = Buffer.concat([own, unprotected, secrets, uint(checksum, 2)]);
  const named = [
    packet(USER_ID, Buffer.from(name)),
    packet(SIGNATURE, certification(privateKey, { own, name, made })),
  ];
  return {
    secret: Buffer.concat([packet(SECRET_KEY, secret), ...named]),
    public: Buffer.concat([packet(PUBLIC_KEY, own), ...named]),
  };
}

/** By the key itself, that it has this name and may sign. */
function certification(
  key: KeyObject,
  { own, name, made }: { own: Buffer; name: string; made: Buffer },
): Buffer {
  const hashedKey = Buffer.concat([Buffer.from([0x99]), uint(own.length, 2), own]);
  const fingerprint = createHash('sha1').update(hashedKey).digest();
  const hashed = Buffer.concat([
    subpacket(2, made),
    subpacket(27, Buffer.from([CERTIFY_AND_SIGN])),
    subpacket(33, Buffer.concat([Buffer.from([4]), fingerprint])),
  ]);
  const unhashed = subpacket(16, fingerprint.subarray(-8));
  const head = Buffer.concat([
    Buffer.from([4, POSITIVE_CERTIFICATION, RSA, SHA256]),
    ...[uint(hashed.length, 2), hashed],
  ]);
  const signed = Buffer.concat([
    hashedKey,
    ...[Buffer.from([0xb4]), uint(Buffer.byteLength(name), 4), Buffer.from(name)],
    ...[head, Buffer.from([4, 0xff]), uint(head.length, 4)],
  ]);
  return Buffer.concat([
    ...[head, uint(unhashed.length, 2), unhashed],
    createHash('sha256').update(signed).digest().subarray(0, 2),
    mpi(sign('sha256', signed, key).toString('base64url')),
  ]);
}
