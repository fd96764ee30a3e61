import fc from 'fast-check';
import { allow, forgetAll, know, withoutKnown } from '../../../cli/src/ui/known-secrets';
import { yamlFault } from '../../../cli/src/ui/yaml-file';
import { parse } from 'yaml';
import { secrets } from '../../support/secret';

afterEach(forgetAll);

test('a secret is masked in every text, as it is, and as JSON, a URL, HTML or an authorization has it', () => {
  fc.assert(
    fc.property(fc.array(secrets, { minLength: 1, maxLength: 3 }), fc.nat(2), (all, index) => {
      all.forEach(know);
      const secret = all[index % all.length] ?? '';
      const texts = [
        `Get "http://host/x?sig=${encodeURIComponent(secret)}": refused`,
        JSON.stringify({ token: `Bearer ${secret}` }),
        `authorization: Basic ${Buffer.from(secret).toString('base64')}`,
        `${secret} and ${secret}`,
      ];
      for (const text of texts.map(withoutKnown)) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain(encodeURIComponent(secret));
        expect(text).toContain('***');
      }
      forgetAll();
    }),
  );
});

test('what is short enough to stand in any word stays, and so does a text of which nothing is known', () => {
  know('abc');
  know('***:0123456789ab');
  expect(withoutKnown('abcdef ***:0123456789ab')).toBe('abcdef ***:0123456789ab');
});

test('what is wrong with YAML is said without the lines around it', () => {
  const said = (text: string): string => {
    try {
      parse(text);
    } catch (error) {
      return yamlFault(error);
    }
    return '';
  };
  const told = said("a:\n  password: 'hunter2': x\n");
  expect(told).toContain('line 2');
  expect(told).not.toContain('hunter2');
});

test('what the user has let everybody read is masked nowhere', () => {
  allow('PORT=3000 node server.js');
  know('server.js');
  know('another-secret');
  expect(withoutKnown('server.js with another-secret')).toBe('server.js with ***');
});
