import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgeList, type Aged } from './age-list.js';

interface Item extends Aged<Item> {
  readonly name: number;
}

describe('AgeList', () => {
  it('gives items in the order in which they came, whatever is removed and appended again between', () => {
    const moves = fc.array(fc.tuple(fc.constantFrom('append', 'remove'), fc.nat({ max: 7 })), { maxLength: 60 });
    fc.assert(
      fc.property(moves, (steps) => {
        const items = Array.from({ length: 8 }, (_, name): Item => ({ name, older: null, newer: null }));
        const list = new AgeList<Item>();
        let model: number[] = [];
        for (const [step, name] of steps) {
          const item = items[name];
          if (item === undefined || model.includes(name) === (step === 'append')) continue;
          if (step === 'append') list.append(item);
          else list.remove(item);
          model = step === 'append' ? [...model, name] : model.filter((other) => other !== name);
        }
        expect(drain(list)).toEqual(model);
      }),
    );
  });

  it('is empty after clear', () => {
    const list = new AgeList<Item>();
    list.append({ name: 1, older: null, newer: null });
    list.clear();
    list.append({ name: 2, older: null, newer: null });
    expect(drain(list)).toEqual([2]);
  });
});

function drain(list: AgeList<Item>): number[] {
  const names: number[] = [];
  for (let item = list.oldest; item !== null; item = list.oldest) {
    names.push(item.name);
    list.remove(item);
  }
  return names;
}
