import fc from 'fast-check';

const letters = (chars: string, min: number, max: number) =>
  fc
    .array(fc.constantFrom(...chars), { minLength: min, maxLength: max })
    .map((all) => all.join(''));

/** Secrets as people and programs write them; none is a word that occurs in a record by chance. */
export const secrets = fc.oneof(
  letters('abcdefghkmnpqrstuvwxyz', 8, 12).map((word) => `hunter${word}`),
  letters('0123456789', 9, 16).map((digits) => `7${digits}`),
  letters('0123456789abcdef', 32, 64),
  letters('abcXYZ089-._~', 8, 20).map((word) => `pw${word}Q`),
  letters('ABCDEFabcdef0123456789+/', 24, 40).map((word) => `${word}Aa0==`),
  fc.uuid(),
);
