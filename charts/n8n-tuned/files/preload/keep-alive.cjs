// Node.js closes a connection that has carried no request for 5 s. A load balancer or client that keeps its connections
// longer then sends a request over one that is just being closed, and its caller gets a reset or a 502. So n8n waits longer
// than they do. Loaded before n8n (node --require).
const { Server } = require('node:net');
const { plainPatch } = require('./in-force.cjs');

const keepAliveMs = 1000 * Number(process.env.N8N_TUNED_KEEP_ALIVE_SECONDS);

function install() {
  const listen = Server.prototype.listen;
  Server.prototype.listen = function (...args) {
    // Servers of HTTP and HTTPS have it, others do not.
    if ('keepAliveTimeout' in this && keepAliveMs > 0) this.keepAliveTimeout = keepAliveMs;
    return listen.apply(this, args);
  };
}

plainPatch('keep-alive', install);
