import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TREE_DEPTH_MAX, TREE_NODE_COUNT_MAX, type TreeNode } from './tree.js';
import { parseXml } from './xml.js';

function leaf(inner: string): unknown {
  const parsed = parseXml(`<xml><A>${inner}</A></xml>`);
  return parsed.ok ? parsed.root.children[0]?.text : parsed.reason;
}

describe('parseXml', () => {
  it('keeps elements in their order and repeats as they are', () => {
    const parsed = parseXml('<xml><B>1</B><A><C/></A><B>2</B></xml>');
    const element = (name: string, kind: TreeNode['kind'], text: string, children: unknown[] = []) => ({
      name,
      kind,
      text,
      children,
      attributes: [],
    });
    const inner = element('A', 'element', '', [element('C', 'text', '')]);
    const children = [element('B', 'text', '1'), inner, element('B', 'text', '2')];
    expect(parsed).toEqual({ ok: true, root: element('xml', 'element', '', children) });
  });

  it.each([
    ['text', ' \n\t007\r\n ', '007'],
    ['a section', '<![CDATA[ a ]]>', ' a '],
    ['a section with blanks around it', ' \n<![CDATA[ a ]]>\n ', ' a '],
    ['two sections', ' <![CDATA[a ]]> <![CDATA[ b]]> ', 'a   b'],
    ['text before and after a section', ' x <![CDATA[ a ]]> y ', 'x  a  y'],
    ['a split section', '<![CDATA[a]]]]><![CDATA[>b]]>', 'a]]>b'],
    ['a comment', ' a<!-- b -->c ', 'ac'],
    ['an ideographic space', '\u3000a\u3000', '\u3000a\u3000'],
    ['nothing but blanks', ' \n ', ''],
    ['entities', '&lt;&gt;&amp;&quot;&apos;&#20013;&#x1F600;', '<>&"\'中😀'],
    ['an entity that makes an entity', '&amp;lt;', '&lt;'],
    ['an entity inside a section', '<![CDATA[&lt;&#20013;]]>', '&lt;&#20013;'],
    ['markup inside a section', '<![CDATA[</A><A>]]>', '</A><A>'],
  ])('reads %s', (_, inner, text) => {
    expect(leaf(inner)).toBe(text);
  });

  it.each([
    ['a backspace', '\b'],
    ['a null character', '\0'],
    ['a vertical tab', '\v'],
    ['a noncharacter', '\ufffe\uffff'],
  ])('keeps %s, which XML forbids and people paste', (_, character) => {
    expect(leaf(`a${character}b`)).toBe(`a${character}b`);
    expect(leaf(`<![CDATA[a${character}]]>`)).toBe(`a${character}`);
  });

  it('does not confuse a forbidden character with its stand-in', () => {
    expect(leaf('\u{f0008}')).toBe('\u{f0008}');
    expect(leaf('\b\u{f0008}')).toBe('not-well-formed');
  });

  it('keeps attributes, though nobody sends any', () => {
    const parsed = parseXml('<xml><A b="1" c="&lt;"/></xml>');
    expect(parsed.ok && parsed.root.children[0]?.attributes).toEqual(['b', '1', 'c', '<']);
  });

  it.each([
    ['a DTD', '<!DOCTYPE xml [<!ENTITY q "z">]><xml>&q;</xml>', 'doctype'],
    ['a DTD of another file', '<!DOCTYPE xml SYSTEM "file:///etc/passwd"><xml/>', 'doctype'],
    ['an unknown entity', '<xml>&nbsp;</xml>', 'not-well-formed'],
    ['text beside an element', '<xml><A>x<B/></A></xml>', 'mixed-content'],
    ['text behind an element', '<xml><A/>x</xml>', 'mixed-content'],
    ['a section beside an element', '<xml><A/><![CDATA[ ]]></xml>', 'mixed-content'],
    ['a wrong end tag', '<xml><A>1</B></xml>', 'not-well-formed'],
    ['no end', '<xml><A>1</A>', 'not-well-formed'],
    ['a second root', '<xml/><xml/>', 'not-well-formed'],
    ['an open section', '<xml><![CDATA[x</xml>', 'not-well-formed'],
    ['the end of a section that never began', '<xml><A>x]]></A></xml>', 'not-well-formed'],
    ['a tag that is none', '<xml><FinishType><1></FinishType></xml>', 'not-well-formed'],
    ['no XML', 'text', 'not-well-formed'],
    ['nothing', '', 'not-well-formed'],
  ])('refuses %s', (_, text, reason) => {
    expect(parseXml(text)).toEqual({ ok: false, reason });
  });

  it('bounds the depth', () => {
    const nested = (depth: number): string => '<a>'.repeat(depth) + '</a>'.repeat(depth);
    expect(parseXml(nested(TREE_DEPTH_MAX))).toMatchObject({ ok: true });
    expect(parseXml(nested(TREE_DEPTH_MAX + 1))).toEqual({ ok: false, reason: 'too-deep' });
    expect(parseXml('<a>'.repeat(200_000))).toEqual({ ok: false, reason: 'too-deep' });
  });

  it('bounds the number of elements', () => {
    const flat = (count: number): string => `<xml>${'<a/>'.repeat(count - 1)}</xml>`;
    expect(parseXml(flat(TREE_NODE_COUNT_MAX))).toMatchObject({ ok: true });
    expect(parseXml(flat(TREE_NODE_COUNT_MAX + 1))).toEqual({ ok: false, reason: 'too-many-nodes' });
  });

  it('trims a long run of blanks in linear time', () => {
    const blanks = ' '.repeat(1_000_000);
    const begun = performance.now();
    expect(leaf(`a${blanks}b${blanks}`)).toBe(`a${blanks}b`);
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it('never throws on a changed text', () => {
    const seed = '<?xml version="1.0"?><xml><A b="1"><![CDATA[x]]></A><!-- c --><B><C>&lt;&#65;</C></B></xml>';
    const piece = fc.oneof(
      fc.constantFrom('<', '>', '</', '<![CDATA[', ']]>', '<!', '<!DOCTYPE x [', '&', '&#', ';', '"', '\0', '\ufeff'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.nat(seed.length), fc.nat(20), piece, (at, cut, inserted) => {
        expect(typeof parseXml(seed.slice(0, at) + inserted + seed.slice(at + cut)).ok).toBe('boolean');
      }),
      { numRuns: 2_000 },
    );
  });
});
