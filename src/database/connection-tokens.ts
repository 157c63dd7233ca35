/** The data sources under a unit of work. Known to this folder alone: writes go through the unit of work. */
export const READER = Symbol('READER');
export const WRITER = Symbol('WRITER');
