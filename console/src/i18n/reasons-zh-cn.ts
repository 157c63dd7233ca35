import type { ParseFailure } from '../../../src/wecom/tree.js';
import type { Phrases } from './phrases.js';
import { zhCn } from './zh-cn.js';

const PARSE_FAILURES: Readonly<Record<ParseFailure, string>> = {
  empty: '空报文',
  'not-utf8': '不是 UTF-8',
  'not-well-formed': '格式有误',
  doctype: '含有 DOCTYPE',
  'mixed-content': '文字与元素混杂',
  'too-deep': '嵌套过深',
  'too-many-nodes': '节点过多',
  'wrong-root': '根元素不对',
  'no-event-type': '没有事件类型',
};

/**
 * 服务写下的理由：左边是服务的原文（英文，是记录），右边是中文。先匹配者为准，所以较具体的在前。
 * 服务多一种理由而这里没有时，test/rules/reasons.spec.ts 会失败。
 */
export const REASONS_ZH_CN: Phrases = {
  words: {
    status: zhCn.statuses,
    // 死信分组中，数字写作 <n>。
    failure: { ...PARSE_FAILURES, 'not-utf<n>': PARSE_FAILURES['not-utf8'] },
  },
  groups: {
    reason: {
      'redriven by an operator': '由操作员重投',
      'redriven by an operator: {words}': '由操作员重投：{words}',
      'redriven by an operator in job {job}': '由操作员在任务 {job} 中重投',
      'redriven by an operator in job {job}: {words}': '由操作员在任务 {job} 中重投：{words}',
      'discarded by an operator': '由操作员丢弃',
      'discarded by an operator: {words}': '由操作员丢弃：{words}',
      'discarded by an operator in job {job}': '由操作员在任务 {job} 中丢弃',
      'discarded by an operator in job {job}: {words}': '由操作员在任务 {job} 中丢弃：{words}',
      'run {attempt} failed, next one in {ms} ms: {code}: {message}':
        '第 {attempt} 次运行失败，{ms} 毫秒后重试：{code}: {message}',
      '{death}: {code}: {message}': '{death}：{code}: {message}',
      'waits, at no cost of an attempt: {message}': '等待中，不计尝试次数：{message}',
      '{count} earlier event(s) of {key} wait': '排在 {key} 的 {count} 个更早的事件之后，等待它们',
      'applied by {handler}': '由处理器 {handler} 处理，已生效',
      'recorded: no handler takes this event': '仅作记录：没有处理器接收此事件',
      'a delivery of an event that is {status} already': '同一事件的又一次投递，该事件已是“{status}”',
      'a delivery of an event that is known already': '同一事件的又一次投递，该事件已知',
      applied: '已生效',
      'past the deadline of {type}: {ms} ms after {time}': '已过 {type} 的截止时间：CreateTime {time} 之后 {ms} 毫秒',
      'CreateTime {time} is older than {last}': 'CreateTime {time} 早于已生效的 {last}',
      'rank {rank} or {last} came last in second {time}: re-read':
        '第 {time} 秒内，等级 {rank} 与等级 {last} 谁在最后无法判断：将回查',
      'rank {last} came last in second {time}, as re-read': '回查得知：第 {time} 秒内，等级 {last} 在最后',
      'rank {rank} in second {time} comes before rank {last}': '第 {time} 秒内，等级 {rank} 先于等级 {last}',
      '{count} earlier event(s) of {key} wait before it': '{key} 有 {count} 个更早的事件排在它前面',
      'no event has this id': '没有此 ID 的事件',
      'redriven: the row says what becomes of it': '已重投：结果见该事件',
      'discarded: the row says what becomes of it': '已丢弃：结果见该事件',
      'the event is {status} in generation {generation}, not {seen} as seen':
        '该事件在第 {generation} 代是“{status}”，不再是所见的第 {seen} 代',
      'the event is {status} in generation {generation}': '该事件在第 {generation} 代是“{status}”',
      'the event is {status}': '该事件是“{status}”',
      'it is {status} and would end without an effect': '该事件是“{status}”，丢弃后没有效果',
      '{reason}; it still moves {keys}': '{reason}；但仍会推动 {keys}',
      '{reason}; CreateTime {sent} is ahead, taken as {taken}': '{reason}；CreateTime {sent} 超前，按 {taken} 计',
      '{reason}, {condition}': '{reason}，{condition}',
      '{machine}: {trigger} is illegal in {from}': '状态机 {machine}：在 {from} 状态下不允许 {trigger}',
      '{machine}: {from} → {to} by {trigger}, unconfirmed':
        '状态机 {machine}：{from} → {to}，由 {trigger} 触发，未确认',
      '{machine}: {from} → {to} by {trigger}': '状态机 {machine}：{from} → {to}，由 {trigger} 触发',
    },
    /** 试运行所附的前提。 */
    condition: {
      'no handler takes it': '没有处理器接收它',
      'if {handler} does not fail again': '前提是处理器 {handler} 不再失败',
    },
    death: { 'cannot work': '无法处理，不再重试', 'failed {count} times': '已失败 {count} 次' },
    /** 服务自己的错误；处理器的错误是别人的话，保持原样。 */
    message: {
      'the handler {handler} is paused': '处理器 {handler} 已暂停',
      'an earlier run began and never ended: it may have taken its worker with it':
        '此前一次运行开始后没有结束：可能连工作进程也一同终止了',
      'attempts used up by runs that never ended': '尝试次数已用尽，那些运行都没有结束',
      'the text does not parse': '报文无法解析',
      'the text does not parse: {failure}': '报文无法解析：{failure}',
      'not a message of this service: {foreign}': '不是本服务的消息：{foreign}',
      'the entity key of {type} could not be told': '无法得出 {type} 的对象键',
      '{machine} does not know this kind of event': '状态机 {machine} 不认识这种事件',
      'found on the dead-letter topic without a row': '在死信主题上发现，数据库中没有它的行',
      'the handler for {key} did not end within {ms} ms': '{key} 的处理器没有在 {ms} 毫秒内结束',
      'the transaction of this manager has ended': '此 manager 的事务已经结束',
      'a thrown {kind} without a text': '抛出的 {kind} 没有文字',
      'outbox.add: a command has a kind (http, topic), a name, a body, and url, or topic and key, as text':
        'outbox.add：命令须有 kind（http 或 topic）、name、body，以及 url，或 topic 和 key，均为文本',
      'outbox.add: the name {name} is taken': 'outbox.add：名称 {name} 已被占用',
      'a member event without UserID': '成员事件没有 UserID',
      'a group event without ChatId': '客户群事件没有 ChatId',
      '{count} members in one event': '一个事件中有 {count} 个成员',
      'a tag event without Id or TagType': '标签事件没有 Id 或 TagType',
      'a customer event without UserID or ExternalUserID': '客户事件没有 UserID 或 ExternalUserID',
      'an approval event without SpNo': '审批事件没有 SpNo',
      'the simulator asked for it': '应模拟器的要求',
      'the simulator asked for {count} failure(s)': '应模拟器的要求失败 {count} 次',
      "WeCom's API refuses {app} with errcode {errcode}": '企业微信 API 拒绝 {app}，errcode {errcode}',
      "WeCom's API is not available: {outage}": '企业微信 API 不可用：{outage}',
    },
    /** 为什么主题上的一条记录不是消息。 */
    foreign: {
      'an empty record': '空记录',
      'not JSON': '不是 JSON',
      'not an object': '不是对象',
      'no version': '没有版本',
      'eventKey is not {count} hex digits': 'eventKey 不是 {count} 位十六进制数',
      'eventType is empty': 'eventType 为空',
      'gateway is missing': '缺少 gateway',
      '{field} is not text': '{field} 不是文本',
      '{field} is neither text nor null': '{field} 既不是文本也不是 null',
      '{field} is not a number': '{field} 不是数字',
      '{field} is not well-formed Unicode': '{field} 不是完好的 Unicode',
      'redriven as it is': '已原样重投',
    },
    outage: {
      'no token in it': '应答中没有令牌',
      'no errcode in it': '应答中没有 errcode',
      'no follow_user in it': '应答中没有 follow_user',
      'an empty answer': '应答为空',
      'errcode {errcode}': '返回 errcode {errcode}',
      'status {number}': '状态码 {number}',
      '{path} failed': '{path} 失败',
      'more than {count} bytes': '超过 {count} 字节',
      'more than {count} pages of followers': '跟进成员超过 {count} 页',
    },
  },
};
