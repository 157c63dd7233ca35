import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openEnvelope } from './envelope.js';
import { parseXml } from './xml.js';

const REFUSED = { ok: false, error: 'bad-envelope', officialCode: -40002 };

function open(body: string) {
  return openEnvelope(Buffer.from(body));
}

describe('openEnvelope on XML', () => {
  it.each([
    ['CDATA', '<xml><ToUserName><![CDATA[ww]]></ToUserName><Encrypt><![CDATA[QUJD]]></Encrypt></xml>'],
    ['plain text', '<xml><Encrypt>QUJD</Encrypt></xml>'],
    [
      'blanks around everything',
      ' \n<xml >\n <Encrypt >\n <![CDATA[QUJD]]> </Encrypt >\n</xml >\r\n'.replace('<xml >', '<xml>'),
    ],
    ['a declaration', '<?xml version="1.0" encoding="UTF-8"?>\n<xml><Encrypt>QUJD</Encrypt></xml>'],
    ['a byte order mark', '\ufeff<xml><Encrypt>QUJD</Encrypt></xml>'],
    ['a self-closing sibling', '<xml><AgentID/> <Encrypt>QUJD</Encrypt><X />\n</xml>'],
    ['markup inside a CDATA sibling', '<xml><A><![CDATA[<Encrypt>WFlZ</Encrypt>&]]></A><Encrypt>QUJD</Encrypt></xml>'],
    ['text beyond ASCII in a sibling', '<xml><A>企业微信</A><Encrypt>QUJD</Encrypt></xml>'],
  ])('finds Encrypt with %s', (_, body) => {
    expect(open(body)).toEqual({ ok: true, encrypt: 'QUJD', format: 'xml' });
  });

  it('keeps a CDATA section exactly as it was signed', () => {
    expect(open('<xml><Encrypt><![CDATA[ QU\nJD ]]></Encrypt></xml>')).toMatchObject({ encrypt: ' QU\nJD ' });
  });

  it('takes an empty Encrypt for one', () => {
    expect(open('<xml><Encrypt/></xml>')).toMatchObject({ ok: true, encrypt: '' });
    expect(open('<xml><Encrypt></Encrypt></xml>')).toMatchObject({ ok: true, encrypt: '' });
  });

  it.each([
    ['nothing', ''],
    ['blanks', '  \n'],
    ['no Encrypt', '<xml><ToUserName>a</ToUserName></xml>'],
    ['an empty root', '<xml></xml>'],
    ['a self-closing root', '<xml/>'],
    ['two of them', '<xml><Encrypt>QUJD</Encrypt><Encrypt>QUJD</Encrypt></xml>'],
    ['two of them, one empty', '<xml><Encrypt/><Encrypt>QUJD</Encrypt></xml>'],
    ['one inside another element', '<xml><A><Encrypt>QUJD</Encrypt></A></xml>'],
    ['an element inside it', '<xml><Encrypt>QU<b></b>JD</Encrypt></xml>'],
    ['no start of the root', '<Encrypt>QUJD</Encrypt></xml>'],
    ['another root', '<wml><Encrypt>QUJD</Encrypt></wml>'],
    ['a second root', '<xml><Encrypt>QUJD</Encrypt></xml><xml></xml>'],
    ['text behind the root', '<xml><Encrypt>QUJD</Encrypt></xml>x'],
    ['text before the root', 'x<xml><Encrypt>QUJD</Encrypt></xml>'],
    ['text between elements', '<xml>x<Encrypt>QUJD</Encrypt></xml>'],
    ['another case', '<xml><encrypt>QUJD</encrypt></xml>'],
    ['an attribute', '<xml><Encrypt a="1">QUJD</Encrypt></xml>'],
    ['an end tag of another name', '<xml><Encrypt>QUJD</Encrypted></xml>'],
    ['no end tag', '<xml><Encrypt>QUJD</xml>'],
    ['no end', '<xml><Encrypt>QUJD'],
    ['no end of the CDATA section', '<xml><Encrypt><![CDATA[QUJD</Encrypt></xml>'],
    ['no root end', '<xml><Encrypt>QUJD</Encrypt>'],
    ['a comment', '<xml><!-- --><Encrypt>QUJD</Encrypt></xml>'],
    ['a comment inside it', '<xml><Encrypt>QU<!-- -->JD</Encrypt></xml>'],
    ['an entity', '<xml><Encrypt>QUJ&#68;</Encrypt></xml>'],
    ['a processing instruction', '<xml><?a b?><Encrypt>QUJD</Encrypt></xml>'],
    ['a DOCTYPE', '<!DOCTYPE xml><xml><Encrypt>QUJD</Encrypt></xml>'],
    ['a DOCTYPE behind a declaration', '<?xml version="1.0"?><!DOCTYPE xml><xml><Encrypt>QUJD</Encrypt></xml>'],
    ['form data', 'Encrypt=QUJD'],
  ])('refuses %s', (_, body) => {
    expect(open(body)).toEqual(REFUSED);
  });
});

