import {
  approvalXml,
  customerXml,
  groupXml,
  memberXml,
  messageXml,
  suiteMemberXml,
  tagXml,
  taskXml,
} from '../support/texts.js';

const TIME = 1_796_000_400;

/** Texts as WeCom writes them, of every family that has a shape of its own: what the fuzzers begin with. */
export const SAMPLES: readonly Buffer[] = [
  approvalXml('202611300001', 1, TIME),
  approvalXml(
    '202611300001',
    2,
    TIME + 1,
    '<Approver><ItemName><![CDATA[a]]></ItemName></Approver><Approver></Approver>',
  ),
  customerXml('add_external_contact', 'wmAAA', TIME),
  groupXml(
    'update',
    'wrAAA',
    TIME,
    '<MemChangeList><Item>wmA</Item><Item>wmB</Item></MemChangeList><MemChangeCnt>2</MemChangeCnt>',
  ),
  memberXml(
    'update_user',
    'ZhangSan',
    TIME,
    '<NewUserID><![CDATA[LiSi]]></NewUserID><Department><![CDATA[1,2]]></Department>',
  ),
  suiteMemberXml('create_user', 'ZhangSan', TIME),
  tagXml('create', '<Id><![CDATA[etA]]></Id><TagType><![CDATA[tag]]></TagType>', TIME),
  taskXml('T1', TIME),
  messageXml('7300000000000000001', 'hello', TIME),
  JSON.stringify({ msgid: 'm1', create_time: TIME, aibotid: 'b1', msgtype: 'text', text: { content: '你好' } }),
  JSON.stringify({ ToUserName: 'wwtest', CreateTime: TIME, MsgType: 'event', Event: 'demo_task', TaskId: 'T2' }),
].map((text) => Buffer.from(text));
