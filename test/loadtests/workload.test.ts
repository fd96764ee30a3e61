import { ownRequest } from '../../loadtests/lib/own-request';
import { requestsOf, type CatalogueShape } from '../../loadtests/lib/workload';

const catalogue: CatalogueShape = {
  workloads: [
    {
      name: 'cpu',
      request: {
        method: 'POST',
        path: '/webhook/cpu/{n}',
        query: { size: '{n}', name: 'a b' },
        headers: { 'x-n': '{n}' },
        body: { json: { n: '{n}', text: 'n is {n}', list: ['{n}'] } },
      },
      parameters: { n: { type: 'integer', default: 5000, min: 1, max: 9000 } },
      response: { expect: ['status==200', 'json.n=={n}'], requestIdAt: 'json.id' },
      variants: {
        native: {},
        legacy: {
          request: { path: '/webhook/old' },
          response: { requestIdAt: 'json.headers.x-load-id' },
        },
      },
      latencyFloorMs: { parameter: 'n', times: 2 },
      thinkTimeMs: 100,
    },
    {
      name: 'upload',
      request: { method: 'POST', path: '/up', body: { randomMiB: '2', contentType: 'image/png' } },
      response: { expect: ['status==200'] },
    },
    {
      name: 'mixed',
      blend: [
        { workload: 'cpu', weight: 3 },
        { workload: 'upload', weight: 1 },
      ],
    },
    { name: 'hog' },
  ],
};

describe('a workload of the catalogue', () => {
  it('becomes a request with its parameters put in', () => {
    expect(requestsOf(catalogue, 'cpu', { parameters: { n: '50' } })).toEqual([
      {
        workload: 'cpu',
        weight: 1,
        method: 'POST',
        path: '/webhook/cpu/50?size=50&name=a%20b',
        headers: { 'content-type': 'application/json', 'x-n': '50' },
        body: { text: '{"n":50,"text":"n is 50","list":[50]}' },
        expect: ['status==200', 'json.n==50'],
        requestIdAt: 'json.id',
        ranAt: null,
        thinkTimeMs: 100,
        latencyFloorMs: 100,
      },
    ]);
  });

  it('takes from a variant what differs there', () => {
    const [request] = requestsOf(catalogue, 'cpu', { variant: 'legacy' });
    expect(request).toMatchObject({
      method: 'POST',
      path: '/webhook/old?size=5000&name=a%20b',
      expect: ['status==200', 'json.n==5000'],
      requestIdAt: 'json.headers.x-load-id',
    });
  });

  it('that is a blend becomes its parts with their weights', () => {
    const parts = requestsOf(catalogue, 'mixed').map(({ workload, weight }) => [workload, weight]);
    expect(parts).toEqual([
      ['cpu', 3],
      ['upload', 1],
    ]);
  });

  it.each([
    ['nope', {}, "there is no workload 'nope': choose one of cpu, upload, mixed, hog"],
    ['hog', {}, 'the workload hog accepts no requests, because it starts by itself'],
    ['cpu', { variant: 'own' }, "has no variant 'own': it has native, legacy"],
    ['cpu', { parameters: { m: 1 } }, "has no parameter 'm': it has n"],
    ['cpu', { parameters: { n: '1.5' } }, 'must be a whole number from 1 up to 9000'],
    ['cpu', { parameters: { n: 9001 } }, 'must be a whole number from 1 up to 9000'],
    ['cpu', { parameters: { n: ' ' } }, 'must be a whole number'],
  ])('%s with %p is refused', (name, choice, because) => {
    expect(() => requestsOf(catalogue, name, choice)).toThrow(because);
  });
});

describe("the user's own request", () => {
  it('is read from text', () => {
    expect(
      ownRequest({
        request: 'post /webhook/order?x=1',
        headers: ['Authorization: Bearer a:b'],
        body: '{"a":1}',
        expect: ['json.ok==true'],
      }),
    ).toMatchObject({
      method: 'POST',
      path: '/webhook/order?x=1',
      headers: { Authorization: 'Bearer a:b', 'content-type': 'application/json' },
      body: { text: '{"a":1}' },
      expect: ['json.ok==true'],
    });
  });

  it.each(['/webhook/x', 'GET webhook', 'FETCH /x', ''])('%p is refused', (request) => {
    expect(() => ownRequest({ request })).toThrow('use a form such as POST /webhook/order');
  });

  it('with a header that is none is refused', () => {
    expect(() => ownRequest({ request: 'GET /x', headers: ['nonsense'] })).toThrow('Name: value');
  });
});
