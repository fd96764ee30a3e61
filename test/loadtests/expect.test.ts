import {
  parseExpectation,
  valueAt,
  wrongWith,
  type HttpResponse,
} from '../../loadtests/lib/expect';

const response: HttpResponse = {
  status: 200,
  headers: { 'Content-Type': 'application/json; charset=utf-8' },
  body: JSON.stringify({
    ok: true,
    n: 5,
    text: 'a b',
    none: null,
    headers: { 'x-load-id': 'r-1' },
    items: [{ id: 7 }],
  }),
};

describe('an expectation', () => {
  it.each([
    'status==200',
    'status=200',
    'status<300',
    'status != 500',
    'json.ok==true',
    'json.n>=5',
    'json.text==a b',
    'json.text=="a b"',
    'json.text~a',
    'json.items[0].id==7',
    'json.items.0.id==7',
    'json.none==null',
    'json.headers.x-load-id==r-1',
    'json.ok',
    'json.items==[{"id":7}]',
    'header.content-type~json',
    'body~"x-load-id"',
    'body!~<html',
  ])('holds: %s', (text) => {
    expect(wrongWith([parseExpectation(text)], response)).toBeNull();
  });

  it.each([
    'status==201',
    'json.ok==false',
    'json.ok=="true"',
    'json.n==6',
    'json.n>5',
    'json.missing==1',
    'json.missing<1',
    'json.missing',
    'json.none',
    'json.items[1].id==7',
    'header.content-type~html',
    'header.missing~x',
    'body~"nothing of that"',
    'body!~ok',
  ])('is not met: %s', (text) => {
    expect(wrongWith([parseExpectation(text)], response)).toBe(`${text} is not met`);
  });

  it('of JSON is not met by a page with status 200', () => {
    const page = { ...response, body: '<html>the editor</html>' };
    expect(wrongWith(['status==200', 'json.ok==true'].map(parseExpectation), page)).toBe(
      'json.ok==true is not met',
    );
  });

  it.each([
    ['', 'not understood'],
    ['statuss==200', 'not understood'],
    ['status', 'does not contain a condition'],
    ['status==OK', 'not a number'],
    ['status.code==200', 'has no parts'],
    ['body', 'does not contain a condition'],
    ['header==x', 'names no header'],
    ['json.a=>b', null],
  ])('%p is refused in a sentence', (text, because) => {
    if (because === null) {
      // `=` and then the text `>b`: odd, but it can be meant.
      expect(() => parseExpectation(text)).not.toThrow();
    } else {
      expect(() => parseExpectation(text)).toThrow(because);
    }
  });
});

describe('a value in a response', () => {
  it('is found by its path', () => {
    expect(valueAt('json.headers.x-load-id', response)).toBe('r-1');
    expect(valueAt('header.content-type', response)).toContain('json');
    expect(valueAt('json.nothing.there', response)).toBeUndefined();
  });

  it('must be asked for in JSON or a header', () => {
    expect(() => valueAt('body', response)).toThrow('is not a place in a response');
  });
});
