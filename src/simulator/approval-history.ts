import { History, type Surroundings } from './history.js';
import { type Elements, plaintextOf } from './plaintext.js';

type Status = '1' | '2' | '3' | '4' | '6' | '10';

interface Action {
  /** StatuChangeEvent (WeCom's spelling): what was done. */
  readonly change: number;
  readonly to: Status;
}

const COMMENT = 10;
/** Legal actions by SpStatus; those written twice are twice as likely. */
const ACTIONS: Readonly<Record<Status, readonly Action[]>> = {
  '1': [
    { change: 2, to: '1' },
    { change: 2, to: '1' },
    { change: 4, to: '1' },
    { change: 5, to: '1' },
    { change: COMMENT, to: '1' },
    { change: 12, to: '1' },
    { change: 2, to: '2' },
    { change: 2, to: '2' },
    { change: 3, to: '3' },
    { change: 6, to: '4' },
  ],
  // "Passed" is not the end: the order may still be withdrawn or paid.
  '2': [
    { change: COMMENT, to: '2' },
    { change: 8, to: '6' },
    { change: 15, to: '10' },
  ],
  '3': [{ change: COMMENT, to: '3' }],
  '4': [{ change: COMMENT, to: '4' }],
  '6': [],
  '10': [],
};
const STEP_COUNT_MAX = 12;
const COMMENTS_SHOWN_MAX = 3;
const APPROVERS = ['LiSi', '00boss', 'WangWu'] as const;

/** An approval order (审批单). Each event shows the whole order after the action. */
export class ApprovalHistory extends History {
  private readonly number: string;
  private status: Status = '1';
  private step = 0;
  private comments: Elements = [];

  constructor(private readonly around: Surroundings) {
    super();
    this.number = around.ids.approvalNumber();
  }

  override next(second: number): string {
    const { random } = this.around;
    let action: Action = { change: 1, to: '1' };
    const legal = ACTIONS[this.status];
    if (this.step > 0) action = legal[random.upTo(legal.length - 1)] ?? { change: COMMENT, to: this.status };
    this.step += 1;
    this.status = action.to;
    if (action.change === COMMENT) this.addComment(second);
    return approvalPlaintext(this.around.corpId, this.number, second, action.to, action.change, [
      [
        'SpRecord',
        [
          ['SpStatus', action.to === '1' ? 1 : 2],
          ['ApproverAttr', 1],
          // The step number makes two like actions of one second two texts, as times and speeches do in life.
          ['Details', this.details(second)],
        ],
      ],
      ...this.comments,
    ]);
  }

  override isOver(): boolean {
    return ACTIONS[this.status].length === 0 || this.step >= STEP_COUNT_MAX;
  }

  private details(second: number): Elements {
    return [
      ['Approver', [['UserId', this.around.random.pick(APPROVERS)]]],
      ['Speech', `第 ${this.step} 步`],
      ['SpStatus', this.status === '1' ? 1 : 2],
      ['SpTime', second],
    ];
  }

  private addComment(second: number): void {
    const comment: Elements = [
      ['CommentUserInfo', [['UserId', 'ZhangSan']]],
      ['CommentTime', second],
      ['CommentContent', '请 <尽快> & 处理'],
      ['CommentId', this.around.ids.longMessageId()],
    ];
    this.comments = [...this.comments, ['Comments', comment] as const].slice(-COMMENTS_SHOWN_MAX);
  }
}

export function approvalPlaintext(
  corpId: string,
  number: string,
  second: number,
  status: string,
  change: number,
  rest: Elements,
): string {
  return plaintextOf([
    ['ToUserName', corpId],
    ['FromUserName', 'sys'],
    ['CreateTime', second],
    ['MsgType', 'event'],
    ['Event', 'sys_approval_change'],
    ['AgentID', 3010040],
    [
      'ApprovalInfo',
      [
        ['SpNo', number],
        ['SpName', '请假'],
        ['SpStatus', status],
        ['TemplateId', '3TkSimulatedTemplate000001'],
        ['Applyer', [['UserId', 'ZhangSan'] as const, ['Party', '2'] as const]],
        ...rest,
        ['StatuChangeEvent', change],
        ['SpNoStr', number],
      ],
    ],
  ]);
}
