// The limit of one Node.js process: it responds, and does nothing else.
require('./answer.cjs').serve((item) => item);
