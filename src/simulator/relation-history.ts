import { History, type Surroundings } from './history.js';
import { type Elements, plaintextOf } from './plaintext.js';

type State = 'none' | 'half' | 'active' | 'deleted-by-user' | 'deleted-by-customer' | 'deleted-both' | 'transferred';

interface Step {
  readonly changeType: string;
  readonly to: State;
  readonly isTransfer?: true;
}

const ADD: readonly Step[] = [
  { changeType: 'add_half_external_contact', to: 'half' },
  { changeType: 'add_external_contact', to: 'active' },
  { changeType: 'add_external_contact', to: 'active' },
];
const DELETE_BY_USER: Step = { changeType: 'del_external_contact', to: 'deleted-by-user' };
const DELETE_BY_CUSTOMER: Step = { changeType: 'del_follow_user', to: 'deleted-by-customer' };
const EDIT: Step = { changeType: 'edit_external_contact', to: 'active' };

/** A deletion is one-sided and never the end: whoever left may be added again. */
const STEPS: Readonly<Record<State, readonly Step[]>> = {
  none: ADD,
  half: [{ changeType: 'add_external_contact', to: 'active' }, DELETE_BY_USER, DELETE_BY_CUSTOMER],
  active: [
    EDIT,
    EDIT,
    EDIT,
    DELETE_BY_USER,
    DELETE_BY_CUSTOMER,
    { changeType: 'del_external_contact', to: 'transferred', isTransfer: true },
  ],
  'deleted-by-user': [...ADD, { changeType: 'del_follow_user', to: 'deleted-both' }],
  'deleted-by-customer': [...ADD, { changeType: 'del_external_contact', to: 'deleted-both' }],
  'deleted-both': ADD,
  transferred: ADD,
};
const STEP_COUNT_MAX = 15;

/** The relation between a member and a customer (客户联系). */
export class RelationHistory extends History {
  private state: State = 'none';
  private stepCount = 0;
  private second = 0;
  /** What happened within `second`: these events carry so little that two like ones would be one text. */
  private readonly thisSecond = new Set<string>();

  constructor(
    private readonly around: Surroundings,
    readonly externalUserId: string,
  ) {
    super();
  }

  override next(second: number): string | null {
    if (second !== this.second) this.thisSecond.clear();
    this.second = second;
    const steps = STEPS[this.state].filter((step) => !this.thisSecond.has(step.changeType));
    const step = steps[this.around.random.upTo(steps.length - 1)];
    if (step === undefined) return null;
    this.thisSecond.add(step.changeType);
    this.state = step.to;
    this.stepCount += 1;
    return plaintextOf([
      ['ToUserName', this.around.corpId],
      ['FromUserName', 'sys'],
      ['CreateTime', second],
      ['MsgType', 'event'],
      ['Event', 'change_external_contact'],
      ['ChangeType', step.changeType],
      ['UserID', 'ZhangSan'],
      ['ExternalUserID', this.externalUserId],
      ...this.details(step),
    ]);
  }

  override isOver(): boolean {
    return this.stepCount >= STEP_COUNT_MAX;
  }

  private details({ changeType, isTransfer }: Step): Elements {
    if (isTransfer === true) return [['Source', 'DELETE_BY_TRANSFER']];
    if (!changeType.startsWith('add')) return [];
    return [['State', 'poster'] as const, ['WelcomeCode', this.around.ids.opaque('WC')] as const];
  }
}
