// n8n compiles its bundle of libraries for expressions in each isolate, from 2.40 on from V8's code cache, which it fills
// before the bundle has run: by then V8 has compiled nothing but the outermost function, and compiles the rest anew in each
// isolate. With this the cache is filled once per process, from an isolate of its own in which the bundle has run and built
// the context of one expression, and is used where n8n uses none. The code that runs is the same. docs/chart/patches.md
const { warms } = require('./expressions.cjs');
const { patch } = require('./in-force.cjs');

patch('warm-expressions', ['warm-expressions'], warms);
