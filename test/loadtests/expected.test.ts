import fc from 'fast-check';
import { parseExpectation } from '../../loadtests/lib/expect';
import {
  looksAtBody,
  redirectWithinHost,
  unexpected,
  type Received,
} from '../../loadtests/lib/expected';

const asked = 'http://n8n.example/webhook/order';
const EDITOR =
  '<!DOCTYPE html><html><head><title>n8n.io - Workflow Automation</title></head></html>';
const LOGIN = '<html><form><input name="p" type="password"></form></html>';

const response = (changes: Partial<Received> = {}): Received => ({
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: '{"ok":true,"n":5}',
  requestedUrl: asked,
  url: asked,
  ...changes,
});

/** All of them hold for the responses below, whatever else is wrong with those. */
const fitting = fc.subarray([
  'json.ok==true',
  'json.n>=5',
  'json.ok',
  'body~ok',
  'body!~"<html"',
  'header.content-type~json',
]);
const judged = (texts: readonly string[], changes: Partial<Received>) =>
  unexpected(texts.map(parseExpectation), response(changes));

describe('without an expectation that names the status', () => {
  it.each([[[]], [['json.ok==true']], [['json.ok==true', 'body~ok']]])(
    'a response with status 200 is judged by %p alone',
    (texts) => {
      expect(judged(texts, {})).toBeNull();
      expect(judged([...texts, 'json.ok==false'], {})?.errorKind).toBe('unexpected response');
    },
  );

  it('no status outside 200 to 299 is ever expected', () => {
    fc.assert(
      fc.property(
        fitting,
        fc.oneof(fc.integer({ min: 100, max: 199 }), fc.integer({ min: 300, max: 599 })),
        (texts, status) => {
          const found = judged(texts, { status });
          expect(found?.errorKind).toBe(
            status >= 400 ? `status ${String(status)}` : 'unexpected response',
          );
        },
      ),
    );
  });

  it("neither n8n's editor nor a login page is ever expected", () => {
    const pages = fc.constantFrom(
      { body: EDITOR, kind: 'editor page' },
      { body: `<script src="/static/base-path.js"></script>`, kind: 'editor page' },
      { body: LOGIN, kind: 'login page' },
    );
    const generous = fc.subarray(['body!~"nothing of that"', 'header.content-type~html', 'body~<']);
    fc.assert(
      fc.property(generous, pages, (texts, { body, kind }) => {
        const headers = { 'content-type': 'text/html; charset=utf-8' };
        expect(judged(texts, { body, headers })?.errorKind).toBe(kind);
      }),
    );
  });

  it('a redirect to a login page is not expected, whatever that page says', () => {
    const places = fc.constantFrom(
      'http://n8n.example/signin',
      'http://n8n.example/login?redirect=%2Fwebhook%2Forder',
      'https://login.example/authorize?client=n8n',
      'https://accounts.example/v3/',
      'http://n8n.example/oauth2/start',
    );
    fc.assert(
      fc.property(fitting, places, (texts, url) => {
        expect(judged(texts, { url })?.errorKind).toBe('login page');
      }),
    );
  });

  it.each([
    ['elsewhere on the same host', { url: 'http://n8n.example/webhook/order/' }],
    ['to a copy of the service', { url: 'http://n8n-2.example/webhook/order' }],
  ])('a redirect %s is none to a login page', (_where, changes) => {
    expect(judged(['json.ok==true'], changes)).toBeNull();
  });

  it('a webhook whose own path says login is no login page', () => {
    const url = 'http://n8n.example/webhook/login';
    expect(judged([], { requestedUrl: url, url })).toBeNull();
    expect(judged([], { requestedUrl: url, url: `${url}/` })).toBeNull();
  });

  it('the body is read', () => {
    expect(looksAtBody([])).toBe(true);
    expect(looksAtBody([parseExpectation('header.content-type~json')])).toBe(true);
  });
});

describe('an expectation that names the status', () => {
  it.each([
    ['status==500', { status: 500 }],
    ['status>=400', { status: 404 }],
    ['status==302', { status: 302 }],
    ['status==200', { body: EDITOR, headers: { 'content-type': 'text/html' } }],
    ['status<300', { url: 'http://n8n.example/signin' }],
  ])('%s decides alone', (text, changes) => {
    expect(judged([text], changes)).toBeNull();
  });

  it('still fails where it does not hold', () => {
    expect(judged(['status==500'], {})?.errorKind).toBe('unexpected response');
    expect(judged(['status==200'], { status: 500 })?.errorKind).toBe('status 500');
  });
});

describe('a redirect', () => {
  const redirected = (location: string, status = 302) =>
    redirectWithinHost('http://n8n.example:5678/webhook/order?a=1', {
      status,
      headers: { location },
    });

  it.each([
    ['https://n8n.example/webhook/order', 'https://n8n.example/webhook/order'],
    ['//N8N.example:80/x', 'http://N8N.example:80/x'],
    ['/x?b=2', 'http://n8n.example:5678/x?b=2'],
    ['order/', 'http://n8n.example:5678/webhook/order/'],
    ['?b=2', 'http://n8n.example:5678/webhook/order?b=2'],
  ])('to %s is followed to %s, which is on the same host', (location, url) => {
    expect(redirected(location)).toEqual({ url, keepsMethod: false });
    expect(redirected(location, 307)).toEqual({ url, keepsMethod: true });
  });

  it.each([
    'https://pay.example/checkout',
    '//pay.example/x',
    'http://n8n.example.evil/x',
    'http://n8n.example@pay.example/x',
    'http://pay.example\\@n8n.example/x',
    'http:\\\\pay.example/x',
    'mailto:ada@n8n.example',
    '',
  ])('to "%s" is followed nowhere', (location) => {
    expect(redirected(location)).toBeNull();
  });

  it('has a status of its own: any other response with a location is the last one', () => {
    expect(redirected('/x', 201)).toBeNull();
    expect(redirected('/x', 304)).toBeNull();
  });
});
