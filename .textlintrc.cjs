// The words that no prose here uses, with what to use: `npx textlint FILE.md`.
const { resolve } = require('node:path');

module.exports.rules = {
  terminology: {
    ...{ defaultTerms: false, skip: [] },
    terms: resolve(__filename, '../docs/words.json'),
  },
};