describe('openEnvelope on JSON', () => {
  it.each([
    ['the AI bot shape', '{"encrypt":"QU/JD"}'],
    ['the capitalised spelling', '{"ToUserName":"ww","Encrypt":"QU/JD","AgentID":"218"}'],
    ['a numeric agentid', '{"tousername":"ww","encrypt":"QU/JD","agentid":218}'],
    ['escaped slashes', '{"encrypt":"QU\\/JD"}'],
    ['blanks and other values', ' \n{ "a" : null , "b":true,"c":-1.5e+3,\t"encrypt" : "QU/JD" } \r\n'],
    ['a byte order mark', '\ufeff{"encrypt":"QU/JD"}'],
    ['quotes inside a sibling', '{"a":"\\",\\"encrypt\\":\\"WFlZ\\\\","encrypt":"QU/JD"}'],
    ['text beyond ASCII in a sibling', '{"说明":"企业微信","encrypt":"QU/JD"}'],
  ])('finds encrypt with %s', (_, body) => {
    expect(open(body)).toEqual({ ok: true, encrypt: 'QU/JD', format: 'json' });
  });

  it.each([
    ['no member', '{}'],
    ['no encrypt', '{"a":"b"}'],
    ['a number', '{"encrypt":123}'],
    ['null', '{"encrypt":null}'],
    ['an array', '{"encrypt":["QUJD"]}'],
    ['two of them', '{"encrypt":"QUJD","encrypt":"QUJD"}'],
    ['two spellings', '{"encrypt":"QUJD","Encrypt":"QUJD"}'],
    ['a second one in disguise', '{"encrypt":"QUJD","\\u0065ncrypt":"WFlZ"}'],
    ['a number beside it', '{"encrypt":1,"Encrypt":"QUJD"}'],
    ['one inside an object', '{"a":{"encrypt":"QUJD"}}'],
    ['nesting beside it', '{"encrypt":"QUJD","a":{}}'],
    ['an array around it', '[{"encrypt":"QUJD"}]'],
    ['a comma at the end', '{"encrypt":"QUJD",}'],
    ['no comma', '{"a":"b" "encrypt":"QUJD"}'],
    ['no colon', '{"encrypt" "QUJD"}'],
    ['text behind it', '{"encrypt":"QUJD"}x'],
    ['no end', '{"encrypt":"QUJD"'],
    ['an open string', '{"encrypt":"QUJD}'],
    ['a bad escape', '{"encrypt":"QU\\xJD"}'],
    ['an unquoted name', '{encrypt:"QUJD"}'],
  ])('refuses %s', (_, body) => {
    expect(open(body)).toEqual(REFUSED);
  });
});

describe('openEnvelope on hostile bodies', () => {
  const seeds = [
    '<?xml version="1.0"?><xml><ToUserName><![CDATA[ww]]></ToUserName><Encrypt><![CDATA[QUJD]]></Encrypt></xml>',
    '{"tousername":"ww","encrypt":"QU\\/JD","agentid":218}',
  ];
  const piece = fc.constantFrom('<', '>', '</', '<![CDATA[', ']]>', '<xml>', '</Encrypt>', '"', '\\', '{', '}', '&');

  // General parsers are the judges; they may be used here because nobody hostile waits for the answer.
  function encryptsIn(body: string): unknown[] {
    if (body.startsWith('{')) {
      const members = JSON.parse(body) as Record<string, unknown>;
      return [members.encrypt ?? members.Encrypt];
    }
    // The scanner passes over a declaration; what it declares is nobody's business.
    const parsed = parseXml(body.replace(/^<\?xml [^<>]*\?>/, ''));
    return parsed.ok ? parsed.root.children.filter(({ name }) => name === 'Encrypt').map(({ text }) => text) : [];
  }

  it('never throws on a changed envelope, and finds nothing that a general parser does not', () => {
    let openedCount = 0;
    fc.assert(
      fc.property(fc.constantFrom(...seeds), fc.nat(110), fc.nat(12), piece, (seed, at, cut, inserted) => {
        const body = seed.slice(0, at) + inserted + seed.slice(at + cut);
        const opened = open(body);
        if (!opened.ok) return;
        openedCount++;
        expect(encryptsIn(body)).toEqual([opened.encrypt]);
      }),
      { numRuns: 2_000 },
    );
    expect(openedCount).toBeGreaterThan(50);
  });

  it.each([
    ['open tags', '<xml>' + '<a>'.repeat(300_000)],
    ['self-closing tags', '<xml>' + '<a/>'.repeat(300_000)],
    ['open CDATA sections', '<xml><a>' + '<![CDATA['.repeat(100_000)],
    ['CDATA sections', '<xml><a>' + '<![CDATA[]]>'.repeat(100_000)],
    ['blanks', '<xml>' + ' '.repeat(1_000_000) + 'x'],
    ['blanks in a declaration', '<?xml ' + ' '.repeat(1_000_000)],
    ['blanks behind the root', '<xml></xml>' + ' '.repeat(1_000_000) + 'x'],
    ['brackets', '{"a":' + '['.repeat(1_000_000)],
    ['backslashes', '{"a":"' + '\\'.repeat(1_000_000)],
    ['escaped quotes', '{"a":"' + '\\"'.repeat(500_000)],
    ['digits', '{"a":' + '1'.repeat(1_000_000)],
    ['members', '{' + '"a":1,'.repeat(150_000)],
  ])('refuses a megabyte of %s within the time that a request has', (_, body) => {
    const bytes = Buffer.from(body);
    const begun = performance.now();
    expect(openEnvelope(bytes)).toEqual(REFUSED);
    // Linear work takes some 20 ms; anything quadratic takes minutes.
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
