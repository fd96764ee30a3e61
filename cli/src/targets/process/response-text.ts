/** What a response that is not the expected one says, and what to do about it. */
import { wordsIn } from '../../ui/said';

interface Received {
  status: number;
  body: string;
}

/** `why`: what makes it another than the expected one, where its status does not say it. */
export function responseText({ status, body }: Received, why: string): string {
  if (status < 300) return why;
  const words = wordsIn(body);
  const said = words === '' ? '' : `, and said "${words.replace(/[.\s]+$/, '')}"`;
  return `it answered with status ${String(status)}${said}; ${adviceOn(status, words)}`;
}

function adviceOn(status: number, words: string): string {
  if (status === 401 || status === 403) {
    return "give what the webhook or a proxy before it asks for, like --header 'Name: value'";
  }
  if (/did you mean to make a \w+ request/i.test(words) || status === 405) {
    return 'give the method of the webhook in --request';
  }
  if (status === 404) {
    return 'publish (activate) the workflow there, or correct method and path in --request';
  }
  if (status === 413) return 'send a smaller --body, or raise the limit there';
  if (status === 429) return 'something there limits the rate of requests: load it without that';
  if ([502, 503, 504].includes(status)) {
    return 'the proxy before n8n does not reach it, or n8n is not ready: look at both';
  }
  if (status >= 500) return 'open the failed execution in n8n, or read the log of n8n';
  if (status < 400) return 'name the address to which it leads';
  return 'correct the request, or describe the response with --expect';
}
