import { ApiProperty } from '@nestjs/swagger';

interface Shown {
  readonly description?: string;
  readonly nullable?: boolean;
}

// A class is named by a function that must itself be called `type`: so Nest tells it from the class.
/** Fields of answers, for the OpenAPI document. Each names its type: a compiler's metadata has no `null` and no list. */
export const shown = {
  text: (more: Shown = {}) => ApiProperty({ type: String, ...more }),
  integer: (more: Shown = {}) => ApiProperty({ type: 'integer', ...more }),
  /** Milliseconds since 1970. */
  time: (more: Shown = {}) =>
    ApiProperty({
      type: 'integer',
      format: 'int64',
      ...more,
      description: `${more.description ?? 'When'}, ms since 1970`,
    }),
  flag: (more: Shown = {}) => ApiProperty({ type: Boolean, ...more }),
  one: (values: readonly string[], more: Shown = {}) => ApiProperty({ type: String, enum: [...values], ...more }),
  several: (values: readonly string[], more: Shown = {}) =>
    ApiProperty({ type: 'array', items: { type: 'string', enum: [...values] }, ...more }),
  texts: (more: Shown = {}) => ApiProperty({ type: [String], ...more }),
  counts: (more: Shown = {}) => ApiProperty({ type: Object, additionalProperties: { type: 'integer' }, ...more }),
  anything: (more: Shown = {}) => ApiProperty({ type: Object, additionalProperties: true, ...more }),
  view: (type: () => new () => object, more: Shown = {}) => ApiProperty({ type: () => type(), ...more }),
  list: (type: () => new () => object, more: Shown = {}) => ApiProperty({ type: () => type(), isArray: true, ...more }),
};
