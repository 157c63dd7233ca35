/** What the tables look like in classes, and how they came about. */
export interface Schema {
  readonly entities: readonly (new () => object)[];
  readonly migrations: readonly (new () => object)[];
}
