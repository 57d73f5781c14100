/**
 * New objects with the fields of others; of equal names the last wins. For code that every payment runs: V8 11 gives each
 * object of `{ ...first, added: 1 }` a hidden class of its own, if `first` has no such field. That takes 10 to 25 µs
 * instead of 1 to 4, makes the object slow to read, and leaves garbage that only a full collection takes.
 */

/** A literal that begins with no fields gets them one by one, and shares its hidden class with all others like it. */
const merged = (first: object, second: object, third?: object): object => ({
  ...(null as unknown as object),
  ...first,
  ...second,
  ...third
})

/** `first` with other values of its fields. */
export const merge = <A extends object>(first: A, second: Partial<NoInfer<A>>, third?: Partial<NoInfer<A>>): A =>
  merged(first, second, third) as A

/** `first` with more fields. */
export const extend = <A extends object, B extends object>(first: A, second: B): Omit<A, keyof B> & B =>
  merged(first, second) as Omit<A, keyof B> & B
