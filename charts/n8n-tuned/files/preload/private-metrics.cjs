// n8n serves its metrics on the port of the editor and the webhooks, so whatever routes users to n8n routes anybody to
// /metrics, in any spelling that n8n's router takes (/METRICS/). A proxy says for whom it asks; a Prometheus inside the
// cluster asks for itself. So what comes through a proxy gets no metrics. Loaded before n8n (node --require).
const http = require('node:http');
const { plainPatch } = require('./in-force.cjs');

const FORWARDED = ['x-forwarded-for', 'x-real-ip', 'forwarded'];

function isMetrics(url) {
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
  try {
    return /^\/+metrics\/*$/i.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}

function install() {
  const emit = http.Server.prototype.emit;
  http.Server.prototype.emit = function (event, ...args) {
    if (event === 'request') {
      const [request, response] = args;
      if (isMetrics(request.url) && FORWARDED.some((name) => name in request.headers)) {
        response.writeHead(403, { 'content-type': 'text/plain' });
        response.end('Metrics are for the inside of the cluster (monitoring.public).\n');
        return true;
      }
    }
    return emit.call(this, event, ...args);
  };
}

plainPatch('private-metrics', install);
